import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import { ownershipName, ownershipValue } from '../../server/src/domain/records.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { seeded } from '../support/seeded-random.ts';
import { answerWith } from './dns-packets.ts';
import { type HostileOptions, type HostileRecord, type HostileServer, startHostileServer } from './hostile-server.ts';
import { type Internet, startInternet, type Zone } from './internet.ts';
import type { Nameserver, ZoneKey } from './knot.ts';
import { dsData } from './registry.ts';
import { tamper, withExpiredSignatures } from './signed-zone.ts';
import { createInterop, type InteropWorld, ownershipLine, routingLine } from './world.ts';

/** Checks of each zone: each begins with another nameserver, at random. */
const CHECKS = 8;
const SEEDS = Array.from({ length: Number(process.env.LAB_SEEDS ?? 1) }, (_, index) => index + 1);
const ELSEWHERE = '203.0.113.80';

let internet: Internet;
let servers: [Nameserver, Nameserver, Nameserver, Nameserver];
const opened: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  internet = await startInternet();
  servers = [...internet.nameservers, await internet.startNameserver(), await internet.startNameserver()];
}, START_LIMIT_MS);
afterAll(() => internet.close());
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

async function openWorld(seed = 1): Promise<InteropWorld> {
  const world = await createInterop(internet, { random: seeded(seed).next, triesMs: [200, 400] });
  opened.push(world);
  return world;
}

let serial = 0;
const label = () => `never${++serial}`;

async function openHostile(zone: Zone, options: Omit<HostileOptions, 'port' | 'zone'>): Promise<HostileServer> {
  const host = internet.spareHost();
  const server = await startHostileServer(host, { port: internet.port, zone: zone.name, ...options });
  opened.push(server);
  await zone.delegate([host]);
  return server;
}

/** The statuses that the domain had; a healthy zone would be verified by the first check. */
async function statuses(world: InteropWorld, domain: Domain, checks = CHECKS): Promise<string[]> {
  const seen = new Set<string>();
  for (let check = 0; check < checks; check++) seen.add((await world.check(domain)).status);
  return [...seen];
}

const both = (domain: Domain) => `${routingLine(domain)}\n${ownershipLine(domain)}`;
const bothRecords = (domain: Domain): HostileRecord[] => [
  { name: domain.name, type: 'CNAME', data: domain.target },
  { name: ownershipName(domain), type: 'TXT', data: ownershipValue(domain) },
];

describe('never verified: parent and child that disagree about the nameservers', () => {
  test('the records are at nameservers that only the zone itself names', async () => {
    const world = await openWorld();
    const [parents, child] = servers;
    const zone = await internet.register(label(), [parents]);
    const domain = await world.create(`shop.${zone.name}`);
    const ownHosts = [child];
    await zone.publish('', [parents], { ownHosts });
    await zone.publish(both(domain), [child], { ownHosts });
    expect(await statuses(world, domain)).toEqual(['verifying']);
  });

  test.each(SEEDS)(
    'one of the nameservers that only the parent names does not have the records (seed %i)',
    async (seed) => {
      const world = await openWorld(seed);
      const [known, forgotten] = servers;
      const zone = await internet.register(label(), [known, forgotten]);
      const domain = await world.create(`shop.${zone.name}`);
      const ownHosts = [known];
      await zone.publish(both(domain), [known], { ownHosts });
      await zone.publish('', [forgotten], { ownHosts });
      expect(await statuses(world, domain)).toEqual(['verifying']);
    },
  );
});

