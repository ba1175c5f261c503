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

/** The faults of a certificate, by the codes of OpenSSL and Node. */
const CERTIFICATE_FAULTS: Record<string, [reason: string, detail: string]> = {
  ERR_TLS_CERT_ALTNAME_INVALID: ['certificate_name', 'The certificate of the origin is for another name.'],
  CERT_HAS_EXPIRED: ['certificate_expired', 'The certificate of the origin has expired.'],
  CERT_NOT_YET_VALID: ['certificate_not_yet_valid', 'The certificate of the origin is not valid yet.'],
};
const UNTRUSTED = ['certificate_untrusted', 'No CA that is trusted has issued the certificate of the origin.'] as const;
const UNTRUSTED_CODE =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER|VERIFY)\w*|CERT_\w+|INVALID_(?:CA|PURPOSE))$/;
/** Alerts by which an origin rejects the edge's certificate, or demands one. */
const CLIENT_CERTIFICATE_ALERT = /ALERT_(?:CERTIFICATE_\w+|BAD_CERTIFICATE|UNKNOWN_CA)$/;

/** The operator reads in the log what happened and what to do. By the reason, or else by the page. */
const LOG_MESSAGES: Partial<Record<string, string>> = {
  client_certificate:
    'an origin rejects the client certificate of the edge: set the one that it trusts with environments.updateOriginSettings',
  origin_certificate:
    'an origin has a wrong certificate: have one issued for the name that it is asked by, or set its CA with environments.updateOriginSettings',
  origin_redirect:
    'an origin redirects to the URL that was asked for: deploy its https URL, or have it read X-Forwarded-Proto',
};

export function logMessageOf({ page, reason }: OriginFailure): string {
  return LOG_MESSAGES[reason] ?? LOG_MESSAGES[page] ?? 'an origin failed';
}

/** Null: the error is not about a certificate. */
function certificateFailure(code: string): OriginFailure | null {
  const fault = CERTIFICATE_FAULTS[code] ?? (UNTRUSTED_CODE.test(code) ? UNTRUSTED : undefined);
  if (fault !== undefined) return { page: 'origin_certificate', reason: fault[0], detail: `${fault[1]} (${code})` };
  if (!CLIENT_CERTIFICATE_ALERT.test(code)) return null;
  const detail = `The origin demands a client certificate that it trusts. (${code})`;
  return { page: 'origin_down', reason: 'client_certificate', detail };
}

export function failureOf(error: unknown): OriginFailure {
  if (error instanceof ProxyError) return error;
  const certificate = certificateFailure(codeOf(error instanceof DialError ? error.cause : error) ?? '');
  if (certificate !== null) return certificate;
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
