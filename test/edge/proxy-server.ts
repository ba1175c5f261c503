import { createServer as createHttp1Server, type IncomingMessage } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer, type Socket } from 'node:net';
import type { RoutingInfo } from '../../server/src/edge/http/http-exchange.ts';
import type { OriginFailure } from '../../server/src/edge/proxy/origin-failure.ts';
import { createReverseProxy, type ReverseProxy, type ReverseProxyOptions } from '../../server/src/edge/proxy/proxy.ts';
import { addressRule } from '../../server/src/net/addresses.ts';
import { createDialer, type Dialer } from '../../server/src/net/dialer.ts';
import type { Closing } from '../support/closing.ts';
import { listen } from '../support/listen.ts';

/** The proxy behind plain listeners, as the edge has it behind TLS. */
export interface ProxyServer {
  proxy: ReverseProxy;
  /** HTTP/1.1. */
  port: number;
  /** HTTP/2, with prior knowledge. */
  http2Port: number;
  failures: OriginFailure[];
}

export interface ProxyServerOptions extends Partial<Omit<ReverseProxyOptions, 'onFailure'>> {
  origin: string;
  routed?: Partial<RoutingInfo>;
  /** Called with what is about to be forwarded. */
  onRequest?(request: IncomingMessage): void;
}

/** Connects to loopback alone; every name is there. */
export const loopbackDialer: Dialer = createDialer({
  mayDial: addressRule(['127.0.0.0/8']),
  lookUp: async () => ['127.0.0.1'],
});

export async function startProxyServer(closing: Closing, options: ProxyServerOptions): Promise<ProxyServer> {
  const { origin, routed = {}, onRequest, ...given } = options;
  const failures: OriginFailure[] = [];
  const proxy = createReverseProxy({
    dialer: loopbackDialer,
    installation: 'test',
    onFailure: (_, failure) => void failures.push(failure),
    ...given,
  });
  let requests = 0;
  const route = (path: string | undefined): RoutingInfo => {
    requests += 1;
    const client = { clientAddress: '203.0.113.7', forwardedFor: ['203.0.113.7'] };
    const request = { path: path ?? '/', requestId: `req_${requests}` };
    return {
      hostname: 'app.acme.com',
      scheme: 'https',
      origin,
      settings: null,
      edgeSecret: null,
      workspaceId: 'ws_1',
      domainId: 'dom_1',
      usageNumber: 1,
      environmentId: 'env_1',
      deploymentId: 'd_1',
      hsts: null,
      ...client,
      ...request,
      ...routed,
    };
  };
  const http1 = createHttp1Server({ shouldUpgradeCallback: ({ headers }) => headers.upgrade !== undefined });
  http1.maxHeadersCount = 0;
  http1.on('request', (request, response) => {
    onRequest?.(request);
    proxy.forward({ ...route(request.url), request, response });
  });
  http1.on('checkContinue', (request, response) => {
    proxy.forward({ ...route(request.url), request, response, expectsContinue: true });
  });
  http1.on('upgrade', (request, socket, head) => proxy.upgrade({ ...route(request.url), request, socket, head }));
  const http2 = createHttp2Server();
  http2.on('request', (request, response) => proxy.forward({ ...route(request.url), request, response }));
  http2.on('checkContinue', (request, response) => {
    proxy.forward({ ...route(request.url), request, response, expectsContinue: true });
  });
  const [port, http2Port] = [await listen(closing, http1), await listen(closing, http2)];
  closing.push(() => proxy.stop());
  return { proxy, port, http2Port, failures };
}

/** An origin that does with each connection what the test says. */
export async function startRawOrigin(closing: Closing, onConnection: (socket: Socket, nth: number) => void) {
  let connections = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections += 1;
    onConnection(socket, connections);
  });
  const port = await listen(closing, server);
  return { origin: `http://127.0.0.1:${port}`, port, connections: () => connections };
}

/** An origin of Node's. */
export async function startOrigin(closing: Closing, answer: Parameters<typeof createHttp1Server>[1]) {
  const server = createHttp1Server(answer);
  const port = await listen(closing, server);
  return { origin: `http://127.0.0.1:${port}`, port, server };
}

/** Waits until it holds; not for ever, since a test that was given up would go on waiting. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`this never held: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
