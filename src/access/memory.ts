import { type Recent, recentMap } from '../recent.ts';
import type { ChangeNews } from '../store/changes.ts';
import type { Change } from '../store/store.ts';

/** What a memory needs to hear of the log of changes. */
export type AccessNews = Pick<ChangeNews, 'trusted' | 'onChange'>;

/** Things of the store by their names, as they are now or were at most a second ago. */
export interface Memory<Thing> {
  /** What is remembered under a name: null that there is nothing, undefined that it is not known. */
  remembered(name: string): Thing | null | undefined;
  /** Reads it from the store; null when there is nothing. Rejects with `StoreUnavailable`. */
  read(name: string): Promise<Thing | null>;
}

export interface MemoryOptions<Thing> {
  find(name: string): Promise<Thing | null>;
  /** Removes from `things` what a change concerns. */
  forget(things: Recent<Thing | null>, change: Change): void;
  /** Without news nothing is remembered. */
  news?: AccessNews | undefined;
  /** Most things remembered. What is not there counts too, so that a flood of invented names stays bounded. */
  capacity: number;
}

/** Remembers the things most recently used, for as long as the news can be trusted. */
export function createMemory<Thing>({ find, forget, news, capacity }: MemoryOptions<Thing>): Memory<Thing> {
  const things = recentMap<Thing | null>(capacity);
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
    async read(name) {
      const before = forgotten;
      const thing = await find(name);
      // What was read before a change was announced may be older than the change.
      if (news?.trusted() === true && forgotten === before) things.set(name, thing);
      return thing;
    },
  };
}
