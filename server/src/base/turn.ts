let ending: Promise<void> | null = null;

/**
 * Resolves once all input of this turn of the event loop has been handled. Responses that are written together wake
 * each client once. Written one by one, each may wake a client that has done its work before the next
 * (docs/internals/decisions/0033-turns.md).
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
