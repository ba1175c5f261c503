import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * How the edge forwards requests to the API of its own process (`NAMEPLATE_API_HOSTNAME`): with the client's address in
 * `X-Real-IP`, and in this field a secret that only the process has. The edge removes all `X-Forwarded-…` of clients,
 * and sends this one to no origin.
 */
export const FORWARDED_BY_EDGE = 'X-Forwarded-By-Edge';

const FIELD = FORWARDED_BY_EDGE.toLowerCase();

/**
 * The address of the client for whom the edge forwards a request, `unknown` where the client has gone; null: the edge
 * did not send the request.
 */
export function clientOfEdge({ headers }: Pick<IncomingMessage, 'headers'>, secret: string): string | null {
  const given = headers[FIELD];
  if (typeof given !== 'string' || !isSame(given, secret)) return null;
  const address = headers['x-real-ip'];
  return typeof address === 'string' && isIP(address) !== 0 ? address : 'unknown';
}

function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
