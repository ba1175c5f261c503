import type { Change } from '../store/contract/store.ts';
import type { News } from './change-feed.ts';
import { type Recent, recentMap } from './lru-cache.ts';

/** Things of the store by their names, as they are now or were at most a second ago. */
export interface Memory<Thing> {
  /** What is remembered under a name: null that there is nothing, undefined that it is not known. */
  remembered(name: string): Thing | null | undefined;
  /** Reads it from the store; null when there is nothing. Rejects with `StoreUnavailable`. */
  read(name: string): Promise<Thing | null>;
}

/** What memories have in common. */
interface Remembering<Thing> {
  /** Removes from `things` what a change concerns. */
  forget(things: Recent<Thing>, change: Change): void;
  /** Without news nothing is remembered. */
  news?: News | undefined;
  /** Most things remembered. */
  capacity: number;
}

export interface MemoryOptions<Thing> extends Remembering<Thing | null> {
  find(name: string): Promise<Thing | null>;
}

/**
 * Remembers the things most recently used. What is not there counts too, so that a flood of invented names stays bounded and asks the store
 * for each only once.
 */
export function createMemory<Thing>({ find, ...options }: MemoryOptions<Thing>): Memory<Thing> {
  const { remembered, keep } = createRecall<Thing | null>(options);
  return {
    remembered,
    read: (name) =>
      keep(
        () => find(name),
        () => name,
      ),
  };
}

/** A memory of whatever is read, for as long as the news can be trusted. */
export interface Recall<Thing> {
  remembered(name: string): Thing | undefined;
  /** Reads a thing and remembers it under its name, unless it has none, or something was forgotten meanwhile. */
  keep(read: () => Promise<Thing>, nameOf: (thing: Thing) => string | undefined): Promise<Thing>;
  /** Forgets what is known to have changed, before the news say so. */
  forget(name: string): void;
}

export function createRecall<Thing>({ forget, news, capacity }: Remembering<Thing>): Recall<Thing> {
  const things = recentMap<Thing>(capacity);
  let forgotten = 0;

  news?.onChange((change) => {
    forgotten += 1;
    if (change === null) things.clear();
    else forget(things, change);
  });

  return {
    remembered(name) {
      if (news?.trusted() !== true) return undefined;
      return things.get(name);
    },
    async keep(read, nameOf) {
      const before = forgotten;
      const thing = await read();
      const name = nameOf(thing);
      // What was read before a change was announced may be older than the change.
      if (name !== undefined && news?.trusted() === true && forgotten === before) things.set(name, thing);
      return thing;
    },
    forget(name) {
      forgotten += 1;
      things.delete(name);
    },
  };
}
