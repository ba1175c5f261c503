import { expect, test } from 'vitest';
import { liveThrough } from './year.ts';

test('thirty days of certificates that live for 6 days, from two CAs, one of which fails for a week at times: none expires while its name points to us, and no limit of a CA is exceeded', async () => {
  const seed = Number(process.env.YEAR_SEED ?? 1);
  console.log(`YEAR_SEED=${seed}`);
  const year = await liveThrough({ seed, days: 30, names: 8, cas: 2, lifetimes: [6] });
  expect(year.uncertified, year.history.join('\n')).toEqual([]);
  expect(year.exceeded).toEqual([]);
  // Two names of each kind, each of which begins with a certificate.
  expect(Math.min(...Object.values(year.proofs))).toBeGreaterThan(1);
  expect(year.events['a week of 500s']).toBeGreaterThan(0);
  expect(year.certificates).toBeGreaterThan(8 * 3);
}, 240_000);
