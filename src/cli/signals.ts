/** One press of Ctrl-C may arrive twice: from the terminal, and from npm, which passes it on. */
const SAME_PRESS_MS = 500;
/** Longest time that a clean stop may take. */
export const STOP_MS = 4500;

/** Resolves with the first SIGINT or SIGTERM. A second one ends the process at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const heard = (signal: NodeJS.Signals) => {
      first ??= performance.now();
      if (performance.now() - first > SAME_PRESS_MS) process.exit(signal === 'SIGINT' ? 130 : 143);
      resolve(signal);
    };
    process.on('SIGINT', heard);
    process.on('SIGTERM', heard);
  });
}

/**
 * Starts something, unless the signal comes first: then the start is given up, or what it made is stopped, in time. Null in that
 * case.
 */
export async function startUnless<T extends { stop(): Promise<void> }>(
  asked: Promise<unknown>,
  start: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const givingUp = new AbortController();
  const starting = start(givingUp.signal);
  const started = await Promise.race([starting, asked.then(() => null)]);
  if (started !== null) return started;
  givingUp.abort();
  await stopInTime(async () => {
    // Nobody waits for it any more, so its failure is nobody's business.
    const late = await starting.catch(() => null);
    await late?.stop();
  });
  return null;
}

/** Waits for a clean stop, but not for ever: ends the process when it takes too long. */
export async function stopInTime(stop: () => Promise<void>): Promise<void> {
  const late = setTimeout(() => {
    process.stderr.write('nameplate: what was under way took too long to end; stopped all the same.\n');
    process.exit(1);
  }, STOP_MS);
  await stop();
  clearTimeout(late);
}
