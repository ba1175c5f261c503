import { describe, expect, it } from 'vitest';
import { type Change, StoreUnavailable } from '../../store/store.ts';
import { createStaleCache, type StaleCacheOptions } from './stale-cache.ts';

interface Thing {
  text: string;
}

/** A store that can be down, and whose reads can be held. */
function setUp(options: Partial<StaleCacheOptions<Thing>> = {}) {
  const stored = new Map<string, string>();
  const held: (() => void)[] = [];
  const listeners: ((change: Change | null) => void)[] = [];
  let now = 0;
  const control = { stored, reads: 0, failure: null as Error | null, holds: false };
  const cache = createStaleCache<Thing>({
    async read(name) {
      control.reads += 1;
      const text = stored.get(name);
      if (control.holds) await new Promise<void>((resolve) => held.push(resolve));
      if (control.failure !== null) throw control.failure;
      return text === undefined ? null : { text };
    },
    keyOf: ({ kind, key }) => (kind === 'route' ? key : undefined),
    changes: { subscribe: (listener) => void listeners.push(listener) },
    clock: { now: () => now },
    capacity: 100,
    staleAfterMs: 1,
    timeoutMs: 1,
    ...options,
  });
  return {
    control,
    cache,
    advance(ms: number) {
      now += ms;
    },
    change(key: string | null) {
      for (const listener of listeners) listener(key === null ? null : { seq: 1, kind: 'route', key });
    },
    release() {
      control.holds = false;
      for (const resolve of held.splice(0)) resolve();
    },
  };
}

const down = new StoreUnavailable('down');

describe('a stale cache', () => {
  it('reads a key once for all who wait for it, also one that the store does not have', async () => {
    const { cache, control } = setUp();
    control.stored.set('a', 'one');
    const wanted = ['a', 'a', 'b', 'b', 'a'];
    expect(await Promise.all(wanted.map(cache.load))).toEqual([
      { text: 'one' },
      { text: 'one' },
      null,
      null,
      { text: 'one' },
    ]);
    expect(control.reads).toBe(2);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([{ text: 'one' }, null, undefined]);
    expect([cache.peek('a'), cache.peek('b')]).toEqual([{ text: 'one' }, undefined]);
  });

  it('reads a key again once it has changed, or everything may have', async () => {
    const { cache, control, change } = setUp();
    control.stored.set('a', 'one');
    await cache.load('a');
    await cache.load('b');
    control.stored.set('a', 'two').set('b', 'new');
    change('a');
    expect(await cache.load('a')).toEqual({ text: 'two' });
    expect(await cache.load('b')).toBeNull();
    change(null);
    expect(await cache.load('b')).toEqual({ text: 'new' });
    control.stored.delete('b');
    change('b');
    expect(await cache.load('b')).toBeNull();
    expect(cache.peek('b')).toBeUndefined();
  });

  it('does not cache what was read before a change and arrives after it', async () => {
    for (const changed of ['a', null]) {
      const { cache, control, change, release } = setUp({ timeoutMs: 5000 });
      control.stored.set('a', 'one');
      control.holds = true;
      const first = cache.load('a');
      control.stored.set('a', 'two');
      change(changed);
      const second = cache.load('a');
      release();
      expect(await first).toEqual({ text: 'one' });
      expect(await second).toEqual({ text: 'two' });
      expect(cache.get('a')).toEqual({ text: 'two' });
      expect(control.reads).toBe(2);
    }
  });
});

describe('a stale cache whose store is down', () => {
  it('goes on reading other keys when a single one cannot be read', async () => {
    const { cache, control } = setUp();
    control.failure = new Error('sealed under another key');
    await expect(cache.load('a')).rejects.toThrow('sealed');
    control.failure = null;
    expect(await cache.load('b')).toBeNull();
  });

  it('refuses more reads in flight than it may have', async () => {
    const { cache, control, release } = setUp({ maxReads: 3, timeoutMs: 5000 });
    control.holds = true;
    const asked = ['a', 'b', 'c'].map(cache.load);
    await expect(cache.load('d')).rejects.toThrow(StoreUnavailable);
    release();
    expect(await Promise.all(asked)).toEqual([null, null, null]);
    expect(await cache.load('d')).toBeNull();
  });
});

