import { createServer as createHttp1Server, type IncomingMessage } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { answerSocket } from './answer.ts';
import type { Client } from './client.ts';
import type { Exchange } from './exchange.ts';
import type { EdgeLimits } from './limits.ts';
import { type PageName, renderPage } from './pages.ts';

/** HTTP/1.1 and HTTP/2, on connections that were accepted elsewhere. */
export interface Servers {
  /** Speaks HTTP/1.1 over the connection. */
  http1(socket: Duplex, client: Client): void;
  /** Speaks HTTP/2 over the connection. */
  http2(socket: TLSSocket, client: Client): void;
  /** Ends the connections that have no request under way; those of HTTP/2 that have one take no more. */
  closeIdle(): void;
  /** Looks after time limits no more. */
  stop(): void;
}

export interface ServersOptions {
  limits: EdgeLimits;
  onRequest(client: Client, exchange: Pick<Exchange, 'request' | 'response'>): void;
  onUpgrade(client: Client, request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** What was sent never became a request. */
  onUnreadable(page: PageName): { requestId: string };
}

const client = Symbol('client');

interface ClientSocket extends Duplex {
  [client]?: Client;
  bytesRead?: number;
  /** A response that has begun; Node keeps it there. */
  _httpMessage?: { headersSent: boolean } | null;
}

export function createServers(options: ServersOptions): Servers {
  const http1 = serveHttp1(options);
  const http2 = serveHttp2(options);
  return {
    http1: http1.accept,
    http2: http2.accept,
    closeIdle() {
      http1.closeIdle();
      http2.closeIdle();
    },
    stop() {
      http1.stop();
      http2.stop();
    },
  };
}

function serveHttp1({ limits, onRequest, onUpgrade, onUnreadable }: ServersOptions) {
  const server = createHttp1Server({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headerMs,
    // Bodies may take as long as they move (`bodies.ts`).
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(1000, limits.headerMs),
    // Refused with a page of our own.
    requireHostHeader: false,
    shouldUpgradeCallback: wantsUpgrade,
  });
  // Node drops what is more, silently; the size of the header bounds it.
  server.maxHeadersCount = 0;
  server.timeout = limits.silenceMs;
  // The time limits are looked after from here on. It never listens by itself.
  server.emit('listening');

  const clientOf = (socket: ClientSocket): Client => {
    const known = socket[client];
    if (known === undefined) throw new Error('the connection was not accepted by us');
    return known;
  };
  server.on('request', (request, response) => onRequest(clientOf(request.socket), { request, response }));
  // An expectation that Node does not know is no reason to refuse (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('upgrade', (request, socket, head) => onUpgrade(clientOf(request.socket), request, socket, head));
  server.on('connect', (_, socket) => refuse(socket, 'bad_request'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: ClientSocket) => {
    const begun = socket._httpMessage?.headersSent === true;
    // Browsers open connections that they may never use.
    const unused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
    if (begun || unused || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, pageFor(error.code));
  });

  function refuse(socket: Duplex, page: PageName): void {
    const { requestId } = onUnreadable(page);
    answerSocket(socket, renderPage(page, { hostname: null, requestId, accept: undefined }));
  }

  return {
    accept(socket: ClientSocket, known: Client): void {
      socket[client] = known;
      server.emit('connection', socket);
    },
    closeIdle: () => server.closeIdleConnections(),
    stop: () => void server.close(),
  };
}

/** Another protocol than HTTP is passed on. `h2c` is only asked for by those that do as well without. */
function wantsUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && !/\bh2c\b/i.test(headers.upgrade);
}

function pageFor(code: string | undefined): PageName {
  if (code === 'HPE_HEADER_OVERFLOW') return 'header_too_large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'bad_request';
}

/** When its last request ended, and how many are under way. */
interface SessionUse {
  client: Client;
  underWay: number;
  idleSince: number;
}

/** Bytes that a client may send before anybody has read them, of a request and of all on one connection. */
const WINDOW_BYTES = 262_144;

function serveHttp2({ limits, onRequest }: ServersOptions) {
  const server = createHttp2Server({
    settings: {
      maxConcurrentStreams: limits.streams,
      maxHeaderListSize: limits.headerBytes,
      initialWindowSize: WINDOW_BYTES,
      enablePush: false,
    },
    maxHeaderListPairs: 256,
    // MB of one connection.
    maxSessionMemory: 4,
    maxSettings: 32,
    // Requests that the client takes back (CVE-2023-44487): so many at once, so many a second; then the connection ends.
    streamResetBurst: 200,
    streamResetRate: 20,
    maxSessionRejectedStreams: 100,
    maxSessionInvalidFrames: 100,
  });
  const sessions = new Map<ServerHttp2Session, SessionUse>();
  let accepting: Client | undefined;

  server.on('session', (session) => {
    if (accepting === undefined) throw new Error('the connection was not accepted by us');
    sessions.set(session, { client: accepting, underWay: 0, idleSince: performance.now() });
    session.once('close', () => sessions.delete(session));
    session.setLocalWindowSize(WINDOW_BYTES);
    session.setTimeout(limits.silenceMs, () => session.destroy());
  });
  server.on('request', (request, response) => {
    const use = sessions.get(request.stream.session as ServerHttp2Session);
    if (use === undefined) {
      response.stream.close();
      return;
    }
    use.underWay += 1;
    response.once('close', () => {
      use.underWay -= 1;
      use.idleSince = performance.now();
    });
    onRequest(use.client, { request, response });
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));

  const idle = setInterval(
    () => {
      const since = performance.now() - limits.idleMs;
      for (const [session, use] of sessions) if (use.underWay === 0 && use.idleSince < since) session.close();
    },
    Math.min(1000, limits.idleMs),
  ).unref();

  return {
    accept(socket: TLSSocket, known: Client): void {
      accepting = known;
      server.emit('connection', socket);
      accepting = undefined;
    },
    closeIdle(): void {
      for (const session of sessions.keys()) session.close();
    },
    stop: () => clearInterval(idle),
  };
}
