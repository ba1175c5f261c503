import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { EdgeLimits } from '../edge-limits.ts';
import type { Client } from './edge-client.ts';
import type { ClientExchange } from './http-exchange.ts';
import type { HttpServer, HttpServerOptions } from './http-server.ts';

/** Pings and settings: each makes the server respond. */
const CONTROL_FRAMES = { burst: 200, perSecond: 20 };

/** Flow control: bytes in flight of one request, and of one connection. */
const WINDOW_BYTES = 262_144;

/** How long a client may take to close its connection after GOAWAY. */
const LINGER_MS = 1000;

/** A connection, until its socket closes; its session may end long before, or never. */
interface Connection {
  session: Http2Session;
  client: Client;
  /** Id of the last request whose header is complete. */
  lastStream: number;
  /** Since when a header has been incomplete (`performance.now()`); null: none is. */
  headerSince: number | null;
  /** Since when the session has been destroyed (`performance.now()`). */
  destroyedSince: number | null;
}

/** HTTP/2. The cost of one connection is bounded: by nghttp2, by Node, and here (docs/guides/edge.md). */
export function http2Server({
  limits,
  onRequest,
}: Pick<HttpServerOptions, 'limits' | 'onRequest'>): HttpServer<TLSSocket> {
  const server = createServer({
    settings: {
      maxConcurrentStreams: limits.streams,
      maxHeaderListSize: limits.headerBytes,
      initialWindowSize: WINDOW_BYTES,
      enablePush: false,
    },
    maxHeaderListPairs: 256,
    // MB, of one connection.
    maxSessionMemory: 4,
    maxSettings: 32,
    // Requests that the client resets (rapid reset, CVE-2023-44487); beyond, the connection is closed.
    streamResetBurst: 200,
    streamResetRate: 20,
    maxSessionRejectedStreams: 100,
    maxSessionInvalidFrames: 100,
  });
  const connections = new Map<Http2Session, Connection>();
  let accepting: Client | undefined;
  let isDraining = false;

  server.on('session', (session) => {
    if (accepting === undefined) throw new Error('the connection was not accepted by `accept`');
    const connection: Connection = {
      session,
      client: accepting,
      lastStream: 0,
      headerSince: null,
      destroyedSince: null,
    };
    connections.set(session, connection);
    accepting.onClose(() => connections.delete(session));
    session.on('stream', ({ id = 0 }) => {
      connection.lastStream = id;
      if (isDraining) session.close();
    });
    session.setLocalWindowSize(WINDOW_BYTES);
    session.setTimeout(limits.silenceMs, () => session.destroy());
    const takeToken = tokenBucket(CONTROL_FRAMES);
    const count = () => {
      if (!takeToken()) session.destroy(new Error('too many frames'), constants.NGHTTP2_ENHANCE_YOUR_CALM);
    };
    session.on('ping', count).on('remoteSettings', count);
  });
  function begin(
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    more: Pick<ClientExchange, 'expectsContinue'>,
  ): void {
    const { session } = request.stream;
    const connection = session && connections.get(session);
    if (connection === undefined) response.stream.close();
    else onRequest(connection.client, { request, response, ...more });
  }
  server.on('request', (request, response) => begin(request, response, {}));
  server.on('checkContinue', (request, response) => begin(request, response, { expectsContinue: true }));
  // Node would respond too, but the client could go on sending.
  server.on('connect', (_, response) => {
    response.statusCode = 405;
    response.end();
    response.stream.close();
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));

  function checkDeadlines(): void {
    const now = performance.now();
    for (const connection of connections.values()) {
      observe(connection, now);
      const overdueMs = now - deadlineOf(connection, limits);
      if (overdueMs >= 0) connection.session.close();
      // Node's `close` never returns for a client that stays, nor at times for one that has gone, where a write never
      // ends.
      if (overdueMs >= LINGER_MS) connection.client.destroy();
    }
  }
  const checking = setInterval(checkDeadlines, Math.min(1000, limits.idleMs, limits.headerMs)).unref();

  return {
    accept(socket: TLSSocket, client: Client): void {
      accepting = client;
      server.emit('connection', socket);
      accepting = undefined;
    },
    drain(): void {
      isDraining = true;
      for (const { session, client } of connections.values()) if (client.idleSince === null) session.close();
    },
    closeIdle(idleMs): void {
      const since = performance.now() - idleMs;
      for (const { session, client } of connections.values())
        if (client.idleSince !== null && client.idleSince <= since) session.close();
    },
    stop: () => clearInterval(checking),
  };
}

function observe(connection: Connection, now: number): void {
  const { session, client } = connection;
  if (session.destroyed) {
    connection.destroyedSince ??= now;
  } else if (client.idleSince !== null) {
    // Also true after a header that was rejected: the connection that is closed then has no requests.
    const isIncomplete = session.state.lastProcStreamID !== connection.lastStream;
    connection.headerSince = isIncomplete ? (connection.headerSince ?? now) : null;
  }
}

/** When the connection has to be closed (`performance.now()`). */
function deadlineOf(
  { session, client, headerSince, destroyedSince }: Connection,
  { idleMs, headerMs }: EdgeLimits,
): number {
  const deadlines = [after(client.idleSince ?? destroyedSince, idleMs)];
  if (client.idleSince !== null) deadlines.push(after(headerSince, headerMs));
  // Node destroyed the session without GOAWAY. After GOAWAY the client may still be reading responses.
  if (!session.closed) deadlines.push(after(destroyedSince, 0));
  return Math.min(...deadlines);
}

function after(at: number | null, ms: number): number {
  return at === null ? Number.POSITIVE_INFINITY : at + ms;
}

/** Returns a function that takes a token, and says whether there was one. */
function tokenBucket({ burst, perSecond }: typeof CONTROL_FRAMES): () => boolean {
  let tokens = burst;
  let at = performance.now();
  return () => {
    const now = performance.now();
    tokens = Math.min(burst, tokens + ((now - at) / 1000) * perSecond) - 1;
    at = now;
    return tokens >= 0;
  };
}