describe('the memory of a stale cache', () => {
  it('stays bounded, and invented names evict none that exist', async () => {
    const { cache, control } = setUp({ capacity: 10, negativeCapacity: 50 });
    for (let i = 0; i < 5; i += 1) {
      control.stored.set(`real${i}`, 'x');
      await cache.load(`real${i}`);
    }
    for (let i = 0; i < 10_000; i += 1) await cache.load(`invented${i}`);
    const before = control.reads;
    for (let i = 0; i < 5; i += 1) await cache.load(`real${i}`);
    expect(control.reads).toBe(before);
    for (let i = 0; i < 1000; i += 1) {
      control.stored.set(`more${i}`, 'x');
      await cache.load(`more${i}`);
    }
    expect(cache.size()).toBeLessThanOrEqual(10);
  });

  it('takes a value that came with another read, unless anything has changed since that read started', async () => {
    const { cache, control, change } = setUp();
    const [add, addNothing] = [cache.preload(), cache.preload()];
    add('a', { text: 'one' });
    addNothing('b', null);
    expect([await cache.load('a'), await cache.load('b')]).toEqual([{ text: 'one' }, null]);
    expect(control.reads).toBe(0);
    for (const changed of ['a', null]) {
      const late = cache.preload();
      change(changed);
      late('a', { text: 'older than the change' });
      control.stored.set('a', `after ${changed}`);
      expect(await cache.load('a')).toEqual({ text: `after ${changed}` });
    }
  });
});

describe('the fallback of a stale cache', () => {
  const known = (text: string, until = Number.POSITIVE_INFINITY) => ({ value: { text }, until });

  it('is asked only while the store is down or slow, and no longer once the store is back', async () => {
    let asked = 0;
    const fallback = async (key: string) => {
      asked += 1;
      return key === 'a' ? known('before') : undefined;
    };
    const { cache, control, change, advance } = setUp({ fallback });
    control.stored.set('b', 'now');
    expect([await cache.load('b'), asked]).toEqual([{ text: 'now' }, 0]);
    control.failure = down;
    // The second one finds the store tried.
    for (const key of ['a', 'a']) expect(await cache.load(key)).toEqual({ text: 'before' });
    await expect(cache.load('c')).rejects.toThrow(StoreUnavailable);
    expect(asked).toBe(2);
    control.failure = null;
    change(null);
    expect([await cache.load('a'), asked]).toEqual([null, 2]);
    control.holds = true;
    advance(10_000);
    change(null);
    expect(await cache.load('a')).toEqual({ text: 'before' });
  });

  it('is served no longer than it says', async () => {
    let until = 1000;
    const fallback = async () => (until > 0 ? known('before', until) : undefined);
    const { cache, control, advance } = setUp({ fallback });
    control.failure = down;
    expect(await cache.load('a')).toEqual({ text: 'before' });
    until = 0;
    advance(999);
    expect(await cache.load('a')).toEqual({ text: 'before' });
    advance(1);
    await expect(cache.load('a')).rejects.toThrow(StoreUnavailable);
  });

  it('is not kept when something has changed while it was asked', async () => {
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof known>>();
    const { cache, control, change } = setUp({ fallback: () => promise });
    control.failure = down;
    const asked = cache.load('a');
    await new Promise(setImmediate);
    change('a');
    resolve(known('before'));
    await asked;
    expect(cache.peek('a')).toBe(undefined);
  });

  it('a store that answers again is read at once, without waiting for the next try', async () => {
    const { cache, control, change } = setUp({ fallback: async () => known('before') });
    control.failure = down;
    await cache.load('a');
    control.failure = null;
    control.stored.set('a', 'now');
    expect(await cache.load('a')).toEqual({ text: 'before' });
    change(null);
    expect(await cache.load('a')).toEqual({ text: 'now' });
  });
});

