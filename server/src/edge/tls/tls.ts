import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { wildcardOf } from '../../domain/wildcard.ts';
import type { Sites } from '../cache/site-cache.ts';
import type { EdgeMetrics, HandshakeOutcome } from '../edge-metrics.ts';
import { domainName } from '../http/authority.ts';
import { readClientHello } from './client-hello.ts';
import { type CertifiedSite, createTlsContextCache } from './tls-contexts.ts';

interface TlsTerminatorOptions extends Pick<Sites, 'certificateFor'> {
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

/** How long a refused client may take to read the alert. */
const LINGER_MS = 1000;

export function createTlsTerminator(options: TlsTerminatorOptions): TlsTerminator {
  const { certificateFor, onSecure, onFault, ticketSecret, metrics, handshakeMs, contexts: capacity } = options;
  const contexts = createTlsContextCache(capacity, secured);
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
      // The client may go on sending, or keep its side open.
      const linger = setTimeout(() => raw.destroy(), LINGER_MS).unref();
      raw.once('close', () => clearTimeout(linger));
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
      else void proceed(serverName);
    }

    async function proceed(serverName: string): Promise<void> {
      const found = await certificateFor(serverName, clientAddress);
      if (ended) return;
      own.serverName = serverName;
      if (found.kind === 'certificate') startHandshake(found);
      else refuse(alertFor(found.outcome), found.outcome);
    }

    function startHandshake(site: CertifiedSite): void {
      try {
        const context = contexts.get(site, ticketSecret());
        pending.set(addresses, own);
        context.emit('connection', raw);
      } catch (error) {
        onFault(site.hostname, error);
        refuse(ALERTS.internalError, 'unavailable');
      }
    }

    raw.on('error', () => {});
    raw.on('close', closed);
    raw.on('readable', read);
  }

  function secured(siteName: string, socket: TLSSocket): void {
    const connection = pending.get(addressesOf(socket));
    if (connection === undefined || !isFor(connection.serverName, siteName, socket)) {
      socket.destroy();
      return;
    }
    connection.end(socket.isSessionReused() ? 'resumed' : 'full');
    const { raw, clientAddress, serverName } = connection;
    onSecure(socket, { raw, clientAddress, serverName, siteName, h2: socket.alpnProtocol === 'h2' });
  }

  return { accept, contexts: contexts.size };
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
