import type { Dialler, TlsOptions } from '../../net/dialer.ts';
import type { Exchange, Forwarder, UpgradeExchange } from '../http/edge-exchange.ts';
import { Forwarding, type ForwardingTimes } from './forwarding.ts';
import { createConnections } from './origin-connections.ts';
import type { Failure } from './origin-failure.ts';
import { Tunnel, type TunnelTimes } from './tunnel.ts';

/** What origins may take. Times are milliseconds. docs/edge.md says why each is as it is. */
export interface ProxyLimits {
  /** Connections to origins, in all and to each. */
  connections: number;
  connectionsPerOrigin: number;
  /** Header fields of a response. */
  responseHeaderBytes: number;
  /** Unused connections are kept that long, unless the origin says that it closes them earlier. */
  keepAliveMs: number;
  /** From the request to the response. */
  responseMs: number;
  /** Between two pieces of a response, or of an event stream. */
  silenceMs: number;
  /** A client that takes nothing of what waits for it. */
  unreadMs: number;
  /** A tunnel in which nobody says anything; once one end has said its last word, `halfOpenMs`. */
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

export interface ProxyOptions {
  dialler: Dialler;
  /** For TLS to origins; certificates are checked against the origin's name unless it says otherwise. */
  tls?: TlsOptions;
  limits?: Partial<ProxyLimits>;
  /** An origin failed, and the client was told so by a page, or broken off. */
  onFailure(exchange: Exchange | UpgradeExchange, failure: Failure): void;
}

export interface OriginProxy extends Forwarder {
  /** What there is now: requests and tunnels under way, connections to origins. */
  counts(): { requests: number; tunnels: number; connections: number; idleConnections: number };
}

/** Speaks with origins. Everything that an origin can do wrong ends in a page or in a broken connection, never in an exception. */
export function createProxy({ dialler, tls = {}, limits: given, onFailure }: ProxyOptions): OriginProxy {
  const limits = { ...PROXY_LIMITS, ...given };
  const { responseMs, silenceMs, unreadMs, tunnelMs, halfOpenMs } = limits;
  const connections = createConnections({ dialler, tls, limits, keepAliveMs: limits.keepAliveMs });
  const forwardings = new Set<Forwarding>();
  const tunnels = new Set<Tunnel>();
  const forwardingTimes: ForwardingTimes = { responseMs, silenceMs, unreadMs };
  const tunnelTimes: TunnelTimes = { responseMs, idleMs: tunnelMs, halfOpenMs, silenceMs, unreadMs };
  let stopped = false;

  const forwardingContext = {
    connections,
    limits,
    times: forwardingTimes,
    onEnd(forwarding: Forwarding, failure: Failure | null): void {
      forwardings.delete(forwarding);
      if (failure !== null) onFailure(forwarding.exchange, failure);
    },
  };
  const tunnelContext = {
    connections,
    limits,
    times: tunnelTimes,
    onEnd(tunnel: Tunnel, failure: Failure | null): void {
      tunnels.delete(tunnel);
      if (failure !== null) onFailure(tunnel.exchange, failure);
    },
  };

  const shortest = Math.min(...Object.values({ ...forwardingTimes, ...tunnelTimes }), limits.keepAliveMs);
  const watching = setInterval(watch, Math.min(1000, Math.max(10, shortest / 4))).unref();

  function watch(): void {
    const now = performance.now();
    for (const forwarding of forwardings) forwarding.watch(now);
    for (const tunnel of tunnels) tunnel.watch(now);
    connections.prune(now);
    if (stopped && forwardings.size + tunnels.size === 0) clearInterval(watching);
  }

  return {
    forward(exchange) {
      const forwarding = new Forwarding(exchange, forwardingContext);
      forwardings.add(forwarding);
      forwarding.start();
    },
    upgrade(exchange) {
      const tunnel = new Tunnel(exchange, tunnelContext);
      tunnels.add(tunnel);
      tunnel.start();
    },
    async stop() {
      stopped = true;
      connections.stop();
    },
    counts() {
      const { open, idle } = connections.counts();
      return { requests: forwardings.size, tunnels: tunnels.size, connections: open, idleConnections: idle };
    },
  };
}
