import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  endAfterConnect,
  endAfterResponses,
  endWithNextResponse,
  handleInTurn,
  ignoreUpgrade,
  responsesInFlight,
  trackResponse,
} from '../../net/response-order.ts';
import type { Client } from './edge-client.ts';
import type { ClientExchange } from './http-exchange.ts';
import type { HttpServer, HttpServerOptions } from './http-server.ts';
import { type PageContext, type PageName, renderPage } from './pages.ts';
import { respondOnSocket, respondWithPage } from './respond.ts';

interface ClientSocket extends Duplex {
  bytesRead?: number;
  setTimeout?(ms: number): void;
}

/** HTTP/1.1 and 1.0. */
export function http1Server({ limits, onRequest, onUpgrade, onUnreadable }: HttpServerOptions): HttpServer<Duplex> {
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headerMs,
    // `body-timeouts.ts` limits the time of bodies.
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(1000, limits.headerMs),
    // The edge responds with a page of its own.
    requireHostHeader: false,
    shouldUpgradeCallback: (request) => wantsUpgrade(request) || ignoreUpgrade(request),
  });
  // No limit: Node would drop further fields silently. `maxHeaderSize` bounds them.
  server.maxHeadersCount = 0;
  server.timeout = limits.silenceMs;
  // Starts the checks of time limits: the server never listens itself.
  server.emit('listening');

  const clients = new Map<Duplex, Client>();
  /** Connections without a request so far. */
  const unused = new Set<Duplex>();
  let isDraining = false;
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
    if (unused.delete(socket)) socket.setTimeout(limits.silenceMs);
    if (socket.destroyed || !trackResponse(response)) return;
    // Pipelined requests each have a connection to an origin.
    handleInTurn(response, limits.streams, () => {
      if (VERSIONS.has(request.httpVersion)) onRequest(clientOf(socket), { request, response, ...more });
      else respondWithPage({ request, response }, 'version_unsupported', unreadable('version_unsupported'));
    });
  }
  server.on('request', (request, response) => begin(request, response, {}));
  server.on('checkContinue', (request, response) => begin(request, response, { expectsContinue: true }));
  // Unknown expectations may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('upgrade', (request, socket, head) => {
    unused.delete(socket);
    onUpgrade(clientOf(request.socket), request, socket, head);
  });
  server.on('connect', (_, socket) => endAfterConnect(socket, refusal(socket, 'bad_request')));
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: ClientSocket) => {
    // A server ignores bytes that follow the last request (RFC 9112 section 9.6).
    if (code === 'HPE_CLOSED_CONNECTION') return;
    // Browsers open connections in advance: the time limit of idle connections counts, not that of headers.
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && hasSentNothing(socket)) return;
    if (code === 'ECONNRESET') socket.destroy();
    else endAfterResponses(socket, refusal(socket, pageFor(code)));
  });

  /** A TLS client has sent its handshake at least. A plain one may have sent a PROXY header. */
  function hasSentNothing(socket: ClientSocket): boolean {
    return socket.bytesRead === 0 || clients.get(socket)?.bytesRead() === 0;
  }

  function refusal(socket: Duplex, page: PageName): () => void {
    return () => respondOnSocket(socket, renderPage(page, { ...unreadable(page), accept: undefined }));
  }

  function unreadable(page: PageName): Omit<PageContext, 'accept'> {
    return { hostname: null, ...onUnreadable(page) };
  }

  return {
    accept(socket: ClientSocket, client: Client): void {
      clients.set(socket, client);
      unused.add(socket);
      if (isDraining) endWithNextResponse(socket);
      socket.once('close', () => {
        clients.delete(socket);
        unused.delete(socket);
      });
      server.emit('connection', socket);
      socket.setTimeout?.(limits.idleMs);
    },
    drain(): void {
      isDraining = true;
      for (const socket of clients.keys()) endWithNextResponse(socket);
    },
    closeIdle(idleMs): void {
      const since = performance.now() - idleMs;
      // Node's closeIdleConnections leaves out those that never had a request.
      for (const [socket, { idleSince }] of clients) if (idleSince !== null && idleSince <= since) socket.destroy();
    },
    stop: () => void server.close(),
  };
}

/** Node's parser accepts other versions, such as 2.0. */
const VERSIONS = new Set(['1.0', '1.1']);

/**
 * A request to switch to another protocol may be ignored (RFC 9110 section 7.8): to one such as `h2c`, and behind
 * requests in flight, whose responses come first.
 */
function wantsUpgrade({ headers, httpVersion, socket }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && httpVersion === '1.1' && responsesInFlight(socket) === 0;
}

function pageFor(code: string | undefined): PageName {
  if (code === 'HPE_HEADER_OVERFLOW') return 'header_too_large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'bad_request';
}
