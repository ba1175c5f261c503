import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import { ownershipName, ownershipValue } from '../../server/src/domain/records.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { seeded } from '../support/seeded-random.ts';
import { type HostileRecord, startHostileServer } from './hostile-server.ts';
import { type Internet, startInternet, type Zone } from './internet.ts';
import type { Host, Nameserver } from './knot.ts';
import { startMiddlebox } from './middlebox.ts';
import { dsData } from './registry.ts';
import { tamper } from './signed-zone.ts';
import { createInterop, type InteropWorld, ownershipLine, routingLine } from './world.ts';

/** A takeover takes two checks. */
const CHECKS = 6;
const SEEDS = Array.from({ length: Number(process.env.LAB_SEEDS ?? 1) }, (_, index) => index + 1);
const ADDRESS = '203.0.113.80';

let internet: Internet;
let servers: [Nameserver, Nameserver, Nameserver, Nameserver];
const opened: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  internet = await startInternet();
  servers = [...internet.nameservers, await internet.startNameserver(), await internet.startNameserver()];
}, START_LIMIT_MS);
afterAll(() => internet.close());
afterEach(async () => {
  for (const server of servers) server.resume();
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

let serial = 0;
const both = (domain: Domain) => `${routingLine(domain)}\n${ownershipLine(domain)}`;

interface Contest {
  world: InteropWorld;
  zone: Zone;
  incumbent: Domain;
  claimant: Domain;
}

/** A name that one workspace holds as verified, by both records, and that another claims. */
async function contest(hosts: Nameserver[], seed = 1, delegated: Host[] = hosts): Promise<Contest> {
  const world = await createInterop(internet, { random: seeded(seed).next, triesMs: [200, 400] });
  opened.push(world);
  const zone = await internet.register(`takeover${++serial}`, delegated);
  const name = `shop.${zone.name}`;
  const incumbent = await world.create(name);
  await zone.publish(both(incumbent), hosts);
  expect((await world.check(incumbent)).status).toBe('verified');
  world.clock.pass(60_000);
  return { world, zone, incumbent, claimant: await world.create(name, { workspaceId: 'ws_2' }) };
}

/** Who holds the name after some checks. */
async function holder({ world, incumbent, claimant }: Contest, checks = CHECKS): Promise<string> {
  for (let check = 0; check < checks; check++) await world.check(claimant);
  const [before, after] = await Promise.all([world.read(incumbent), world.read(claimant)]);
  const holders = [before, after].filter(({ status }) => status === 'verified').map(({ workspaceId }) => workspaceId);
  return holders.join();
}

describe('a takeover', () => {
  test('succeeds once the claimant has both records everywhere, and the incumbent none', async () => {
    const rivals = await contest(servers);
    await rivals.zone.publish(both(rivals.claimant), servers);
    expect(await holder(rivals, 3)).toBe('ws_2');
  });

  test.each(SEEDS)(
    'keeps the incumbent while one of four nameservers still has its TXT record (seed %i)',
    async (seed) => {
      const rivals = await contest(servers, seed);
      const last = servers[seed % servers.length] as Nameserver;
      await rivals.zone.publish(both(rivals.claimant), servers);
      await rivals.zone.publish(`${both(rivals.claimant)}\n${ownershipLine(rivals.incumbent)}`, [last]);
      expect(await holder(rivals)).toBe('ws_1');
    },
  );

  test.each(SEEDS)('keeps the incumbent while one of four nameservers still has its CNAME (seed %i)', async (seed) => {
    const rivals = await contest(servers, seed);
    const last = servers[seed % servers.length] as Nameserver;
    await rivals.zone.publish(both(rivals.claimant), servers);
    await rivals.zone.publish(`${routingLine(rivals.incumbent)}\n${ownershipLine(rivals.claimant)}`, [last]);
    expect(await holder(rivals)).toBe('ws_1');
  });

  test('keeps the incumbent while no nameserver answers', async () => {
    const [first] = servers;
    const rivals = await contest([first]);
    await rivals.zone.publish(both(rivals.claimant), [first]);
    first.pause();
    expect(await holder(rivals, 1)).toBe('ws_1');
  });

  test('keeps the incumbent while resolvers alone can reach the nameservers, and says why', async () => {
    const [first] = servers;
    let isOpen = true;
    const host = internet.spareHost();
    const box = await startMiddlebox(host, {
      port: internet.port,
      to: first.address,
      treat: (_query, from) => (isOpen || from === internet.resolver.address ? 'pass' : 'drop'),
      tcp: 'treated',
    });
    opened.push(box);
    const rivals = await contest([first], 1, [host]);
    const { world, zone, claimant } = rivals;
    await zone.publish(both(claimant), [first]);
    await internet.resolver.forget(zone.name);
    expect((await world.ask(claimant.name, 'A')).answers[0]?.value).toBe(claimant.target);
    isOpen = false;
    expect(await holder(rivals, 3)).toBe('ws_1');
    expect((await world.read(claimant)).verificationError).toContain(
      `None of the nameservers of ${zone.name} answers (${host.host})`,
    );
    isOpen = true;
    expect(await holder(rivals, 3)).toBe('ws_2');
  });

  test('keeps the incumbent while a nameserver shows its record in every second answer', async () => {
    const rivals = await contest([servers[0]]);
    const { zone, claimant, incumbent } = rivals;
    const host = internet.spareHost();
    const txt = (domain: Domain): HostileRecord => ({
      name: ownershipName(domain),
      type: 'TXT',
      data: ownershipValue(domain),
    });
    const cname: HostileRecord = { name: claimant.name, type: 'CNAME', data: claimant.target };
    const server = await startHostileServer(host, {
      port: internet.port,
      zone: zone.name,
      records: () => [cname, txt(claimant), txt(incumbent)],
      respond: ({ before, type }, ordinary) =>
        type === 'TXT' && before % 2 === 0 ? { ...ordinary, answers: ordinary.answers.slice(0, 1) } : ordinary,
    });
    opened.push(server);
    await zone.delegate([host]);
    await internet.resolver.forget(zone.name);
    expect(await holder(rivals)).toBe('ws_1');
  });

  test('keeps the incumbent where the absence of its record is bogus', async () => {
    const [first] = servers;
    const rivals = await contest([first]);
    const { zone, claimant, incumbent } = rivals;
    // Signed with the incumbent's CNAME; somebody on the path answers an address instead.
    const other = '198.51.100.80';
    await zone.publish(`shop A ${other}\n${ownershipLine(claimant)}`, [first], { signed: true });
    await zone.secure((await first.readDs(zone.name)).map(dsData));
    await first.serve(zone.name, tamper(await first.readZone(zone.name), other, ADDRESS));
    await internet.resolver.forget(zone.name);
    expect(await holder(rivals)).toBe('ws_1');
    expect((await rivals.world.read(incumbent)).verificationError).toBe(null);
  });
});
