import { expect, test } from 'vitest';
import { liveThrough } from './year.ts';

test('a hundred days of few names: no certificate expires while its name points to us, and no limit of a CA is exceeded', async () => {
  const seed = Number(process.env.YEAR_SEED ?? 1);
  console.log(`YEAR_SEED=${seed}`);
  const year = await liveThrough({ seed, days: 100, names: 4, cas: 1, lifetimes: [64, 45] });
  expect(year.uncertified, year.history.join('\n')).toEqual([]);
  expect(year.exceeded).toEqual([]);
  // Enough has to happen in a year.
  expect(year.certificates).toBeGreaterThan(6);
  expect(Object.keys(year.events).length).toBeGreaterThan(6);
}, 240_000);
