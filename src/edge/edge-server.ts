import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { ChangeFeed } from '../cache/change-feed.ts';
import type { Clock } from '../clock.ts';
import type { NewId } from '../ids.ts';
import { addressRule, networkRule } from '../net/addresses.ts';
import { limitConnections } from '../net/connection-limit.ts';
import { type AddressLookup, createDialer } from '../net/dialer.ts';
import type { ListenOptions } from '../net/listen.ts';
import type { EdgeStore } from '../store/contract/store.ts';
import type { EdgeLimits } from './edge-limits.ts';
import type { EdgeMetrics } from './edge-metrics.ts';
import { trackInFlight } from './http/abort-removed-names.ts';
import { createBodyTimeouts } from './http/body-timeouts.ts';
import { type Client, peerAddress } from './http/edge-client.ts';
import { createHandler } from './http/handler.ts';
import { http1Server } from './http/http1.ts';
import { http2Server } from './http/http2.ts';
import { createReverseProxy } from './proxy/proxy.ts';
import { createChallenges } from './routing/challenges.ts';
import { createRequestRouter } from './routing/route-request.ts';
import { createSites } from './routing/site-cache.ts';
import type { ThrottledWarn } from './throttled-log.ts';
import { createTlsTerminator } from './tls/tls.ts';

/** Settings of the edge in one thread: plain values. */
export interface EdgeServerSettings {
  http: ListenOptions | null;
  https: ListenOptions | null;
  /** The public port of HTTPS, for redirects. */
  httpsPort: number;
  /** Networks of special addresses where origins are allowed. */
  allowedNetworks: readonly string[];
  trustedProxies: readonly string[];
  /** A name that has challenges without being a site. */
  selfCheckName?: string | undefined;
  limits: EdgeLimits;
  /** Capacity of the cache of TLS contexts. */
  tlsContexts: number;
}

interface EdgeServerDeps {
  store: EdgeStore;
  changes: Pick<ChangeFeed, 'subscribe'>;
  clock: Clock;
  newId: NewId;
  metrics: EdgeMetrics;
  warn: ThrottledWarn;
  lookUp: AddressLookup;
  /** The current secret of TLS session tickets, 32 random bytes. */
  ticketSecret(): Uint8Array;
}

/** The edge in one thread: listeners, caches, TLS contexts, connections to origins. */
interface EdgeServer {
  /** Stops accepting, waits `graceMs` for requests in flight, then closes everything. */
  stop(graceMs: number): Promise<void>;
}

/**
 * For connections of clients; one that has vanished is closed within a minute. `allowHalfOpen` is off: Node's HTTP server would not respond after the
 * client's end anyway, and its TLS would not notice a client that leaves during the handshake.
 */
const SOCKET_OPTIONS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };

/** Rejects when it cannot listen. */
export async function startEdgeServer(settings: EdgeServerSettings, deps: EdgeServerDeps): Promise<EdgeServer> {
  const { limits } = settings;
  const { metrics, warn, lookUp } = deps;
  const isTrusted = networkRule(settings.trustedProxies);
  // What all edges of an installation have in common.
  const installation = settings.selfCheckName ?? '';
  const sites = createSites({ ...deps, isProxy: isTrusted, unknownPerMinute: limits.unknownPerMinute });
  const routeRequest = createRequestRouter({
    sites,
    challenges: createChallenges({ ...deps, sites, selfCheckName: settings.selfCheckName }),
    isTrusted,
    installation,
    httpsPort: settings.httpsPort,
    servesHttps: settings.https !== null,
  });
  const proxy = createReverseProxy({
    dialer: createDialer({ mayDial: addressRule(settings.allowedNetworks), lookUp }),
    installation,
    onFailure({ hostname, deploymentId, origin, requestId }, { page, reason, detail }) {
      metrics.page(page);
      warn(
        'an origin failed',
        { domain: hostname, deploymentId, origin, requestId, reason, detail },
        `${origin} ${reason}`,
      );
    },
  });
  const bodyTimeouts = createBodyTimeouts(limits, (slow) => handler.onSlowBody(slow));
  const inFlight = trackInFlight(deps.changes, sites);
  const handler = createHandler({ ...deps, routeRequest, proxy, bodyTimeouts, inFlight });
  const http1 = http1Server({ limits, ...handler });
  const http2 = http2Server({ limits, ...handler });
  const connections = limitConnections({
    total: limits.connections,
    perAddress: limits.connectionsPerAddress,
    isProxy: isTrusted,
  });
  const tls = createTlsTerminator({
    certificateFor: sites.certificateFor,
    onSecure(socket, { raw, serverName, h2 }) {
      const server = h2 ? http2 : http1;
      server.accept(socket, clientOf(raw, serverName));
    },
    onFault: (domain, error) => warn('a certificate cannot be used', { domain, err: error }),
    ticketSecret: deps.ticketSecret,
    metrics,
    handshakeMs: limits.handshakeMs,
    contexts: settings.tlsContexts,
  });

  const open = new Set<Socket>();
  metrics.watchOpen(() => ({
    connections: open.size,
    tunnels: proxy.counts().tunnels,
    ...sites.counts(),
    tls_contexts: tls.contexts(),
  }));

  function hold(raw: Socket): void {
    open.add(raw);
    raw.once('close', () => open.delete(raw));
    raw.on('error', () => {});
    connections.add(raw);
  }

  function clientOf(raw: Socket, serverName: string | null): Client {
    const address = peerAddress(raw.remoteAddress);
    let requests = 0;
    let idleSince: number | null = performance.now();
    return {
      serverName,
      address,
      isProxy: isTrusted(address),
      bytesRead: () => raw.bytesRead,
      get idleSince() {
        return idleSince;
      },
      begin() {
        requests += 1;
        idleSince = null;
        if (requests === 1) connections.busy(raw);
      },
      end() {
        requests -= 1;
        if (requests > 0) return;
        idleSince = performance.now();
        connections.idle(raw);
      },
      destroy: () => raw.destroy(),
      onClose: (closed) => void raw.once('close', closed),
    };
  }

  const http = createServer(SOCKET_OPTIONS, (raw) => {
    hold(raw);
    http1.accept(raw, clientOf(raw, null));
  });
  const https = createServer(SOCKET_OPTIONS, (raw) => {
    hold(raw);
    tls.accept(raw);
  });

  async function stop(graceMs: number): Promise<void> {
    const closed = [http, https].map(close);
    const closeIdle = () => {
      http1.closeIdle();
      http2.closeIdle();
    };
    // Connections in use become idle when their response ends.
    const closing = setInterval(closeIdle, 50);
    const grace = setTimeout(() => open.forEach((raw) => void raw.destroy()), graceMs);
    closeIdle();
    await Promise.all(closed);
    clearInterval(closing);
    clearTimeout(grace);
    http1.stop();
    http2.stop();
    bodyTimeouts.stop();
    proxy.stop();
  }

  try {
    if (settings.http !== null) await listen(http, settings.http);
    if (settings.https !== null) await listen(https, settings.https);
    return { stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

async function listen(server: Server, options: ListenOptions): Promise<void> {
  const listening = once(server, 'listening');
  server.listen({ ...options, backlog: 4096 });
  await listening;
}

/** Resolves when its connections have closed as well. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
