import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Client } from './edge-client.ts';
import type { Asked } from './edge-exchange.ts';
import type { Speaker, SpeakerOptions } from './http-server.ts';
import { type PageName, renderPage } from './pages.ts';
import { answerSocket } from './respond.ts';

interface ClientSocket extends Duplex {
  bytesRead?: number;
  /** A response that has begun; Node keeps it there. */
  _httpMessage?: { headersSent: boolean } | null;
}

/** HTTP/1.1 and 1.0. */
export function http1Speaker({ limits, onRequest, onUpgrade, onUnreadable }: SpeakerOptions): Speaker<Duplex> {
  const server = createServer({
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

  const clients = new Map<Duplex, Client>();
  const responses = responsesUnderWay();
  const clientOf = (socket: Duplex): Client => {
    const known = clients.get(socket);
    if (known === undefined) throw new Error('the connection was not accepted by us');
    return known;
  };
  function begin(request: IncomingMessage, response: ServerResponse, more: Pick<Asked, 'expectsContinue'>): void {
    const { socket } = request;
    // Those that wait for their turn each have a connection to an origin.
    if (responses.open(socket) >= limits.streams) {
      socket.destroy();
      return;
    }
    responses.hold(socket, response);
    onRequest(clientOf(socket), { request, response, ...more });
  }
  server.on('request', (request, response) => begin(request, response, {}));
  server.on('checkContinue', (request, response) => begin(request, response, { expectsContinue: true }));
  // An expectation that Node does not know is no reason to refuse (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('upgrade', (request, socket, head) => {
    // Its answer would come before those that are still owed.
    if (responses.open(socket) > 0) socket.destroy();
    else onUpgrade(clientOf(request.socket), request, socket, head);
  });
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
    accept(socket: Duplex, client: Client): void {
      clients.set(socket, client);
      socket.once('close', () => clients.delete(socket));
      server.emit('connection', socket);
    },
    closeIdle(): void {
      // Node does not count those that have never had a request.
      for (const [socket, { idleSince }] of clients) if (idleSince !== null) socket.destroy();
    },
    stop: () => void server.close(),
  };
}

/** Responses end with their connection. Once there has been an upgrade, Node no longer says so to those that wait for their turn. */
function responsesUnderWay() {
  const byConnection = new WeakMap<Duplex, Set<ServerResponse>>();

  function track(socket: Duplex): Set<ServerResponse> {
    const those = new Set<ServerResponse>();
    byConnection.set(socket, those);
    socket.once('close', () => {
      for (const response of those) {
        if (response.socket !== null) continue;
        response.destroy();
        response.emit('close');
      }
    });
    return those;
  }

  return {
    hold(socket: Duplex, response: ServerResponse): void {
      const those = byConnection.get(socket) ?? track(socket);
      those.add(response);
      response.once('close', () => those.delete(response));
    },
    open: (socket: Duplex): number => byConnection.get(socket)?.size ?? 0,
  };
}

/** Any other protocol may be answered in HTTP as if it had not been asked for (RFC 9110 section 7.8), such as `h2c`. */
function wantsUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

function pageFor(code: string | undefined): PageName {
  if (code === 'HPE_HEADER_OVERFLOW') return 'header_too_large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'bad_request';
}
