import type { ClientRequest, IncomingMessage, InformationEvent } from 'node:http';
import type { Exchange } from '../http/edge-exchange.ts';
import { answerPage } from '../http/respond.ts';
import { type Framing, fieldOf } from './headers.ts';
import type { Connection, Connections } from './origin-connections.ts';
import { type Failure, failureOf, isClosedConnection, Refused } from './origin-failure.ts';
import { framingOfRequest, readFields, requestOver, sendContent } from './origin-request.ts';
import { checkHead } from './origin-response.ts';
import { Http1Reply, Http2Reply, type Reply } from './reply.ts';

/** What forwarding works with. */
export interface ForwardingContext {
  connections: Connections;
  limits: { responseHeaderBytes: number };
  times: ForwardingTimes;
  /** It has come to an end; null: without a failure of the origin. */
  onEnd(forwarding: Forwarding, failure: Failure | null): void;
}

/** In milliseconds. */
export interface ForwardingTimes {
  /** From the end of the request to the response; as long as there is more of the request, from the last piece that the origin took. */
  responseMs: number;
  /** Between two pieces of a response that the client waits for. */
  silenceMs: number;
  /** A client that takes nothing of what waits for it. */
  unreadMs: number;
}

/** These can be sent again without doing anything twice (RFC 9110 section 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** What cannot be sent again goes over connections that were in use a moment ago: those are hardly about to be closed. */
const FRESH_MS = 2000;

/** Interim responses to one request: nobody waits for the client to take them, so they must not pile up. */
const INTERIM_BYTES = 32_768;
/** What one takes beside its fields. */
const STATUS_LINE_BYTES = 32;

/** One exchange between a client and an origin. */
export class Forwarding {
  readonly exchange: Exchange;
  readonly #context: ForwardingContext;
  readonly #reply: Reply;
  readonly #framing: Framing;
  readonly #repeatable: boolean;
  #fields: string[] = [];
  #dialling: AbortController | null = null;
  #connection: Connection | null = null;
  #request: ClientRequest | null = null;
  #response: IncomingMessage | null = null;
  #failure: Failure | null = null;
  /** Bytes of the response that are still to come; not a number where it does not say how many. */
  #missing = Number.NaN;
  #interimBytes = 0;
  #hasWritten = false;
  #hasEnded = false;
  #isClosed = false;
  #awaitsReader = false;
  /** Bytes of the connection when it was last seen to move, and when that was. */
  #bytes = -1;
  #movedAt = 0;

  constructor(exchange: Exchange, context: ForwardingContext) {
    const { request, response } = exchange;
    this.exchange = exchange;
    this.#context = context;
    this.#reply = 'stream' in response ? new Http2Reply(response) : new Http1Reply(response);
    this.#framing = framingOfRequest(request);
    this.#repeatable = this.#framing.kind === 'none' && IDEMPOTENT.has(request.method ?? '');
  }

  start(): void {
    if (this.#reply.isGone) {
      this.#close();
      return;
    }
    this.#reply.onClose(() => this.#close());
    try {
      this.#fields = readFields(this.exchange, this.#framing);
    } catch (error) {
      this.#fail(error);
      return;
    }
    const patience = this.#repeatable ? Number.POSITIVE_INFINITY : FRESH_MS;
    const connection = this.#context.connections.take(this.exchange.origin, patience);
    if (connection === null) this.#open();
    else this.#send(connection);
  }

