import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { startChangeFeed } from '../../server/src/store/cache/change-feed.ts';
import { startReopening } from '../../server/src/verification/reopening.ts';
import { createVerifier } from '../../server/src/verification/verifier.ts';
import { type Harness, startApi } from '../support/api-harness.ts';
import { createWorld, type World } from '../support/dns-world.ts';

const SECOND = 1000;
const HOUR = 3_600_000;
const DOMAINS = 40;
/** A period of the schedule and its tenth. */
const PERIOD = 66 * SECOND;

describe('when the clock jumps, the checks', () => {
  let world: World;

  beforeEach(async () => {
    world = await createWorld();
  });
  afterEach(() => world.close());

  const createMany = () => Promise.all(Array.from({ length: DOMAINS }, (_, i) => world.create(`d${i}.acme.com`)));

  /** Rounds of the verifier, a second apart; how many checks there were. */
  async function checksDuring(ms: number): Promise<number> {
    let checks = 0;
    for (let passed = 0; passed <= ms; passed += SECOND) {
      checks += await world.verifier.runOnce();
      world.clock.pass(SECOND);
    }
    return checks;
  }

  test('forwards past the end of the windows: each domain is looked at in two checks, a period apart, before it fails', async () => {
    const domains = await createMany();
    expect(await world.verifier.runOnce()).toBe(DOMAINS);
    const published = domains.slice(0, DOMAINS / 2);
    for (const domain of published) world.publish(domain);
    world.clock.pass(30 * HOUR);
    expect(await world.verifier.runOnce()).toBe(DOMAINS);
    expect(await world.verifier.runOnce()).toBe(0);
    for (const domain of domains.slice(DOMAINS / 2)) expect((await world.read(domain)).status).toBe('verifying');
    world.clock.pass(PERIOD);
    expect(await world.verifier.runOnce()).toBe(DOMAINS / 2);
    for (const [i, domain] of domains.entries()) {
      expect((await world.read(domain)).status).toBe(i < published.length ? 'verified' : 'failed');
    }
    expect(await world.store.earliestDueAt()).toBeNull();
  });

  test('forwards by hours: each domain is checked once, not as often as it was missed, and then once in a minute', async () => {
    await createMany();
    await world.verifier.runOnce();
    world.clock.pass(5 * HOUR);
    expect(await world.verifier.runOnce()).toBe(DOMAINS);
    expect(await checksDuring(50 * SECOND)).toBe(0);
    expect(await checksDuring(PERIOD)).toBe(DOMAINS);
  });

  test('backwards by hours: no domain is left unchecked for longer than a period, nor checked in a storm', async () => {
    const domains = await createMany();
    await world.verifier.runOnce();
    world.clock.pass(-5 * HOUR);
    for (const domain of domains) world.publish(domain);
    const unchecked = await world.create('new.acme.com');
    expect(await checksDuring(PERIOD)).toBeLessThanOrEqual(DOMAINS + 2);
    for (const domain of domains) expect((await world.read(domain)).status).toBe('verified');
    expect((await world.read(unchecked)).status).toBe('verifying');
  });

  test('backwards by hours, and nothing published: each goes on once in a minute', async () => {
    await createMany();
    await world.verifier.runOnce();
    world.clock.pass(-5 * HOUR);
    expect(await checksDuring(50 * SECOND)).toBe(DOMAINS);
    expect(await checksDuring(PERIOD)).toBe(DOMAINS);
  });

  test('backwards by seconds: they come later by as many, and no sooner', async () => {
    await createMany();
    await world.verifier.runOnce();
    world.clock.pass(-30 * SECOND);
    expect(await checksDuring(80 * SECOND)).toBe(0);
    expect(await checksDuring(20 * SECOND)).toBe(DOMAINS);
  });

  test('backwards by hours: a zone that has moved since is found where it is', async () => {
    const second = await world.server('127.0.0.2');
    world.dns.set('ns2.moved.test', 'A', [second.address]);
    const domain = await world.create('www.acme.com');
    await world.check(domain);
    world.clock.pass(-5 * HOUR);
    world.dns.delegate('acme.com', ['ns2.moved.test']);
    second.setZone('acme.com', ['ns2.moved.test']);
    world.publish(domain, undefined, second);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('backwards between creation and check: the window is as long as it was, and ends with a last look', async () => {
    const domain = await world.create('www.acme.com');
    world.clock.pass(-5 * HOUR);
    expect((await world.check(domain)).status).toBe('verifying');
    world.clock.pass(28 * HOUR);
    expect((await world.check(domain)).status).toBe('verifying');
    world.clock.pass(HOUR);
    expect((await world.check(domain)).status).toBe('verifying');
    expect((await world.check(domain)).status).toBe('failed');
  });

  test('not at all, a window ends within two periods, whatever the schedule draws and however long no check ran', async () => {
    let [drawn, serial] = [0.5, 0];
    const about = { log: createLog('silent'), metrics: createMetrics(), random: () => drawn };
    const verifier = createVerifier({ ...world, ...about });
    const property = async (uncheckedMs: number, random: number) => {
      drawn = random;
      const domain = await world.create(`on-time-${serial++}.acme.com`);
      const endsAt = domain.createdAt + 24 * HOUR;
      world.clock.pass(uncheckedMs);
      const latest = Math.max(endsAt, world.clock.now()) + 2 * PERIOD;
      while ((await world.read(domain)).status !== 'failed') {
        world.clock.pass(10 * SECOND);
        await verifier.runOnce();
        expect(world.clock.now()).toBeLessThanOrEqual(latest);
      }
      expect(world.clock.now()).toBeGreaterThanOrEqual(endsAt);
    };
    const unchecked = fc.integer({ min: 24 * HOUR - 5 * PERIOD, max: 30 * HOUR });
    const random = fc.double({ min: 0, max: 0.99, noNaN: true });
    await fc.assert(fc.asyncProperty(unchecked, random, property), { numRuns: 15 });
    await verifier.stop();
  });

  test('forwards for so long that windows ended: once the clock is right and trusted again, their domains are verified again', async () => {
    const rightly = await world.create('right.acme.com');
    for (const hours of [25, 0]) {
      world.clock.pass(hours * HOUR);
      await world.check(rightly);
    }
    const domains = await createMany();
    await world.verifier.runOnce();
    for (const hours of [25, 0]) {
      world.clock.pass(hours * HOUR);
      await world.check(rightly);
    }
    for (const domain of domains) expect((await world.read(domain)).status).toBe('failed');
    world.clock.pass(-25 * HOUR);
    const about = { store: world.store, windowMs: 24 * HOUR, log: createLog('silent') };
    await startReopening({ ...about, clock: { ...world.clock, isTrusted: () => false } }).stop();
    expect((await world.read(domains[0] as Domain)).status).toBe('failed');
    await startReopening({ ...about, clock: world.clock }).stop();
    for (const domain of domains) {
      expect(await world.read(domain)).toMatchObject({ status: 'pending', windowStartedAt: world.clock.now() });
      world.publish(domain);
    }
    expect((await world.read(rightly)).status).toBe('failed');
    await world.verifier.runOnce();
    for (const domain of domains) expect((await world.read(domain)).status).toBe('verified');
  });
});

describe('when the clock jumps, the API', () => {
  let api: Harness;

  beforeEach(async () => {
    api = await startApi({ settings: { rateLimits: { '*': { limit: 2, windowMs: HOUR } } } });
  });
  afterEach(() => api.close());

  const ask = async (key = api.rootKey) => (await api.call('domains.getDomain', { domain: 'x.test' }, { key })).status;

  test.each([5 * HOUR, -5 * HOUR])('by %i ms: a used-up rate limit is that of a window which is over', async (ms) => {
    expect([await ask(), await ask(), await ask()]).toEqual([404, 404, 429]);
    api.clock.advance(ms);
    expect([await ask(), await ask(), await ask()]).toEqual([404, 404, 429]);
  });

  test('a key ends by the clock, at once, also where it was remembered', async () => {
    const { key } = await api.createKey({ expiresAt: api.clock.now() + HOUR });
    expect(await ask(key)).toBe(404);
    api.clock.advance(5 * HOUR);
    expect(await ask(key)).toBe(401);
    expect(await ask()).toBe(404);
  });

  test('backwards: a revoked key is refused within a second all the same', async () => {
    const { key, id } = await api.createKey();
    expect(await ask(key)).toBe(404);
    api.clock.advance(-5 * HOUR);
    await api.store.revokeRootKey(id);
    await api.changes.poll();
    expect(await ask(key)).toBe(401);
  });

  test('backwards: the log of changes is not read over and over from before the jump', async () => {
    const sizes: number[] = [];
    const store = {
      async changesSince(seq: number) {
        const news = await api.store.changesSince(seq);
        sizes.push(news.changes.length);
        return news;
      },
    };
    const changes = startChangeFeed(store, { clock: api.clock, intervalMs: HOUR });
    await changes.poll();
    api.clock.advance(-5 * HOUR);
    for (let i = 0; i < 20; i += 1) {
      await api.createKey();
      api.clock.advance(SECOND);
      await changes.poll();
    }
    await changes.stop();
    expect(Math.max(...sizes)).toBeLessThan(15);
  });
});
