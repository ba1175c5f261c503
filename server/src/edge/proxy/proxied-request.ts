import type { ClientRequest, IncomingMessage, InformationEvent } from 'node:http';
import { endOfTurn } from '../../base/turn.ts';
import type { OriginConnection, OriginTarget } from '../../net/origin-connections.ts';
import type { ProxiedExchange } from '../http/http-exchange.ts';
import type { PageName } from '../http/pages.ts';
import { respondWithPage } from '../http/respond.ts';
import { type ClientResponse, Http1ClientResponse, Http2ClientResponse } from './client-response.ts';
import { type Framing, fieldOf } from './headers.ts';
import { failureOf, isClosedConnection, type OriginFailure, ProxyError } from './origin-failure.ts';
import { framingOfRequest, readFields, requestOver, sendContent } from './origin-request.ts';
import { checkHead } from './origin-response.ts';
import { targetOf } from './origin-target.ts';
import type { ProxyContext } from './proxy-limits.ts';
import { selfRedirectOf } from './self-redirect.ts';

/** RFC 9110 section 9.2.2. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/**
 * Requests that cannot be repeated use only connections that were active a moment ago: the origin is unlikely to close
 * those.
 */
const FRESH_MS = 2000;

/** Interim responses to one request. They ignore back-pressure, so they must not pile up. */
const INTERIM_BYTES = 32_768;
/** Bytes of an interim response's status line, counted besides its fields. */
const STATUS_LINE_BYTES = 32;

/** Until its request starts. */
const NO_TARGET: OriginTarget = { origin: '', key: '' };

/** One request on its way to an origin, and the response on its way back. */
export class ProxiedRequest {
  readonly exchange: ProxiedExchange;
  readonly #context: ProxyContext<ProxiedRequest>;
  readonly #client: ClientResponse;
  readonly #framing: Framing;
  readonly #repeatable: boolean;
  #fields: string[] = [];
  #target: OriginTarget = NO_TARGET;
  #dial: AbortController | null = null;
  #connection: OriginConnection | null = null;
  #request: ClientRequest | null = null;
  #response: IncomingMessage | null = null;
  #failure: OriginFailure | null = null;
  /** Bytes of content in the response, and how many of them have arrived; NaN where their number is unknown. */
  #contentLength = Number.NaN;
  #received = 0;
  /** Bytes of the request's content that have arrived. */
  #sent = 0;
  /** How much of both was reported. */
  #countedIn = 0;
  #countedOut = 0;
  #interimBytes = 0;
  #hasWritten = false;
  #hasEnded = false;
  #isClosed = false;
  #awaitsDrain = false;
  /** Bytes on the connection at the last check with traffic, and when that was. */
  #bytes = -1;
  #activeAt = 0;

  constructor(exchange: ProxiedExchange, context: ProxyContext<ProxiedRequest>) {
    const { request, response } = exchange;
    this.exchange = exchange;
    this.#context = context;
    this.#client = 'stream' in response ? new Http2ClientResponse(response) : new Http1ClientResponse(response);
    this.#framing = framingOfRequest(request);
    this.#repeatable = this.#framing.kind === 'none' && IDEMPOTENT.has(request.method ?? '');
  }

  /** Bytes of the origin's content that were passed on to the client. */
  get contentBytes(): number {
    return this.#received;
  }

  /** Reports the content since the last call. */
  countBytes(): void {
    const bytesIn = this.#sent - this.#countedIn;
    const bytesOut = this.#received - this.#countedOut;
    if (bytesIn + bytesOut === 0) return;
    this.#countedIn = this.#sent;
    this.#countedOut = this.#received;
    this.#context.onBytes(this.exchange.usageNumber, bytesIn, bytesOut);
  }

  start(): void {
    if (this.#client.isClosed) {
      this.#close();
      return;
    }
    this.#client.onClose(() => this.#close());
    try {
      this.#target = targetOf(this.exchange);
      this.#fields = readFields(this.exchange, this.#framing, this.#context.installation);
    } catch (error) {
      this.#fail(error);
      return;
    }
    const maxIdleMs = this.#repeatable ? Number.POSITIVE_INFINITY : FRESH_MS;
    const connection = this.#context.connections.take(this.#target, maxIdleMs);
    if (connection === null) this.#open();
    else this.#send(connection);
  }

