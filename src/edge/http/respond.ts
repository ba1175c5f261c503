import { STATUS_CODES } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Exchange } from './edge-exchange.ts';
import { type Page, type PageContext, type PageName, renderPage } from './pages.ts';

/** Answers a request with a page. A response that has begun can only be broken off. */
export function answerPage(
  { request, response }: Pick<Exchange, 'request' | 'response'>,
  name: PageName,
  context: Omit<PageContext, 'accept'>,
): void {
  answer({ request, response }, renderPage(name, { ...context, accept: request.headers.accept }));
}

/** Answers a request with what is at hand. */
export function answer({ request, response }: Pick<Exchange, 'request' | 'response'>, { status, headers, body }: Page) {
  if (response.headersSent || isGone(response)) {
    response.destroy();
    return;
  }
  if ('stream' in response) {
    // To the stream itself: the compatible response ends it later, and by then it may have been closed.
    response.stream.respond({ ':status': status, ...headers });
    if (request.method !== 'HEAD') response.stream.end(body);
    endUnread(response.stream);
  } else {
    response.writeHead(status, STATUS_CODES[status], headers);
    if (request.method === 'HEAD') response.end();
    else response.end(body);
  }
  if (!request.complete) letGo(request);
}

/** Whether nobody is there any more to be answered. */
export function isGone(response: Exchange['response']): boolean {
  return 'stream' in response ? response.stream.destroyed || response.stream.closed : response.destroyed;
}

/** The status that was sent; null where none was. */
export function sentStatus(response: Exchange['response']): number | null {
  if (!response.headersSent) return null;
  return 'stream' in response ? Number(response.stream.sentHeaders?.[':status']) : response.statusCode;
}

/** Ends what the client does not take. Over HTTP/1.1 nothing moves then, and the connection's own time limit sees to it; here pings do. */
function endUnread(stream: ServerHttp2Stream): void {
  const unread = setTimeout(() => {
    // Where it waits to be closed once it has been read, a reset would wait as well.
    if (stream.closed) stream.destroy();
    else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }, UNREAD_MS).unref();
  stream.once('close', () => clearTimeout(unread));
}

/** What is left of the body is thrown away, but not for long. */
function letGo(request: Exchange['request']): void {
  const late = setTimeout(() => {
    if ('stream' in request) request.stream.close();
    else if (!request.complete) request.destroy();
  }, LINGER_MS).unref();
  request.once('close', () => clearTimeout(late));
}

/** Answers where there is a socket and no response: what is no request, or wanted to become another protocol. */
export function answerSocket(socket: Duplex, { status, headers, body }: Page): void {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  // Also where the client keeps its side open.
  const late = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(late));
  socket.resume();
}

/** How long an answer may wait for its client. */
const UNREAD_MS = 60_000;
const LINGER_MS = 1000;