describe('never verified: signatures that do not validate', () => {
  async function signedZone() {
    const world = await openWorld();
    const [first] = servers;
    const zone = await internet.register(label(), [first]);
    const domain = await world.create(`shop.${zone.name}`);
    const ds = async () => (await first.readDs(zone.name)).map(dsData);
    /** Serves the signed zone as changed, without signing it again. */
    const serveChanged = async (change: (signed: string, keys: ZoneKey[]) => string) => {
      await first.serve(zone.name, change(await first.readZone(zone.name), await first.readKeys(zone.name)));
    };
    await zone.publish(both(domain), [first], { signed: true });
    return { world, zone, domain, ds, serveChanged };
  }

  test('one record was changed after it was signed', async () => {
    const { world, zone, domain, ds, serveChanged } = await signedZone();
    await zone.publish(`${domain.name}. CNAME old.platform.test.\n${ownershipName(domain)}. TXT "old"`, undefined, {
      signed: true,
    });
    await zone.secure(await ds());
    await serveChanged((signed) =>
      tamper(tamper(signed, 'old.platform.test.', `${domain.target}.`), '"old"', `"${ownershipValue(domain)}"`),
    );
    expect(await statuses(world, domain, 4)).toEqual(['verifying']);
  });

  test('the signatures have expired', async () => {
    const { world, zone, domain, ds, serveChanged } = await signedZone();
    await zone.secure(await ds());
    await serveChanged(withExpiredSignatures);
    expect(await statuses(world, domain, 4)).toEqual(['verifying']);
  });

  test('the DS record at the parent is of another key', async () => {
    const { world, zone, domain, ds } = await signedZone();
    await zone.secure((await ds()).map((one) => one.replace(/[0-9a-f]{8}$/i, '00000000')));
    expect(await statuses(world, domain, 4)).toEqual(['verifying']);
  });

  test('and the same zone is verified once they do', async () => {
    const { world, zone, domain, ds } = await signedZone();
    await zone.secure(await ds());
    expect(await statuses(world, domain, 1)).toEqual(['verified']);
  });
});

describe('never verified: nameservers that contradict each other or themselves', () => {
  test('the last by name of four whose addresses are not in the referral does not have the records', async () => {
    const world = await openWorld();
    // Below another top-level domain, whose nameservers the registry of this one may not speak for.
    const hosts = servers.map(({ host, address }) => ({ host: host.replace(/\.test$/, '.net'), address }));
    const order = servers.toSorted((a, b) => (a.host < b.host ? -1 : 1));
    const zone = await internet.register(label(), hosts);
    const domain = await world.create(`shop.${zone.name}`);
    const ownHosts = hosts;
    await zone.publish(both(domain), order.slice(0, 3), { ownHosts });
    await zone.publish('', order.slice(3), { ownHosts });
    expect(await statuses(world, domain, 4)).toEqual(['verifying']);
    await zone.publish(both(domain), order.slice(3), { ownHosts });
    expect(await statuses(world, domain, 1)).toEqual(['verified']);
  });

  test.each([...SEEDS, 100])('two of four are old (seed %i)', async (seed) => {
    const world = await openWorld(seed);
    const random = seeded(seed);
    const order = servers.toSorted(() => random.next() - 0.5);
    const zone = await internet.register(label(), servers);
    const domain = await world.create(`shop.${zone.name}`);
    await zone.publish(both(domain), order.slice(0, 2));
    await zone.publish('shop CNAME old.platform.test.', order.slice(2));
    expect(await statuses(world, domain)).toEqual(['verifying']);
    await zone.publish(both(domain), order.slice(2));
    expect(await statuses(world, domain, 1)).toEqual(['verified']);
  });

  test.each([
    ['every second answer has the records', (before: number) => before % 2 === 0],
    ['every second answer lacks them', (before: number) => before % 2 === 1],
  ])('alternating answers: %s', async (_title, hasThem) => {
    const world = await openWorld();
    const zone = await internet.register(label());
    const domain = await world.create(zone.name, { kind: 'apex' });
    await openHostile(zone, {
      records: () => bothRecords(domain).filter(({ type }) => type === 'TXT'),
      respond: ({ before, type }, ordinary) =>
        type !== 'TXT' || hasThem(before) ? ordinary : { ...ordinary, answers: [], authorities: ['soa'] },
    });
    expect(await statuses(world, domain)).toEqual(['verifying']);
  });

  test.each([
    ['in one answer', () => 'both'],
    ['each for its own type', () => 'own'],
    ['in turn', (before: number) => (before % 2 === 0 ? 'cname' : 'address')],
  ])('an address beside the CNAME: %s', async (_title, mode) => {
    const world = await openWorld();
    const zone = await internet.register(label());
    const domain = await world.create(`shop.${zone.name}`);
    const cname: HostileRecord = { name: domain.name, type: 'CNAME', data: domain.target };
    const address: HostileRecord = { name: domain.name, type: 'A', data: ELSEWHERE };
    await openHostile(zone, {
      records: () => [cname, address],
      respond({ name, type, before }, ordinary) {
        if (name !== domain.name) return ordinary;
        const chosen = {
          both: [cname, address],
          own: type === 'CNAME' ? [cname] : [address],
          cname: [cname],
          address: [address],
        };
        const answers = chosen[mode(before) as keyof typeof chosen];
        return type === 'A' || type === 'CNAME' ? { authoritative: true, answers, authorities: [] } : ordinary;
      },
    });
    expect(await statuses(world, domain)).toEqual(['verifying']);
  });
});

