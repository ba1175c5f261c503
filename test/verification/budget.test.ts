import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Simulator } from '../../playground/dns/simulator.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { createWorld, type World } from '../support/dns-world.ts';

/** Packets of one check, counted at every nameserver and at the resolver. */

let world: World;
let servers: Simulator[];
beforeEach(async () => {
  world = await createWorld();
  servers = [world.dns];
  for (const host of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6', '127.0.0.7'])
    servers.push(await world.server(host));
  const names = servers.map((_, i) => `ns${i + 1}.acme.com`);
  for (const server of servers) {
    server.setZone('acme.com', names);
    for (const [i, { address }] of servers.entries()) server.set(`ns${i + 1}.acme.com`, 'A', [address]);
  }
});
afterEach(() => world.close());

/** Without those for a public suffix, which all checks share. */
async function packetsOf(domain: Domain): Promise<number> {
  const before = servers.map((server) => server.log().length);
  await world.check(domain);
  const queries = servers.flatMap((server, i) => server.log().slice(before[i]));
  return queries.filter(({ name }) => name.includes('.')).length;
}

function everywhere(name: string, type: string, values: string[]): void {
  for (const server of servers) server.set(name, type, values);
}

/** Each leaves the domain unverified, and makes a check look at everything. */
const WRONG: Record<string, (domain: Domain) => void> = {
  'nothing there': () => {},
  'wrong records': ({ name }) => {
    everywhere(name, 'A', ['192.0.2.7']);
    everywhere(`_service.${name}`, 'TXT', ['wrong']);
  },
  'records at one nameserver alone': (domain) => world.publish(domain),
};

test.each(Object.entries(WRONG))(
  'a check of a zone with seven nameservers sends 40 queries at most: %s',
  async (_, publish) => {
    const domain = await world.create('shop.acme.com');
    publish(domain);
    const packets = await packetsOf(domain);
    expect(packets).toBeLessThanOrEqual(40);
    // Otherwise this would not say much.
    expect(packets).toBeGreaterThan(15);
  },
);

test('and that is enough to verify a domain through both records at six of them', async () => {
  const domain = await world.create('d.acme.com');
  for (const server of servers) world.publish(domain, undefined, server);
  expect(await packetsOf(domain)).toBeLessThanOrEqual(40);
  expect(await world.read(domain)).toMatchObject({ status: 'verified', ownershipVerifiedAt: world.clock.now() });
});
