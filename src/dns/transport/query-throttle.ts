import type { Clock } from '../../clock.ts';

/** Limits the queries to each server, so that no server is overloaded and a slow one delays no other. */
export interface QueryThrottle {
  /** Waits until a query to the server may be sent. True: call `release` after it. False: the signal aborted first. */
  acquire(server: string, signal: AbortSignal): Promise<boolean>;
  release(server: string): void;
  /** Whether all queries that the server may have in flight are. */
  isFull(server: string): boolean;
}

export interface ThrottleLimits {
  inFlight: number;
  perSecond: number;
}

interface Server {
  inFlight: number;
  /** Called in order as queries are released. */
  queue: Set<() => void>;
  /** When the next query may be sent, Unix ms. */
  nextAt: number;
}

/** An idle server may be sent the queries of this time at once. */
const BURST_MS = 100;
/** Idle servers are removed whenever there are twice as many servers as after the last sweep. */
const MIN_SWEEP = 1024;

export function queryThrottle(limits: ThrottleLimits, clock: Clock): QueryThrottle {
  const servers = new Map<string, Server>();
  const intervalMs = 1000 / limits.perSecond;
  let sweepAt = MIN_SWEEP;

  function serverOf(key: string): Server {
    const present = servers.get(key);
    if (present !== undefined) return present;
    if (servers.size >= sweepAt) sweep();
    const server: Server = { inFlight: 0, queue: new Set(), nextAt: 0 };
    servers.set(key, server);
    return server;
  }

  function sweep(): void {
    const now = clock.now();
    for (const [key, server] of servers) {
      if (server.inFlight === 0 && server.nextAt <= now) servers.delete(key);
    }
    sweepAt = Math.max(MIN_SWEEP, 2 * servers.size);
  }

  /** Reserves the next time to send; how long until then, in ms. */
  function reserve(server: Server): number {
    const now = clock.now();
    // No further ahead than the queries in flight can have reserved, even if the clock was set back.
    const next = Math.min(server.nextAt, now + limits.inFlight * intervalMs);
    const sendAt = Math.max(next, now - BURST_MS);
    server.nextAt = sendAt + intervalMs;
    return sendAt - now;
  }

  function release(key: string): void {
    const server = serverOf(key);
    const [next] = server.queue;
    if (next === undefined) {
      server.inFlight--;
    } else {
      server.queue.delete(next);
      next();
    }
  }

  return {
    async acquire(key, signal) {
      const server = serverOf(key);
      if (server.inFlight < limits.inFlight) server.inFlight++;
      else if (!(await waitFor(signal, (done) => enqueue(server, done)))) return false;
      const waitMs = reserve(server);
      if (waitMs <= 0 || (await waitFor(signal, (done) => timer(waitMs, done)))) return true;
      release(key);
      return false;
    },
    release,
    isFull: (key) => (servers.get(key)?.inFlight ?? 0) >= limits.inFlight,
  };
}

function enqueue(server: Server, done: () => void): () => void {
  server.queue.add(done);
  return () => server.queue.delete(done);
}

function timer(ms: number, done: () => void): () => void {
  const timeout = setTimeout(done, ms);
  return () => clearTimeout(timeout);
}

/** True once `start` calls back; false, and it is cancelled, when the signal aborts first. */
function waitFor(signal: AbortSignal, start: (done: () => void) => () => void): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const abort = () => {
      cancel();
      resolve(false);
    };
    const cancel = start(() => {
      signal.removeEventListener('abort', abort);
      resolve(true);
    });
    signal.addEventListener('abort', abort, { once: true });
  });
}
