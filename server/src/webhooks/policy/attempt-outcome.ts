/** Outcomes of an attempt to deliver. Pure. */

/**
 * `delivered`: a status from 200 to 299. `redirect`: 300 to 399; redirects are not followed. `status`: any other
 * status, 410 (Gone) among them. `address`: the host has no address that may be connected to. `connection`: refused,
 * unreachable or closed. `tls`: the handshake failed, or the certificate is not valid. `timeout`: no status in time.
 * `invalid`: no HTTP.
 */
export type AttemptOutcome =
  | 'delivered'
  | 'redirect'
  | 'status'
  | 'address'
  | 'connection'
  | 'tls'
  | 'timeout'
  | 'invalid';

export function outcomeOfStatus(status: number): AttemptOutcome {
  if (status >= 200 && status <= 299) return 'delivered';
  return status >= 300 && status <= 399 ? 'redirect' : 'status';
}

/** Statuses that ask for fewer requests (RFC 6585 section 4, RFC 9110 section 15.6.4). */
const OVERLOADED = [429, 503];

/**
 * `Retry-After` of 429 and 503 in milliseconds (RFC 9110 section 10.2.3); null for others, and where it is no time to
 * come.
 */
export function retryAfterMsOf(status: number, retryAfter: string | undefined, now: number): number | null {
  if (retryAfter === undefined || !OVERLOADED.includes(status)) return null;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) || at <= now ? null : at - now;
}
