import { describe, expect, it } from 'vitest';
import type { RequestCount } from '../../server/src/store/store.ts';
import { aRequestCount, NOW } from '../support/entities.ts';
import type { Subject } from './subject.ts';

export function describeRequests(subject: Subject): void {
  const add = (...counts: RequestCount[]) => subject.store.addRequests(counts);
  const totalOf = async (count: RequestCount) => (await add({ ...count, requests: 0 }))[0];

  describe('counting requests', () => {
    it('adds to earlier counts, and returns the totals in the order of the call', async () => {
      const [a, b, c] = [aRequestCount({ requests: 3 }), aRequestCount({ requests: 5 }), aRequestCount()];
      expect(await add(b, a)).toEqual([5, 3]);
      expect(await add({ ...a, requests: 10 }, c, { ...b, requests: 20 })).toEqual([13, 1, 25]);
      expect(await add()).toEqual([]);
    });

    it('keeps subjects, operations, windows and lengths of windows apart', async () => {
      const count = aRequestCount({ requests: 7 });
      const others = [
        aRequestCount(),
        { ...count, operation: 'domains.createDomain', requests: 1 },
        { ...count, windowEndsAt: count.windowEndsAt + 60_000, requests: 1 },
        { ...count, windowMs: 120_000, requests: 1 },
      ];
      await add(count);
      expect(await add(...others)).toEqual([1, 1, 1, 1]);
      expect(await totalOf(count)).toBe(7);
    });

    it('loses nothing that is added concurrently, in any order, and returns a different total to each caller', async () => {
      const counts = Array.from({ length: 20 }, () => aRequestCount());
      const answers = await Promise.all(
        Array.from({ length: 12 }, async (_, i) =>
          i % 2 === 0 ? add(...counts) : (await add(...counts.toReversed())).toReversed(),
        ),
      );
      const each = Array.from({ length: 12 }, (_, i) => i + 1);
      for (const i of counts.keys()) {
        const told = answers.map((totals) => totals[i] ?? 0);
        expect(told.toSorted((a, b) => a - b)).toEqual(each);
      }
    });

    it('deletes windows that ended before the given time, and no others', async () => {
      const [ended, endsThen] = [NOW - 1, NOW].map((windowEndsAt) => aRequestCount({ windowEndsAt, requests: 4 }));
      await add(ended as RequestCount, endsThen as RequestCount);
      await subject.store.pruneRequests(NOW);
      expect(await totalOf(ended as RequestCount)).toBe(0);
      expect(await totalOf(endsThen as RequestCount)).toBe(4);
    });

    it('keeps its totals when the store is closed and opened again', async () => {
      const { store, reopen, close } = await subject.open();
      const count = aRequestCount({ requests: 6 });
      await store.addRequests([count]);
      expect(await (await reopen()).addRequests([count])).toEqual([12]);
      await close();
    });
  });
}
