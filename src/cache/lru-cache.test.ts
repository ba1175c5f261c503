import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recentMap } from './lru-cache.ts';

describe('a map of what was used last', () => {
  it('holds no more than its capacity, and always the half of it that was used last, with the value set last', () => {
    const steps = fc.array(fc.record({ key: fc.constantFrom(...'abcdefgh'), set: fc.boolean() }), { maxLength: 100 });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }), steps, (capacity, all) => {
        const map = recentMap<number>(capacity);
        const values = new Map<string, number>();
        let used: string[] = [];
        for (const [at, { key, set }] of all.entries()) {
          if (set) values.set(key, at);
          if (set) map.set(key, at);
          const found = map.get(key);
          if (used.slice(0, Math.floor(capacity / 2)).includes(key)) expect(found).toBe(values.get(key));
          if (found !== undefined) expect(found).toBe(values.get(key));
          if (found !== undefined) used = [key, ...used.filter((each) => each !== key)];
          expect(map.size()).toBeLessThanOrEqual(capacity);
        }
      }),
    );
  });

  it('has nothing of a key that was deleted, wherever it kept it', () => {
    const map = recentMap<number>(4);
    for (const key of 'abc') map.set(key, 1);
    map.get('a');
    map.delete('a');
    expect(map.get('a')).toBeUndefined();
    expect(new Map(map)).toEqual(new Map([...'bc'].map((key) => [key, 1])));
    map.clear();
    expect([...map]).toEqual([]);
  });
});
