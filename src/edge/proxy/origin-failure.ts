/** What goes wrong between us and an origin, and which page says so. */

import { DialFailed } from '../../net/dialer.ts';
import type { PageName } from '../http/pages.ts';
import { TooManyConnections } from './origin-connections.ts';

export interface Failure {
  page: PageName;
  /** One word, for logs. */
  reason: string;
  /** In plain words, bounded. */
  detail: string;
}

/** What the proxy itself ends a request with. */
export class Refused extends Error implements Failure {
  override name = 'Refused';
  readonly page: PageName;
  readonly reason: string;

  constructor(page: PageName, reason: string, detail: string) {
    super(detail);
    this.page = page;
    this.reason = reason;
  }

  get detail(): string {
    return this.message;
  }
}

const DIAL_PAGES: Partial<Record<DialFailed['reason'], PageName>> = {
  not_allowed: 'origin_forbidden',
  timeout: 'origin_timeout',
};

/** The longest detail, in characters: some of it may be what an origin has sent. */
const DETAIL_LIMIT = 300;

export function failureOf(error: unknown): Failure {
  if (error instanceof Refused) return error;
  if (error instanceof DialFailed) {
    return { page: DIAL_PAGES[error.reason] ?? 'origin_down', reason: error.reason, detail: error.message };
  }
  if (error instanceof TooManyConnections) {
    return { page: 'unavailable', reason: 'too_many_connections', detail: error.message };
  }
  const code = codeOf(error);
  const detail = (error instanceof Error ? error.message : String(error)).slice(0, DETAIL_LIMIT);
  // Node's parser: not HTTP, or a header that is too large.
  if (code?.startsWith('HPE_')) return { page: 'origin_invalid', reason: 'not_http', detail };
  // Node's own checks of what it is to send, to the origin or to the client.
  if (code?.startsWith('ERR_')) return { page: 'origin_invalid', reason: 'not_sendable', detail };
  return { page: 'origin_down', reason: 'broken_off', detail };
}

/** Whether a connection that was idle may just have been closed by the origin before the request arrived. */
export function isClosedConnection(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(codeOf(error) ?? '');
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
