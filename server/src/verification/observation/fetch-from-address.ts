import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { quote } from '../../domain/text.ts';
import { DialError, type Dialer } from '../../net/dialer.ts';

/** The response that a CA would get for a challenge from an address. */
export type FetchResult =
  /** `from`: the host that responded, if redirects led to another one; null otherwise. */
  | { kind: 'response'; from: string | null; status: number; body: string }
  /** A redirect that CAs do not follow, or to a host that does not answer. */
  | { kind: 'bad_redirect'; seen: string }
  /** `responded`: something came back, if no whole response. */
  | { kind: 'unreachable'; seen: string; reason: DialError['reason'] | null; responded: boolean };

export interface FetchOptions {
  dialer: Dialer;
  /** The ports that CAs connect to: 80 and 443. */
  ports: { http: number; https: number };
  maxRedirects: number;
  /** For everything, redirects included. */
  timeoutMs: number;
  signal: AbortSignal;
}

const REDIRECTS = [301, 302, 303, 307, 308];
/** Octets of a body that are read; a challenge response is shorter. */
const BODY_OCTETS = 1024;
const NOT_HTTP = 'it accepts connections, but its response is not HTTP';

/**
 * Fetches a URL from one address of its host, and follows redirects as Let's Encrypt does: to http and https on their own ports, with any certificate. The
 * addresses of each redirect's host are looked up and checked again. What another host redirects to is not disclosed: `seen` names hosts only. Rejects with
 * the signal's reason, and with nothing else.
 */
export async function fetchFromAddress(start: URL, address: string, options: FetchOptions): Promise<FetchResult> {
  const { ports, maxRedirects, timeoutMs } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  let url = start;
  let hostname = address;
  /** The target of the last redirect, as far as it may be shown. */
  let target = '';
  for (let redirects = 0; ; redirects++) {
    const response = await fetchOnce(url, hostname, { ...options, timeout });
    if (response.kind === 'unreachable') {
      return redirects === 0 ? response : { kind: 'bad_redirect', seen: `it redirects to ${target}: ${response.seen}` };
    }
    const { status, body, location } = response;
    const from = url.hostname === start.hostname ? null : url.hostname;
    if (location === null) return { kind: 'response', from, status, body };
    const next = URL.parse(location, url.href);
    if (next === null || !isFollowed(next, ports)) {
      const where = from === null ? quote(location) : `${quote(from)}, and from there`;
      return { kind: 'bad_redirect', seen: `it redirects to ${where}, where no certificate authority follows` };
    }
    if (redirects === maxRedirects)
      return { kind: 'bad_redirect', seen: `it redirects more than ${maxRedirects} times` };
    target = quote(from === null ? next.href : next.host);
    url = next;
    hostname = next.hostname;
  }
}

/** `location`: null unless it redirects. */
interface HttpResponse {
  kind: 'response';
  status: number;
  body: string;
  location: string | null;
  /** The field of its header. */
  server: string | null;
}

async function fetchOnce(
  url: URL,
  hostname: string,
  { dialer, ports, signal, timeout, timeoutMs }: FetchOptions & { timeout: AbortSignal },
): Promise<HttpResponse | Extract<FetchResult, { kind: 'unreachable' }>> {
  const secure = url.protocol === 'https:';
  const either = AbortSignal.any([signal, timeout]);
  const target = { hostname, port: portOf(url, ports), signal: either };
  let socket: Socket | undefined;
  try {
    // The name may have no valid certificate yet.
    socket = secure ? await dialer.dialTls(target, { rejectUnauthorized: false }) : await dialer.dial(target);
    return await sendRequest(url, socket, either);
  } catch (error) {
    signal.throwIfAborted();
    const responded = socket !== undefined && socket.bytesRead > 0;
    if (timeout.aborted) {
      return {
        kind: 'unreachable',
        seen: `it did not answer within ${timeoutMs / 1000} s`,
        reason: 'timeout',
        responded,
      };
    }
    if (error instanceof DialError) {
      return { kind: 'unreachable', seen: error.message.replace(/\.$/, ''), reason: error.reason, responded };
    }
    return { kind: 'unreachable', seen: NOT_HTTP, reason: null, responded };
  } finally {
    socket?.destroy();
  }
}

/** Octets of everything that a server sends. Interim responses and frames of HTTP/2 have no limit of their own. */
const RECEIVED_OCTETS = 256 * 1024;
const COUNT_EVERY_MS = 20;

/** Closes a connection that brings more than a response to a challenge needs. */
function limitReceived(socket: Socket): void {
  const timer = setInterval(() => {
    if (socket.bytesRead > RECEIVED_OCTETS) socket.destroy(new Error('The server sends more than is read.'));
  }, COUNT_EVERY_MS);
  socket.once('close', () => clearInterval(timer));
}

/** One request in HTTP/1.1, and the beginning of its response, `bodyOctets` long. Rejects where there is none. */
export function sendRequest(
  url: URL,
  socket: Socket,
  signal: AbortSignal,
  bodyOctets = BODY_OCTETS,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const headers = { host: url.host, 'user-agent': 'nameplate', accept: '*/*', connection: 'close' };
    const path = url.pathname + url.search;
    limitReceived(socket);
    const sent = request({ createConnection: () => socket, path, headers, signal });
    sent.on('error', reject);
    // A response that changes the protocol emits `close` alone.
    const onClose = () => reject(new Error('The connection was closed without a response.'));
    sent.once('close', onClose);
    sent.once('response', (response) => {
      sent.off('close', onClose);
      const status = response.statusCode ?? 0;
      const [server = null] = [response.headers.server].flat();
      const location = REDIRECTS.includes(status) ? (response.headers.location ?? null) : null;
      readStart(response, bodyOctets).then(
        (body) => resolve({ kind: 'response', status, location, body, server }),
        reject,
      );
    });
    sent.end();
  });
}

async function readStart(response: IncomingMessage, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    octets += chunk.length;
    if (octets >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most).toString('utf8');
}

function isFollowed(url: URL, ports: FetchOptions['ports']): boolean {
  return ['http:', 'https:'].includes(url.protocol) && Object.values(ports).includes(portOf(url, ports));
}

function portOf({ protocol, port }: URL, ports: FetchOptions['ports']): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? ports.https : ports.http;
}
