import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ServedCertificate } from '../../store/contract/store.ts';
import { domainName } from '../http/authority.ts';
import type { HandshakeOutcome, Tally } from '../shared-counters.ts';
import { readClientHello } from './client-hello.ts';
import { createContexts } from './tls-contexts.ts';

/** What a handshake for a name is to come to. */
export type Verdict =
  | { kind: 'certificate'; certificate: ServedCertificate }
  | { kind: 'none'; outcome: Extract<HandshakeOutcome, 'unknown_name' | 'not_certified' | 'unavailable' | 'refused'> };

export interface TlsOptions {
  /** Judges a name in lower case, for a client at this address. Never rejects. */
  judge(serverName: string, clientAddress: string): Promise<Verdict>;
  /** A handshake is done. */
  onSecure(socket: TLSSocket, connection: { raw: Socket; serverName: string; h2: boolean }): void;
  /** Secret of the session tickets that are given and accepted from now on: 32 random bytes, others once in a while. */
  ticketSecret(): Uint8Array;
  /** A certificate cannot be used. */
  onFault(serverName: string, error: unknown): void;
  tally: Pick<Tally, 'handshake' | 'measure'>;
  handshakeMs: number;
  /** TLS contexts kept (`contexts.ts`). */
  contexts: number;
}

/** Alerts of RFC 8446 section 6, and RFC 6066 section 3. */
const ALERTS = { decodeError: 50, internalError: 80, unrecognizedName: 112 };

/** Connections whose name is known, until their handshake is done. */
interface Pending {
  raw: Socket;
  end(outcome: HandshakeOutcome): void;
}

/** Pieces in which a ClientHello may come: usually one, or two. */
const MOST_READS = 64;

/** How long a client that was refused may take to read the alert. */
const LINGER_MS = 1000;

/** Takes new connections through the TLS handshake. */
export function createTls(options: TlsOptions): { accept(raw: Socket): void } {
  const { judge, onSecure, onFault, ticketSecret, tally, handshakeMs, contexts: capacity } = options;
  const contexts = createContexts(capacity, secured);
  const pending = new Map<string, Pending>();

  function accept(raw: Socket): void {
    const ends = endsOf(raw);
    const late = setTimeout(() => end('timeout'), handshakeMs);
    const closed = () => end('closed');
    let ended = false;

    function end(outcome: HandshakeOutcome): void {
      if (ended) return;
      ended = true;
      clearTimeout(late);
      raw.off('close', closed).off('readable', read);
      pending.delete(ends);
      tally.handshake(outcome);
      if (outcome === 'timeout') raw.destroy();
    }

    function refuse(alert: number, outcome: HandshakeOutcome): void {
      end(outcome);
      // A record of TLS 1.2 in clear, as alerts are before there are keys.
      raw.end(Buffer.from([21, 3, 3, 0, 2, 2, alert]));
      raw.resume();
      // The client may go on sending, or keep its side open.
      const late = setTimeout(() => raw.destroy(), LINGER_MS).unref();
      raw.once('close', () => clearTimeout(late));
    }

    let seen: Buffer = Buffer.alloc(0);
    let reads = 0;
    function read(): void {
      const more: Buffer | null = raw.read();
      if (more === null) return;
      seen = seen.length === 0 ? more : Buffer.concat([seen, more]);
      const hello = readClientHello(seen);
      reads += 1;
      // Each time it is read from the beginning.
      if (hello.kind === 'malformed' || reads > MOST_READS) refuse(ALERTS.decodeError, 'closed');
      if (ended || hello.kind !== 'hello') return;
      raw.off('readable', read);
      raw.unshift(seen);
      const serverName = hello.serverName === null ? null : domainName(hello.serverName);
      if (serverName === null) refuse(ALERTS.unrecognizedName, 'unknown_name');
      else void judge(serverName, raw.remoteAddress ?? '').then((verdict) => proceed(serverName, verdict));
    }

    function proceed(serverName: string, verdict: Verdict): void {
      if (ended) return;
      if (verdict.kind === 'certificate') shakeHands(serverName, verdict.certificate);
      else refuse(alertFor(verdict.outcome), verdict.outcome);
    }

    function shakeHands(serverName: string, certificate: ServedCertificate): void {
      try {
        const context = contexts.of(serverName, certificate, ticketSecret());
        tally.measure('tls_contexts', contexts.size());
        pending.set(ends, { raw, end });
        context.emit('connection', raw);
      } catch (error) {
        onFault(serverName, error);
        refuse(ALERTS.internalError, 'unavailable');
      }
    }

    raw.on('error', () => {});
    raw.on('close', closed);
    raw.on('readable', read);
  }

  function secured(serverName: string, socket: TLSSocket): void {
    const waiting = pending.get(endsOf(socket));
    if (waiting === undefined || !isFor(serverName, socket)) {
      socket.destroy();
      return;
    }
    waiting.end(socket.isSessionReused() ? 'resumed' : 'full');
    onSecure(socket, { raw: waiting.raw, serverName, h2: socket.alpnProtocol === 'h2' });
  }

  return { accept };
}

/** `internal_error` where the fault is ours and passes. */
function alertFor(outcome: HandshakeOutcome): number {
  return outcome === 'not_certified' || outcome === 'unavailable' ? ALERTS.internalError : ALERTS.unrecognizedName;
}

/** Tells a connection from all others at the same time, also once TLS has taken the socket over. */
function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/**
 * Whether OpenSSL has read the name that was read here before. When it resumes a session of TLS 1.2 it tells none; then the ticket says it,
 * which no other name's context could have opened.
 */
function isFor(serverName: string, socket: TLSSocket & { servername?: string | false | null }): boolean {
  return socket.servername ? domainName(socket.servername) === serverName : socket.isSessionReused();
}
