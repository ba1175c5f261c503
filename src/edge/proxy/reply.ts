import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerResponse } from 'node:http2';
import { responseFields, responseHeaders, trailerFields } from './headers.ts';

/** The client's side of an exchange, over either version of HTTP. Nothing of it throws once the client has gone. */
export interface Reply {
  /** An interim response (RFC 9110 section 15.2). */
  inform(statusCode: number, headers: NodeJS.Dict<string | string[]>): void;
  /** The head of the final response. Throws when it is none that can be sent. */
  begin(response: IncomingMessage, mayHaveTrailers: boolean): void;
  readonly hasBegun: boolean;
  /** The client went before anything was sent. */
  readonly isGone: boolean;
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

export function http1Reply(response: ServerResponse): Reply {
  return {
    // Node has it since 24.18; before, interim responses are dropped.
    inform: (statusCode, headers) => response.writeInformation?.(statusCode, interim(headers)),
    begin({ statusCode = 502, statusMessage, rawHeaders }, mayHaveTrailers) {
      response.writeHead(statusCode, statusMessage, responseFields(rawHeaders, statusCode, mayHaveTrailers));
    },
    get hasBegun() {
      return response.headersSent;
    },
    flush: () => response.flushHeaders(),
    write: (chunk) => response.write(chunk),
    end(chunk, rawTrailers) {
      if (rawTrailers.length > 0) response.addTrailers(trailerFields(rawTrailers));
      response.end(chunk);
    },
    abort: () => response.destroy(),
    onDrain: (drained) => response.once('drain', drained),
    onClose: (closed) => response.once('close', closed),
    get isGone() {
      return response.destroyed;
    },
  };
}

/** Heads and content go to the stream itself: the compatible response would take twice as long to come to the same. */
export function http2Reply(response: Http2ServerResponse): Reply {
  const { stream } = response;
  const isOpen = () => !stream.destroyed && !stream.closed && !stream.writableEnded;
  return {
    inform(statusCode, headers) {
      if (isOpen()) stream.additionalHeaders({ ...interim(headers), [constants.HTTP2_HEADER_STATUS]: statusCode });
    },
    begin({ statusCode = 502, headers }, mayHaveTrailers) {
      if (!isOpen()) return;
      const passed = responseHeaders(headers, statusCode, mayHaveTrailers);
      passed[constants.HTTP2_HEADER_STATUS] = String(statusCode);
      stream.respond(passed, { waitForTrailers: mayHaveTrailers });
    },
    get hasBegun() {
      return stream.headersSent;
    },
    flush() {},
    write: (chunk) => !isOpen() || stream.write(chunk),
    end(chunk, rawTrailers) {
      if (!isOpen()) return;
      // They are sent by the compatible response, which listens for the moment.
      for (const [name, value] of trailerFields(rawTrailers)) response.setTrailer(name, value);
      stream.end(chunk);
    },
    abort: () => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
    onDrain: (drained) => stream.once('drain', drained),
    onClose: (closed) => stream.once('close', closed),
    get isGone() {
      return stream.destroyed;
    },
  };
}

function interim(headers: NodeJS.Dict<string | string[]>): Record<string, string | string[]> {
  const { 'content-length': _, ...passed } = responseHeaders(headers, 103, false);
  return passed;
}
