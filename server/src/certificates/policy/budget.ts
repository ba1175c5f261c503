import { NEW_NAMES_SHARE } from '../../domain/time-to-issue.ts';
import type { CaLimit } from '../../store/store.ts';

/**
 * `new`: the name has no certificate. `renewal`: it replaces one in use. `emergency`: a renewal whose certificate
 * expires soon.
 */
export type Urgency = 'new' | 'renewal' | 'emergency';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** As Let's Encrypt publishes them (letsencrypt.org/docs/rate-limits). */
export const LETS_ENCRYPT_LIMITS: readonly CaLimit[] = [
  { name: 'orders', limit: 300, windowMs: 3 * HOUR_MS },
  { name: 'failures', limit: 5, windowMs: HOUR_MS },
  { name: 'certificates', limit: 50, windowMs: WEEK_MS },
  { name: 'duplicates', limit: 5, windowMs: WEEK_MS },
];

/** Share of a published limit that an order may use. The rest is for more urgent orders. */
const SHARES: Record<Urgency, number> = { new: NEW_NAMES_SHARE, renewal: 0.95, emergency: 1 };

/**
 * The limits for an order of this urgency: its share of what the CA publishes, at least one. The last allowed failure
 * is never used, since the CA would lock the name out.
 */
export function budget(published: readonly CaLimit[], urgency: Urgency): CaLimit[] {
  return published.map((limit) => ({ ...limit, limit: Math.max(1, shareOf(limit, urgency)) }));
}

function shareOf({ name, limit }: CaLimit, urgency: Urgency): number {
  return name === 'failures' ? limit - 1 : Math.floor(limit * SHARES[urgency]);
}
