import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownershipName, ownershipValue } from '../../server/src/domain/records.ts';
import { createWorld, type World } from '../support/dns-world.ts';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

test('a dangling CNAME verifies nothing for the next workspace that adds the name', async () => {
  const first = await world.create('shop.acme.com');
  world.publish(first);
  expect((await world.check(first)).status).toBe('verified');
  await world.store.deleteDomain(first.workspaceId, first.id, world.clock.now());

  const attacker = await world.create('shop.acme.com', { workspaceId: 'ws_2' });
  expect(await world.check(attacker)).toMatchObject({ status: 'verifying', routingVerifiedAt: null });
  expect((await world.check(attacker)).ownershipVerifiedAt).toBe(null);
  expect(await world.store.findSite('shop.acme.com')).toBe(null);
});

test('a wildcard CNAME verifies the domain whose target it names, and no other', async () => {
  const named = await world.create('shop.acme.com');
  const other = await world.create('blog.acme.com', { workspaceId: 'ws_2' });
  world.dns.set('*.acme.com', 'CNAME', [named.target]);
  expect((await world.check(named)).status).toBe('verified');
  expect(await world.read(other)).toMatchObject({ status: 'verifying', routingVerifiedAt: null });
});

test('a TXT left by a former owner takes nothing from the incumbent, nor does asking again and again', async () => {
  const former = await world.create('shop.acme.com', { workspaceId: 'ws_2' });
  world.publish(former, 'ownership');
  world.clock.pass(86_400_001);
  await world.verifier.runOnce();
  world.clock.pass(1);
  const owner = await world.create('shop.acme.com');
  world.publish(owner, 'routing');
  const proofs = [ownershipValue(former), ownershipValue(owner)];
  world.dns.set(ownershipName(owner), 'TXT', proofs);
  expect((await world.check(owner)).status).toBe('verified');

  for (let turn = 0; turn < 4; turn += 1) {
    await world.store.retryVerification('ws_2', former.id, world.clock.now(), 86_400_000);
    world.dns.set(ownershipName(owner), 'TXT', turn % 2 === 0 ? proofs : [ownershipValue(former)]);
    expect((await world.check(former)).status).not.toBe('verified');
    expect((await world.read(owner)).status).toBe('verified');
  }
  expect(await world.store.findSite('shop.acme.com')).toMatchObject({ domainId: owner.id });
});