describe('a parent', () => {
  /** Keys of two letters are children of their first; `not: x` in a parent's text says which it does not stand for. */
  const parents = {
    parentOf: (key: string) => key.slice(0, 1),
    keyOfValue: ({ text }: Thing, key: string) => (text.startsWith('parent') ? key.slice(0, 1) : key),
    covers: ({ text }: Thing, key: string) => text !== 'parent of many' && !text.endsWith(`not ${key}`),
  };
  /** Reads find the parent's value where a key has none. */
  function setUpFamily() {
    const family = setUp({ parents });
    const { control } = family;
    const { get } = control.stored;
    control.stored.get = (key) => get.call(control.stored, key) ?? get.call(control.stored, key.slice(0, 1));
    return family;
  }

  it('stands for its children without further reads, and is read once for all of them after a change', async () => {
    const { cache, control, change } = setUpFamily();
    control.stored.set('a', 'parent');
    for (const key of ['ab', 'ac', 'ad', 'a']) expect(await cache.load(key)).toEqual({ text: 'parent' });
    expect([control.reads, cache.size()]).toEqual([1, 1]);
    change('a');
    await Promise.all(['ab', 'ac', 'ad'].map(cache.load));
    expect(control.reads).toBe(2);
  });

  it('stands for no child with a value of its own, and a change of a child concerns both', async () => {
    const { cache, control, change } = setUpFamily();
    control.stored.set('a', 'parent');
    await cache.load('ab');
    control.stored.set('ab', 'child').set('a', 'parent, not ab');
    change('ab');
    expect(cache.get('ac')).toBeUndefined();
    expect([await cache.load('ab'), await cache.load('ac')]).toEqual([{ text: 'child' }, { text: 'parent, not ab' }]);
    control.stored.delete('ab');
    control.stored.set('a', 'parent');
    change('ab');
    expect(await cache.load('ab')).toEqual({ text: 'parent' });
  });

  it('that comes or goes is not missed by children that had none', async () => {
    const { cache, control, change } = setUpFamily();
    expect(await cache.load('ab')).toBeNull();
    control.stored.set('a', 'parent');
    change('a');
    expect(await cache.load('ab')).toEqual({ text: 'parent' });
    control.stored.delete('a');
    change('a');
    expect(await cache.load('ab')).toBeNull();
  });

  it('is not cached by a read that a change of another child overtakes', async () => {
    const { cache, control, change, release } = setUpFamily();
    control.stored.set('a', 'parent');
    control.holds = true;
    const reading = cache.load('ab').catch(() => null);
    control.stored.set('ac', 'child').set('a', 'parent, not ac');
    change('ac');
    release();
    await reading;
    expect(await cache.load('ac')).toEqual({ text: 'child' });
  });

  it('of too many children is read for each of them once, in bounded memory', async () => {
    const { cache, control } = setUpFamily();
    control.stored.set('a', 'parent of many');
    for (let i = 0; i < 2; i += 1)
      for (const key of ['ab', 'ac', 'ad']) expect(await cache.load(key)).toEqual({ text: 'parent of many' });
    expect([control.reads, cache.size()]).toEqual([3, 1]);
  });

  it('is served stale for its children while the store is down, but not for those that it does not cover', async () => {
    const { cache, control, change } = setUpFamily();
    control.stored.set('a', 'parent, not ac');
    await cache.load('ab');
    change('a');
    control.failure = down;
    expect(await cache.load('ad')).toEqual({ text: 'parent, not ac' });
    await expect(cache.load('ac')).rejects.toThrow('down');
  });
});
