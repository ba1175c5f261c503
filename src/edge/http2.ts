import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Client } from './client.ts';
import type { Asked } from './exchange.ts';
import type { Speaker, SpeakerOptions } from './speaker.ts';

/** Frames that ask for an answer and for nothing else: so many at once, so many a second. */
const CALM = { burst: 200, perSecond: 20 };

/** Bytes that a client may send before anybody has read them, of a request and of all on one connection. */
const WINDOW_BYTES = 262_144;

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
  const clients = new Map<Http2Session, Client>();
  let accepting: Client | undefined;

  server.on('session', (session) => {
    if (accepting === undefined) throw new Error('the connection was not accepted by us');
    clients.set(session, accepting);
    session.once('close', () => clients.delete(session));
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
    const client = session && clients.get(session);
    if (client === undefined) response.stream.close();
    else onRequest(client, { request, response, ...more });
  }
  server.on('request', (request, response) => begin(request, response, {}));
  server.on('checkContinue', (request, response) => begin(request, response, { expectsContinue: true }));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));

  const idle = setInterval(
    () => {
      const since = performance.now() - limits.idleMs;
      for (const [session, { idleSince }] of clients) if (idleSince !== null && idleSince < since) session.close();
    },
    Math.min(1000, limits.idleMs),
  ).unref();

  return {
    accept(socket: TLSSocket, client: Client): void {
      accepting = client;
      server.emit('connection', socket);
      accepting = undefined;
    },
    closeIdle(): void {
      for (const session of clients.keys()) session.close();
    },
    stop: () => clearInterval(idle),
  };
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
