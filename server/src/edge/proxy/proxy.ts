import { endOfTurn } from '../../base/turn.ts';
import type { Dialer, DialTlsOptions } from '../../net/dialer.ts';
import { createOriginConnections } from '../../net/origin-connections.ts';
import type { ProxiedExchange, UpgradeExchange } from '../http/http-exchange.ts';
import type { OriginFailure } from './origin-failure.ts';
import { ProxiedRequest } from './proxied-request.ts';
import { type CountBytes, PROXY_LIMITS, type ProxyContext, type ProxyLimits } from './proxy-limits.ts';
import { Tunnel } from './tunnel.ts';

export interface ReverseProxyOptions {
  dialer: Dialer;
  /** For `Via` (`viaPseudonym`). */
  installation: string;
  /** For TLS to origins. */
  tls?: DialTlsOptions;
  limits?: Partial<ProxyLimits>;
  /** The brand of pages for a workspace. Never rejects. Unless given, there is none. */
  findBrand?: ProxyContext<never>['findBrand'];
  /** Called for what may be a fault of the origin. */
  onSuspicion?: ProxyContext<never>['onSuspicion'];
  onBytes?: CountBytes;
  /** Called when the client got a page, or an aborted response. */
  onFailure(exchange: ProxiedExchange | UpgradeExchange, failure: OriginFailure): void;
}

export interface ReverseProxy {
  forward(exchange: ProxiedExchange): Pick<ProxiedRequest, 'contentBytes'>;
  upgrade(exchange: UpgradeExchange): Pick<Tunnel, 'status' | 'hasFailed'>;
  /** Reports the content of what is in flight, so that it counts before it ends. */
  countBytes(): void;
  /** Requests and tunnels in flight, connections to origins. */
  counts(): { requests: number; tunnels: number; connections: number; idleConnections: number };
  /** Closes WebSockets with 1001 (going away, RFC 6455 section 7.4.1). */
  endTunnels(): void;
  /** Closes idle connections to origins, and others once they become idle. */
  stop(): void;
}

/**
 * Passes requests to origins. Whatever an origin does wrong ends in a page or an aborted response, never in an
 * exception.
 */
export function createReverseProxy(options: ReverseProxyOptions): ReverseProxy {
  const { dialer, installation, tls = {}, limits: given, onFailure } = options;
  const { findBrand = async () => null, onSuspicion = () => {}, onBytes = () => {} } = options;
  const limits = { ...PROXY_LIMITS, ...given };
  const { keepAliveMs, responseMs, silenceMs, unreadMs, tunnelMs, halfOpenMs } = limits;
  const connections = createOriginConnections({ dialer, tls, limits });
  const requests = new Set<ProxiedRequest>();
  const tunnels = new Set<Tunnel>();
  let stopped = false;

  function contextOf<Self extends ProxiedRequest | Tunnel>(inFlight: Set<Self>): ProxyContext<Self> {
    return {
      connections,
      limits,
      installation,
      findBrand,
      onSuspicion,
      onBytes,
      onEnd(self, failure) {
        inFlight.delete(self);
        self.countBytes();
        if (failure !== null) onFailure(self.exchange, failure);
      },
    };
  }
  const [requestContext, tunnelContext] = [contextOf(requests), contextOf(tunnels)];

  const shortestMs = Math.min(keepAliveMs, responseMs, silenceMs, unreadMs, tunnelMs, halfOpenMs);
  const checking = setInterval(checkTimes, Math.min(1000, Math.max(10, shortestMs / 4))).unref();

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
      // Waits for the other requests of this turn, so that origins wake once for several.
      endOfTurn().then(() => request.start());
      return request;
    },
    upgrade(exchange) {
      const tunnel = new Tunnel(exchange, tunnelContext);
      tunnels.add(tunnel);
      tunnel.start();
      return tunnel;
    },
    countBytes() {
      for (const request of requests) request.countBytes();
      for (const tunnel of tunnels) tunnel.countBytes();
    },
    endTunnels() {
      for (const tunnel of tunnels) tunnel.goAway();
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
