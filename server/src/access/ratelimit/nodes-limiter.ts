import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { RequestCount, RequestStore } from '../../store/store.ts';
import { CAPACITY, type Counts, type Limiter, limiterOn, lruCounts, type Window } from './limiter.ts';

/** The limiter of one node among several, which add up what they allow. */
export interface NodesLimiter extends Limiter {
  /**
   * Adds what was allowed since the last flush to the store and reads the totals; joins a flush in flight. Never
   * rejects.
   */
  flush(): Promise<void>;
  /** Flushes for the last time, unless the store is down. */
  stop(): Promise<void>;
}

interface NodesLimiterOptions {
  store: Pick<RequestStore, 'addRequests'>;
  clock: Clock;
  log?: Log;
  intervalMs?: number;
  /** Most counts of one window length; see `memoryLimiter`. */
  capacity?: number;
}

/** Most counts in one statement. */
const BATCH = 1000;

/**
 * Decides in memory, by what all nodes together have allowed: each adds its counts to the store every `intervalMs` and
 * gets the totals back. Between flushes a node does not see what the others allow. So the nodes together allow at most
 * this many requests more than the limit N: (nodes − 1) · min(N, rate · (`intervalMs` + the time of a flush)), rate
 * being that of the busiest node (docs/internals/decisions/0009-shared-rate-limits.md). While the store is down each node decides
 * by the last totals and its own counts. The timer does not keep the process alive.
 */
export function nodesLimiter(options: NodesLimiterOptions): NodesLimiter {
  const { store, clock, log, intervalMs = 250, capacity = CAPACITY } = options;
  const { windows, ...limiter } = limiterOn(clock, () => sharedCounts(capacity));
  let inFlight: Promise<void> | undefined;
  let failing = false;

  async function send(): Promise<void> {
    const unsent = windows().flatMap(unsentOf);
    for (let from = 0; from < unsent.length; from += BATCH) {
      const batch = unsent.slice(from, from + BATCH);
      const totals = await store.addRequests(batch.map(({ count }) => count));
      for (const [i, { counts, key, count }] of batch.entries()) counts.sent(key, count.requests, totals[i] ?? 0);
    }
  }

  async function sendOrWarn(): Promise<void> {
    try {
      await send();
      if (failing) log?.info('rate limits are shared between nodes again');
      failing = false;
    } catch (error) {
      if (!failing) log?.warn({ err: error }, 'rate limits cannot be shared; each node limits its own requests');
      failing = true;
    }
    inFlight = undefined;
  }

  function flush(): Promise<void> {
    inFlight ??= sendOrWarn();
    return inFlight;
  }

  const timer = setInterval(flush, intervalMs).unref();

  return {
    ...limiter,
    flush,
    async stop() {
      clearInterval(timer);
      await inFlight;
      if (!failing) await flush();
    },
  };
}

interface SharedCounts extends Counts {
  /** The requests, by key, that this node allowed and the store does not have yet. */
  unsent(): Iterable<[string, number]>;
  /** `requests` of a key are in the store now, where `total` is what all nodes have allowed. */
  sent(key: string, requests: number, total: number): void;
}

function sharedCounts(capacity: number): SharedCounts {
  const unsent = lruCounts(capacity);
  const totals = lruCounts(capacity);
  const totalOf = (key: string) => totals.get(key) ?? 0;
  return {
    get: (key) => totalOf(key) + (unsent.get(key) ?? 0),
    set: (key, requests) => unsent.set(key, requests - totalOf(key)),
    get size() {
      return unsent.size + totals.size;
    },
    unsent: () => unsent,
    sent(key, requests, total) {
      // A store that lost writes, as in a failover to a standby, has less than this node.
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
  return Array.from(counts.unsent(), ([key, requests]) => {
    const [subject = '', operation = ''] = key.split(' ');
    return {
      counts,
      key,
      count: { subject, operation, windowMs: lengthMs, windowEndsAt: startedAt + lengthMs, requests },
    };
  });
}
