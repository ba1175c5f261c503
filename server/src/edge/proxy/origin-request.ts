import { ClientRequest, METHODS } from 'node:http';
import { constants } from 'node:http2';
import type { OriginConnection } from '../../net/origin-connections.ts';
import type { ClientExchange, ProxiedExchange } from '../http/http-exchange.ts';
import { writeContinue } from '../http/respond.ts';
import { type Framing, framingOf, isTransferCoded, requestFields, trailerFields } from './headers.ts';
import { ProxyError } from './origin-failure.ts';

/** How long the client waits for the origin's 100 (Continue). Many origins never send it. */
const CONTINUE_MS = 1000;

/** Node's parser knows these methods: over HTTP/1.1 it rejects others. */
const FORWARDED_METHODS = new Set(METHODS.filter((method) => method !== 'CONNECT'));

/** For HTTP/1.1 and HTTP/2. */
export function framingOfRequest(request: ClientExchange['request']): Framing {
  if (!('stream' in request)) return framingOf(request);
  if (request.stream.endAfterHeaders) return { kind: 'none' };
  const length = request.headers['content-length'];
  return length === undefined ? { kind: 'chunked' } : { kind: 'sized', length };
}

/** The header fields of the request to the origin. Throws `ProxyError`. */
export function readFields(exchange: ProxiedExchange, framing: Framing, installation: string): string[] {
  const { request, expectsContinue } = exchange;
  if (!FORWARDED_METHODS.has(request.method ?? '')) {
    throw new ProxyError('not_implemented', 'method', 'The method is not supported.');
  }
  // The origin would send back the request, with the secret in it (RFC 9110 section 9.3.8).
  if (request.method === 'TRACE' && exchange.edgeSecret !== null) {
    throw new ProxyError('not_implemented', 'method', 'TRACE is not forwarded to an origin that is sent a secret.');
  }
  if (framing.kind === 'sized' && Number(framing.length) > Number.MAX_SAFE_INTEGER) {
    throw new ProxyError('bad_request', 'length', 'The Content-Length is too large.');
  }
  if (isTransferCoded(request)) {
    throw new ProxyError('bad_request', 'transfer_encoding', 'The only transfer coding allowed is chunked.');
  }
  const fields = requestFields(request, exchange, framing, installation);
  if (expectsContinue) fields.push('Expect', '100-continue');
  return fields;
}

/** Sends a request on an open connection. Throws when Node rejects it. */
export function requestOver(
  connection: OriginConnection,
  { method, path }: { method: string | undefined; path: string },
  headers: string[],
  maxHeaderSize: number,
): ClientRequest {
  const request = new ClientRequest({ agent: connection, method, path, headers, maxHeaderSize });
  // No limit: Node would drop further fields silently. `maxHeaderSize` bounds them.
  request.maxHeadersCount = 0;
  return request;
}

/** Sends the content of a request and its trailers, until `isOver`. */
export function sendContent(
  exchange: ProxiedExchange,
  framing: Framing,
  to: ClientRequest,
  isOver: () => boolean,
): void {
  // The origin may respond before there is content.
  to.flushHeaders();
  if (!exchange.expectsContinue) {
    pipeContent(exchange, framing, to, isOver);
    return;
  }
  // The client waits for 100 (Continue) before it sends content (RFC 9110 section 10.1.1).
  const proceed = () => {
    clearTimeout(timer);
    // An origin may send it late, or twice.
    to.off('continue', proceed);
    if (isOver()) return;
    writeContinue(exchange.response);
    pipeContent(exchange, framing, to, isOver);
  };
  const timer = setTimeout(proceed, CONTINUE_MS);
  to.on('continue', proceed);
  to.once('response', () => clearTimeout(timer));
  to.once('close', () => clearTimeout(timer));
}

function pipeContent(
  { request, response }: ProxiedExchange,
  framing: Framing,
  to: ClientRequest,
  isOver: () => boolean,
): void {
  let isAborted = false;
  request.pipe(to, { end: false });
  request.once('end', () => {
    // Over HTTP/2, aborted requests end as well.
    if (isOver() || isAborted || request.aborted) return;
    if (framing.kind === 'chunked') to.addTrailers(trailerFields(request.rawTrailers));
    to.end();
  });
  if (!('stream' in response)) return;
  // A complete response may abort the rest of the request (RFC 9113 section 8.1).
  const { stream } = response;
  stream.once('finish', () => {
    if (request.complete) return;
    isAborted = true;
    stream.close(constants.NGHTTP2_NO_ERROR);
  });
}
