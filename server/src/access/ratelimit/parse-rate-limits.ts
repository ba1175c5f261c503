import { nearest } from '../../domain/nearest.ts';
import type { RateLimit } from '../../store/store.ts';

type ParsedRateLimits = { ok: true; limits: Record<string, RateLimit> } | { ok: false; message: string };

const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const ENTRY = /^(\*|[a-z]+\.[a-zA-Z]+)=(\d{1,9})\/(\w+)$/;

/** Parses the length of a window, such as `1m` or `7d`, to milliseconds; null when invalid. */
export function parseWindow(text: string): number | null {
  const [, count, unit = ''] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  return ms > 0 ? ms : null;
}

/**
 * Parses rate limits such as `*=6000/1m,domains.createDomain=60/1m`: an operation or `*`, the most requests, and the
 * window. Empty: no limits.
 */
export function parseRateLimits(text: string): ParsedRateLimits {
  const limits: Record<string, RateLimit> = {};
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '' && text.trim() === '') continue;
    const [, operation, limit, window = ''] = ENTRY.exec(entry) ?? [];
    const windowMs = parseWindow(window);
    if (operation === undefined || windowMs === null) {
      return {
        ok: false,
        message: `"${entry}" is not a rate limit; one looks like *=6000/1m or domains.createDomain=60/1m`,
      };
    }
    if (Object.hasOwn(limits, operation)) return { ok: false, message: `"${operation}" is limited twice` };
    limits[operation] = { limit: Number(limit), windowMs };
  }
  return { ok: true, limits };
}

/**
 * Reports rate limits on operations that do not exist, as a clause without a full stop; null when there are none. `*`
 * is every other operation.
 */
export function unknownSubjects(names: readonly string[], operations: readonly string[]): string | null {
  const unknown = names.filter((name) => name !== '*' && !operations.includes(name));
  if (unknown.length === 0) return null;
  const clauses = unknown.map((name) => {
    const meant = nearest(name, operations);
    return `"${name}" is not an operation${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
  });
  return clauses.join(', ');
}
