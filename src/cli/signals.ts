/** One press of Ctrl-C may arrive twice: from the terminal, and from npm, which passes it on. */
const SAME_PRESS_MS = 500;
/** Longest time that a clean stop may take. */
const STOP_MS = 4500;

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

/** Waits for a clean stop, but not for ever: ends the process when it takes too long. */
export async function stopInTime(stop: () => Promise<void>): Promise<void> {
  const late = setTimeout(() => {
    process.stderr.write('nameplate: what was under way took too long to end; stopped all the same.\n');
    process.exit(1);
  }, STOP_MS);
  await stop();
  clearTimeout(late);
}
