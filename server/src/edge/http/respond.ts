import { STATUS_CODES } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { endSocket } from '../../net/response-order.ts';
import type { ClientExchange } from './http-exchange.ts';
import { type EdgePage, type PageContext, type PageName, renderPage } from './pages.ts';

const pageBody = Symbol('pageBody');

/** An exchange that records the page that `respond` has sent. */
type PageExchange = Pick<ClientExchange, 'request'> & {
  response: ClientExchange['response'] & { [pageBody]?: string };
};

/** Bytes of a page that was sent; null: none was. */
export function pageBytes({ response }: Pick<PageExchange, 'response'>): number | null {
  const body = response[pageBody];
  return body === undefined ? null : Buffer.byteLength(body);
}

/** Responds with a page. A response that has started is aborted. */
export function respondWithPage(
  { request, response }: ClientExchange,
  name: PageName,
  context: Omit<PageContext, 'accept'>,
): void {
  respond({ request, response }, renderPage(name, { ...context, accept: request.headers.accept }));
}

export function respond({ request, response }: PageExchange, { status, headers, body }: EdgePage): void {
  if (response.headersSent || isClosed(response)) {
    response.destroy();
    return;
  }
  response[pageBody] = request.method === 'HEAD' ? '' : body;
  if ('stream' in response) {
    // On the stream itself: the compatibility API would end it later, when it may have been closed.
    response.stream.respond({ ':status': status, ...headers });
    if (request.method !== 'HEAD') response.stream.end(body);
    limitReading(response.stream);
  } else {
    response.writeHead(status, STATUS_CODES[status], headers);
    if (request.method === 'HEAD') response.end();
    else response.end(body);
  }
  if (!request.complete) discardBody(request, response);
}

export function isClosed(response: ClientExchange['response']): boolean {
  return 'stream' in response ? response.stream.destroyed || response.stream.closed : response.destroyed;
}

/** Whether a response waits for earlier ones on its connection (HTTP/1.1). */
export function isQueued(response: ClientExchange['response']): boolean {
  return !('stream' in response) && response.socket === null && !response.closed;
}

/** Sends 100 (Continue); for a queued response once it is its turn, since Node would write the final header first. */
export function writeContinue(response: ClientExchange['response']): void {
  if (!isQueued(response)) response.writeContinue();
  else response.once('socket', () => response.headersSent || response.writeContinue());
}

/** Null: no header was sent. */
export function sentStatus(response: ClientExchange['response']): number | null {
  if (!response.headersSent) return null;
  return 'stream' in response ? Number(response.stream.sentHeaders?.[':status']) : response.statusCode;
}

/**
 * Closes a stream that the client does not read. Over HTTP/1.1 the connection's own time limit does that; here pings
 * would keep it alive.
 */
function limitReading(stream: ServerHttp2Stream): void {
  const unread = setTimeout(() => {
    // A stream that is closing would queue the reset behind its data.
    if (stream.closed) stream.destroy();
    else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }, UNREAD_MS).unref();
  stream.once('close', () => clearTimeout(unread));
}

/**
 * Reads and drops the rest of a body, for a while. Over HTTP/1.1 from when the response has been sent: earlier
 * responses on the connection come first.
 */
function discardBody(request: ClientExchange['request'], response: ClientExchange['response']): void {
  if ('stream' in request) {
    const late = setTimeout(() => request.stream.close(), LINGER_MS).unref();
    request.once('close', () => clearTimeout(late));
    return;
  }
  response.once('close', () => {
    if (request.complete) return;
    const late = setTimeout(() => {
      if (!request.complete) request.destroy();
    }, LINGER_MS).unref();
    request.once('close', () => clearTimeout(late));
  });
}

/** For a socket without a response object: after an unreadable request, or one to switch protocols. */
export function respondOnSocket(socket: Duplex, { status, headers, body }: EdgePage): void {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  endSocket(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
}

/** How long a page may wait for the client to read it. */
const UNREAD_MS = 60_000;
const LINGER_MS = 1000;
