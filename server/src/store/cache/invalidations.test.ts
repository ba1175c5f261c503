import { expect, it } from 'vitest';
import { createCache } from './cache.ts';
import { createInvalidations } from './invalidations.ts';

const changes = { isFresh: () => true, subscribe: () => {} };

/** The caches of two threads. */
function twoCaches() {
  const invalidations = createInvalidations();
  const cache = (shared?: SharedArrayBuffer) =>
    createCache<string>({ changes, capacity: 10, keysOf: () => [], invalidations: createInvalidations(shared) });
  return [cache(invalidations.shared), cache(invalidations.shared)] as const;
}

it('what one thread invalidates no other thread finds in its cache, and other keys stay', async () => {
  const [here, there] = twoCaches();
  for (const key of ['a', 'b'])
    await there.load(
      async () => key,
      () => key,
    );
  expect([there.get('a'), there.get('b')]).toEqual(['a', 'b']);
  here.invalidate('a');
  expect([there.get('a'), there.get('b')]).toEqual([undefined, 'b']);
});

it('what another thread invalidates while it is read is not cached', async () => {
  const [here, there] = twoCaches();
  const read = async () => {
    here.invalidate('a');
    return 'old';
  };
  await there.load(read, () => 'a');
  expect(there.get('a')).toBeUndefined();
});
