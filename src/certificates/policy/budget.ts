import type { CaLimit } from '../../store/contract/store.ts';

/**
 * Who spends. `new`: a name without a certificate. `renewal`: the successor of one in use. `emergency`: the same, and the one in use has little
 * time left.
 */
export type Urgency = 'new' | 'renewal' | 'emergency';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** What Let's Encrypt publishes (letsencrypt.org/docs/rate-limits). */
export const LETS_ENCRYPT_LIMITS: readonly CaLimit[] = [
  { name: 'orders', limit: 300, windowMs: 3 * HOUR_MS },
  { name: 'failures', limit: 5, windowMs: HOUR_MS },
  { name: 'certificates', limit: 50, windowMs: WEEK_MS },
  { name: 'duplicates', limit: 5, windowMs: WEEK_MS },
];

/** What is left over is for those who need it more. */
const SHARES: Record<Urgency, number> = { new: 0.8, renewal: 0.95, emergency: 1 };

/**
 * What an order may spend of what a CA publishes: all of it in an emergency, and less the longer the order can wait. The last failure that
 * is allowed is never spent, since the name would be locked out.
 */
export function spendable(published: readonly CaLimit[], urgency: Urgency): CaLimit[] {
  return published.map((limit) => ({ ...limit, limit: Math.max(1, most(limit, urgency)) }));
}

function most({ name, limit }: CaLimit, urgency: Urgency): number {
  if (name === 'failures') return limit - 1;
  return Math.floor(limit * SHARES[urgency]);
}
