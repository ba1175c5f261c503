import { expect, it } from 'vitest';
import type { Change } from '../store.ts';
import { createCache, createLoadingCache } from './cache.ts';

function setUp({
  capacity = 10,
  sizeOf = () => 1,
}: {
  capacity?: number;
  sizeOf?: (value: string | null) => number;
} = {}) {
  const feed = { fresh: true, listeners: [] as ((change: Change | null) => void)[] };
  const changes = {
    isFresh: () => feed.fresh,
    subscribe: (listener: (change: Change | null) => void) => void feed.listeners.push(listener),
    poll: async () => {},
    stop: async () => {},
  };
  const options = { changes, capacity, sizeOf, keysOf: ({ key }: Change) => [key] };
  const change = (key: string | null) => {
    for (const listener of feed.listeners) listener(key === null ? null : { seq: 1, kind: 'domain', key });
  };
  return { feed, options, change };
}

it('an entry is read once and served until it changes', async () => {
  const { options, change } = setUp();
  let reads = 0;
  const cache = createLoadingCache<string>({ ...options, read: async (key) => `${key}${++reads}` });
  expect([await cache.load('a'), await cache.load('a')]).toEqual(['a1', 'a1']);
  change('a');
  expect(await cache.load('a')).toBe('a2');
  change(null);
  expect(await cache.load('a')).toBe('a3');
});

it('what the store lacks is cached too', async () => {
  const { options } = setUp();
  let reads = 0;
  const read = async () => {
    reads += 1;
    return null;
  };
  const cache = createLoadingCache<string>({ ...options, read });
  expect([await cache.load('a'), await cache.load('a'), reads]).toEqual([null, null, 1]);
});

it('a value that was read before an invalidation is not cached', async () => {
  const { options, change } = setUp();
  const cache = createCache<string>(options);
  let finish = (_: string) => {};
  const reading = cache.load(
    () => new Promise<string>((resolve) => (finish = resolve)),
    () => 'a',
  );
  change('b');
  finish('old');
  expect([await reading, cache.get('a')]).toEqual(['old', undefined]);
});

it('nothing is served or cached while the change feed is not fresh, nor without one', async () => {
  const { feed, options } = setUp();
  let reads = 0;
  const read = async (key: string) => `${key}${++reads}`;
  const cache = createLoadingCache<string>({ ...options, read });
  await cache.load('a');
  feed.fresh = false;
  expect(cache.get('a')).toBeUndefined();
  expect([await cache.load('a'), await cache.load('b')]).toEqual(['a2', 'b3']);
  feed.fresh = true;
  expect([cache.get('a'), cache.get('b')]).toEqual(['a1', undefined]);
  const without = createLoadingCache<string>({ ...options, changes: undefined, read });
  expect([await without.load('c'), await without.load('c')]).toEqual(['c4', 'c5']);
});

it('the least recently used entries are evicted, by size, and one that is larger than the cache is not kept', async () => {
  const { options } = setUp({ capacity: 4, sizeOf: (value) => value?.length ?? 1 });
  const cache = createLoadingCache<string>({ ...options, read: async (key) => key });
  for (const key of ['aa', 'bb', 'aa', 'cc', 'large']) await cache.load(key);
  expect(['aa', 'bb', 'cc', 'large'].map((key) => cache.get(key))).toEqual(['aa', undefined, 'cc', undefined]);
});
