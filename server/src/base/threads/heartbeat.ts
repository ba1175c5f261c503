import type { Thread } from './thread.ts';

/** Detects a thread whose event loop stands still for ever. */

const BEAT_MS = 5000;
/** A minute: longer than any thread is busy, or waits for a reader of the log. */
const MOST_MISSED = 12;

/**
 * Heartbeats in a row that a thread has missed by now; null: it hangs. Counts beats rather than time: while the whole
 * process is suspended there are none, and after it there is one.
 */
export function nextMissed(missed: number, isAnswered: boolean): number | null {
  if (isAnswered) return 0;
  return missed + 1 < MOST_MISSED ? missed + 1 : null;
}

/** Terminates the thread when it does not answer for a minute, from when it is ready. */
export function watchHeartbeat({ ready, exited, ping, terminate }: Thread<object>): void {
  let missed: number | null = 0;
  let isAnswered = true;

  function beat(): void {
    missed = nextMissed(missed ?? 0, isAnswered);
    if (missed === null) {
      terminate(new Error(`the thread has not answered for ${(MOST_MISSED * BEAT_MS) / 1000} seconds`));
    } else if (isAnswered) {
      isAnswered = false;
      ping().then(
        () => {
          isAnswered = true;
        },
        () => {},
      );
    }
  }

  ready.then(
    () => {
      const beating = setInterval(beat, BEAT_MS).unref();
      void exited.then(() => clearInterval(beating));
    },
    () => {},
  );
}
