import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
import { AcmeProblem } from '../support/fake-ca/problem.ts';
import { createWorld, type World } from './world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NAME = 'shop.example.com';
/** Nothing listens there. */
const DEAD = '127.0.0.9';

let world: World;
let ca: FakeCa;
beforeEach(async () => {
  world = await createWorld();
  ca = await world.startCa();
  await world.add({ name: NAME });
  world.dns.set(NAME, 'A', ['127.0.0.1', DEAD]);
});
afterEach(() => world.close());

const tolerated = async () =>
  /^nameplate_certificate_tolerated_addresses_total (\d+)$/m.exec(await world.metrics.registry.metrics())?.[1];

test('a name one of whose addresses is dead gets its certificate; the self-check shows the address, the log names it, a metric counts it', async () => {
  await world.worker([world.issuer(ca)]).runOnce();
  const { state, problem, selfCheck } = await world.read(NAME);
  expect({ state, problem }).toEqual({ state: 'issued', problem: null });
  expect(selfCheck?.answers).toMatchObject([{ outcome: 'ours' }, { address: DEAD, outcome: 'unreachable' }]);
  const lines = world.logged.map((line) => JSON.parse(line)).filter(({ addresses }) => addresses !== undefined);
  expect(lines).toMatchObject([{ level: 40, domain: NAME, addresses: [DEAD] }]);
  expect(await tolerated()).toBe('1');
});

test('with NAMEPLATE_ACME_MULTI_ADDRESS=all it costs no request to the CA, and waits', async () => {
  await world.worker([world.issuer(ca)], { multiAddress: 'all' }).runOnce();
  const { state, problem } = await world.read(NAME);
  expect({ state, reason: problem?.reason }).toEqual({ state: 'waiting_for_routing', reason: 'unreachable' });
  expect(problem?.message).toContain(`has the address ${DEAD}, where nothing answers on port 80`);
  expect(ca.requests.newOrder).toBe(0);
  expect(await tolerated()).toBe('0');
});

test('after a CA has failed to validate it, every address has to answer for a day: a dead one costs one failure a day', async () => {
  const worker = world.worker([world.issuer(ca)]);
  ca.failAuthorizations(NAME, new AcmeProblem(403, 'unauthorized', 'Timeout during connect'));
  await worker.runOnce();
  const failedAt = world.clock.now();
  expect(await world.read(NAME)).toMatchObject({ state: 'failed', problem: { reason: 'authorization_failed' } });
  ca.failAuthorizations(NAME, null);
  while (world.clock.now() < failedAt + DAY_MS) {
    world.clock.pass(10 * MINUTE_MS);
    if (world.clock.now() >= failedAt + DAY_MS) break;
    await worker.runOnce();
    expect(await world.read(NAME)).toMatchObject({ problem: { reason: 'unreachable' }, failures: 1 });
  }
  expect(ca.requests.newOrder).toBe(1);
  world.clock.pass(20 * MINUTE_MS);
  await worker.runOnce();
  expect(await world.read(NAME)).toMatchObject({ state: 'issued', problem: null });
  expect(ca.requests.newOrder).toBe(2);
});

test('within that day it is ordered as soon as every address answers', async () => {
  const worker = world.worker([world.issuer(ca)]);
  ca.failAuthorizations(NAME, new AcmeProblem(403, 'unauthorized', 'Timeout during connect'));
  await worker.runOnce();
  ca.failAuthorizations(NAME, null);
  world.clock.pass(2 * MINUTE_MS);
  await worker.runOnce();
  expect(await world.read(NAME)).toMatchObject({ state: 'waiting_for_routing' });
  world.dns.set(NAME, 'A', ['127.0.0.1']);
  world.clock.pass(2 * MINUTE_MS);
  await worker.runOnce();
  expect(await world.read(NAME)).toMatchObject({ state: 'issued', problem: null });
});