describe('never verified: answers of servers without authority', () => {
  test('off-path answers: of another address, with another id, to another question', async () => {
    const world = await openWorld();
    const zone = await internet.register(label());
    const domain = await world.create(zone.name, { kind: 'apex' });
    const attacker = createSocket('udp4').bind(internet.port, internet.spareHost().address);
    await once(attacker, 'listening');
    const matching: HostileRecord = { name: ownershipName(domain), type: 'TXT', data: ownershipValue(domain) };
    await openHostile(zone, {
      records: () => [],
      forge: ({ type }, response) => (type === 'TXT' ? forgeries(response, matching, attacker) : []),
    });
    expect(await statuses(world, domain)).toEqual(['verifying']);
    attacker.close();
  });

  test('a nameserver that lies about another zone: in answers, in referrals, in glue', async () => {
    const world = await openWorld();
    const [first] = servers;
    const victim = await internet.register(label(), [first]);
    await victim.publish('');
    const attacker = await internet.register(label());
    const stolen = await world.create(`shop.${victim.name}`);
    const stolenApex = await world.create(victim.name, { kind: 'apex' });
    const own = await world.create(`shop.${attacker.name}`);
    const host = internet.spareHost();
    const claims = [...bothRecords(stolen), ...bothRecords(stolenApex).filter(({ type }) => type === 'TXT')];
    const takesOver: HostileRecord[] = ['test', victim.name].map((name) => ({ name, type: 'NS', data: host.host }));
    const liar = await startHostileServer(host, {
      port: internet.port,
      zone: attacker.name,
      // Its chain leads through the name of another zone, about which it then answers itself.
      records: () => [{ name: own.name, type: 'CNAME', data: stolen.name }],
      respond: (_query, ordinary) => ({
        authoritative: true,
        answers: [...ordinary.answers, { name: stolen.name, type: 'CNAME', data: own.target }, ...claims],
        authorities: takesOver,
        additionals: [
          { name: host.host, type: 'A', data: host.address },
          { name: first.host, type: 'A', data: host.address },
        ],
      }),
    });
    opened.push(liar);
    await attacker.delegate([host]);
    for (const domain of [own, stolen, stolenApex]) expect(await statuses(world, domain, 3)).toEqual(['verifying']);
    expect(liar.queries()).toBeGreaterThan(0);
  });
});

/** Responses of an attacker who knows at most one of the query's port and id. */
function forgeries(response: Buffer, record: HostileRecord, attacker: Socket) {
  const matching = answerWith(response, record);
  const otherId = Buffer.from(matching);
  otherId.writeUInt16BE((otherId.readUInt16BE(0) + 1) & 0xffff);
  const otherQuestion = Buffer.from(matching);
  // The first letter of the name in the question.
  otherQuestion.writeUInt8(otherQuestion.readUInt8(13) ^ 0x01, 13);
  return [{ octets: matching, from: attacker }, { octets: otherId }, { octets: otherQuestion }];
}
