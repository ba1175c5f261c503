/** Lets at most `limit` pieces of work go on at a time; the others begin in order, as those end. */
export function turns(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let taken = 0;

  return async (work) => {
    if (taken < limit) taken += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Whoever is next takes the turn over.
      if (next === undefined) taken -= 1;
      else next();
    }
  };
}
