import { type ClientRequest, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { OriginConnection } from '../../net/origin-connections.ts';
import { withHsts } from '../http/hsts.ts';
import type { UpgradeExchange } from '../http/http-exchange.ts';
import { renderPage } from '../http/pages.ts';
import { respondOnSocket } from '../http/respond.ts';
import { framingOf, requestFields, responseFields } from './headers.ts';
import { failureOf, type OriginFailure, ProxyError } from './origin-failure.ts';
import { requestOver } from './origin-request.ts';
import { checkHead } from './origin-response.ts';
import { targetOf } from './origin-target.ts';
import type { ProxyContext } from './proxy-limits.ts';
import { followFrames } from './websocket-frames.ts';

/**
 * A request to switch protocols (RFC 9110 section 7.8), and the bytes both ways once the origin agrees. Its connection
 * to the origin is not reused.
 */
export class Tunnel {
  readonly exchange: UpgradeExchange;
  /** Status of the response to the client; null: none was sent. */
  status: number | null = null;
  readonly #context: ProxyContext<Tunnel>;
  readonly #dial = new AbortController();
  readonly #startedAt = performance.now();
  #connection: OriginConnection | null = null;
  #request: ClientRequest | null = null;
  #hasResponse = false;
  #isDeclined = false;
  #hasHalfEnded = false;
  #isClosed = false;
  #failure: OriginFailure | null = null;
  /** The origin's end of the tunnel; null before the ends are joined. */
  #joined: { origin: Duplex; isBetweenFrames(): boolean } | null = null;
  /** Bytes of the protocol that were not reported yet. */
  #bytesIn = 0;
  #bytesOut = 0;
  #bytes = -1;
  #activeAt = 0;

  constructor(exchange: UpgradeExchange, context: ProxyContext<Tunnel>) {
    this.exchange = exchange;
    this.#context = context;
  }

  /** The status is that of a page of the edge. */
  get hasFailed(): boolean {
    return this.#failure !== null;
  }

  /** Reports the bytes since the last call. */
  countBytes(): void {
    if (this.#bytesIn + this.#bytesOut === 0) return;
    this.#context.onBytes(this.exchange.usageNumber, this.#bytesIn, this.#bytesOut);
    this.#bytesIn = 0;
    this.#bytesOut = 0;
  }

  start(): void {
    const { socket, request } = this.exchange;
    if (socket.destroyed) {
      this.#close();
      return;
    }
    socket.once('close', () => this.#close());
    socket.on('error', ignore);
    socket.once('end', () => {
      if (!this.#hasResponse) socket.destroy();
    });
    const { upgrade = '' } = request.headers;
    // Other protocols, such as `h2c`, could carry requests past the edge.
    if (upgrade.toLowerCase() !== 'websocket' || request.method !== 'GET') {
      this.#fail(new ProxyError('bad_request', 'upgrade', 'The only upgrade allowed is WebSocket.'));
    } else if (framingOf(request).kind !== 'none') {
      this.#fail(new ProxyError('bad_request', 'upgrade', 'A request to upgrade may not have content.'));
    } else {
      this.#open().then(
        (connection) => this.#send(connection),
        (error) => this.#fail(error),
      );
    }
  }

  async #open(): Promise<OriginConnection> {
    return this.#context.connections.open(targetOf(this.exchange), this.#dial.signal);
  }

  #send(connection: OriginConnection): void {
    if (this.#isClosed) {
      this.#context.connections.putBack(connection);
      return;
    }
    const { request: received, path, head, socket } = this.exchange;
    const fields = requestFields(received, this.exchange, { kind: 'none' }, this.#context.installation);
    this.#connection = connection;
    let request: ClientRequest;
    try {
      const { responseHeaderBytes } = this.#context.limits;
      const headers = [...fields, 'Connection', 'Upgrade', 'Upgrade', 'websocket'];
      request = requestOver(connection, { method: 'GET', path }, headers, responseHeaderBytes);
    } catch {
      this.#fail(new ProxyError('bad_request', 'not_sendable', 'The request has characters that are not allowed.'));
      return;
    }
    this.#request = request;
    request.on('upgrade', (response, origin, originHead) => {
      this.#hasResponse = true;
      if (response.headers.upgrade?.toLowerCase() !== 'websocket') {
        this.#fail(new ProxyError('origin_invalid', 'upgrade', 'The origin switched to another protocol.'));
        return;
      }
      this.status = response.statusCode ?? null;
      socket.write(headOf(response, ['Connection', 'Upgrade', 'Upgrade', 'websocket'], this.exchange.hsts), 'latin1');
      this.#join(socket, head, origin, originHead);
    });
    request.on('response', (response) => this.#decline(response, connection));
    request.on('error', (error) => this.#fail(error));
    request.on('close', () => {
      if (!this.#hasResponse) this.#fail(new ProxyError('origin_invalid', 'no_response', 'No response.'));
    });
    request.end();
  }

  #join(client: Duplex, clientHead: Buffer, origin: Duplex, originHead: Buffer): void {
    for (const [from, to, head] of [
      [client, origin, clientHead],
      [origin, client, originHead],
    ] as const) {
      // Each end may close its side first.
      from.allowHalfOpen = true;
      if (head.length > 0) to.write(head);
      from.pipe(to);
      from.once('end', () => {
        this.#hasHalfEnded = true;
      });
    }
    origin.once('close', () => client.destroy());
    const frames = followFrames();
    frames.push(originHead);
    this.#bytesIn += clientHead.length;
    this.#bytesOut += originHead.length;
    client.on('data', (chunk: Buffer) => {
      this.#bytesIn += chunk.length;
    });
    origin.on('data', (chunk: Buffer) => {
      this.#bytesOut += chunk.length;
      frames.push(chunk);
    });
    this.#joined = { origin, isBetweenFrames: frames.isBetween };
  }

  /**
   * Closes the connection; a WebSocket with 1001, unless the client has got only a part of a frame. The client's own
   * close frame still reaches the origin.
   */
  goAway(): void {
    const { socket } = this.exchange;
    if (this.#joined === null || !this.#joined.isBetweenFrames() || !socket.writable) {
      socket.destroy();
      return;
    }
    const { origin } = this.#joined;
    origin.unpipe(socket);
    origin.resume();
    // The connection ends when the origin has answered the client's close frame, or with the drain.
    socket.write(GOING_AWAY);
  }

  /** The origin does not switch protocols: passes its response on, and closes. */
  #decline(response: IncomingMessage, connection: OriginConnection): void {
    const { socket } = this.exchange;
    try {
      checkHead(response);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#hasResponse = true;
    this.#isDeclined = true;
    // This connection is not used again: it closes with the client's.
    connection.keepAliveMs = 0;
    this.status = response.statusCode ?? null;
    socket.write(headOf(response, ['Connection', 'close'], this.exchange.hsts), 'latin1');
    response.on('error', () => socket.destroy());
    response.on('data', (chunk: Buffer) => {
      this.#bytesOut += chunk.length;
    });
    response.pipe(socket);
    // Discards what the client still sends.
    socket.resume();
  }

  #fail(error: unknown): void {
    if (this.#isClosed || this.#failure !== null) return;
    const { socket, hostname, requestId, workspaceId, request, hsts } = this.exchange;
    this.#failure = failureOf(error);
    this.#connection?.socket.destroy();
    const { accept } = request.headers;
    if (this.#hasResponse && this.#failure.reason !== 'upgrade') {
      socket.destroy();
      return;
    }
    const name = this.#failure.page;
    void this.#context.findBrand(workspaceId).then((brand) => {
      if (socket.destroyed) return;
      const page = renderPage(name, { hostname, requestId, accept, brand, hsts });
      this.status = page.status;
      respondOnSocket(socket, page);
    });
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#dial.abort(new Error('The client closed the connection.'));
    this.#connection?.socket.destroy();
    this.#context.onEnd(this, this.#failure);
  }

  /** Called about once a second. */
  checkTimes(now: number): void {
    const socket = this.#connection?.socket;
    if (socket === undefined || this.#request === null) return;
    const { responseMs } = this.#context.limits;
    if (!this.#hasResponse) {
      if (now - this.#startedAt < responseMs) return;
      this.#fail(
        new ProxyError('origin_timeout', 'timeout', `The origin did not respond within ${responseMs / 1000} s.`),
      );
      return;
    }
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#activeAt = now;
    } else if (now - this.#activeAt >= this.#maxIdleMs) {
      this.exchange.socket.destroy();
    }
  }

  /** Applies the time limit without traffic after the response. */
  get #maxIdleMs(): number {
    const { tunnelMs, halfOpenMs, silenceMs, unreadMs } = this.#context.limits;
    if (this.#isDeclined) return this.exchange.socket.writableNeedDrain ? unreadMs : silenceMs;
    return this.#hasHalfEnded ? halfOpenMs : tunnelMs;
  }
}

/** A close frame with status 1001 (RFC 6455 sections 5.5.1 and 7.4.1). */
const GOING_AWAY = Buffer.from([0x88, 2, 1001 >> 8, 1001 & 0xff]);

/** The head of a response on the wire. Node's parser rejects values with line breaks. */
function headOf(
  { statusCode = 502, rawHeaders }: IncomingMessage,
  more: readonly string[],
  hsts: string | null,
): string {
  const fields = withHsts([...responseFields(rawHeaders, statusCode, false), ...more], hsts);
  let head = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\n`;
  for (let i = 0; i < fields.length; i += 2) head += `${fields[i]}: ${fields[i + 1]}\r\n`;
  return `${head}\r\n`;
}

function ignore(): void {}
