import type { Http2Stream } from 'node:http2';
import type { EdgeLimits } from '../edge-limits.ts';
import type { Client } from './edge-client.ts';
import type { ClientExchange } from './http-exchange.ts';

/**
 * Finds clients that send a body too slowly, which holds a connection of the edge and one of the origin. A body that
 * nobody reads is not the client's fault, and once the origin has started its response, the rest of the body may take
 * as long as it likes.
 */
export interface BodyTimeouts {
  watch(client: Client, exchange: ClientExchange): void;
  stop(): void;
}

interface Upload extends ClientExchange {
  client: Client;
  /** Bytes received so far. */
  bytesRead(): number;
  /** Bytes when `bodyBytes` more had last arrived, and the time since. */
  bytes: number;
  slowMs: number;
}

export function createBodyTimeouts(
  { bodyMs, bodyBytes }: Pick<EdgeLimits, 'bodyMs' | 'bodyBytes'>,
  onSlow: (slow: ClientExchange & { client: Client }) => void,
): BodyTimeouts {
  const uploads = new Set<Upload>();
  const everyMs = Math.min(1000, bodyMs / 4);
  let checkedAt = performance.now();

  function check(): void {
    const now = performance.now();
    // Time in which the event loop was blocked does not count.
    const elapsedMs = Math.min(now - checkedAt, 2 * everyMs);
    checkedAt = now;
    for (const upload of uploads) {
      const { request, response } = upload;
      if (request.complete || request.destroyed) {
        uploads.delete(upload);
        continue;
      }
      const bytes = upload.bytesRead();
      if (bytes - upload.bytes >= bodyBytes || isUnread(request) || isResponding(response)) {
        upload.bytes = bytes;
        upload.slowMs = 0;
        continue;
      }
      upload.slowMs += elapsedMs;
      if (upload.slowMs < bodyMs) continue;
      uploads.delete(upload);
      onSlow(upload);
    }
  }

  const timer = setInterval(check, everyMs).unref();
  return {
    watch(client, { request, response }) {
      if (request.complete || !hasBody(request)) return;
      // Over HTTP/2, other requests share the connection.
      const bytesRead = 'stream' in request ? countBytes(request.stream) : client.bytesRead;
      uploads.add({ client, request, response, bytesRead, bytes: bytesRead(), slowMs: 0 });
    },
    stop: () => clearInterval(timer),
  };
}

function hasBody(request: ClientExchange['request']): boolean {
  if ('stream' in request) return !request.stream.readableEnded && !request.stream.endAfterHeaders;
  return request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
}

/** Counts the bytes that others read of a stream. */
function countBytes(stream: Http2Stream): () => number {
  let bytes = 0;
  // Unlike `on`, this does not start the flow.
  stream.prependListener('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  return () => bytes;
}

function isUnread(request: ClientExchange['request']): boolean {
  if (request.isPaused() || request.readableLength > 0) return true;
  // Node moves data from the stream to the request only when that is read.
  return 'stream' in request && request.stream.readableLength > 0;
}

function isResponding(response: ClientExchange['response']): boolean {
  return response.headersSent && !response.writableEnded;
}
