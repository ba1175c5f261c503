import { afterEach, beforeEach, expect, test } from 'vitest';
import { AcmeProblem } from '../support/fake-ca/problem.ts';
import { createWorld, type World } from './world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

/** Advances the clock by days, an hour at a time. */
async function live(days: number, runOnce: () => Promise<number>): Promise<void> {
  for (const end = world.clock.now() + days * DAY; world.clock.now() < end; world.clock.pass(6 * HOUR)) await runOnce();
}

test('a clock that is set back by a year renews nothing, and postpones nothing by a year', async () => {
  const ca = await world.startCa();
  const domains = [await world.add(), await world.add(), await world.add()];
  const [first, , waiting] = domains.map(({ name }) => name);
  world.dns.set(waiting ?? '', 'A', ['127.0.0.9']);
  const worker = world.worker([world.issuer(ca)]);
  await live(2, worker.runOnce);
  expect(ca.certificates).toHaveLength(2);

  world.clock.pass(-YEAR);
  await live(2, worker.runOnce);
  expect(ca.certificates).toHaveLength(2);
  for (const { name } of domains) {
    const { nextTryAt } = await world.read(name);
    expect(nextTryAt - world.clock.now()).toBeLessThanOrEqual(DAY);
  }
  world.dns.set(waiting ?? '', 'A', ['127.0.0.1']);
  await live(1, worker.runOnce);
  expect(await world.read(waiting ?? '')).toMatchObject({ state: 'issued' });

  world.clock.pass(YEAR);
  await live(43, worker.runOnce);
  expect(ca.certificates.filter(({ hostname }) => hostname === first)).toHaveLength(2);
});

test("a CA's Retry-After from before a clock was set back holds for no longer than the longest wait", async () => {
  const ca = await world.startCa();
  const { name } = await world.add();
  ca.fault({ answer: new AcmeProblem(500, 'serverInternal', 'down'), times: 1, at: ['newOrder'] });
  await world.worker([world.issuer(ca)]).runOnce();
  expect(await world.read(name)).toMatchObject({ state: 'failed' });
  world.clock.pass(-YEAR);
  await world.worker([world.issuer(ca)]).runOnce();
  expect(await world.read(name)).toMatchObject({ state: 'issued' });
});
