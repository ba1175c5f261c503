import { setImmediate } from 'node:timers/promises';
import type { ChangeFeed } from '../../cache/change-feed.ts';
import type { Domain } from '../../domain/domain.ts';
import type { Log } from '../../log.ts';
import type { DomainStore } from '../../store/contract/store.ts';

/**
 * Tells listeners what became of a domain: however many there are, the change feed names it, and it is read once. Several changes in a row may be told as one.
 */
export interface WatchedDomains {
  /** Changes with each change that the feed names; for `add`. */
  changes(): number;
  /** `changes`: from before `domain` was read, so that no change in between is missed. Returns what removes the listener. */
  add(domain: Domain, changes: number, listener: DomainListener): () => void;
  /** Reads again what could not be read. To be called often. */
  retry(): void;
}

/** Gets each new state, in order, and perhaps one again; null, and then nothing, when the domain was deleted. It must not throw. */
export type DomainListener = (domain: Domain | null) => void;

/** A domain with listeners. */
interface Watched {
  id: string;
  workspaceId: string;
  /** With the number of reads that had begun when each was added: a read that began before tells it nothing, since it may know more. */
  listeners: Map<DomainListener, number>;
  reads: number;
  reading: boolean;
  /** It has changed since the read in flight began. */
  again: boolean;
}

interface WatchedDomainsDeps {
  /** The store itself: a cache may be behind what was read before. */
  store: Pick<DomainStore, 'findDomainById'>;
  changes: ChangeFeed | undefined;
  log: Log;
}

/** Reads in flight. */
const MOST_READS = 8;
/** Listeners that are told in one turn of the event loop. */
const AT_ONCE = 100;

export function watchDomains({ store, changes, log }: WatchedDomainsDeps): WatchedDomains {
  const watched = new Map<string, Watched>();
  const due = new Set<Watched>();
  const failed = new Set<Watched>();
  let reads = 0;
  let changed = 0;

  changes?.subscribe((change) => {
    if (change !== null && change.kind !== 'domain') return;
    changed += 1;
    if (change === null) for (const domain of watched.values()) schedule(domain);
    else {
      const domain = watched.get(change.key);
      if (domain !== undefined) schedule(domain);
    }
  });

  function schedule(domain: Watched): void {
    if (domain.reading) domain.again = true;
    else due.add(domain);
    readDue();
  }

  function readDue(): void {
    for (const domain of due) {
      if (reads === MOST_READS) return;
      due.delete(domain);
      reads += 1;
      void read(domain).finally(() => {
        reads -= 1;
        readDue();
      });
    }
  }

  /** Never rejects. */
  async function read(domain: Watched): Promise<void> {
    domain.reading = true;
    domain.again = false;
    domain.reads += 1;
    try {
      const found = await store.findDomainById(domain.workspaceId, domain.id);
      if (found === null) remove(domain);
      await tell(domain, found);
      // Other work of this thread comes between two reads of SQLite, which happen at once.
      await setImmediate();
    } catch (error) {
      if (failed.size === 0) log.warn({ err: error }, 'a watched domain cannot be read; it will be tried again');
      if (isWatched(domain)) failed.add(domain);
    }
    domain.reading = false;
    if (domain.again && isWatched(domain)) due.add(domain);
  }

  /** After a read. */
  async function tell({ listeners, reads }: Watched, found: Domain | null): Promise<void> {
    let told = 0;
    for (const [listener, before] of listeners) {
      if (before === reads && found !== null) continue;
      listener(found);
      told += 1;
      if (told % AT_ONCE === 0) await setImmediate();
    }
  }

  function isWatched(domain: Watched): boolean {
    return watched.get(domain.id) === domain;
  }

  function remove(domain: Watched): void {
    if (isWatched(domain)) watched.delete(domain.id);
    due.delete(domain);
    failed.delete(domain);
  }

  return {
    changes: () => changed,
    add({ id, workspaceId }, before, listener) {
      const domain = watched.get(id) ?? newWatched(id, workspaceId);
      watched.set(id, domain);
      domain.listeners.set(listener, domain.reads);
      if (domain.reading || changed !== before) schedule(domain);
      return () => {
        domain.listeners.delete(listener);
        if (domain.listeners.size === 0) remove(domain);
      };
    },
    retry() {
      for (const domain of failed) {
        failed.delete(domain);
        schedule(domain);
      }
    },
  };
}

function newWatched(id: string, workspaceId: string): Watched {
  return { id, workspaceId, listeners: new Map(), reads: 0, reading: false, again: false };
}
