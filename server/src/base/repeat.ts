import type { Log } from './log.ts';

interface RepeatOptions {
  everyMs: number;
  /** The message of the warning when a run fails. */
  message: string;
  log: Pick<Log, 'warn'>;
}

/**
 * Runs `run` now, and `everyMs` after each run has ended, whether it failed or not. `stop` resolves when nothing is in
 * flight.
 */
export function repeat(run: () => Promise<void>, { everyMs, message, log }: RepeatOptions): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let inFlight = runOnce();

  async function runOnce(): Promise<void> {
    await run().catch((err: unknown) => log.warn({ err }, message));
    if (stopped) return;
    timer = setTimeout(() => {
      inFlight = runOnce();
    }, everyMs);
  }

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await inFlight;
    },
  };
}
