import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import { challengeRecordOf } from '../../server/src/domain/wildcard.ts';
import { createWorld, type World } from '../support/dns-world.ts';

let world: World;
beforeEach(async () => {
  let drawn = 0.5;
  world = await createWorld({
    random: () => {
      drawn -= 1e-9;
      return drawn;
    },
  });
});
afterEach(() => world.close());

const create = (workspaceId = 'ws_1') =>
  world.create('*.shop.acme.com', { workspaceId, challengeZone: 'acme.nameplate.test' });

/** The names below the base that were asked for so far. */
function labelsAsked(): string[] {
  const names = world.dns.log().map(({ name }) => name);
  return [...new Set(names.filter((name) => /^np\w+\.shop\.acme\.com$/.test(name)))];
}

describe('a wildcard', () => {
  test('is verified by its CNAME alone, with a route and a wanted certificate of its own name', async () => {
    const domain = await create();
    world.publish(domain, 'routing');
    expect(await world.check(domain)).toMatchObject({ status: 'verified', ownershipVerifiedAt: null });
    expect(await world.store.findCertificate('*.shop.acme.com')).toMatchObject({ state: 'wanted' });
    expect(await world.store.findSite('*.shop.acme.com')).toMatchObject({ domainId: domain.id });
  });

  test.each([
    ['of the base name', 'shop.acme.com'],
    ['of one name below it', 'www.shop.acme.com'],
    ['two labels below it', '*.www.shop.acme.com'],
  ])('is not verified by a CNAME %s', async (_, name) => {
    const domain = await create();
    world.dns.set(name, 'CNAME', [domain.target]);
    expect(await world.check(domain)).toMatchObject({ status: 'verifying', routingVerifiedAt: null });
  });

  test('is told that a broader wildcard answers in its place', async () => {
    const domain = await create();
    world.dns.set('*.acme.com', 'CNAME', ['old.example.net']);
    expect((await world.check(domain)).verificationError).toContain(
      'That wildcard record is at a name above this one.',
    );
  });

  test('of addresses, behind a proxy, is verified by its TXT record at the base name', async () => {
    const domain = await create();
    world.dns.set('*.shop.acme.com', 'A', ['192.0.2.7']);
    expect((await world.check(domain)).status).toBe('verifying');
    world.publish(domain, 'ownership');
    expect(await world.check(domain)).toMatchObject({ status: 'verified', routingVerifiedAt: null });
  });

  test('is asked for by another label in each check', async () => {
    const domain = await create();
    await world.check(domain);
    const first = labelsAsked();
    await world.check(domain);
    const both = labelsAsked();
    expect(first.length).toBeGreaterThan(0);
    expect(both.length).toBeGreaterThan(first.length);
  });

  test('has the flag of its challenge record as of the last check, before and after it is verified by the others', async () => {
    const domain = await create();
    const record = challengeRecordOf(domain, null);
    if (record === null) throw new Error('it has one');
    expect((await world.check(domain)).challengeVerifiedAt).toBe(null);
    world.dns.set(record.name, 'CNAME', [record.value]);
    const found = await world.check(domain);
    expect(found).toMatchObject({ status: 'verifying', challengeVerifiedAt: world.clock.now() });
    world.dns.remove(record.name);
    expect((await world.check(domain)).challengeVerifiedAt).toBe(null);
    world.publish(domain, 'routing');
    // The wildcard answers at that name now, and leads elsewhere than a CA has to be led.
    expect(await world.check(domain)).toMatchObject({ status: 'verified', challengeVerifiedAt: null });
  });
});

describe('two workspaces with the same wildcard', () => {
  const publishBoth = (domain: Domain) => world.publish(domain);

  test('the one that proves it in two checks, while nothing is left of the other, takes it over', async () => {
    const first = await create();
    publishBoth(first);
    expect((await world.check(first)).status).toBe('verified');
    world.clock.pass(1000);
    const second = await create('ws_2');
    world.publish(second, 'routing');
    // Without the TXT record a claim proves nothing.
    expect((await world.check(second)).status).toBe('verifying');
    world.publish(second);
    await world.check(second);
    expect(await world.check(second)).toMatchObject({ status: 'verified' });
    expect(await world.read(first)).toMatchObject({ status: 'failed' });
    expect(await world.store.findSite('*.shop.acme.com')).toMatchObject({ domainId: second.id });
  });
});

describe('a wildcard and a name below it, of two workspaces', () => {
  test.each(['wildcard first', 'name first'])('are both verified, each by its own record (%s)', async (order) => {
    const make = [() => create('ws_1'), () => world.create('one.shop.acme.com', { workspaceId: 'ws_2' })];
    const made: Domain[] = [];
    for (const one of order === 'name first' ? make.toReversed() : make) {
      const domain = await one();
      world.publish(domain, 'routing');
      expect(await world.check(domain)).toMatchObject({ status: 'verified' });
      made.push(domain);
    }
    for (const domain of made) {
      expect(await world.store.findSite(domain.name)).toMatchObject({ domainId: domain.id });
      expect((await world.read(domain)).status).toBe('verified');
    }
  });

  test('the record of the wildcard verifies no name below it for another workspace', async () => {
    const wildcard = await create('ws_1');
    world.publish(wildcard, 'routing');
    const one = await world.create('one.shop.acme.com', { workspaceId: 'ws_2' });
    expect((await world.check(one)).status).toBe('verifying');
  });
});
