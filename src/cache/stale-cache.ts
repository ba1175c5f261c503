import type { Clock } from '../clock.ts';
import { type Change, StoreUnavailable } from '../store/contract/store.ts';
import type { News } from './change-feed.ts';
import { recentMap } from './lru-cache.ts';

/**
 * What the edge knows of the store. Unlike other memories (`src/cache/cache.ts`) it goes on being believed while the store is away: names that are
 * served must not depend on it. What changed meanwhile is heard of as soon as the log of changes can be read again.
 */
export interface Known<Thing> {
  /** What is known of a name: null that there is nothing; undefined: the store has to be asked. */
  remembered(name: string): Thing | null | undefined;
  /**
   * Asks the store, once for all who want to know at the same time; where it does not answer, gives what was known before. Rejects with
   * `StoreUnavailable` when nothing was.
   */
  find(name: string): Promise<Thing | null>;
  /** Whether there was something at last sight. */
  isKnown(name: string): boolean;
  /** Things kept. */
  size(): number;
}

export interface KnownOptions<Thing> {
  read(name: string): Promise<Thing | null>;
  /** The name whose thing a change concerns, if it does. */
  concerns(change: Change): string | undefined;
  news: Pick<News, 'onChange'>;
  clock: Clock;
  /** Most things that are remembered. */
  capacity: number;
  /** Most names that are remembered to have nothing. Apart from the others, so that invented names drive out none. */
  emptyCapacity?: number;
  /** Most names that are asked for at once; more are refused. */
  atOnce?: number;
  /** How long an answer is waited for where an older one is known. */
  patienceMs?: number;
  /** How long an answer is waited for where none is known. */
  deadlineMs?: number;
  /** Whether a thing that was read anew is the same as before, which is then kept: whatever was made from it stays good. */
  same?(before: Thing, after: Thing): boolean;
}

interface Entry<Thing> {
  thing: Thing;
  /** Of the last time that anything might have changed; what was read before has to be read anew. */
  generation: number;
}

interface Reading<Thing> {
  answer: Promise<Thing | null>;
  /** What it read may have changed since it began. */
  outdated: boolean;
  /** Somebody has waited for it in vain. */
  late: boolean;
}

/** After a failure the store is left alone for so long, but for one who asks. */
const PAUSE_MS = 1000;

export function createKnown<Thing extends object>(options: KnownOptions<Thing>): Known<Thing> {
  const { read, concerns, news, clock, capacity, emptyCapacity = 10_000, atOnce = 64 } = options;
  const { patienceMs = 250, deadlineMs = 3000, same = () => false } = options;
  const things = recentMap<Entry<Thing>>(capacity);
  const nothing = recentMap<Entry<null>>(emptyCapacity);
  const readings = new Map<string, Reading<Thing>>();
  let generation = 0;
  let failedAt = Number.NEGATIVE_INFINITY;

  news.onChange((change) => {
    if (change === null) {
      generation += 1;
      for (const name of readings.keys()) outdate(name);
      return;
    }
    const name = concerns(change);
    if (name === undefined) return;
    outdate(name);
    const entry = things.get(name);
    // Kept until the store has said what is there now.
    if (entry !== undefined) entry.generation = -1;
    nothing.delete(name);
  });

  /** Whoever asks from now on is answered by a read that begins now. */
  function outdate(name: string): void {
    const reading = readings.get(name);
    if (reading === undefined) return;
    reading.outdated = true;
    readings.delete(name);
  }

  function remembered(name: string): Thing | null | undefined {
    const entry = things.get(name) ?? nothing.get(name);
    return entry?.generation === generation ? entry.thing : undefined;
  }

  async function find(name: string): Promise<Thing | null> {
    const known = remembered(name);
    if (known !== undefined) return known;
    const before = things.get(name)?.thing;
    const reading = readings.get(name) ?? begin(name, before);
    if (before === undefined) {
      if (reading === null) throw new StoreUnavailable('the store is not asked for more at the moment');
      return within(deadlineMs, reading.answer);
    }
    if (reading === null || reading.late) return before;
    try {
      return await within(patienceMs, reading.answer);
    } catch {
      reading.late = true;
      return before;
    }
  }

  function begin(name: string, before: Thing | undefined): Reading<Thing> | null {
    const sinceFailure = clock.now() - failedAt;
    if (readings.size >= atOnce || (sinceFailure >= 0 && sinceFailure < PAUSE_MS)) return null;
    // One asks, and the others wait for what becomes of that.
    if (failedAt !== Number.NEGATIVE_INFINITY) failedAt = clock.now();
    const reading: Reading<Thing> = { outdated: false, late: false, answer: Promise.resolve(null) };
    reading.answer = ask(name, before, reading);
    // Nobody may be waiting any more.
    reading.answer.catch(() => {});
    readings.set(name, reading);
    return reading;
  }

  async function ask(name: string, before: Thing | undefined, reading: Reading<Thing>): Promise<Thing | null> {
    try {
      const thing = await read(name);
      failedAt = Number.NEGATIVE_INFINITY;
      if (reading.outdated) return thing;
      if (thing === null) {
        things.delete(name);
        nothing.set(name, { thing, generation });
        return null;
      }
      const kept = before !== undefined && same(before, thing) ? before : thing;
      nothing.delete(name);
      things.set(name, { thing: kept, generation });
      return kept;
    } catch (error) {
      // What fails for another reason is wrong with one name alone.
      if (error instanceof StoreUnavailable) failedAt = clock.now();
      throw error;
    } finally {
      if (!reading.outdated) readings.delete(name);
    }
  }

  return { remembered, find, isKnown: (name) => things.get(name) !== undefined, size: things.size };
}

/** Rejects with `StoreUnavailable` when the answer takes longer. */
function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new StoreUnavailable('the store did not answer in time')), milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
