import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownershipName } from '../../server/src/domain/records.ts';
import { createWorld, type World } from '../support/dns-world.ts';

// A process that is stopped during a check, or a machine that is suspended, continues with an old observation.

const HOUR = 3_600_000;

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

test('a check during which the process was suspended decides nothing: the domain is checked again before it fails', async () => {
  const domain = await world.create('www.acme.com');
  world.dns.delay(ownershipName(domain), 300);
  const checked = world.verifier.runOnce();
  await expect.poll(() => world.dns.log().some(({ name }) => name === ownershipName(domain))).toBe(true);
  world.clock.pass(25 * HOUR);
  expect(await checked).toBe(1);
  expect((await world.read(domain)).status).toBe('pending');
  world.publish(domain);
  expect((await world.check(domain)).status).toBe('verified');
});
