import { createServer } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { NewId } from '../base/ids.ts';
import type { ThrottledWarn } from '../base/throttled-log.ts';
import { type AddressRule, addressRule, networkRule } from '../net/addresses.ts';
import { type AddressLookup, createDialer } from '../net/dialer.ts';
import { DRAIN_IDLE_MS, type Listener, type ListenOptions, openListener } from '../net/listener.ts';
import type { ChangeFeed } from '../store/cache/change-feed.ts';
import type { EdgeStore, HourUsage } from '../store/store.ts';
import { type AccessLogSettings, createAccessLog } from './access-log.ts';
import type { ServedLookup } from './cache/edge-cache.ts';
import { createSites } from './cache/site-cache.ts';
import { createConnections } from './edge-connections.ts';
import type { EdgeLimits } from './edge-limits.ts';
import type { EdgeMetrics } from './edge-metrics.ts';
import { createHealthEndpoint } from './health-endpoint.ts';
import { trackInFlight } from './http/abort-removed-names.ts';
import { createBodyTimeouts } from './http/body-timeouts.ts';
import { createHandler } from './http/handler.ts';
import { http1Server } from './http/http1.ts';
import { http2Server } from './http/http2.ts';
import { logMessageOf } from './proxy/origin-failure.ts';
import { clientCertificateExpiry } from './proxy/origin-target.ts';
import { withOwnApi } from './proxy/own-api.ts';
import { createReverseProxy, type ReverseProxyOptions } from './proxy/proxy.ts';
import { createChallenges } from './routing/challenges.ts';
import { createRequestRouter, type OwnApi } from './routing/route-request.ts';
import { createTlsTerminator } from './tls/tls.ts';
import { createUsageCounter } from './usage-counter.ts';

/** Settings of the edge in one thread: plain values. */
export interface EdgeServerSettings {
  http: ListenOptions | null;
  https: ListenOptions | null;
  /** Where the health endpoint listens. */
  health: ListenOptions | null;
  /** The public port of HTTPS, for redirects. */
  httpsPort: number;
  /** Networks of special addresses where origins are allowed. */
  allowedNetworks: readonly string[];
  trustedProxies: readonly string[];
  /** Networks of peers whose connections begin with a PROXY header. */
  proxyProtocol: readonly string[];
  /** Null: none. */
  accessLog: AccessLogSettings | null;
  /** A name that has challenges without being a site. */
  selfCheckName?: string | undefined;
  api: OwnApi | null;
  limits: EdgeLimits;
  /** Capacity of the cache of TLS contexts. */
  tlsContexts: number;
}

interface EdgeServerDeps {
  store: EdgeStore;
  /** For names that are not cached while the store is down. */
  served: ServedLookup | null;
  changes: Pick<ChangeFeed, 'subscribe'>;
  clock: Clock;
  newId: NewId;
  metrics: EdgeMetrics;
  warn: ThrottledWarn;
  /** Writes a line of the access log. */
  logAccess(fields: Record<string, unknown>, message: string): void;
  lookUp: AddressLookup;
  /** The current secret of TLS session tickets, 32 random bytes. */
  ticketSecret(): Uint8Array;
}

/** The edge in one thread: listeners, caches, TLS contexts, connections to origins. */
interface EdgeServer {
  /** Accepts connections on the sockets that the process was given. */
  accept(): Promise<void>;
  sockets(): EdgeSockets;
  /** Another process answers health checks from now on. */
  leave(): void;
  /** Cached host names, the most recently served first. */
  recentNames(): string[];
  /** The usage since the last call. */
  takeUsage(): HourUsage[];
  /** Stops accepting, drains for `drainMs`, then closes everything. */
  stop(drainMs: number): Promise<void>;
}

/** The descriptors of listening sockets. */
export interface EdgeSockets {
  http: number[];
  https: number[];
  health: number[];
}

/**
 * For connections of clients; one that has vanished is closed within a minute. `allowHalfOpen` is off: Node's HTTP
 * server would not respond after the client's end anyway, and its TLS would not notice a client that leaves during the
 * handshake.
 */
const SOCKET_OPTIONS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };
const BACKLOG = 4096;
/** The last part of a drain, in which WebSockets are closed. */
const TUNNEL_END_MS = 1000;

