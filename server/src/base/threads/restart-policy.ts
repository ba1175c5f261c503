/** When a thread that died is started again, and when that makes no sense any more. */

const MIN_DELAY_MS = 1000;
/** Also: a thread that lives longer than this was fit to work. */
const MAX_DELAY_MS = 10_000;
/** About a minute and a half without a working thread. */
const MOST_SHORT_LIVES = 10;

export interface Restarts {
  /** Deaths in a row, each within ten seconds of the start. */
  shortLives: number;
  /** The last delay. */
  delayMs: number;
}

export const NO_RESTARTS: Restarts = { shortLives: 0, delayMs: 0 };

/**
 * After a second; later, doubled each time, where the thread died within ten seconds of its start, ten seconds at most. Null: it did so ten
 * times in a row.
 */
export function nextRestart({ shortLives, delayMs }: Restarts, livedMs: number): Restarts | null {
  if (livedMs >= MAX_DELAY_MS) return { shortLives: 0, delayMs: MIN_DELAY_MS };
  if (shortLives + 1 >= MOST_SHORT_LIVES) return null;
  return { shortLives: shortLives + 1, delayMs: Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, 2 * delayMs)) };
}
