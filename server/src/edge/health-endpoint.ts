import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { networkRule } from '../net/addresses.ts';
import { createProxyHeaderReader } from '../net/proxy-header-reader.ts';

/**
 * Answers load balancers and process managers. `GET /healthz`: 200 while this thread runs. `GET /readyz`: 200 while it
 * serves names, 503 once it stops. Neither asks the store: names in the cache are served without it.
 */
export interface HealthEndpoint {
  /** A server for a listening socket, to listen once names are served. */
  newServer(): Server;
  /**
   * Called when another process serves from now on. The endpoint stays ready, and says so to probes that have just
   * arrived here.
   */
  leave(): void;
  /** Responds "not ready" from now on, unless another process serves. */
  drain(): void;
  /** Closes all connections. */
  stop(): void;
}

/** Time limit of a probe. */
const TIMEOUT_MS = 5000;
const MAX_CONNECTIONS = 1000;

const ANSWERS = {
  ok: { status: 200, body: { status: 'ok' } },
  ready: { status: 200, body: { status: 'ready' } },
  draining: { status: 503, body: { status: 'not ready', reason: 'The edge is stopping.' } },
  unknown: { status: 404, body: { status: 'unknown', reason: 'Ask /healthz or /readyz.' } },
  notAllowed: { status: 405, body: { status: 'unknown', reason: 'Only GET is allowed.' } },
};

/**
 * `proxyProtocol`: networks of load balancers, some of which send the PROXY header in health checks too; it is skipped.
 */
export function createHealthEndpoint(proxyProtocol: readonly string[]): HealthEndpoint {
  let hasLeft = false;
  let isDraining = false;
  const http = createHttpServer(
    { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, connectionsCheckingInterval: 1000 },
    ({ method, url = '' }, response) => {
      const { status, body } = ANSWERS[answerTo(method, url)];
      const text = `${JSON.stringify(body)}\n`;
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        'cache-control': 'no-store',
        // A probe never meets a connection that is about to be closed, and the system chooses another thread for the
        // next one.
        connection: 'close',
      });
      response.end(text);
    },
  );
  // Starts the checks of time limits: this server never listens itself.
  http.emit('listening');
  const skipHeader = createProxyHeaderReader({
    isSender: networkRule(proxyProtocol),
    isRequired: false,
    timeoutMs: TIMEOUT_MS,
    maxWaiting: MAX_CONNECTIONS,
  });
  const open = new Set<Socket>();
  function newServer(): Server {
    const server = createServer((socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      socket.on('error', () => {});
      skipHeader(socket, () => http.emit('connection', socket));
    });
    server.maxConnections = MAX_CONNECTIONS;
    return server;
  }

  function answerTo(method: string | undefined, url: string): keyof typeof ANSWERS {
    const [path] = url.split('?', 1);
    if (path !== '/healthz' && path !== '/readyz') return 'unknown';
    if (method !== 'GET' && method !== 'HEAD') return 'notAllowed';
    if (path === '/healthz') return 'ok';
    return isDraining ? 'draining' : 'ready';
  }

  return {
    newServer,
    leave() {
      hasLeft = true;
    },
    drain() {
      isDraining = !hasLeft;
    },
    stop() {
      for (const socket of open) socket.destroy();
      http.close();
    },
  };
}
