import type { ServerResponse } from 'node:http';

/**
 * A response of server-sent events (HTML standard, section 9.2). It holds one text that is being written, and the
 * newest text after it. So a client that reads slowly misses the ones in between, and costs no more memory than any
 * other.
 */
export interface EventStream {
  send(text: string): void;
  /** Sends the last text; one that waits is dropped. */
  end(text: string): void;
  /**
   * Must be called often: sends heartbeats, and closes the connection of a client that does not read. True: it was
   * closed.
   */
  tick(): boolean;
}

export interface StreamTimes {
  /** After so long without a text, a comment shows that the connection works. */
  heartbeatMs: number;
  /** How long a client may leave a text unread, beyond what the system buffers. */
  stalledMs: number;
}

const HEARTBEAT = ': heartbeat\n\n';

/** `now`: a monotonic clock, in ms. The header must have been written. */
export function eventStream(
  response: ServerResponse,
  { heartbeatMs, stalledMs }: StreamTimes,
  now = () => performance.now(),
): EventStream {
  /** Start of the write in flight, or else end of the last one. */
  let since = now();
  let inFlight = false;
  let waiting: string | null = null;

  function write(text: string): void {
    inFlight = true;
    since = now();
    response.write(text, onWritten);
  }

  function onWritten(): void {
    inFlight = false;
    since = now();
    if (waiting === null || response.writableEnded || response.destroyed) return;
    const text = waiting;
    waiting = null;
    write(text);
  }

  return {
    send(text) {
      if (inFlight) waiting = text;
      else write(text);
    },
    end(text) {
      waiting = null;
      if (!inFlight) since = now();
      inFlight = true;
      response.end(text);
    },
    tick() {
      const ms = now() - since;
      if (inFlight && ms >= stalledMs) {
        response.req.socket.destroy();
        return true;
      }
      if (!inFlight && ms >= heartbeatMs) write(HEARTBEAT);
      return false;
    },
  };
}

/**
 * Whether an `Accept` header (RFC 9110 section 12.5.1) names event streams. A wildcard does not: clients that expect
 * JSON send one, and would wait for the end of the response.
 */
export function acceptsEvents(accept = ''): boolean {
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** `data` is written as JSON, which has no line breaks. */
export function formatEvent(event: string, data: unknown, id?: string): string {
  const named = id === undefined ? '' : `id: ${id}\n`;
  return `${named}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** How long a client waits before it connects again. */
export function formatRetry(ms: number): string {
  return `retry: ${ms}\n\n`;
}
