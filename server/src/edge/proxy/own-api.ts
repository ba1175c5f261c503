import type { ReverseProxy } from './proxy.ts';

/** Requests under the API's own name go to `api`, all others to `origins`. */
export function withOwnApi(
  origins: ReverseProxy,
  api: ReverseProxy,
): Pick<ReverseProxy, 'forward' | 'upgrade' | 'counts' | 'endTunnels' | 'stop'> {
  const proxyFor = ({ apiSecret }: { apiSecret?: string }) => (apiSecret === undefined ? origins : api);
  return {
    forward: (exchange) => proxyFor(exchange).forward(exchange),
    upgrade: (exchange) => proxyFor(exchange).upgrade(exchange),
    counts: origins.counts,
    endTunnels() {
      origins.endTunnels();
      api.endTunnels();
    },
    stop() {
      origins.stop();
      api.stop();
    },
  };
}
