import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';

/** Limits the queries to each server, so that no server is overloaded and a slow one delays no other. */
export interface QueryThrottle {
  /** Runs a query to the server as soon as the limits allow it; null when the signal aborts before. */
  run<T>(server: string, signal: AbortSignal, query: () => Promise<T>): Promise<T | null>;
  /** Whether the server has as many queries in flight as it may. */
  isFull(server: string): boolean;
}

export interface ThrottleLimits {
  inFlight: number;
  perSecond: number;
}

interface Server {
  inFlight: number;
  /** Called in order as others are released. */
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

  async function acquire(server: Server, signal: AbortSignal): Promise<boolean> {
    if (server.inFlight < limits.inFlight) server.inFlight++;
    else if (!(await released(server, signal))) return false;
    const waitMs = reserve(server);
    if (waitMs <= 0 || (await delay(waitMs, true, { signal }).catch(() => false))) return true;
    release(server);
    return false;
  }

  return {
    async run(key, signal, query) {
      const server = serverOf(key);
      if (!(await acquire(server, signal))) return null;
      try {
        return await query();
      } finally {
        release(server);
      }
    },
    isFull: (key) => (servers.get(key)?.inFlight ?? 0) >= limits.inFlight,
  };
}

/** Hands the place in flight to the next query. */
function release(server: Server): void {
  const [next] = server.queue;
  if (next === undefined) server.inFlight--;
  else next();
}

/** Waits for a place in flight; false when the signal aborts first. */
function released({ queue }: Server, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const settle = (acquired: boolean) => {
      queue.delete(next);
      signal.removeEventListener('abort', abort);
      resolve(acquired);
    };
    const next = () => settle(true);
    const abort = () => settle(false);
    queue.add(next);
    signal.addEventListener('abort', abort);
  });
}
