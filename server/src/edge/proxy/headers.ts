/** Which header fields are passed on, dropped or set. Pure. Lists of fields are flat, as Node's `rawHeaders`. */

import { FORWARDED_BY_EDGE } from '../../net/forwarded-by-edge.ts';
import type { RoutingInfo } from '../http/http-exchange.ts';
import { viaPseudonym } from '../http/via.ts';
import { hostFor } from './origin-target.ts';

/** By this field an origin knows the requests that the edge has sent. Only the edge sets it. */
const EDGE_SECRET = 'Nameplate-Edge-Secret';

/** By this field an origin learns whose site a request is for. Only the edge sets it. */
const EXTERNAL_ID = 'Nameplate-External-Id';

/** How a message's content is framed (RFC 9112 section 6). */
export type Framing = { kind: 'none' } | { kind: 'sized'; length: string } | { kind: 'chunked' };

/** RFC 9110 section 7.6.1, and fields for proxies. */
const HOP_BY_HOP = [
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
];

/** Set by the edge, whatever a client sends. `cookie` may be in several fields (RFC 9113 section 8.2.3). */
const SET_BY_EDGE = [
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'nameplate-edge-secret',
  'nameplate-external-id',
  'trailer',
  'via',
  'x-forwarded',
  'x-real-ip',
  'x-request-id',
];

const NOT_PASSED_TO_ORIGIN = new Set([...HOP_BY_HOP, ...SET_BY_EDGE]);
/** `Alt-Svc` (RFC 7838) would lead clients past the edge. An origin may echo the fields of its request. */
const NOT_PASSED_TO_CLIENT = new Set([...HOP_BY_HOP, 'alt-svc', 'nameplate-edge-secret', 'trailer']);
/** RFC 9110 section 6.5.1. */
const NOT_IN_TRAILERS = new Set([
  ...NOT_PASSED_TO_ORIGIN,
  ...NOT_PASSED_TO_CLIENT,
  'authorization',
  'cache-control',
  'content-encoding',
  'content-range',
  'content-type',
  'location',
  'set-cookie',
]);

/** Common to IncomingMessage and Http2ServerRequest. */
export interface ReceivedHead {
  httpVersion: string;
  method?: string | undefined;
  rawHeaders: readonly string[];
}

export type Sender = Pick<
  RoutingInfo,
  | 'hostname'
  | 'scheme'
  | 'clientAddress'
  | 'forwardedFor'
  | 'requestId'
  | 'externalId'
  | 'apiSecret'
  | 'origin'
  | 'settings'
  | 'edgeSecret'
>;

/** The header fields of a request to an origin, `Host` first. `installation`: for `Via`. */
export function requestFields(
  { httpVersion, method, rawHeaders }: ReceivedHead,
  sender: Sender,
  framing: Framing,
  installation: string,
): string[] {
  const { hostname, scheme, clientAddress, forwardedFor, requestId, externalId, apiSecret, settings, edgeSecret } =
    sender;
  const fields = ['Host', hostname];
  const nominated = nominatedIn(rawHeaders);
  let authority = hostname;
  let cookie = '';
  let via = '';
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    const value = rawHeaders[i + 1] ?? '';
    const lower = name.toLowerCase();
    if (lower === 'host' || lower === ':authority') authority = withPortOf(value, hostname);
    else if (lower === 'cookie') cookie = cookie === '' ? value : `${cookie}; ${value}`;
    else if (lower === 'via') via += `${value}, `;
    else if (lower === 'te' && acceptsTrailers(value)) fields.push('TE', 'trailers');
    else if (lower === 'trailer' && framing.kind === 'chunked') fields.push(name, value);
    else if (passesToOrigin(lower) && !nominated?.has(lower)) fields.push(name, value);
  }
  fields[1] = settings === null ? authority : hostFor(sender, authority);
  if (cookie !== '') fields.push('Cookie', cookie);
  if (framing.kind === 'sized') fields.push('Content-Length', framing.length);
  else if (framing.kind === 'chunked') fields.push('Transfer-Encoding', 'chunked');
  else if (!HAS_NO_CONTENT.has(method ?? '')) fields.push('Content-Length', '0');
  fields.push('X-Forwarded-For', forwardedFor.join(', '));
  fields.push('X-Forwarded-Host', authority);
  fields.push('X-Forwarded-Proto', scheme);
  fields.push('X-Real-IP', clientAddress);
  fields.push('Forwarded', forwarded(forwardedFor, authority, scheme));
  fields.push('X-Request-Id', requestId);
  // A field's value may hold ASCII alone, and an id any character.
  if (externalId !== undefined) fields.push(EXTERNAL_ID, encodeURIComponent(externalId));
  if (apiSecret !== undefined) fields.push(FORWARDED_BY_EDGE, apiSecret);
  if (edgeSecret !== null) fields.push(EDGE_SECRET, edgeSecret);
  fields.push('Via', `${via}${httpVersion} ${viaPseudonym(installation, hostname)}`);
  return fields;
}

