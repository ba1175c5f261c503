const AFTER_MS = 1000;

/**
 * In a second, gives back what the start of this thread has left behind: V8 keeps the young generation as large as loading the program made it, and
 * would shrink it only under other load. Does nothing without Node's `--expose-gc`, which `bin/nameplate` sets.
 */
export function releaseMemorySoon(): void {
  const { gc } = globalThis;
  if (gc === undefined) return;
  setTimeout(() => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }), AFTER_MS).unref();
}