/** Rejects when it cannot listen. */
export async function startEdgeServer(settings: EdgeServerSettings, deps: EdgeServerDeps): Promise<EdgeServer> {
  const { limits } = settings;
  const { metrics, warn, lookUp } = deps;
  const isTrusted = networkRule(settings.trustedProxies);
  // All edges of an installation share this name.
  const installation = settings.selfCheckName ?? '';
  const { api } = settings;
  const sites = createSites({
    ...deps,
    apiHostname: api?.hostname,
    isProxy: isTrusted,
    unknownPerMinute: limits.unknownPerMinute,
  });
  const challenges = createChallenges({ ...deps, sites, selfCheckName: settings.selfCheckName });
  const routeRequest = createRequestRouter({
    ...deps,
    api,
    sites,
    challenges,
    isTrusted,
    installation,
    httpsPort: settings.httpsPort,
    servesHttps: settings.https !== null,
  });
  const logFailure: ReverseProxyOptions['onFailure'] = (exchange, failure) => {
    const { hostname, environmentId, deploymentId, origin, requestId } = exchange;
    const { reason } = failure;
    // Many origins then close the connection without a word.
    const expiredAt = clientCertificateExpiry(exchange, deps.clock.now());
    const hint = expiredAt === null ? '' : ` The client certificate of the edge expired at ${expiredAt}.`;
    const detail = failure.detail + hint;
    const fields = { domain: hostname, environmentId, deploymentId, origin, requestId, reason, detail };
    warn(logMessageOf(failure), fields, `${environmentId} ${origin} ${reason}`);
  };
  const usage = createUsageCounter(deps.clock);
  const proxyTo = (mayDial: AddressRule) =>
    createReverseProxy({
      dialer: createDialer({ mayDial, lookUp }),
      installation,
      findBrand: sites.findBrand,
      onSuspicion: logFailure,
      onBytes(usageNumber, bytesIn, bytesOut) {
        usage.add(usageNumber, 'bytesIn', bytesIn);
        usage.add(usageNumber, 'bytesOut', bytesOut);
      },
      onFailure(exchange, failure) {
        metrics.page(failure.page);
        logFailure(exchange, failure);
      },
    });
  const origins = proxyTo(addressRule(settings.allowedNetworks));
  // The API may be at an address that no origin may have.
  const proxy = api === null ? origins : withOwnApi(origins, proxyTo(networkRule(api.networks)));
  const bodyTimeouts = createBodyTimeouts(limits, (slow) => handler.onSlowBody(slow));
  const inFlight = trackInFlight(deps.changes, sites);
  const accessLog = settings.accessLog && createAccessLog({ ...settings.accessLog, isTrusted, log: deps.logAccess });
  const handler = createHandler({
    ...deps,
    usage,
    routeRequest,
    proxy,
    bodyTimeouts,
    inFlight,
    accessLog,
  });
  const http1 = http1Server({ limits, ...handler });
  const http2 = http2Server({ limits, ...handler });
  const connections = createConnections({
    proxyProtocol: settings.proxyProtocol,
    isTrusted,
    limits,
    metrics,
    warn,
    seesTls: accessLog !== null,
  });
  const tls = createTlsTerminator({
    certificateFor: sites.certificateFor,
    findTlsChallenge: challenges.findTls,
    onSecure(socket, { raw, clientAddress, serverName, siteName, h2 }) {
      const server = h2 ? http2 : http1;
      server.accept(
        socket,
        connections.clientOf(raw, { address: clientAddress, headerBytes: 0 }, { socket, serverName, siteName }),
      );
    },
    onFault: (domain, error) => warn('a certificate cannot be used', { domain, err: error }),
    ticketSecret: deps.ticketSecret,
    metrics,
    handshakeMs: limits.handshakeMs,
    contexts: settings.tlsContexts,
    clock: deps.clock,
  });

  metrics.watchOpen(() => ({
    connections: connections.count(),
    tunnels: proxy.counts().tunnels,
    ...sites.counts(),
    tls_contexts: tls.contexts(),
  }));

  const acceptHttp = connections.accepting((raw, opener) => http1.accept(raw, connections.clientOf(raw, opener, null)));
  const acceptHttps = connections.accepting((raw, { address }) => tls.accept(raw, address));
  const newHttp = () => createServer(SOCKET_OPTIONS, acceptHttp);
  const newHttps = () => createServer(SOCKET_OPTIONS, acceptHttps);
  const health = settings.health && createHealthEndpoint(settings.proxyProtocol);
  const listeners: Record<keyof EdgeSockets, Listener | null> = { http: null, https: null, health: null };

  async function stop(drainMs: number): Promise<void> {
    health?.drain();
    listeners.http?.close();
    listeners.https?.close();
    http1.drain();
    http2.drain();
    const idleMs = Math.min(DRAIN_IDLE_MS, drainMs);
    // Connections in use become idle when their response ends.
    const closing = setInterval(() => {
      http1.closeIdle(idleMs);
      http2.closeIdle(idleMs);
    }, 50);
    const leaving = setTimeout(() => proxy.endTunnels(), Math.max(0, drainMs - TUNNEL_END_MS));
    await connections.end(drainMs);
    clearInterval(closing);
    clearTimeout(leaving);
    http1.stop();
    http2.stop();
    bodyTimeouts.stop();
    proxy.stop();
    // The health endpoint closes last: load balancers ask it during the drain.
    listeners.health?.close();
    health?.stop();
  }

  try {
    if (settings.http !== null) listeners.http = await openListener({ ...settings.http, backlog: BACKLOG }, newHttp);
    if (settings.https !== null)
      listeners.https = await openListener({ ...settings.https, backlog: BACKLOG }, newHttps);
    // The health endpoint starts last, once names are served.
    if (settings.health !== null && health !== null)
      listeners.health = await openListener(settings.health, health.newServer);
  } catch (error) {
    await stop(0);
    throw error;
  }
  return {
    async accept() {
      await Promise.all([listeners.http?.accept(), listeners.https?.accept()]);
      await listeners.health?.accept();
    },
    sockets: () => ({
      http: listeners.http?.fds() ?? [],
      https: listeners.https?.fds() ?? [],
      health: listeners.health?.fds() ?? [],
    }),
    leave() {
      listeners.health?.close();
      health?.leave();
    },
    recentNames: sites.recentNames,
    takeUsage() {
      origins.countBytes();
      return usage.take();
    },
    stop,
  };
}
