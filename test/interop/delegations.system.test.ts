import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type Internet, startInternet, type Zone } from './internet.ts';
import type { Nameserver } from './knot.ts';
import { checkThrice, createInterop, type InteropWorld, ownershipLine, routingLine } from './world.ts';

const HOUR_MS = 3_600_000;

let internet: Internet;
let world: InteropWorld;
let first: Nameserver;
let second: Nameserver;
beforeAll(async () => {
  internet = await startInternet();
  [first, second] = internet.nameservers;
}, START_LIMIT_MS);
afterAll(() => internet.close());
beforeEach(async () => {
  world = await createInterop(internet);
});
afterEach(() => world.close());

const apex = (zone: Zone) => world.create(zone.name, { kind: 'apex' });

describe('a zone below another', () => {
  test('at another provider is read from its own nameservers, not from those of the zone above', async () => {
    const above = await internet.register('above', [first]);
    const below = await internet.register('below.above', [second]);
    const known = await world.create(`api.${above.name}`);
    const domain = await world.create(`api.${below.name}`);
    await above.publish(`${routingLine(known)}\nbelow NS ${second.host}.`, [first]);
    await below.publish('', [second]);
    expect((await world.check(known)).status).toBe('verified');
    await below.publish(routingLine(domain), [second]);
    expect((await world.check(domain)).status).toBe('verified');
  });
});

describe('a zone without a working nameserver', () => {
  test('does not prevent a CNAME to a target in it from being verified', async () => {
    await internet.register('nameplate');
    await expect(world.ask('target1.cname.nameplate.test', 'A')).resolves.toMatchObject({ rcode: 'servfail' });
    const zone = await internet.register('unresolvable');
    const domain = await world.create(`api.${zone.name}`);
    await zone.publish(routingLine(domain));
    expect((await world.check(domain)).status).toBe('verified');
  });
});

describe('a zone that moves to another provider during the window', () => {
  /**
   * Published at the new provider alone, after the third check: the next ones ask one nameserver of the cached
   * delegation.
   */
  async function move(label: string): Promise<{ zone: Zone; domain: Domain }> {
    const zone = await internet.register(label);
    const domain = await apex(zone);
    await zone.publish('', [first]);
    await checkThrice(world, domain);
    await zone.delegate([second]);
    await zone.publish(ownershipLine(domain), [second]);
    return { zone, domain };
  }

  test('is verified at the new one at once by a check that looks at every nameserver: it asks the parent', async () => {
    const zone = await internet.register('moved-early');
    const domain = await apex(zone);
    await zone.publish('', [first]);
    await world.check(domain);
    await zone.delegate([second]);
    await zone.publish(ownershipLine(domain), [second]);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('is verified at the new one once we have read the delegation again, an hour later at most', async () => {
    const { domain } = await move('moved');
    // The old provider still serves the zone, and the cache points there.
    expect(await world.check(domain)).toMatchObject({ status: 'verifying', verificationError: null });
    world.clock.pass(HOUR_MS);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('and is removed at the old one: it is verified at the new one by the next checks', async () => {
    const { zone, domain } = await move('removed-there');
    await first.drop(zone.name);
    expect((await checkThrice(world, domain)).status).toBe('verified');
  });

  test('is not verified by records at the old one: the delegation is read again before a domain is verified', async () => {
    const zone = await internet.register('left-behind');
    const domain = await apex(zone);
    await zone.publish('', [first]);
    await world.check(domain);
    await zone.publish(ownershipLine(domain), [first]);
    await zone.delegate([second]);
    await zone.publish('', [second]);
    await internet.resolver.forget(zone.name);
    const told = await world.check(domain);
    expect(told).toMatchObject({ status: 'verifying', ownershipVerifiedAt: null });
    await zone.publish(ownershipLine(domain), [second]);
    expect((await world.check(domain)).status).toBe('verified');
  });
});
