/** Runs at most `limit` tasks at a time; the others start in order as those end. */
export function semaphore(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let inFlight = 0;

  function release(): void {
    const next = queue.shift();
    // The next task takes the place of this one.
    if (next === undefined) inFlight -= 1;
    else next();
  }

  return async (task) => {
    if (inFlight < limit) inFlight += 1;
    else await new Promise<void>((acquired) => queue.push(acquired));
    try {
      return await task();
    } finally {
      release();
    }
  };
}
