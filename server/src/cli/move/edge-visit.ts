import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import type { LiveProblem } from '../../domain/live.ts';
import type { AddressRule } from '../../net/addresses.ts';
import { createDialer, DialError } from '../../net/dialer.ts';
import { sendRequest } from '../../verification/observation/fetch-from-address.ts';
import { certificateProblem, DIAL_PROBLEMS, trustedRoots } from '../../verification/observation/look-outside.ts';
import type { EdgePlace } from './move-board.ts';

/** The response of one server for a name. Null: it did not get so far. All texts are its own, and hostile. */
export interface Visit extends EdgePlace {
  status: number | null;
  /** The `Server` field of its response. */
  server: string | null;
  issuer: string | null;
  /** End of the certificate's validity, Unix ms. */
  notAfter: number | null;
  problem: LiveProblem | 'server_error' | null;
}

/** Longest text of a server that is shown, in characters: it may send 16 KiB. */
const LONGEST_TEXT = 100;

export interface VisitorOptions {
  mayDial: AddressRule;
  clock: Clock;
  /** PEM of a root that is trusted besides those of this machine. */
  trustRoots?: string | undefined;
  /** Longest time of one visit. */
  timeoutMs?: number;
}

/** Asks servers for names as browsers do, whatever DNS says: one TLS connection with the name as SNI, and one GET of `/`. Never rejects. */
export type Visitor = (hostname: string, at: EdgePlace) => Promise<Visit>;

export function createVisitor({ mayDial, clock, trustRoots, timeoutMs = 10_000 }: VisitorOptions): Visitor {
  const dialer = createDialer({ mayDial, timeoutMs, lookUp: async () => [] });
  const secureContext = createSecureContext({ ca: [...trustedRoots(), ...(trustRoots ? [trustRoots] : [])] });
  return async (hostname, { address, port }) => {
    const visit: Visit = { address, port, status: null, server: null, issuer: null, notAfter: null, problem: null };
    const signal = AbortSignal.timeout(timeoutMs);
    let socket: TLSSocket | undefined;
    try {
      // Any certificate is accepted, and judged below: what the server answers is shown in any case.
      socket = await dialer.dialTls(
        { hostname: address, port, signal },
        { servername: hostname, ALPNProtocols: ['http/1.1'], rejectUnauthorized: false, secureContext },
      );
      const leaf = socket.getPeerX509Certificate();
      visit.problem = certificateProblem(socket, leaf, hostname, clock.now());
      visit.issuer = leaf === undefined ? null : cut(issuerOf(leaf));
      visit.notAfter = leaf?.validToDate.getTime() ?? null;
      const { status, server } = await sendRequest(new URL(`https://${hostname}/`), socket, signal);
      visit.status = status;
      visit.server = server === null ? null : cut(server);
      visit.problem ??= status >= 500 ? 'server_error' : null;
    } catch (error) {
      visit.problem ??= problemOf(error, signal);
    } finally {
      socket?.destroy();
    }
    return visit;
  };
}

function problemOf(error: unknown, { aborted }: AbortSignal): LiveProblem {
  if (aborted) return 'timeout';
  return error instanceof DialError ? DIAL_PROBLEMS[error.reason] : 'no_response';
}

/** `Let's Encrypt R11` */
function issuerOf({ issuer }: X509Certificate): string {
  const attribute = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(issuer ?? '')?.[1];
  return [attribute('O'), attribute('CN')].filter((text) => text !== undefined).join(' ');
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}

export function placeOf({ address, port }: EdgePlace): string {
  return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}
