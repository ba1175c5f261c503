import { recentMap } from '../cache/lru-cache.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { RequestCount, RequestStore } from '../store/contract/store.ts';
import { CAPACITY, type Counts, type Limiter, limiterOn, type Window } from './limiter.ts';

/** A limiter of one node among several, which add up what they let through. */
export interface SharedLimiter extends Limiter {
  /** Adds to the store what was let through since the last time, and learns the totals; joins the flush that is under way. Never rejects. */
  flush(): Promise<void>;
  /** Flushes for the last time, unless the store is away. */
  stop(): Promise<void>;
}

export interface SharedLimiterOptions {
  store: Pick<RequestStore, 'addRequests'>;
  clock: Clock;
  log?: Log;
  intervalMs?: number;
  /** Most counts kept of one length of window; see `memoryLimiter`. */
  capacity?: number;
}

/** Most counts in one statement. */
const BATCH = 1000;

/**
 * Decides in memory, and by what the nodes together have let through: each adds its counts to the store every `intervalMs`, and is answered
 * with the totals. What others have let through since then is unknown, so that the nodes let at most this many requests more through than
 * the limit N: (nodes − 1) · min(N, rate · (`intervalMs` + the time of a flush)), rate being that of the busiest node
 * (docs/decisions/0009-shared-rate-limits.md). While the store is away each goes on with what it knows. Its timer keeps no process alive.
 */
export function sharedLimiter(options: SharedLimiterOptions): SharedLimiter {
  const { store, clock, log, intervalMs = 250, capacity = CAPACITY } = options;
  const { windows, ...limiter } = limiterOn(clock, () => sharedCounts(capacity));
  let flushing: Promise<void> | undefined;
  let failing = false;

  async function send(): Promise<void> {
    const unsent = windows().flatMap(unsentOf);
    for (let from = 0; from < unsent.length; from += BATCH) {
      const batch = unsent.slice(from, from + BATCH);
      const totals = await store.addRequests(batch.map(({ count }) => count));
      for (const [i, { counts, key, count }] of batch.entries()) counts.sent(key, count.requests, totals[i] ?? 0);
    }
  }

  async function attempt(): Promise<void> {
    try {
      await send();
      if (failing) log?.info('requests are added up over nodes again');
      failing = false;
    } catch (error) {
      if (!failing) log?.warn({ err: error }, 'requests cannot be added up over nodes; each limits its own meanwhile');
      failing = true;
    }
    flushing = undefined;
  }

  function flush(): Promise<void> {
    flushing ??= attempt();
    return flushing;
  }

  const timer = setInterval(flush, intervalMs).unref();

  return {
    ...limiter,
    flush,
    async stop() {
      clearInterval(timer);
      await flushing;
      if (!failing) await flush();
    },
  };
}

interface SharedCounts extends Counts {
  /** What was let through here and is not in the store, by key. */
  unsent(): Map<string, number>;
  /** `requests` of these are in the store by now, where `total` is what all nodes have let through. */
  sent(key: string, requests: number, total: number): void;
}

function sharedCounts(capacity: number): SharedCounts {
  const unsent = recentMap<number>(capacity);
  const totals = recentMap<number>(capacity);
  const totalOf = (key: string) => totals.get(key) ?? 0;
  return {
    get: (key) => totalOf(key) + (unsent.get(key) ?? 0),
    set: (key, requests) => unsent.set(key, requests - totalOf(key)),
    size: () => unsent.size() + totals.size(),
    unsent: () => new Map(unsent),
    sent(key, requests, total) {
      // A store that has lost something, as a standby that took over, knows less than this node.
      totals.set(key, Math.max(total, totalOf(key) + requests));
      const rest = (unsent.get(key) ?? 0) - requests;
      if (rest > 0) unsent.set(key, rest);
      else unsent.delete(key);
    },
  };
}

interface Unsent {
  counts: SharedCounts;
  key: string;
  count: RequestCount;
}

function unsentOf({ lengthMs, startedAt, counts }: Window<SharedCounts>): Unsent[] {
  return [...counts.unsent()].map(([key, requests]) => {
    const [subject = '', operation = ''] = key.split(' ');
    return {
      counts,
      key,
      count: { subject, operation, windowMs: lengthMs, windowEndsAt: startedAt + lengthMs, requests },
    };
  });
}
