import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerResponse, type ServerHttp2Stream } from 'node:http2';
import { HSTS, withHsts } from '../http/hsts.ts';
import { isQueued } from '../http/respond.ts';
import { responseFields, responseHeaders, trailerFields } from './headers.ts';

/**
 * The response to a client, over HTTP/1.1 or HTTP/2. Only `start` throws; after the client has gone, the methods do
 * nothing.
 */
export interface ClientResponse {
  /** Nothing more can be sent: the response is complete, or the client has gone. */
  readonly isClosed: boolean;
  readonly hasStarted: boolean;
  /** An interim response (RFC 9110 section 15.2); ignored once the final one has started. */
  inform(statusCode: number, headers: NodeJS.Dict<string | string[]>): void;
  /**
   * The head of the final response. `hsts` replaces the origin's `Strict-Transport-Security`; null: that is passed on.
   * Throws when Node cannot send it.
   */
  start(response: IncomingMessage, mayHaveTrailers: boolean, hsts: string | null): void;
  /** Sends the head without waiting for content. */
  flush(): void;
  /** False: back-pressure until `onDrain`. */
  write(chunk: Buffer): boolean;
  end(chunk: Buffer | undefined, rawTrailers: readonly string[]): void;
  /** Ends the response so that the client sees that it is incomplete. */
  abort(): void;
  onDrain(drained: () => void): void;
  /** Called once, when the response was sent or aborted. */
  onClose(closed: () => void): void;
}

export class Http1ClientResponse implements ClientResponse {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isClosed(): boolean {
    // A queued response has no socket yet.
    return this.#response.destroyed || this.#response.req.socket.destroyed;
  }

  get hasStarted(): boolean {
    return this.#response.headersSent;
  }

  inform(statusCode: number, headers: NodeJS.Dict<string | string[]>): void {
    // Not while it is queued: Node would write the final header first. Since Node 24.18; before, interim responses are
    // dropped.
    if (this.hasStarted || isQueued(this.#response)) return;
    this.#response.writeInformation?.(statusCode, interimHeaders(headers));
  }

  start({ statusCode = 502, rawHeaders }: IncomingMessage, mayHaveTrailers: boolean, hsts: string | null): void {
    // With the standard reason phrase: an origin's own has no meaning (RFC 9112 section 4), and may have characters
    // that Node rejects.
    this.#response.writeHead(statusCode, withHsts(responseFields(rawHeaders, statusCode, mayHaveTrailers), hsts));
  }

  flush(): void {
    this.#response.flushHeaders();
  }

  write(chunk: Buffer): boolean {
    return this.#response.write(chunk);
  }

  end(chunk: Buffer | undefined, rawTrailers: readonly string[]): void {
    if (rawTrailers.length > 0) this.#response.addTrailers(trailerFields(rawTrailers));
    this.#response.end(chunk);
  }

  abort(): void {
    this.#response.destroy();
  }

  onDrain(drained: () => void): void {
    this.#response.once('drain', drained);
  }

  onClose(closed: () => void): void {
    this.#response.once('close', closed);
  }
}

/** Writes to the stream itself: the compatibility API is slower. */
export class Http2ClientResponse implements ClientResponse {
  readonly #response: Http2ServerResponse;
  readonly #stream: ServerHttp2Stream;

  constructor(response: Http2ServerResponse) {
    this.#response = response;
    this.#stream = response.stream;
  }

  get isClosed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  get hasStarted(): boolean {
    return this.#stream.headersSent;
  }

  /** Not for `HEAD`: Node ends the stream with the header. */
  get #takesContent(): boolean {
    return !this.isClosed && !this.#stream.writableEnded;
  }

  inform(statusCode: number, headers: NodeJS.Dict<string | string[]>): void {
    if (!this.isClosed && !this.hasStarted)
      this.#stream.additionalHeaders({ ...interimHeaders(headers), ':status': statusCode });
  }

  start({ statusCode = 502, headers }: IncomingMessage, mayHaveTrailers: boolean, hsts: string | null): void {
    if (this.isClosed) return;
    const passed = responseHeaders(headers, statusCode, mayHaveTrailers);
    if (hsts !== null) passed[HSTS] = hsts;
    this.#stream.respond({ ':status': statusCode, ...passed }, { waitForTrailers: mayHaveTrailers });
  }

  flush(): void {}

  write(chunk: Buffer): boolean {
    return !this.#takesContent || this.#stream.write(chunk);
  }

  end(chunk: Buffer | undefined, rawTrailers: readonly string[]): void {
    if (!this.#takesContent) return;
    // The compatibility API sends them at the right time.
    this.#response.addTrailers(Object.fromEntries(trailerFields(rawTrailers)));
    this.#stream.end(chunk);
  }

  abort(): void {
    if (this.#stream.closed) this.#stream.destroy();
    else this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  onDrain(drained: () => void): void {
    this.#stream.once('drain', drained);
  }

  onClose(closed: () => void): void {
    this.#stream.once('close', closed);
  }
}

function interimHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string | string[]> {
  const { 'content-length': _, ...passed } = responseHeaders(headers, 103, false);
  return passed;
}