  #open(): void {
    this.#dial = new AbortController();
    this.#context.connections.open(this.#target, this.#dial.signal).then(
      (connection) => this.#send(connection),
      (error) => this.#fail(error),
    );
  }

  #send(connection: OriginConnection): void {
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
      this.#fail(new ProxyError('bad_request', 'not_sendable', 'The request has characters that are not allowed.'));
      return;
    }
    this.#connection = connection;
    this.#request = request;
    this.#bytes = -1;
    request.on('information', (interim) => this.#inform(interim));
    request.on('response', (response) => this.#onResponse(response, connection));
    request.on('error', (error) => this.#retryOrFail(request, error));
    request.on('close', () => {
      // Node may close without an error, as after an upgrade that was not requested.
      if (this.#response === null)
        this.#retryOrFail(request, new ProxyError('origin_invalid', 'no_response', 'No response.'));
    });
    if (this.#framing.kind === 'none') {
      request.end();
      return;
    }
    // Unlike `on`, this does not start the flow.
    received.prependListener('data', (chunk: Buffer) => {
      this.#sent += chunk.length;
    });
    sendContent(this.exchange, this.#framing, request, () => this.#isOver);
  }

  /** Nothing more is to be sent. Also true when the edge has responded with a page of its own, as to a slow body. */
  get #isOver(): boolean {
    return this.#isClosed || this.#failure !== null || (this.#response === null && this.#client.hasStarted);
  }

  #inform({ statusCode, headers, rawHeaders }: InformationEvent): void {
    if (this.#isOver) return;
    this.#interimBytes += STATUS_LINE_BYTES + rawHeaders.join('').length;
    if (this.#interimBytes > INTERIM_BYTES) {
      this.#fail(
        new ProxyError('origin_invalid', 'interim', 'The origin sent more interim responses than are accepted.'),
      );
    } else if (statusCode !== 100 && this.exchange.request.httpVersion !== '1.0') {
      this.#client.inform(statusCode, headers);
    }
  }

  #onResponse(response: IncomingMessage, connection: OriginConnection): void {
    if (this.#isOver) {
      this.#request?.destroy();
      return;
    }
    const { request, hsts } = this.exchange;
    const { statusCode = 502 } = response;
    const length = fieldOf(response, 'content-length');
    const hasContent = request.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
    this.#response = response;
    this.#bytes = -1;
    connection.applyKeepAlive(fieldOf(response, 'keep-alive'));
    response.on('error', (error) => this.#retryOrFail(this.#request, error));
    try {
      checkHead(response);
      if (statusCode >= 300 && statusCode < 400) this.#checkRedirect(response, statusCode);
      const mayHaveTrailers = hasContent && length === undefined && request.httpVersion !== '1.0';
      this.#client.start(response, mayHaveTrailers, hsts);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (hasContent && length !== undefined) this.#contentLength = Number(length);
    response.on('data', (chunk: Buffer) => this.#pass(chunk, response));
    response.on('end', () => {
      if (!this.#hasEnded && response.complete) this.#end(undefined, response.rawTrailers);
    });
    // Chunks that came with the header have been passed on by then; the next may take long.
    process.nextTick(() => {
      if (!this.#hasWritten && !this.#hasEnded && !this.#isClosed) this.#client.flush();
    });
  }

  /** Throws `ProxyError` for a redirect that a browser would follow in circles. */
  #checkRedirect(response: IncomingMessage, status: number): void {
    const { request, scheme, path } = this.exchange;
    const found = selfRedirectOf({
      method: request.method,
      scheme,
      authority: fieldOf({ rawHeaders: this.#fields }, 'x-forwarded-host') ?? '',
      path,
      status,
      location: fieldOf(response, 'location'),
      setsCookie: [fieldOf(response, 'set-cookie'), fieldOf(response, 'clear-site-data')].some(
        (value) => value !== undefined,
      ),
      cacheControl: fieldOf(response, 'cache-control'),
    });
    if (found === null) return;
    const detail = `The origin redirects ${scheme} requests to the URL that they ask for (status ${status}).`;
    const failure = new ProxyError('origin_redirect', 'redirects_to_itself', detail);
    if (found === 'endless') throw failure;
    this.#context.onSuspicion(this.exchange, failure);
  }

  #pass(chunk: Buffer, response: IncomingMessage): void {
    this.#hasWritten = true;
    this.#received += chunk.length;
    if (this.#received === this.#contentLength) {
      this.#end(chunk, []);
    } else if (!this.#client.write(chunk)) {
      response.pause();
      this.#awaitsDrain = true;
      this.#client.onDrain(() => {
        this.#awaitsDrain = false;
        response.resume();
      });
    }
  }

  #end(chunk: Buffer | undefined, rawTrailers: readonly string[]): void {
    this.#hasEnded = true;
    // Waits for the other responses of this turn: one write wakes a client that expects several.
    endOfTurn().then(() => this.#client.end(chunk, rawTrailers));
  }

  /** The connection to the origin failed. */
  #retryOrFail(request: ClientRequest | null, error: unknown): void {
    if (request !== this.#request || this.#isOver || this.#hasEnded) return;
    const connection = this.#connection;
    const wasClosed = connection?.isReused === true && !connection.isResponding && isClosedConnection(error);
    if (this.#repeatable && wasClosed) {
      // Over a new connection, so there is no third attempt.
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
    if (this.#client.hasStarted) this.#client.abort();
    else void this.#respond(this.#failure.page);
  }

  async #respond(page: PageName): Promise<void> {
    const { hostname, requestId, workspaceId, hsts } = this.exchange;
    const brand = await this.#context.findBrand(workspaceId);
    // The edge may have sent another page meanwhile, as for a body that is too slow.
    if (!this.#client.isClosed && !this.#client.hasStarted)
      respondWithPage(this.exchange, page, { hostname, requestId, brand, hsts });
  }

  /** The client has the whole response, or has gone. */
  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#dial?.abort(new Error('The client closed the connection.'));
    const isComplete = this.#response?.complete === true && this.#request?.writableFinished === true;
    if (!isComplete) this.#request?.destroy();
    const { request } = this.exchange;
    if (this.#framing.kind !== 'none' && !request.complete) {
      // Discards the rest of the body. Over HTTP/1.1 the next request comes behind it.
      request.unpipe();
      request.resume();
    }
    this.#context.onEnd(this, this.#failure);
  }

  /** Called about once a second. */
  checkTimes(now: number): void {
    if (this.#client.isClosed) {
      // Node emits no 'close' for a queued response, nor for a stream that was reset during a write.
      this.#client.abort();
      this.#close();
      return;
    }
    const request = this.#request;
    const socket = this.#connection?.socket;
    if (request === null || socket === undefined) return;
    // Before the response, bytes from the origin do not count as traffic.
    const bytes = this.#response === null ? socket.bytesWritten : socket.bytesRead + socket.bytesWritten;
    if (bytes !== this.#bytes || this.#awaitsClient(request)) {
      this.#bytes = bytes;
      this.#activeAt = now;
    } else {
      this.#endIfIdle(now - this.#activeAt);
    }
  }

  #endIfIdle(idleMs: number): void {
    const { responseMs, silenceMs, unreadMs } = this.#context.limits;
    if (this.#failure !== null || this.#hasEnded || this.#awaitsDrain) {
      if (idleMs >= unreadMs) this.#client.abort();
    } else if (this.#response === null) {
      if (idleMs >= responseMs) this.#fail(timeout(`The origin did not respond within ${responseMs / 1000} s.`));
    } else if (idleMs >= silenceMs) {
      this.#fail(timeout(`The origin sent nothing for ${silenceMs / 1000} s.`));
    }
  }

  /** Whether the client has to send more of the body; `body-timeouts.ts` limits that. */
  #awaitsClient(request: ClientRequest): boolean {
    if (this.#framing.kind === 'none' || this.#failure !== null) return false;
    return !this.exchange.request.complete && !request.writableNeedDrain;
  }
}

function timeout(detail: string): ProxyError {
  return new ProxyError('origin_timeout', 'timeout', detail);
}
