import { type Clock, systemClock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Change, ChangeStore } from '../store.ts';

/** The store's change log, polled: it invalidates caches. */
export interface ChangeFeed {
  /** Whether the change log was read within the last second. While it was not, anything may have changed. */
  isFresh(): boolean;
  /** Calls `listener` with every change, wherever it was made, and with null when everything may have changed. It must not throw. */
  subscribe(listener: (change: Change | null) => void): void;
}

export interface PolledChangeFeed extends ChangeFeed {
  /**
   * Reads the change log now, or right after the read in flight, which may have missed what the caller knows of: one read for all who wait. Never
   * rejects: `isFresh` tells whether it worked.
   */
  poll(): Promise<void>;
  /** Ends polling; resolves when the read in flight has ended, and listeners were told that everything may change from now on. */
  stop(): Promise<void>;
}

interface ChangeFeedOptions {
  clock?: Clock;
  log?: Log;
  intervalMs?: number;
  /** How long a read keeps the feed fresh. */
  freshMs?: number;
  /** How long a change is looked for behind newer ones, at least: several writers may commit out of order. */
  overlapMs?: number;
}

/** Polls the change log from now on. The timer does not keep the process alive. */
export function startChangeFeed(
  store: Pick<ChangeStore, 'changesSince'>,
  options: ChangeFeedOptions = {},
): PolledChangeFeed {
  const { clock = systemClock, log, intervalMs = 300, freshMs = 1000, overlapMs = 5000 } = options;
  const readChanges = changeReader(store, overlapMs);
  const listeners: ((change: Change | null) => void)[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let failing = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  async function read(): Promise<void> {
    // The read may miss what is committed while it runs, so the feed's age counts from its start.
    const startedAt = clock.now();
    try {
      for (const change of await readChanges(startedAt)) for (const listener of listeners) listener(change);
      readAt = startedAt;
      if (failing) log?.info('the change log can be read again');
      failing = false;
    } catch (error) {
      if (!failing) log?.warn({ err: error }, 'the change log cannot be read; caches are bypassed until it can');
      failing = true;
    }
  }

  function poll(): Promise<void> {
    if (reading === undefined) {
      reading = read().finally(() => {
        reading = undefined;
      });
      return reading;
    }
    waiting ??= reading.then(() => {
      waiting = undefined;
      return poll();
    });
    return waiting;
  }

  async function pollForever(): Promise<void> {
    await poll();
    if (!stopped) timer = setTimeout(pollForever, intervalMs).unref();
  }
  void pollForever();

  return {
    isFresh() {
      const ageMs = clock.now() - readAt;
      // Negative after the clock was set back: the age is unknown then.
      return ageMs >= 0 && ageMs <= freshMs;
    },
    subscribe(listener) {
      listeners.push(listener);
    },
    poll,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await waiting;
      await reading;
      // Nobody tells caches of changes any more.
      for (const listener of listeners) listener(null);
    },
  };
}

/**
 * Returns what is new since the last read. Each read begins where the log ended at least `overlapMs` ago, and leaves out what was returned
 * before. A write that was in flight then and still is may commit changes behind that point, however late: a disk or a standby can hold up a
 * commit for any time. When such a write has ended, everything may have changed.
 */
function changeReader(store: Pick<ChangeStore, 'changesSince'>, overlapMs: number) {
  const returned = new Set<number>();
  let from = Number.MAX_SAFE_INTEGER;
  let latest = Number.POSITIVE_INFINITY;
  let next: { seq: number; at: number; inFlight: string[] } = { seq: latest, at: 0, inFlight: [] };
  let slowWrites: string[] = [];

  return async (now: number): Promise<(Change | null)[]> => {
    const { changes, latest: newest, truncated, inFlight } = await store.changesSince(from);
    // The first read, one after too long a pause, or one of a log that was replaced by an older one.
    const isGap = truncated || newest < latest;
    latest = newest;
    if (isGap) {
      returned.clear();
      from = latest;
      next = { seq: latest, at: now, inFlight };
      slowWrites = inFlight;
      return [null];
    }
    const slowWriteEnded = slowWrites.some((write) => !inFlight.includes(write));
    slowWrites = slowWrites.filter((write) => inFlight.includes(write));
    const fresh = changes.filter(({ seq }) => !returned.has(seq));
    for (const { seq } of fresh) returned.add(seq);
    // After the clock was set back no time would pass until it has caught up.
    next.at = Math.min(next.at, now);
    if (now - next.at >= overlapMs) {
      from = next.seq;
      slowWrites = [...new Set([...slowWrites, ...next.inFlight])].filter((write) => inFlight.includes(write));
      next = { seq: latest, at: now, inFlight };
      for (const seq of returned) if (seq <= from) returned.delete(seq);
    }
    return slowWriteEnded ? [null] : fresh;
  };
}
