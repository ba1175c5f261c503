import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerResponse, type ServerHttp2Stream } from 'node:http2';
import { responseFields, responseHeaders, trailerFields } from './headers.ts';

/** The client's side of an exchange, over either version of HTTP. But for `begin`, nothing of it throws, also not once the client has gone. */
export interface Reply {
  /** Nothing more can be sent: the client has gone, or all has been said. */
  readonly isGone: boolean;
  readonly hasBegun: boolean;
  /** An interim response (RFC 9110 section 15.2); nothing once the final one has begun. */
  inform(statusCode: number, headers: NodeJS.Dict<string | string[]>): void;
  /** The head of the final response. Throws when it is none that can be sent. */
  begin(response: IncomingMessage, mayHaveTrailers: boolean): void;
  /** Sends the head now, where the content lets wait for itself. */
  flush(): void;
  /** False: there is enough for now, until `onDrain`. */
  write(chunk: Buffer): boolean;
  end(chunk: Buffer | undefined, rawTrailers: readonly string[]): void;
  /** Breaks off, so that the client sees that something is missing. */
  abort(): void;
  onDrain(drained: () => void): void;
  /** Once, when it has been sent or broken off. */
  onClose(closed: () => void): void;
}

export class Http1Reply implements Reply {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isGone(): boolean {
    // A response that waits for its turn has no socket yet.
    return this.#response.destroyed || this.#response.req.socket.destroyed;
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  inform(statusCode: number, headers: NodeJS.Dict<string | string[]>): void {
    // Node has it since 24.18; before, interim responses are dropped.
    if (!this.hasBegun) this.#response.writeInformation?.(statusCode, interimHeaders(headers));
  }

  begin({ statusCode = 502, rawHeaders }: IncomingMessage, mayHaveTrailers: boolean): void {
    // In the usual words: an origin's own are no part of the meaning (RFC 9112 section 4), and may have characters that Node does not send.
    this.#response.writeHead(statusCode, responseFields(rawHeaders, statusCode, mayHaveTrailers));
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

/** Heads and content go to the stream itself: the compatible response would take longer to come to the same. */
export class Http2Reply implements Reply {
  readonly #response: Http2ServerResponse;
  readonly #stream: ServerHttp2Stream;

  constructor(response: Http2ServerResponse) {
    this.#response = response;
    this.#stream = response.stream;
  }

  get isGone(): boolean {
    return this.#isClosed;
  }

  get hasBegun(): boolean {
    return this.#stream.headersSent;
  }

  get #isClosed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  /** Not where a response has none; for `HEAD`, Node ends the stream before there is a response. */
  get #takesContent(): boolean {
    return !this.#isClosed && !this.#stream.writableEnded;
  }

  inform(statusCode: number, headers: NodeJS.Dict<string | string[]>): void {
    if (!this.#isClosed && !this.hasBegun)
      this.#stream.additionalHeaders({ ...interimHeaders(headers), ':status': statusCode });
  }

  begin({ statusCode = 502, headers }: IncomingMessage, mayHaveTrailers: boolean): void {
    if (this.#isClosed) return;
    const passed = responseHeaders(headers, statusCode, mayHaveTrailers);
    this.#stream.respond({ ':status': statusCode, ...passed }, { waitForTrailers: mayHaveTrailers });
  }

  flush(): void {}

  write(chunk: Buffer): boolean {
    return !this.#takesContent || this.#stream.write(chunk);
  }

  end(chunk: Buffer | undefined, rawTrailers: readonly string[]): void {
    if (!this.#takesContent) return;
    // They are sent by the compatible response, which listens for the moment.
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
