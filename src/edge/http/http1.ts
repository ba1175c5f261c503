import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Client } from './edge-client.ts';
import type { ClientExchange } from './http-exchange.ts';
import type { HttpServer, HttpServerOptions } from './http-server.ts';
import { type PageName, renderPage } from './pages.ts';
import { respondOnSocket, respondWithPage } from './respond.ts';

interface ClientSocket extends Duplex {
  bytesRead?: number;
  /** The current response; undocumented. */
  _httpMessage?: { headersSent: boolean } | null;
}

/** HTTP/1.1 and 1.0. */
export function http1Server({ limits, onRequest, onUpgrade, onUnreadable }: HttpServerOptions): HttpServer<Duplex> {
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headerMs,
    // For bodies there is `body-timeouts.ts`.
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(1000, limits.headerMs),
    // The edge responds with a page of its own.
    requireHostHeader: false,
    shouldUpgradeCallback: wantsUpgrade,
  });
  // No limit: Node would drop further fields silently. `maxHeaderSize` bounds them.
  server.maxHeadersCount = 0;
  server.timeout = limits.silenceMs;
  // Starts the checks of time limits: the server never listens itself.
  server.emit('listening');

  const clients = new Map<Duplex, Client>();
  const responses = trackResponses();
  const clientOf = (socket: Duplex): Client => {
    const client = clients.get(socket);
    if (client === undefined) throw new Error('the connection was not accepted by `accept`');
    return client;
  };
  function begin(
    request: IncomingMessage,
    response: ServerResponse,
    more: Pick<ClientExchange, 'expectsContinue'>,
  ): void {
    const { socket } = request;
    // Pipelined requests each have a connection to an origin.
    if (responses.count(socket) >= limits.streams) {
      socket.destroy();
      return;
    }
    responses.add(socket, response);
    if (VERSIONS.has(request.httpVersion)) onRequest(clientOf(socket), { request, response, ...more });
    else {
      const page = 'version_unsupported';
      respondWithPage({ request, response }, page, { hostname: null, ...onUnreadable(page) });
    }
  }
  server.on('request', (request, response) => begin(request, response, {}));
  server.on('checkContinue', (request, response) => begin(request, response, { expectsContinue: true }));
  // Unknown expectations may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('upgrade', (request, socket, head) => {
    // Its response would overtake those of earlier requests.
    if (responses.count(socket) > 0) socket.destroy();
    else onUpgrade(clientOf(request.socket), request, socket, head);
  });
  server.on('connect', (_, socket) => refuse(socket, 'bad_request'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: ClientSocket) => {
    const started = socket._httpMessage?.headersSent === true;
    // Browsers open connections in advance.
    const unused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
    if (started || unused || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, pageFor(error.code));
  });

  function refuse(socket: Duplex, page: PageName): void {
    const { requestId } = onUnreadable(page);
    respondOnSocket(socket, renderPage(page, { hostname: null, requestId, accept: undefined }));
  }

  return {
    accept(socket: Duplex, client: Client): void {
      clients.set(socket, client);
      socket.once('close', () => clients.delete(socket));
      server.emit('connection', socket);
    },
    closeIdle(): void {
      // Node's closeIdleConnections leaves out those that never had a request.
      for (const [socket, { idleSince }] of clients) if (idleSince !== null) socket.destroy();
    },
    stop: () => void server.close(),
  };
}

/** Node's parser accepts others, such as 2.0. */
const VERSIONS = new Set(['1.0', '1.1']);

/** Responses close with their connection. After an upgrade, Node no longer does that for responses that are queued. */
function trackResponses() {
  const byConnection = new WeakMap<Duplex, Set<ServerResponse>>();

  function track(socket: Duplex): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    byConnection.set(socket, responses);
    socket.once('close', () => {
      for (const response of responses) {
        if (response.socket !== null) continue;
        response.destroy();
        response.emit('close');
      }
    });
    return responses;
  }

  return {
    add(socket: Duplex, response: ServerResponse): void {
      const responses = byConnection.get(socket) ?? track(socket);
      responses.add(response);
      response.once('close', () => responses.delete(response));
    },
    count: (socket: Duplex): number => byConnection.get(socket)?.size ?? 0,
  };
}

/** A request to switch to another protocol, such as `h2c`, may be ignored (RFC 9110 section 7.8). */
function wantsUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

function pageFor(code: string | undefined): PageName {
  if (code === 'HPE_HEADER_OVERFLOW') return 'header_too_large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'bad_request';
}
