/** Nobody is asked for more patience than this. */
const LONGEST_MS = 7 * 24 * 3_600_000;

/** Milliseconds from now, of either form of `Retry-After` (RFC 9110 section 10.2.3), at most a week; null without one. */
export function readRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_MS);
}
