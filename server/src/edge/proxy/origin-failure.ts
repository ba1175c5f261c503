import { DialError } from '../../net/dialer.ts';
import { TooManyConnections } from '../../net/origin-connections.ts';
import type { PageName } from '../http/pages.ts';

/** Why a request could not be proxied, and the page for it. */
export interface OriginFailure {
  page: PageName;
  /** One word, for logs. */
  reason: string;
  /** Human-readable, bounded. */
  detail: string;
}

/** The proxy itself rejects a request or a response. */
export class ProxyError extends Error implements OriginFailure {
  override name = 'ProxyError';
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

const DIAL_PAGES: Partial<Record<DialError['reason'], PageName>> = {
  not_allowed: 'origin_forbidden',
  timeout: 'origin_timeout',
};

/** In characters; parts may come from an origin. */
const DETAIL_LIMIT = 300;

export function failureOf(error: unknown): OriginFailure {
  if (error instanceof ProxyError) return error;
  if (error instanceof DialError) {
    return { page: DIAL_PAGES[error.reason] ?? 'origin_down', reason: error.reason, detail: error.message };
  }
  if (error instanceof TooManyConnections) {
    return { page: 'unavailable', reason: 'too_many_connections', detail: error.message };
  }
  const code = codeOf(error);
  const detail = (error instanceof Error ? error.message : String(error)).slice(0, DETAIL_LIMIT);
  // Node's parser reports a response that is not HTTP, or a header that is too large.
  if (code?.startsWith('HPE_')) return { page: 'origin_invalid', reason: 'not_http', detail };
  // Node refuses to send the request to the origin, or the response to the client.
  if (code?.startsWith('ERR_')) return { page: 'origin_invalid', reason: 'not_sendable', detail };
  return { page: 'origin_down', reason: 'broken_off', detail };
}

/** Whether the origin may have closed an idle connection before the request arrived. */
export function isClosedConnection(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(codeOf(error) ?? '');
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
