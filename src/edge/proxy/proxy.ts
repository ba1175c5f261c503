import type { Dialer, DialTlsOptions } from '../../net/dialer.ts';
import type { ProxiedExchange, UpgradeExchange } from '../http/http-exchange.ts';
import { createOriginConnections } from './origin-connections.ts';
import type { OriginFailure } from './origin-failure.ts';
import { ProxiedRequest, type ProxiedRequestTimes } from './proxied-request.ts';
import { Tunnel, type TunnelTimes } from './tunnel.ts';

/** Limits on origins; see docs/edge.md. */
export interface ProxyLimits {
  /** Connections to all origins, and to each. */
  connections: number;
  connectionsPerOrigin: number;
  /** Header fields of a response. */
  responseHeaderBytes: number;
  /** How long idle connections are kept; less where the origin says so (`Keep-Alive`). */
  keepAliveMs: number;
  /** From the request to the response. */
  responseMs: number;
  /** Between two chunks of a response. */
  silenceMs: number;
  /** A client stops reading the response. */
  unreadMs: number;
  /** A tunnel without traffic; `halfOpenMs` once one end has closed its side. */
  tunnelMs: number;
  halfOpenMs: number;
}

export const PROXY_LIMITS: ProxyLimits = {
  connections: 20_000,
  connectionsPerOrigin: 2000,
  responseHeaderBytes: 32_768,
  keepAliveMs: 60_000,
  responseMs: 60_000,
  silenceMs: 300_000,
  unreadMs: 60_000,
  tunnelMs: 3_600_000,
  halfOpenMs: 30_000,
};

export interface ReverseProxyOptions {
  dialer: Dialer;
  /** For TLS to origins. */
  tls?: DialTlsOptions;
  limits?: Partial<ProxyLimits>;
  /** The client got a page, or an aborted response. */
  onFailure(exchange: ProxiedExchange | UpgradeExchange, failure: OriginFailure): void;
}

export interface ReverseProxy {
  forward(exchange: ProxiedExchange): void;
  upgrade(exchange: UpgradeExchange): void;
  /** Requests and tunnels in flight, connections to origins. */
  counts(): { requests: number; tunnels: number; connections: number; idleConnections: number };
  /** Closes idle connections to origins, and others once they become idle. */
  stop(): void;
}

/** Passes requests to origins. Whatever an origin does wrong ends in a page or an aborted response, never in an exception. */
export function createReverseProxy({ dialer, tls = {}, limits: given, onFailure }: ReverseProxyOptions): ReverseProxy {
  const limits = { ...PROXY_LIMITS, ...given };
  const { responseMs, silenceMs, unreadMs, tunnelMs, halfOpenMs } = limits;
  const connections = createOriginConnections({ dialer, tls, limits, keepAliveMs: limits.keepAliveMs });
  const requests = new Set<ProxiedRequest>();
  const tunnels = new Set<Tunnel>();
  const requestTimes: ProxiedRequestTimes = { responseMs, silenceMs, unreadMs };
  const tunnelTimes: TunnelTimes = { responseMs, idleMs: tunnelMs, halfOpenMs, silenceMs, unreadMs };
  let stopped = false;

  const requestContext = {
    connections,
    limits,
    times: requestTimes,
    onEnd(request: ProxiedRequest, failure: OriginFailure | null): void {
      requests.delete(request);
      if (failure !== null) onFailure(request.exchange, failure);
    },
  };
  const tunnelContext = {
    connections,
    limits,
    times: tunnelTimes,
    onEnd(tunnel: Tunnel, failure: OriginFailure | null): void {
      tunnels.delete(tunnel);
      if (failure !== null) onFailure(tunnel.exchange, failure);
    },
  };

  const shortest = Math.min(...Object.values({ ...requestTimes, ...tunnelTimes }), limits.keepAliveMs);
  const checking = setInterval(checkTimes, Math.min(1000, Math.max(10, shortest / 4))).unref();

  function checkTimes(): void {
    const now = performance.now();
    for (const request of requests) request.checkTimes(now);
    for (const tunnel of tunnels) tunnel.checkTimes(now);
    connections.prune(now);
    if (stopped && requests.size + tunnels.size === 0) clearInterval(checking);
  }

  return {
    forward(exchange) {
      const request = new ProxiedRequest(exchange, requestContext);
      requests.add(request);
      request.start();
    },
    upgrade(exchange) {
      const tunnel = new Tunnel(exchange, tunnelContext);
      tunnels.add(tunnel);
      tunnel.start();
    },
    stop() {
      stopped = true;
      connections.stop();
    },
    counts() {
      const { open, idle } = connections.counts();
      return { requests: requests.size, tunnels: tunnels.size, connections: open, idleConnections: idle };
    },
  };
}
