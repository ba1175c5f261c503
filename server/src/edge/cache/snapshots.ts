import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { ChangeFeed } from '../../store/cache/change-feed.ts';
import { type EdgeStore, StoreUnavailable } from '../../store/store.ts';
import { recordServed, type Served } from './record-served.ts';

export interface SnapshotsOptions {
  served: Served;
  store: EdgeStore;
  changes: ChangeFeed;
  /** Names in the caches of each thread, the most recently served first. */
  recentNames(): Promise<readonly (readonly string[])[]>;
  /** Resolves when the file that is there has been read. */
  loaded: Promise<unknown>;
  /** Replaces the file. `confirmedAt`: when the store confirmed what is current, Unix ms. */
  write(confirmedAt: number): Promise<void>;
  path: string;
  clock: Clock;
  log: Log;
}

export interface Snapshots {
  /** The store, whose answers are recorder. */
  store: EdgeStore;
  /** Writes the file now, for a process that replaces this one. */
  save(): Promise<void>;
  /** Stops writing the file, which belongs to another process from now on. */
  leave(): void;
  /** Writes the file once more, unless it is another process's. */
  stop(): Promise<void>;
}

const SNAPSHOT_MS = 60_000;
/** When nothing has changed, to spare the disk; the file grows no older than this. */
const REWRITE_MS = 3_600_000;

/** Keeps what the edge reads from the store, and writes it each minute in which it has changed. Failures are logged. */
export function startSnapshots(options: SnapshotsOptions): Snapshots {
  const { served, changes, recentNames, loaded, write, path, clock, log } = options;
  let isChanged = false;
  let isStopping = false;
  let hasLeft = false;
  let confirmedAt: number | null = null;
  let writtenAt = clock.now();
  let ticking: Promise<void> | undefined;
  // A file that was not read yet would be lost.
  let writing = loaded;
  const onChanged = () => {
    isChanged = true;
  };
  const recorder = recordServed({ ...options, onChanged });

  function save(): Promise<unknown> {
    writing = writing.then(writeIfDue);
    return writing;
  }

  async function writeIfDue(): Promise<void> {
    const now = clock.now();
    if (changes.isFresh()) {
      recorder.confirm(now);
      confirmedAt = now;
    }
    const isDue = isChanged || now - writtenAt >= REWRITE_MS;
    // The store has confirmed nothing yet, so the file is newer than the cache.
    if (!isDue || hasLeft || confirmedAt === null) return;
    isChanged = false;
    try {
      await write(confirmedAt);
      writtenAt = now;
    } catch (error) {
      isChanged = true;
      log.warn({ err: error }, `the edge cache ${path} cannot be written; trying again in a minute`);
    }
  }

  /** The main thread sees only the reads of names that a thread does not have. */
  async function touchRecent(): Promise<void> {
    const ranked = await recentNames().catch(() => []);
    const longest = Math.max(0, ...ranked.map(({ length }) => length));
    for (let rank = longest - 1; rank >= 0; rank -= 1)
      for (const { [rank]: name } of ranked) if (name !== undefined) served.sites.get(name);
  }

  async function tick(): Promise<void> {
    await writing;
    try {
      if (changes.isFresh()) await recorder.reread(() => isStopping);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) log.error({ err: error }, 'the edge cache could not be read again');
    }
    await touchRecent();
    await save();
  }

  const timer = setInterval(() => {
    ticking ??= tick().finally(() => {
      ticking = undefined;
    });
  }, SNAPSHOT_MS).unref();

  return {
    store: recorder.store,
    async save() {
      await save();
    },
    leave() {
      hasLeft = true;
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await ticking;
      await save();
    },
  };
}
