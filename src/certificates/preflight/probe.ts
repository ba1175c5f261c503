import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { quote } from '../../domain/text.ts';
import { DialFailed, type Dialler } from '../../net/dialer.ts';

/** What is at the other end of an address when a CA asks there for the answer to its challenge. */
export type Probed =
  /** `from`: the host that answered, where redirects led to another than was asked for; null: the very one. */
  | { kind: 'answer'; from: string | null; status: number; body: string }
  /** It leads to where no CA follows, or where nobody answers. */
  | { kind: 'astray'; seen: string }
  | { kind: 'unreachable'; seen: string; reason: DialFailed['reason'] | null };

export interface ProbeOptions {
  dialler: Dialler;
  /** The ports that CAs ask at, and follow to: 80 and 443. */
  ports: { http: number; https: number };
  /** Most redirects that are followed; as many as Let's Encrypt follows unless given. */
  maxRedirects?: number;
  signal: AbortSignal;
}

const MAX_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];
/** So much of a body is read; an answer to a challenge is shorter. */
const BODY_OCTETS = 1024;

/**
 * Asks for a URL at one address of its host, and follows redirects as Let's Encrypt does: at most ten, to http and https on their own ports, whatever
 * certificate is there. Wherever they lead, the address is looked up and checked anew. What another host answers is for us alone: of where that one
 * redirects to, `seen` names hosts. Rejects with the signal's reason, and with nothing else.
 */
export async function probe(start: URL, address: string, options: ProbeOptions): Promise<Probed> {
  const { ports, maxRedirects = MAX_REDIRECTS } = options;
  let url = start;
  let hostname = address;
  /** Where it leads, as far as it may be told. */
  let told = '';
  for (let redirects = 0; ; redirects++) {
    const response = await ask(url, hostname, options);
    if (response.kind === 'unreachable' && redirects > 0) {
      return { kind: 'astray', seen: `it redirects to ${told}: ${response.seen}` };
    }
    if (response.kind === 'unreachable') return response;
    const { status, body, location } = response;
    const from = url.hostname === start.hostname ? null : url.hostname;
    if (location === null) return { kind: 'answer', from, status, body };
    const next = URL.parse(location, url.href);
    if (next === null || !isFollowed(next, ports)) {
      const where = from === null ? quote(location) : `${quote(from)}, and from there on`;
      return { kind: 'astray', seen: `it redirects to ${where}, where no certificate authority follows` };
    }
    if (redirects === maxRedirects) return { kind: 'astray', seen: `it redirects more than ${maxRedirects} times` };
    told = quote(from === null ? next.href : next.host);
    url = next;
    hostname = next.hostname;
  }
}

type Response =
  | { kind: 'answer'; status: number; body: string; location: string | null }
  | Extract<Probed, { kind: 'unreachable' }>;

async function ask(url: URL, hostname: string, { dialler, ports, signal }: ProbeOptions): Promise<Response> {
  const secure = url.protocol === 'https:';
  const target = { hostname, port: portOf(url, ports), signal };
  let socket: Socket | undefined;
  try {
    // What a certificate is wanted for need not have one yet.
    socket = secure ? await dialler.dialTls(target, { rejectUnauthorized: false }) : await dialler.dial(target);
    return await exchange(url, socket, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DialFailed) return { kind: 'unreachable', seen: plain(error.message), reason: error.reason };
    return { kind: 'unreachable', seen: 'it accepts connections, and answers nothing that is HTTP', reason: null };
  } finally {
    socket?.destroy();
  }
}

function exchange(url: URL, socket: Socket, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = { host: url.host, 'user-agent': 'nameplate', accept: '*/*', connection: 'close' };
    const path = url.pathname + url.search;
    const asked = request({ createConnection: () => socket, path, headers, signal });
    // Another may follow the first.
    asked.on('error', reject);
    // Node has nothing else to say where the answer is that another protocol is spoken from now on.
    const end = () => reject(new Error('The connection was closed without an answer.'));
    asked.once('close', end);
    asked.once('response', (response) => {
      asked.off('close', end);
      const status = response.statusCode ?? 0;
      const location = REDIRECTS.includes(status) ? (response.headers.location ?? null) : null;
      read(response).then((body) => resolve({ kind: 'answer', status, location, body }), reject);
    });
    asked.end();
  });
}

/** The beginning of a body. */
async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    octets += chunk.length;
    if (octets >= BODY_OCTETS) break;
  }
  return Buffer.concat(chunks).subarray(0, BODY_OCTETS).toString('utf8');
}

function isFollowed(url: URL, ports: ProbeOptions['ports']): boolean {
  return ['http:', 'https:'].includes(url.protocol) && Object.values(ports).includes(portOf(url, ports));
}

function portOf({ protocol, port }: URL, ports: ProbeOptions['ports']): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? ports.https : ports.http;
}

/** A sentence as a part of another. */
function plain(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
