import { type ClientRequest, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { UpgradeExchange } from '../http/edge-exchange.ts';
import { renderPage } from '../http/pages.ts';
import { answerSocket } from '../http/respond.ts';
import { framingOf, requestHead, responseFields } from './headers.ts';
import type { Connection, Connections } from './origin-connections.ts';
import { type Failure, failureOf, Refused } from './origin-failure.ts';
import { requestOver } from './origin-request.ts';
import { checkHead } from './origin-response.ts';

export interface TunnelContext {
  connections: Connections;
  limits: { responseHeaderBytes: number };
  times: TunnelTimes;
  /** It has come to an end; null: without a failure of the origin. */
  onEnd(tunnel: Tunnel, failure: Failure | null): void;
}

/** In milliseconds. */
export interface TunnelTimes {
  /** From the request to the response. */
  responseMs: number;
  /** Between two signs of life, of either end. */
  idleMs: number;
  /** The same, once one end has said its last word. */
  halfOpenMs: number;
  /** Of an origin that declines: between two pieces of its response. */
  silenceMs: number;
  /** The same, where the client takes nothing of what waits for it. */
  unreadMs: number;
}

/** A request for another protocol (RFC 9110 section 7.8), and what is spoken once the origin agrees. It has a connection of its own from the beginning. */
export class Tunnel {
  readonly exchange: UpgradeExchange;
  readonly #context: TunnelContext;
  readonly #dialling = new AbortController();
  readonly #madeAt = performance.now();
  #connection: Connection | null = null;
  #request: ClientRequest | null = null;
  #isAnswered = false;
  #isDeclined = false;
  #hasHalfEnded = false;
  #isClosed = false;
  #failure: Failure | null = null;
  #bytes = -1;
  #movedAt = 0;

  constructor(exchange: UpgradeExchange, context: TunnelContext) {
    this.exchange = exchange;
    this.#context = context;
  }

  start(): void {
    const { socket, request, origin } = this.exchange;
    if (socket.destroyed) {
      this.#close();
      return;
    }
    socket.once('close', () => this.#close());
    socket.on('error', ignore);
    socket.once('end', () => {
      if (!this.#isAnswered) socket.destroy();
    });
    const { upgrade = '' } = request.headers;
    // Anything else, such as `h2c`, would let requests past us that nobody has looked at.
    if (upgrade.toLowerCase() !== 'websocket' || request.method !== 'GET') {
      this.#fail(new Refused('bad_request', 'upgrade', 'Only WebSocket is upgraded to.'));
    } else if (framingOf(request).kind !== 'none') {
      this.#fail(new Refused('bad_request', 'upgrade', 'A request to upgrade has no content.'));
    } else {
      this.#context.connections.open(origin, this.#dialling.signal).then(
        (connection) => this.#ask(connection),
        (error) => this.#fail(error),
      );
    }
  }

  #ask(connection: Connection): void {
    if (this.#isClosed) {
      this.#context.connections.putBack(connection);
      return;
    }
    const { request: received, path, head, socket } = this.exchange;
    const { fields, isLooping } = requestHead(received, this.exchange, { kind: 'none' });
    this.#connection = connection;
    if (isLooping) {
      this.#fail(new Refused('origin_invalid', 'loop', 'The origin leads back to this edge.'));
      return;
    }
    let request: ClientRequest;
    try {
      const { responseHeaderBytes } = this.#context.limits;
      const headers = [...fields, 'Connection', 'Upgrade', 'Upgrade', 'websocket'];
      request = requestOver(connection, { method: 'GET', path }, headers, responseHeaderBytes);
    } catch {
      this.#fail(new Refused('bad_request', 'not_sendable', 'The request has characters that no request has.'));
      return;
    }
    this.#request = request;
    request.on('upgrade', (response, origin, originHead) => {
      this.#isAnswered = true;
      if (response.headers.upgrade?.toLowerCase() !== 'websocket') {
        this.#fail(new Refused('origin_invalid', 'upgrade', 'The origin agreed to what it was not asked for.'));
        return;
      }
      socket.write(headOf(response, ['Connection', 'Upgrade', 'Upgrade', 'websocket']), 'latin1');
      this.#join(socket, head, origin, originHead);
    });
    request.on('response', (response) => this.#decline(response, connection));
    request.on('error', (error) => this.#fail(error));
    request.on('close', () => {
      if (!this.#isAnswered) this.#fail(new Refused('origin_invalid', 'no_response', 'No response.'));
    });
    request.end();
  }

  /** From now on each hears what the other says. */
  #join(client: Duplex, clientHead: Buffer, origin: Duplex, originHead: Buffer): void {
    for (const [from, to, head] of [
      [client, origin, clientHead],
      [origin, client, originHead],
    ] as const) {
      // Either may be the first to say that it is done.
      from.allowHalfOpen = true;
      if (head.length > 0) to.write(head);
      from.pipe(to);
      from.once('end', () => {
        this.#hasHalfEnded = true;
      });
    }
    origin.once('close', () => client.destroy());
  }

  /** The origin would rather answer: its response is passed on, and ends the connection. */
  #decline(response: IncomingMessage, connection: Connection): void {
    const { socket } = this.exchange;
    try {
      checkHead(response);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#isAnswered = true;
    this.#isDeclined = true;
    // It ends with the client's: in between nobody else may come to use it.
    connection.keepAliveMs = 0;
    socket.write(headOf(response, ['Connection', 'close']), 'latin1');
    response.on('error', () => socket.destroy());
    response.pipe(socket);
    // The client has nothing to say any more.
    socket.resume();
  }

  #fail(error: unknown): void {
    if (this.#isClosed || this.#failure !== null) return;
    const { socket, hostname, requestId, request } = this.exchange;
    this.#failure = failureOf(error);
    this.#connection?.socket.destroy();
    const { accept } = request.headers;
    if (this.#isAnswered && this.#failure.reason !== 'upgrade') socket.destroy();
    else answerSocket(socket, renderPage(this.#failure.page, { hostname, requestId, accept }));
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#dialling.abort(new Error('The client has gone.'));
    this.#connection?.socket.destroy();
    this.#context.onEnd(this, this.#failure);
  }

  /** Called about once a second: ends what does not move. */
  watch(now: number): void {
    const socket = this.#connection?.socket;
    if (socket === undefined || this.#request === null) return;
    const { responseMs } = this.#context.times;
    if (!this.#isAnswered) {
      if (now - this.#madeAt < responseMs) return;
      this.#fail(new Refused('origin_timeout', 'timeout', `The origin did not answer within ${responseMs / 1000} s.`));
      return;
    }
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#movedAt = now;
    } else if (now - this.#movedAt >= this.#patienceMs) {
      this.exchange.socket.destroy();
    }
  }

  /** How long nothing may move, once there is an answer. */
  get #patienceMs(): number {
    const { idleMs, halfOpenMs, silenceMs, unreadMs } = this.#context.times;
    if (this.#isDeclined) return this.exchange.socket.writableNeedDrain ? unreadMs : silenceMs;
    return this.#hasHalfEnded ? halfOpenMs : idleMs;
  }
}

/** The head of a response as it goes over the wire. Node's parser has let nothing through that would end a line early. */
function headOf({ statusCode = 502, rawHeaders }: IncomingMessage, more: readonly string[]): string {
  const fields = [...responseFields(rawHeaders, statusCode, false), ...more];
  let head = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\n`;
  for (let i = 0; i < fields.length; i += 2) head += `${fields[i]}: ${fields[i + 1]}\r\n`;
  return `${head}\r\n`;
}

function ignore(): void {}