/** Without content, these methods need no `Content-Length: 0` (RFC 9110 section 8.6). */
const HAS_NO_CONTENT = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** The first value of a field. Node's `headers` costs a request 2 µs more. */
export function fieldOf({ rawHeaders }: { rawHeaders: readonly string[] }, lower: string): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === lower.length && name.toLowerCase() === lower) return rawHeaders[i + 1];
  }
  return undefined;
}

/** Whether there is a transfer coding other than chunked, which the edge would have to decode (RFC 9112 section 7). */
export function isTransferCoded({ rawHeaders }: { rawHeaders: readonly string[] }): boolean {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length !== 17 || name.toLowerCase() !== 'transfer-encoding') continue;
    if (rawHeaders[i + 1]?.trim().toLowerCase() !== 'chunked') return true;
  }
  return false;
}

/** How the content of an HTTP/1.1 request is framed. Node's parser rejects contradictions. */
export function framingOf(message: { rawHeaders: readonly string[] }): Framing {
  if (fieldOf(message, 'transfer-encoding') !== undefined) return { kind: 'chunked' };
  const length = fieldOf(message, 'content-length');
  return length === undefined || /^0*$/.test(length) ? { kind: 'none' } : { kind: 'sized', length };
}

/** The header fields of an origin's response for the client. `mayHaveTrailers`: passes `Trailer`. */
export function responseFields(rawHeaders: readonly string[], statusCode: number, mayHaveTrailers: boolean): string[] {
  const fields: string[] = [];
  const nominated = nominatedIn(rawHeaders);
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    const lower = name.toLowerCase();
    if (!passesToClient(lower, statusCode, mayHaveTrailers) || nominated?.has(lower)) continue;
    fields.push(name, rawHeaders[i + 1] ?? '');
  }
  return fields;
}

/** The header fields of an origin's response for an HTTP/2 client, from Node's `headers`. */
export function responseHeaders(
  headers: NodeJS.Dict<string | string[]>,
  statusCode: number,
  mayHaveTrailers: boolean,
): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  const nominated = namesIn(headers.connection);
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || !passesToClient(name, statusCode, mayHaveTrailers) || nominated?.has(name)) continue;
    passed[name] = value;
  }
  return passed;
}

/** The trailer fields that are passed on, in both directions. */
export function trailerFields(rawTrailers: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i < rawTrailers.length; i += 2) {
    const name = rawTrailers[i] ?? '';
    const lower = name.toLowerCase();
    if (!NOT_IN_TRAILERS.has(lower) && !isForged(lower)) pairs.push([name, rawTrailers[i + 1] ?? '']);
  }
  return pairs;
}

function passesToOrigin(lower: string): boolean {
  return !lower.startsWith(':') && !NOT_PASSED_TO_ORIGIN.has(lower) && !isForged(lower);
}

function passesToClient(lower: string, statusCode: number, mayHaveTrailers: boolean): boolean {
  if (lower === 'trailer') return mayHaveTrailers;
  // RFC 9110 section 8.6.
  if (lower === 'content-length' && statusCode === 204) return false;
  return !NOT_PASSED_TO_CLIENT.has(lower);
}

/**
 * Whether a client sends fields that only proxies may send. To an origin that makes variables of them (CGI, WSGI), `_` and
 * `-` are the same, and to some origins so is every other character.
 */
function isForged(lower: string): boolean {
  if (ANOTHER_CHARACTER.test(lower)) return isReserved(lower.replaceAll(OTHER_CHARACTERS, '-'));
  return lower.startsWith('x-forwarded-');
}

const ANOTHER_CHARACTER = /[^a-z0-9-]/;
const OTHER_CHARACTERS = /[^a-z0-9]/g;

function isReserved(lower: string): boolean {
  return lower.startsWith('x-forwarded-') || NOT_PASSED_TO_ORIGIN.has(lower);
}

/** The fields that `Connection` names, in lower case; null: none. */
function nominatedIn(rawHeaders: readonly string[]): ReadonlySet<string> | null {
  let names: Set<string> | null = null;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue;
    for (const nominated of namesIn(rawHeaders[i + 1]) ?? []) names = (names ?? new Set()).add(nominated);
  }
  return names;
}

function namesIn(connection: string | string[] | undefined): ReadonlySet<string> | null {
  if (connection === undefined || typeof connection !== 'string') return null;
  if (connection === 'keep-alive' || connection === 'close') return null;
  return new Set(
    connection
      .toLowerCase()
      .split(',')
      .map((option) => option.trim()),
  );
}

function acceptsTrailers(te: string): boolean {
  return te === 'trailers' || /(?:^|,)[ \t]*trailers[ \t]*(?:,|$)/i.test(te);
}

/** The host name, with the port of the client's request. */
function withPortOf(authority: string, hostname: string): string {
  const port = authority.length === hostname.length ? undefined : /:\d{1,5}$/.exec(authority)?.[0];
  return port === undefined ? hostname : hostname + port;
}

/** `Forwarded` (RFC 7239). */
function forwarded(hops: readonly string[], authority: string, scheme: string): string {
  const host = authority.includes(':') ? `"${authority}"` : authority;
  return hops
    .map((address, i) => {
      const by = address.includes(':') ? `"[${address}]"` : address;
      return i === 0 ? `for=${by};host=${host};proto=${scheme}` : `for=${by}`;
    })
    .join(', ');
}
