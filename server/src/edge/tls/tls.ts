import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { wildcardOf } from '../../domain/wildcard.ts';
import type { Sites } from '../cache/site-cache.ts';
import type { EdgeMetrics, HandshakeOutcome } from '../edge-metrics.ts';
import { domainName } from '../http/authority.ts';
import type { Challenges } from '../routing/challenges.ts';
import { createChallengeContexts } from './challenge-contexts.ts';
import { readClientHello } from './client-hello.ts';
import { createTlsContextCache, type TlsContext } from './tls-contexts.ts';

interface TlsTerminatorOptions extends Pick<Sites, 'certificateFor'> {
  /** Finds the challenge for a client that only speaks `acme-tls/1`. */
  findTlsChallenge: Challenges['findTls'];
  /** Called when a handshake is complete. */
  onSecure(
    socket: TLSSocket,
    connection: { raw: Socket; clientAddress: string; serverName: string; siteName: string; h2: boolean },
  ): void;
  /** The current secret of session tickets, 32 random bytes. */
  ticketSecret(): Uint8Array;
  /** Called when a certificate cannot be used. */
  onFault(serverName: string, error: unknown): void;
  metrics: Pick<EdgeMetrics, 'handshake'>;
  handshakeMs: number;
  /** Capacity of the cache of TLS contexts. */
  contexts: number;
  clock: Clock;
}

/** Takes new connections through the TLS handshake. */
interface TlsTerminator {
  accept(raw: Socket, clientAddress: string): void;
  /** TLS contexts cached. */
  contexts(): number;
}

/** Alerts of RFC 8446 section 6, and RFC 6066 section 3. */
const ALERTS = { decodeError: 50, internalError: 80, unrecognizedName: 112 };

/** A connection whose certificate is known, until its handshake ends. */
interface Pending {
  raw: Socket;
  clientAddress: string;
  /** Empty until it was read. */
  serverName: string;
  end(outcome: HandshakeOutcome): void;
}

/** Reads of a ClientHello; usually it arrives in one or two. Each parses it from the start. */
const MAX_READS = 64;

/** How long a client that is not served may take to read what was sent. */
const LINGER_MS = 1000;

export function createTlsTerminator(options: TlsTerminatorOptions): TlsTerminator {
  const { certificateFor, findTlsChallenge, onSecure, onFault, ticketSecret, metrics, handshakeMs } = options;
  const contexts = createTlsContextCache(options.contexts, secured);
  const challengeContexts = createChallengeContexts(options.clock, challengeAnswered);
  const pending = new Map<string, Pending>();

  function accept(raw: Socket, clientAddress: string): void {
    const addresses = addressesOf(raw);
    const timeout = setTimeout(() => end('timeout'), handshakeMs);
    const closed = () => end('closed');
    const own: Pending = { raw, clientAddress, serverName: '', end };
    let ended = false;

    function end(outcome: HandshakeOutcome): void {
      if (ended) return;
      ended = true;
      clearTimeout(timeout);
      raw.off('close', closed).off('readable', read);
      if (pending.get(addresses) === own) pending.delete(addresses);
      metrics.handshake(outcome);
      if (outcome === 'timeout') raw.destroy();
    }

    function refuse(alert: number, outcome: HandshakeOutcome): void {
      end(outcome);
      // An unencrypted TLS 1.2 record, as alerts are before keys are agreed.
      raw.end(Buffer.from([21, 3, 3, 0, 2, 2, alert]));
      raw.resume();
      destroySoon(raw);
    }

    let received: Buffer = Buffer.alloc(0);
    let reads = 0;
    function read(): void {
      const chunk: Buffer | null = raw.read();
      if (chunk === null) return;
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const hello = readClientHello(received);
      reads += 1;
      if (hello.kind === 'malformed' || reads > MAX_READS) refuse(ALERTS.decodeError, 'closed');
      if (ended || hello.kind !== 'hello') return;
      raw.off('readable', read);
      raw.unshift(received);
      const serverName = hello.serverName === null ? null : domainName(hello.serverName);
      if (serverName === null) refuse(ALERTS.unrecognizedName, 'unknown_name');
      else void (hello.isAcmeTls ? answerChallenge(serverName) : proceed(serverName));
    }

    async function proceed(serverName: string): Promise<void> {
      const found = await certificateFor(serverName, clientAddress);
      if (ended) return;
      own.serverName = serverName;
      if (found.kind === 'certificate') startHandshake(() => contexts.get(found, ticketSecret()));
      else refuse(alertFor(found.outcome), found.outcome);
    }

    /** Without a challenge, the client is treated as any other, and finds no protocol that it speaks. */
    async function answerChallenge(serverName: string): Promise<void> {
      const keyAuthorization = await findTlsChallenge(serverName, clientAddress);
      if (ended) return;
      own.serverName = serverName;
      if (keyAuthorization === 'unavailable') refuse(ALERTS.internalError, 'unavailable');
      else if (keyAuthorization === null) await proceed(serverName);
      else startHandshake(() => challengeContexts.get(serverName, keyAuthorization));
    }

    function startHandshake(findContext: () => TlsContext): void {
      try {
        const context = findContext();
        pending.set(addresses, own);
        context.emit('connection', raw);
      } catch (error) {
        onFault(own.serverName, error);
        refuse(ALERTS.internalError, 'unavailable');
      }
    }

    raw.on('error', () => {});
    raw.on('close', closed);
    raw.on('readable', read);
  }

  function pendingOf(siteName: string, socket: TLSSocket): Pending | null {
    const connection = pending.get(addressesOf(socket));
    if (connection !== undefined && isFor(connection.serverName, siteName, socket)) return connection;
    socket.destroy();
    return null;
  }

  /** The CA has seen the certificate, and there is nothing else to say (RFC 8737 section 3). */
  function challengeAnswered(serverName: string, socket: TLSSocket): void {
    const connection = pendingOf(serverName, socket);
    if (connection === null) return;
    connection.end('challenge');
    socket.on('error', () => {});
    socket.resume().end();
    destroySoon(connection.raw);
  }

  function secured(siteName: string, socket: TLSSocket): void {
    const connection = pendingOf(siteName, socket);
    if (connection === null) return;
    connection.end(socket.isSessionReused() ? 'resumed' : 'full');
    const { raw, clientAddress, serverName } = connection;
    onSecure(socket, { raw, clientAddress, serverName, siteName, h2: socket.alpnProtocol === 'h2' });
  }

  return { accept, contexts: contexts.size };
}

/** The client may go on sending, or keep its side open. */
function destroySoon(raw: Socket): void {
  const linger = setTimeout(() => raw.destroy(), LINGER_MS).unref();
  raw.once('close', () => clearTimeout(linger));
}

/** `internal_error` where the cause is on our side and temporary. */
function alertFor(outcome: HandshakeOutcome): number {
  return outcome === 'not_certified' || outcome === 'unavailable' ? ALERTS.internalError : ALERTS.unrecognizedName;
}

/** Identifies a connection among all that are open, also after TLS has taken over the socket. */
function addressesOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/**
 * Whether OpenSSL has read the same name as `readClientHello`. For a resumed session of TLS 1.2 it has none, or that of
 * the session; then the ticket identifies the site, since the context of another site could not have decrypted it.
 */
function isFor(
  serverName: string,
  siteName: string,
  socket: TLSSocket & { servername?: string | false | null },
): boolean {
  const read = socket.servername ? domainName(socket.servername) : null;
  return read === serverName || (socket.isSessionReused() && (read === null || wildcardOf(read) === siteName));
}
