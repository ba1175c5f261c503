import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ThrottledWarn } from '../base/throttled-log.ts';
import { type AddressRule, networkRule, unmappedAddress } from '../net/addresses.ts';
import { limitConnections } from '../net/connection-limit.ts';
import { createProxyHeaderReader, type Opener } from '../net/proxy-header-reader.ts';
import type { EdgeLimits } from './edge-limits.ts';
import type { EdgeMetrics } from './edge-metrics.ts';
import type { Client } from './http/edge-client.ts';

/** The connections of clients to one thread: who has opened each, and the limits on them. */
export interface EdgeConnections {
  /**
   * Accepts connections, and passes each on once its client is known: after the PROXY header, where one is required.
   */
  accepting(serve: (raw: Socket, opener: Opener) => void): (raw: Socket) => void;
  /** The client that sends the requests of a connection. `secure`: null without TLS. */
  clientOf(
    raw: Socket,
    opener: Opener,
    secure: { socket: TLSSocket; serverName: string; siteName: string } | null,
  ): Client;
  /** Number of open connections. */
  count(): number;
  /** Resolves when all are closed. Closes those that are still open after `drainMs`. */
  end(drainMs: number): Promise<void>;
}

interface ConnectionsOptions {
  /** Networks of peers whose connections begin with a PROXY header. */
  proxyProtocol: readonly string[];
  isTrusted: AddressRule;
  limits: EdgeLimits;
  metrics: Pick<EdgeMetrics, 'proxyHeader'>;
  warn: ThrottledWarn;
  /** Whether the TLS version is used: the access log is on. */
  seesTls: boolean;
}

export function createConnections(options: ConnectionsOptions): EdgeConnections {
  const { proxyProtocol, isTrusted, limits, metrics, warn, seesTls } = options;
  const open = new Set<Socket>();
  const limited = limitConnections({
    total: limits.connections,
    perAddress: limits.connectionsPerAddress,
    isProxy: isTrusted,
  });
  const identify =
    proxyProtocol.length === 0
      ? null
      : createProxyHeaderReader({
          isSender: networkRule(proxyProtocol),
          isRequired: true,
          timeoutMs: limits.proxyHeaderMs,
          maxWaiting: limits.connections,
          onOutcome(outcome, peer) {
            metrics.proxyHeader(outcome);
            if (outcome === 'malformed' || outcome === 'timeout')
              warn('a connection without a valid PROXY header was closed', { peer, reason: outcome });
          },
        });

  return {
    accepting(serve) {
      const begin = (raw: Socket, opener: Opener) => {
        limited.add(raw, opener.address);
        serve(raw, opener);
      };
      return (raw) => {
        open.add(raw);
        raw.once('close', () => open.delete(raw));
        raw.on('error', () => {});
        if (identify === null) begin(raw, { address: unmappedAddress(raw.remoteAddress), headerBytes: 0 });
        else identify(raw, (opener) => begin(raw, opener));
      };
    },
    clientOf(raw, { address, headerBytes }, secure) {
      let requests = 0;
      let idleSince: number | null = performance.now();
      return {
        serverName: secure === null ? null : secure.serverName,
        siteName: secure === null ? null : secure.siteName,
        address,
        isProxy: isTrusted(address),
        tlsVersion: seesTls && secure !== null ? secure.socket.getProtocol() : null,
        bytesRead: () => raw.bytesRead - headerBytes,
        get idleSince() {
          return idleSince;
        },
        begin() {
          requests += 1;
          idleSince = null;
          if (requests === 1) limited.busy(raw);
        },
        end() {
          requests -= 1;
          if (requests > 0) return;
          idleSince = performance.now();
          limited.idle(raw);
        },
        destroy: () => raw.destroy(),
        onClose: (closed) => void raw.once('close', closed),
      };
    },
    count: () => open.size,
    async end(drainMs) {
      const end = setTimeout(() => open.forEach((raw) => void raw.destroy()), drainMs);
      await Promise.all([...open].map((raw) => new Promise((resolve) => raw.once('close', resolve))));
      clearTimeout(end);
    },
  };
}
