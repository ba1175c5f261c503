import type { Http2Stream } from 'node:http2';
import type { EdgeLimits } from '../edge-limits.ts';
import type { Client } from './edge-client.ts';
import type { Exchange } from './edge-exchange.ts';

/**
 * Ends connections whose client sends a body so slowly that it can only mean to hold on to us, and to a connection to the origin. A body that
 * nobody reads is no fault of the client's, and once the origin has begun to answer it may wait for whatever it likes.
 */
export interface Bodies {
  watch(client: Client, exchange: Pick<Exchange, 'request' | 'response'>): void;
  stop(): void;
}

interface Watched {
  client: Client;
  request: Exchange['request'];
  response: Exchange['response'];
  /** Bytes that have come so far. */
  bytesRead(): number;
  /** How many there were when it last moved, and how long ago that was. */
  bytes: number;
  quietMs: number;
}

export function watchBodies(
  { bodyMs, bodyBytes }: Pick<EdgeLimits, 'bodyMs' | 'bodyBytes'>,
  onSlow: (watched: Pick<Watched, 'client' | 'request' | 'response'>) => void,
): Bodies {
  const watched = new Set<Watched>();
  const everyMs = Math.min(1000, bodyMs / 4);
  let lookedAt = performance.now();

  function look(): void {
    const now = performance.now();
    // While we were held up ourselves, nobody was slow.
    const elapsedMs = Math.min(now - lookedAt, 2 * everyMs);
    lookedAt = now;
    for (const one of watched) {
      const { request, response } = one;
      if (request.complete || request.destroyed) {
        watched.delete(one);
        continue;
      }
      const bytes = one.bytesRead();
      if (bytes - one.bytes >= bodyBytes || isNotRead(request) || isBeingAnswered(response)) {
        one.bytes = bytes;
        one.quietMs = 0;
        continue;
      }
      one.quietMs += elapsedMs;
      if (one.quietMs < bodyMs) continue;
      watched.delete(one);
      onSlow(one);
    }
  }

  const timer = setInterval(look, everyMs).unref();
  return {
    watch(client, { request, response }) {
      if (request.complete || !hasBody(request)) return;
      // Over HTTP/2, whatever else there is comes over the same connection.
      const bytesRead = 'stream' in request ? countBytes(request.stream) : client.bytesRead;
      watched.add({ client, request, response, bytesRead, bytes: bytesRead(), quietMs: 0 });
    },
    stop: () => clearInterval(timer),
  };
}

function hasBody(request: Exchange['request']): boolean {
  if ('stream' in request) return !request.stream.readableEnded && !request.stream.endAfterHeaders;
  return request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
}

/** Counts what others read of a stream. */
function countBytes(stream: Http2Stream): () => number {
  let bytes = 0;
  // Unlike `on`, this sets nothing flowing.
  stream.prependListener('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  return () => bytes;
}

/** What has arrived waits for somebody to read it. */
function isNotRead(request: Exchange['request']): boolean {
  if (request.isPaused() || request.readableLength > 0) return true;
  // Node gives it to the request only once somebody reads that.
  return 'stream' in request && request.stream.readableLength > 0;
}

/** What is sent after the answer serves nothing. */
function isBeingAnswered(response: Exchange['response']): boolean {
  return response.headersSent && !response.writableEnded;
}
