import { createHash, hkdfSync } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { recentMap } from '../recent.ts';
import type { ServedCertificate } from '../store/store.ts';
import { domainName } from './authority.ts';
import { readClientHello } from './clienthello.ts';
import { pem } from './pem.ts';
import type { HandshakeOutcome, Tally } from './tally.ts';

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
  /** TLS contexts kept: about 45 KB each. */
  contexts: number;
}

/** Alerts of RFC 8446 section 6, and RFC 6066 section 3. */
const ALERTS = { decodeError: 50, internalError: 80, unrecognizedName: 112 };

/**
 * Those of Mozilla's intermediate configuration: with TLS 1.2 only what has forward secrecy and authenticates what it encrypts. RSA is for
 * certificates that were imported.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** What handshakes of one name need. Its tickets are worth nothing to another name, nor once the certificate is another. */
interface Context {
  certificate: ServedCertificate;
  ticketSecret: Uint8Array;
  server: Server;
}

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
  const contexts = recentMap<Context>(capacity);
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
        const { server } = contextOf(serverName, certificate);
        pending.set(ends, { raw, end });
        server.emit('connection', raw);
      } catch (error) {
        onFault(serverName, error);
        refuse(ALERTS.internalError, 'unavailable');
      }
    }

    raw.on('error', () => {});
    raw.on('close', closed);
    raw.on('readable', read);
  }

  function contextOf(serverName: string, certificate: ServedCertificate): Context {
    const secret = ticketSecret();
    const known = contexts.get(serverName);
    if (known?.certificate === certificate && known.ticketSecret === secret) return known;
    const made = { certificate, ticketSecret: secret, server: serverFor(serverName, certificate, secret) };
    contexts.set(serverName, made);
    tally.measure('tls_contexts', contexts.size());
    return made;
  }

  /** Listens nowhere: connections are handed to it once their name is known. */
  function serverFor(serverName: string, { chain, privateKey }: ServedCertificate, secret: Uint8Array): Server {
    const server = createServer({
      key: pem(privateKey),
      cert: chain,
      // No client certificates are asked for, so no CA has to be known.
      ca: [],
      ALPNProtocols: ['h2', 'http/1.1'],
      minVersion: 'TLSv1.2',
      ciphers: CIPHERS,
      ticketKeys: ticketKeys(secret, serverName, chain),
    });
    server.on('secureConnection', (socket) => {
      const waiting = pending.get(endsOf(socket));
      if (waiting === undefined || !isFor(serverName, socket)) {
        socket.destroy();
        return;
      }
      waiting.end(socket.isSessionReused() ? 'resumed' : 'full');
      onSecure(socket, { raw: waiting.raw, serverName, h2: socket.alpnProtocol === 'h2' });
    });
    return server;
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

/** As OpenSSL wants them: a name, a key to authenticate with and a key to encrypt with. */
function ticketKeys(secret: Uint8Array, serverName: string, chain: string): Buffer {
  const salt = createHash('sha256').update(chain).digest();
  return Buffer.from(hkdfSync('sha256', secret, salt, serverName, 48));
}
