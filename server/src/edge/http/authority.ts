import { isAuthority, onlyField } from '../../net/host-field.ts';

/** The host name and the path of a request. Pure. */

/** Common to IncomingMessage and Http2ServerRequest. */
interface RequestLine {
  httpVersionMajor: number;
  method?: string | undefined;
  url?: string | undefined;
  rawHeaders: readonly string[];
}

/**
 * `hostname`: in lower case, without port or trailing dot; null where it is no domain name, such as an address. `path`:
 * in origin form, or `*` (RFC 9112 section 3.2).
 */
type Destination = { hostname: string | null; path: string };

const ABSOLUTE_FORM = /^https?:\/\/([^/?]*)(.*)$/i;
const DOMAIN = /^((?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]{1,63})\.?$/i;
const ONLY_DIGITS = /(?:^|\.)\d+$/;

/**
 * Null unless the request names exactly one destination (RFC 9112 section 3.2, RFC 9113 section 8.3.1): the host is
 * missing, empty, repeated, malformed, or `:authority` and `Host` differ; or the target has a fragment.
 */
export function readDestination({ httpVersionMajor, method, url, rawHeaders }: RequestLine): Destination | null {
  const authority = httpVersionMajor === 2 ? readAuthority(rawHeaders) : onlyField('host', rawHeaders);
  if (authority === null || authority === undefined || url === undefined || url.includes('#')) return null;
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return destination(authority, url);
  if (httpVersionMajor === 2) return null;
  // Absolute form overrides `Host`, which has to be well-formed all the same (RFC 9112 section 3.2.2).
  const [, host, rest = ''] = ABSOLUTE_FORM.exec(url) ?? [];
  if (host === undefined || host === '' || destination(authority, '/') === null) return null;
  return destination(host, rest.startsWith('/') ? rest : `/${rest}`);
}

/** A domain name as the keys of sites; null for an address, a single label, or a name that is too long. */
export function domainName(text: string): string | null {
  const name = text.length > 254 ? undefined : DOMAIN.exec(text)?.[1];
  return name === undefined || name.length > 253 || ONLY_DIGITS.test(name) ? null : name.toLowerCase();
}

function destination(authority: string, path: string): Destination | null {
  if (!isAuthority(authority)) return null;
  return { hostname: domainName(authority.replace(/:\d*$/, '')), path };
}

function readAuthority(rawHeaders: readonly string[]): string | null {
  const authority = onlyField(':authority', rawHeaders);
  const host = onlyField('host', rawHeaders);
  if (authority === undefined || host === null) return host ?? null;
  return host === undefined || host.toLowerCase() === authority?.toLowerCase() ? authority : null;
}
