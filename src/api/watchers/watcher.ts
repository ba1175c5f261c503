import type { ServerResponse } from 'node:http';
import { type EventStream, eventStream, formatEvent, formatRetry, type StreamTimes } from './event-stream.ts';

/** One open stream of `domains.watchDomain`. */
export interface Watcher extends Pick<EventStream, 'tick'> {
  /** Sends a state, unless it is the one that was sent last. */
  send(state: StateEvent): void;
  /** Sends the last event. `about`: what it says besides the reason. */
  end(reason: EndReason, about?: object, retryMs?: number): void;
  /** Null while the stream goes on. */
  reason(): EndReason | null;
}

/** A state of a domain. */
export interface StateEvent {
  id: string;
  /** As it is sent. */
  text: string;
}

/**
 * Why the server ends a stream. `domain_gone`: deleted, or no longer to be seen with this key; they are not told apart. `access_ended`: the key or its
 * workspace no longer works. `stalled`: the client does not read, and so is not told.
 */
export type EndReason = 'domain_gone' | 'access_ended' | 'server_stopping' | 'stalled';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // Or nginx, and others like it, collect events before they pass them on.
  'X-Accel-Buffering': 'no',
};

/** After which a client connects again. */
export const RETRY_MS = 1000;

/** Begins the response. `known`: the id of the state that the client has (`Last-Event-ID`). */
export function startWatcher(
  response: ServerResponse,
  headers: Record<string, string | number | string[] | undefined>,
  state: StateEvent,
  known: string | undefined,
  times: StreamTimes,
): Watcher {
  // Of a lost connection, which `close` tells as well.
  response.on('error', () => {});
  response.writeHead(200, { ...headers, ...HEADERS });
  const stream = eventStream(response, times);
  stream.send(formatRetry(RETRY_MS) + (state.id === known ? '' : state.text));
  let sent = state.id;
  let ended: EndReason | null = null;
  return {
    send({ id, text }) {
      if (ended !== null || id === sent) return;
      sent = id;
      stream.send(text);
    },
    end(reason, about = {}, retryMs = RETRY_MS) {
      if (ended !== null) return;
      ended = reason;
      stream.end(formatRetry(retryMs) + formatEvent('end', { reason, ...about }));
    },
    tick() {
      const closed = stream.tick();
      if (closed) ended ??= 'stalled';
      return closed;
    },
    reason: () => ended,
  };
}