  #open(): void {
    this.#dialling = new AbortController();
    this.#context.connections.open(this.exchange.origin, this.#dialling.signal).then(
      (connection) => this.#send(connection),
      (error) => this.#fail(error),
    );
  }

  #send(connection: Connection): void {
    if (this.#isClosed) {
      this.#context.connections.putBack(connection);
      return;
    }
    const { request: received, path } = this.exchange;
    let request: ClientRequest;
    try {
      const { responseHeaderBytes } = this.#context.limits;
      request = requestOver(connection, { method: received.method, path }, this.#fields, responseHeaderBytes);
    } catch {
      this.#context.connections.putBack(connection);
      this.#fail(new Refused('bad_request', 'not_sendable', 'The request has characters that no request has.'));
      return;
    }
    this.#connection = connection;
    this.#request = request;
    this.#bytes = -1;
    request.on('information', (interim) => this.#inform(interim));
    request.on('response', (response) => this.#begin(response, connection));
    request.on('error', (error) => this.#break(request, error));
    request.on('close', () => {
      // Also where Node has nothing to say, as of an upgrade that nobody asked for.
      if (this.#response === null) this.#break(request, new Refused('origin_invalid', 'no_response', 'No response.'));
    });
    if (this.#framing.kind === 'none') request.end();
    else sendContent(this.exchange, this.#framing, request, () => this.#isOver);
  }

  /** The rest of it changes nothing any more; also where somebody else has answered, as for a body that came too slowly. */
  get #isOver(): boolean {
    return this.#isClosed || this.#failure !== null || (this.#response === null && this.#reply.hasBegun);
  }

  #inform({ statusCode, headers, rawHeaders }: InformationEvent): void {
    if (this.#isOver) return;
    this.#interimBytes += STATUS_LINE_BYTES + rawHeaders.join('').length;
    if (this.#interimBytes > INTERIM_BYTES) {
      this.#fail(new Refused('origin_invalid', 'interim', 'The origin sent more interim responses than are accepted.'));
    } else if (statusCode !== 100 && this.exchange.request.httpVersion !== '1.0') {
      this.#reply.inform(statusCode, headers);
    }
  }

  #begin(response: IncomingMessage, connection: Connection): void {
    if (this.#isOver) {
      this.#request?.destroy();
      return;
    }
    const { request } = this.exchange;
    const { statusCode = 502 } = response;
    const length = fieldOf(response, 'content-length');
    const hasContent = request.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
    this.#response = response;
    this.#bytes = -1;
    connection.heed(fieldOf(response, 'keep-alive'));
    response.on('error', (error) => this.#break(this.#request, error));
    try {
      checkHead(response);
      this.#reply.begin(response, hasContent && length === undefined && request.httpVersion !== '1.0');
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (hasContent && length !== undefined) this.#missing = Number(length);
    response.on('data', (chunk: Buffer) => this.#pass(chunk, response));
    response.on('end', () => {
      if (!this.#hasEnded && response.complete) this.#end(undefined, response.rawTrailers);
    });
    // What came with the head has been passed on by then; what comes later may be long in coming.
    process.nextTick(() => {
      if (!this.#hasWritten && !this.#hasEnded && !this.#isClosed) this.#reply.flush();
    });
  }

  #pass(chunk: Buffer, response: IncomingMessage): void {
    this.#hasWritten = true;
    this.#missing -= chunk.length;
    if (this.#missing === 0) {
      this.#end(chunk, []);
    } else if (!this.#reply.write(chunk)) {
      response.pause();
      this.#awaitsReader = true;
      this.#reply.onDrain(() => {
        this.#awaitsReader = false;
        response.resume();
      });
    }
  }

  #end(chunk: Buffer | undefined, rawTrailers: readonly string[]): void {
    this.#hasEnded = true;
    this.#reply.end(chunk, rawTrailers);
  }

  /** The origin, or the way to it, broke. */
  #break(request: ClientRequest | null, error: unknown): void {
    if (request !== this.#request || this.#isOver || this.#hasEnded) return;
    const connection = this.#connection;
    const wasClosed = connection?.isReused === true && !connection.isAnswering && isClosedConnection(error);
    if (this.#repeatable && wasClosed) {
      // Over a new connection, so that there is no third time.
      this.#request = null;
      this.#connection = null;
      this.#open();
    } else {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#failure = failureOf(error);
    this.#bytes = -1;
    this.#request?.destroy();
    const { hostname, requestId } = this.exchange;
    if (this.#reply.hasBegun) this.#reply.abort();
    else answerPage(this.exchange, this.#failure.page, { hostname, requestId });
  }

  /** The client has all of it, or has gone. */
  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#dialling?.abort(new Error('The client has gone.'));
    const isComplete = this.#response?.complete === true && this.#request?.writableFinished === true;
    if (!isComplete) this.#request?.destroy();
    const { request } = this.exchange;
    if (this.#framing.kind !== 'none' && !request.complete) {
      // What is left of it, nobody wants. Over HTTP/1.1 the next request comes behind it.
      request.unpipe();
      request.resume();
    }
    this.#context.onEnd(this, this.#failure);
  }

  /** Called about once a second: ends what does not move. */
  watch(now: number): void {
    if (this.#reply.isGone) {
      // Node does not always say so: not of a response that waited for its turn, nor of one to a stream that was reset while it was written.
      this.#reply.abort();
      this.#close();
      return;
    }
    const request = this.#request;
    const socket = this.#connection?.socket;
    if (request === null || socket === undefined) return;
    // An origin that has not answered yet does not gain time by sending whatever else.
    const bytes = this.#response === null ? socket.bytesWritten : socket.bytesRead + socket.bytesWritten;
    if (bytes !== this.#bytes || this.#awaitsClient(request)) {
      this.#bytes = bytes;
      this.#movedAt = now;
    } else {
      this.#endIfStill(now - this.#movedAt);
    }
  }

  #endIfStill(stillFor: number): void {
    const { responseMs, silenceMs, unreadMs } = this.#context.times;
    if (this.#failure !== null || this.#hasEnded || this.#awaitsReader) {
      if (stillFor >= unreadMs) this.#reply.abort();
    } else if (this.#response === null) {
      if (stillFor >= responseMs) this.#fail(late(`The origin did not answer within ${responseMs / 1000} s.`));
    } else if (stillFor >= silenceMs) {
      this.#fail(late(`The origin went silent for ${silenceMs / 1000} s.`));
    }
  }

  /** Whether it is the client's turn; who watches over that is `bodies.ts`. */
  #awaitsClient(request: ClientRequest): boolean {
    if (this.#framing.kind === 'none' || this.#failure !== null) return false;
    return !this.exchange.request.complete && !request.writableNeedDrain;
  }
}

function late(detail: string): Refused {
  return new Refused('origin_timeout', 'timeout', detail);
}
