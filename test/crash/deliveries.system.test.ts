import { expect, test } from 'vitest';
import { chooseSeed, seeded } from '../support/seeded-random.ts';
import { surviveDelivering } from './deliveries.ts';

// `npm run test:long` kills 100 times on each engine.
const KILLS = 3;

test('kill -9 at any moment: no event for a webhook is lost, those of a domain arrive in order, repetitions carry the same id', async () => {
  const survived = await surviveDelivering(KILLS, seeded(chooseSeed()));
  console.log(survived);
  expect(survived.kills).toBe(KILLS);
  expect(survived.events).toBeGreaterThan(0);
}, 120_000);
