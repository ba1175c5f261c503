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
import type { Asked } from './edge-exchange.ts';
import type { Speaker, SpeakerOptions } from './http-server.ts';

/** Frames that ask for an answer and for nothing else: so many at once, so many a second. */
const CALM = { burst: 200, perSecond: 20 };

/** Bytes that a client may send before anybody has read them, of a request and of all on one connection. */
const WINDOW_BYTES = 262_144;

/** How long a client may take to close what we have said goodbye to. */
const LINGER_MS = 1000;

/** A connection, until it has closed: its session may be over long before, or never. */
interface Held {
  session: Http2Session;
  client: Client;
  /** The last request whose header was complete. */
  lastStream: number;
  /** When a header was first seen to have begun that is no request yet (`performance.now()`); null: there is none. */
  headerSince: number | null;
  /** When the session was first seen to be over. */
  overSince: number | null;
}

/** HTTP/2. What one connection can cost is bounded, by nghttp2 and Node where they do, and here (docs/edge.md). */
export function http2Speaker({ limits, onRequest }: Pick<SpeakerOptions, 'limits' | 'onRequest'>): Speaker<TLSSocket> {
  const server = createServer({
    settings: {
      maxConcurrentStreams: limits.streams,
      maxHeaderListSize: limits.headerBytes,
      initialWindowSize: WINDOW_BYTES,
      enablePush: false,
    },
    maxHeaderListPairs: 256,
    // MB of one connection.
    maxSessionMemory: 4,
    maxSettings: 32,
    // Requests that the client takes back (CVE-2023-44487): so many at once, so many a second; then the connection ends.
    streamResetBurst: 200,
    streamResetRate: 20,
    maxSessionRejectedStreams: 100,
    maxSessionInvalidFrames: 100,
  });
  const connections = new Map<Http2Session, Held>();
  let accepting: Client | undefined;

  server.on('session', (session) => {
    if (accepting === undefined) throw new Error('the connection was not accepted by us');
    const held: Held = { session, client: accepting, lastStream: 0, headerSince: null, overSince: null };
    connections.set(session, held);
    accepting.onClose(() => connections.delete(session));
    session.on('stream', ({ id = 0 }) => {
      held.lastStream = id;
    });
    session.setLocalWindowSize(WINDOW_BYTES);
    session.setTimeout(limits.silenceMs, () => session.destroy());
    const mayAskMore = allowance(CALM);
    const count = () => {
      if (!mayAskMore()) session.destroy(new Error('too many frames'), constants.NGHTTP2_ENHANCE_YOUR_CALM);
    };
    session.on('ping', count).on('remoteSettings', count);
  });
  function begin(
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    more: Pick<Asked, 'expectsContinue'>,
  ): void {
    const { session } = request.stream;
    const held = session && connections.get(session);
    if (held === undefined) response.stream.close();
    else onRequest(held.client, { request, response, ...more });
  }
  server.on('request', (request, response) => begin(request, response, {}));
  server.on('checkContinue', (request, response) => begin(request, response, { expectsContinue: true }));
  // Node answers it, but lets the client go on sending.
  server.on('connect', (_, response) => {
    response.statusCode = 405;
    response.end();
    response.stream.close();
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));

  function look(): void {
    const now = performance.now();
    for (const held of connections.values()) {
      observe(held, now);
      const lateMs = overdueMs(held, limits, now);
      if (lateMs >= 0) held.session.close();
      // Node waits for a client that stays, and at times for one that has gone, where a write is never done.
      if (lateMs >= LINGER_MS) held.client.destroy();
    }
  }
  const looking = setInterval(look, Math.min(1000, limits.idleMs, limits.headerMs)).unref();

  return {
    accept(socket: TLSSocket, client: Client): void {
      accepting = client;
      server.emit('connection', socket);
      accepting = undefined;
    },
    closeIdle(): void {
      for (const session of connections.keys()) session.close();
    },
    stop: () => clearInterval(looking),
  };
}

/** Notes since when it has been as it is. */
function observe(held: Held, now: number): void {
  const { session, client } = held;
  if (session.destroyed) {
    held.overSince ??= now;
  } else if (client.idleSince !== null) {
    // Also after a header that was refused: what ends then is a connection that nobody uses.
    const hasBegun = session.state.lastProcStreamID !== held.lastStream;
    held.headerSince = hasBegun ? (held.headerSince ?? now) : null;
  }
}

/** For how long the connection should have been over; negative: it may stay that long. */
function overdueMs({ session, client, headerSince, overSince }: Held, { idleMs, headerMs }: EdgeLimits, now: number) {
  const late = (since: number | null, ms: number) => (since === null ? Number.NEGATIVE_INFINITY : now - since - ms);
  return Math.max(
    late(client.idleSince ?? overSince, idleMs),
    client.idleSince === null ? Number.NEGATIVE_INFINITY : late(headerSince, headerMs),
    // What was broken off is done with. After a goodbye the client may still be reading what it was sent.
    session.closed ? Number.NEGATIVE_INFINITY : late(overSince, 0),
  );
}

/** Tells each time whether it was not too often. */
function allowance({ burst, perSecond }: typeof CALM): () => boolean {
  let left = burst;
  let at = performance.now();
  return () => {
    const now = performance.now();
    left = Math.min(burst, left + ((now - at) / 1000) * perSecond) - 1;
    at = now;
    return left >= 0;
  };
}
