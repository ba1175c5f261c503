import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { liveThrough } from '../../certificates/year.ts';

test.each([1, 2] as const)(
  'a year with %i CA(s): no certificate expires while its name points to us, and no limit of a CA is exceeded',
  async (cas) => {
    const seed = Number(process.env.YEAR_SEED ?? randomInt(2 ** 31));
    console.log(`YEAR_SEED=${seed}`);
    const year = await liveThrough({ seed, days: 365, names: 12, cas, lifetimes: cas === 1 ? [64, 45] : [64, 45, 6] });
    console.log(year);
    expect(year.uncertified, year.history.join('\n')).toEqual([]);
    expect(year.exceeded).toEqual([]);
    expect(Math.min(...Object.values(year.proofs))).toBeGreaterThan(1);
    expect(year.certificates).toBeGreaterThan(12 * 7);
  },
);
