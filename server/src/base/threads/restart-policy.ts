/** When a thread that died is started again, and when that makes no sense any more. */

const MIN_DELAY_MS = 1000;
/** Also: a thread that lives longer than this was fit to work. */
const MAX_DELAY_MS = 10_000;
/** Deaths in a row after which a thread is given up: about a minute and a half without a working one. */
const MOST_SHORT_LIVES = 10;

export interface Restarts {
  /** Deaths in a row, each within ten seconds of the start. */
  shortLives: number;
  /** The last delay. */
  delayMs: number;
}

export const NO_RESTARTS: Restarts = { shortLives: 0, delayMs: 0 };

/**
 * The delay doubles from a second to ten, while each thread dies within ten seconds of its start. Null: ten of them
 * have done so in a row.
 */
export function nextRestart({ shortLives, delayMs }: Restarts, livedMs: number): Restarts | null {
  if (livedMs >= MAX_DELAY_MS) return { shortLives: 0, delayMs: MIN_DELAY_MS };
  if (shortLives + 1 >= MOST_SHORT_LIVES) return null;
  return { shortLives: shortLives + 1, delayMs: Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, 2 * delayMs)) };
}
