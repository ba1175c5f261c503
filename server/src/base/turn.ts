let ending: Promise<void> | null = null;

/**
 * Resolves once all that came in this turn of the event loop has been handled. Responses that are written together wake the clients once; written one by one,
 * each may wake a process that is done before the next (docs/decisions/0033-turns.md).
 */
export function endOfTurn(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = null;
      resolve();
    });
  });
  return ending;
}
