import { type Clock, systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Change, ChangeStore } from '../store/contract/store.ts';

/** The one way in which caches learn what to forget. */
export interface ChangeNews {
  /** Whether the log was read within the last second. While it was not, anything may have changed. */
  trusted(): boolean;
  /** `forget` is called with every change, wherever it was made, and with null when everything may have changed. It must not throw. */
  onChange(forget: (change: Change | null) => void): void;
  /** Reads the log now, or right after the read that is under way. Never rejects: `trusted` says whether it worked. */
  poll(): Promise<void>;
  /** Reads no more; resolves when the read under way is done. */
  stop(): Promise<void>;
}

/** What caches need to hear. */
export type News = Pick<ChangeNews, 'trusted' | 'onChange'>;

export interface NewsOptions {
  clock?: Clock;
  log?: Log;
  intervalMs?: number;
  /** How long a read of the log is good for. */
  freshMs?: number;
  /** How long a change is still looked for behind newer ones, at least: several writers may commit out of order. */
  overlapMs?: number;
}

/** Follows the log of changes from now on. Its timer keeps no process alive. */
export function followChanges(store: Pick<ChangeStore, 'changesSince'>, options: NewsOptions = {}): ChangeNews {
  const { clock = systemClock, log, intervalMs = 300, freshMs = 1000, overlapMs = 5000 } = options;
  const readNews = newsReader(store, overlapMs);
  const listeners: ((change: Change | null) => void)[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let failing = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void> = Promise.resolve();

  async function read(): Promise<void> {
    // What is committed while the log is read may be missing from it, so the age of the news counts from here.
    const began = clock.now();
    try {
      for (const change of await readNews(began)) for (const forget of listeners) forget(change);
      readAt = began;
      if (failing) log?.info('the log of changes can be read again');
      failing = false;
    } catch (error) {
      if (!failing) log?.warn({ err: error }, 'the log of changes cannot be read; caches are not trusted meanwhile');
      failing = true;
    }
  }

  function poll(): Promise<void> {
    reading = reading.then(read);
    return reading;
  }

  async function follow(): Promise<void> {
    await poll();
    if (!stopped) timer = setTimeout(follow, intervalMs).unref();
  }
  void follow();

  return {
    trusted() {
      const ageMs = clock.now() - readAt;
      // Negative once the clock was set back: nobody knows the age then.
      return ageMs >= 0 && ageMs <= freshMs;
    },
    onChange(forget) {
      listeners.push(forget);
    },
    poll,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await reading;
    },
  };
}

/**
 * Reads what is new since the last time. It reads on from where the log stood at least `overlapMs` ago, and leaves out what it gave
 * already. A write that was under way then and still is may commit changes behind that, however late: a disk or a standby that stands still
 * holds up a commit for as long as it likes. Once such a write has ended, everything may have changed.
 */
function newsReader(store: Pick<ChangeStore, 'changesSince'>, overlapMs: number) {
  const given = new Set<number>();
  let from = Number.MAX_SAFE_INTEGER;
  let latest = Number.POSITIVE_INFINITY;
  let next: { seq: number; at: number; inFlight: string[] } = { seq: latest, at: 0, inFlight: [] };
  let late: string[] = [];

  return async (now: number): Promise<(Change | null)[]> => {
    const { changes, latest: newest, truncated, inFlight } = await store.changesSince(from);
    // The first time, after too long a pause, or on a log that was replaced by an older one.
    const lost = truncated || newest < latest;
    latest = newest;
    if (lost) {
      given.clear();
      from = latest;
      next = { seq: latest, at: now, inFlight };
      late = inFlight;
      return [null];
    }
    const ended = late.some((write) => !inFlight.includes(write));
    late = late.filter((write) => inFlight.includes(write));
    const news = changes.filter(({ seq }) => !given.has(seq));
    for (const { seq } of news) given.add(seq);
    // A clock that was set back would let no time pass until it has caught up.
    next.at = Math.min(next.at, now);
    if (now - next.at >= overlapMs) {
      from = next.seq;
      late = [...new Set([...late, ...next.inFlight])].filter((write) => inFlight.includes(write));
      next = { seq: latest, at: now, inFlight };
      for (const seq of given) if (seq <= from) given.delete(seq);
    }
    return ended ? [null] : news;
  };
}
