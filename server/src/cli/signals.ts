import { withinTime } from '../base/time-limit.ts';

/** One press of Ctrl-C may arrive twice: from the terminal, and from npm, which forwards it. */
const SAME_PRESS_MS = 500;
/** Longest time that a clean stop may take, beside draining. */
export const STOP_MS = 4500;

/** Resolves with the first SIGINT, SIGTERM or one of `others`. A second one ends the process at once. */
export function untilSignal(...others: NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      first ??= performance.now();
      if (performance.now() - first > SAME_PRESS_MS) process.exit(signal === 'SIGINT' ? 130 : 143);
      resolve(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM', ...others]) process.on(signal, onSignal);
  });
}

/**
 * Starts something, unless the signal comes first: then aborts the start, or stops what it started, and resolves with
 * null.
 */
export async function startUnlessStopped<T extends { stop(): Promise<void> }>(
  stopSignal: Promise<unknown>,
  start: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const controller = new AbortController();
  const starting = start(controller.signal);
  const started = await Promise.race([starting, stopSignal.then(() => null)]);
  if (started !== null) return started;
  controller.abort();
  await stopInTime(async () => {
    // The failure no longer matters.
    const late = await starting.catch(() => null);
    await late?.stop();
  });
  return null;
}

/** Waits for a clean stop; ends the process if that takes longer than `limitMs`. */
export async function stopInTime(stop: () => Promise<void>, limitMs = STOP_MS): Promise<void> {
  await withinTime(limitMs, stop(), () => {
    process.stderr.write(`nameplate: stopped after ${limitMs / 1000} s without waiting for unfinished work.\n`);
    process.exit(1);
  });
}
