import { ClientRequest } from 'node:http';
import { constants } from 'node:http2';
import type { Exchange } from '../http/edge-exchange.ts';
import { type Framing, framingOf, isTransferCoded, requestHead, trailerFields } from './headers.ts';
import type { Connection } from './origin-connections.ts';
import { Refused } from './origin-failure.ts';

/** How long an origin may take to tell a client to go on. Many have never heard of it. */
const CONTINUE_MS = 1000;

const METHOD = /^[A-Z][A-Z-]*$/;

/** How the content of a request is framed, over either version of HTTP. */
export function framingOfRequest(request: Exchange['request']): Framing {
  if (!('stream' in request)) return framingOf(request);
  if (request.stream.endAfterHeaders) return { kind: 'none' };
  const length = request.headers['content-length'];
  return length === undefined ? { kind: 'chunked' } : { kind: 'sized', length };
}

/** The header fields of a request as the origin gets it. Throws `Refused`. */
export function readFields(exchange: Exchange, framing: Framing): string[] {
  const { request, expectsContinue } = exchange;
  if (!METHOD.test(request.method ?? '') || request.method === 'CONNECT') {
    throw new Refused('bad_request', 'method', 'The method is none that is passed on.');
  }
  if (isTransferCoded(request)) {
    throw new Refused('bad_request', 'transfer_encoding', 'The content is encoded in another way than in chunks.');
  }
  const { fields, isLooping } = requestHead(request, exchange, framing);
  if (isLooping) throw new Refused('origin_invalid', 'loop', 'The origin leads back to this edge.');
  if (expectsContinue) fields.push('Expect', '100-continue');
  return fields;
}

/** A request over an open connection. Throws where Node would not send it. */
export function requestOver(
  connection: Connection,
  { method, path }: { method: string | undefined; path: string },
  headers: string[],
  maxHeaderSize: number,
): ClientRequest {
  const request = new ClientRequest({ agent: connection, method, path, headers, maxHeaderSize });
  // Node drops what is more, silently; the size of the header bounds it.
  request.maxHeadersCount = 0;
  return request;
}

/** Sends the content of a request, its trailers behind it, unless `isOver` by then. */
export function sendContent(exchange: Exchange, framing: Framing, to: ClientRequest, isOver: () => boolean): void {
  // The origin may have something to say before there is content.
  to.flushHeaders();
  if (!exchange.expectsContinue) {
    pass(exchange, framing, to, isOver);
    return;
  }
  // The client sends nothing before it has been told to go on (RFC 9110 section 10.1.1).
  const goOn = () => {
    clearTimeout(timer);
    // An origin may say so late, or twice.
    to.off('continue', goOn);
    if (isOver()) return;
    exchange.response.writeContinue();
    pass(exchange, framing, to, isOver);
  };
  const timer = setTimeout(goOn, CONTINUE_MS);
  to.on('continue', goOn);
  to.once('response', () => clearTimeout(timer));
  to.once('close', () => clearTimeout(timer));
}

function pass({ request, response }: Exchange, framing: Framing, to: ClientRequest, isOver: () => boolean): void {
  let isCut = false;
  request.pipe(to, { end: false });
  request.once('end', () => {
    // Over HTTP/2, this is also how what was broken off comes to an end.
    if (isOver() || isCut || request.aborted) return;
    if (framing.kind === 'chunked') to.addTrailers(trailerFields(request.rawTrailers));
    to.end();
  });
  if (!('stream' in response)) return;
  // An answer that needs no more of the request ends it (RFC 9113 section 8.1).
  const { stream } = response;
  stream.once('finish', () => {
    if (request.complete) return;
    isCut = true;
    stream.close(constants.NGHTTP2_NO_ERROR);
  });
}
