import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DueLoop } from '../../server/src/base/due-loop.ts';
import { createLog } from '../../server/src/base/log.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { createMonitor } from '../../server/src/verification/monitor.ts';
import { observe } from '../../server/src/verification/observation/observe.ts';
import type { SelfChecker } from '../../server/src/verification/observation/self-check.ts';
import { createWorld, type World } from '../support/dns-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let world: World;
let monitor: DueLoop;
/** Addresses that answer as the edge does; every other one is another server. */
let ours: Set<string>;
let metrics: ReturnType<typeof createMetrics>;

const checkSelf: SelfChecker = async (hostname, signal, addressesOf = hostname) => {
  const found = await world.resolver.lookupAddresses(addressesOf, { signal });
  if (found.kind === 'unreadable') return { kind: 'unreadable', seen: found };
  if (found.kind === 'absent') return { kind: 'no_address', chain: found.chain };
  const answers = found.addresses.map((address) => ({
    address,
    outcome: ours.has(address) ? ('ours' as const) : ('another' as const),
    seen: null,
    responded: true,
    noRoute: false,
  }));
  return { kind: 'checked', at: world.clock.now(), answers, chain: found.chain };
};

beforeEach(async () => {
  world = await createWorld();
  world.dns.set('*.cname.nameplate.test', 'A', ['192.0.2.10']);
  ours = new Set(['192.0.2.10']);
  metrics = createMetrics();
  const { store, resolver, clock } = world;
  monitor = createMonitor({
    store,
    observe: (domain, depth, signal) => observe(resolver, domain, null, { depth, signal, random: () => 0.5 }),
    checkSelf,
    mode: 'tell',
    cnameZone: 'cname.nameplate.test',
    clock,
    random: () => 0.5,
    log: createLog('silent'),
    metrics,
  });
});
afterEach(async () => {
  await monitor.stop();
  await world.close();
});

async function verified(name: string, kind: Domain['kind'] = 'subdomain'): Promise<Domain> {
  const domain = await world.create(name, { kind });
  world.publish(domain);
  const after = await world.check(domain);
  expect(after.status).toBe('verified');
  return after;
}

/** Lets so much time pass, and re-checks all that is due. Resolves with the number of re-checks. */
async function passes(ms: number): Promise<number> {
  world.clock.pass(ms);
  return monitor.runOnce();
}

async function eventsOf({ workspaceId, id }: Domain): Promise<string[]> {
  const { items } = await world.store.listDomainEvents(workspaceId, id, { limit: 100 });
  return items.map(({ type }) => type).toReversed();
}

const VERIFIED_EVENTS = ['domain.created', 'record.seen', 'record.seen', 'domain.verified'];

test('a healthy domain is looked at an hour after verification, then once a day, and nothing of it changes', async () => {
  const domain = await verified('shop.acme.com');
  expect(await passes(30 * MINUTE_MS)).toBe(0);
  expect(await passes(30 * MINUTE_MS)).toBe(1);
  expect(await passes(12 * HOUR_MS)).toBe(0);
  expect(await passes(12 * HOUR_MS)).toBe(1);
  expect(await world.read(domain)).toEqual(domain);
  expect((await eventsOf(domain)).toSorted()).toEqual(VERIFIED_EVENTS.toSorted());
});

test('a lost record is reported after a second look ten minutes later, and cleared by the first healthy one', async () => {
  const domain = await verified('shop.acme.com');
  world.dns.remove('shop.acme.com', 'CNAME');
  world.dns.remove('_service.shop.acme.com', 'TXT');
  await passes(DAY_MS);
  expect(await world.read(domain)).toEqual(domain);
  expect(await passes(5 * MINUTE_MS)).toBe(0);
  expect(await passes(5 * MINUTE_MS)).toBe(1);
  const drifted = await world.read(domain);
  expect(drifted).toMatchObject({ status: 'verified', routingVerifiedAt: null, ownershipVerifiedAt: null });
  expect(drifted.verificationError).toContain('shop.acme.com');
  expect(await world.store.countDrifted()).toBe(1);
  expect(await world.store.findSite('shop.acme.com')).toMatchObject({ domainId: domain.id });

  world.publish(domain);
  await passes(HOUR_MS);
  const recovered = await world.read(domain);
  expect(recovered).toMatchObject({ status: 'verified', verificationError: null });
  expect([recovered.routingVerifiedAt, recovered.ownershipVerifiedAt]).not.toContain(null);
  expect(await world.store.countDrifted()).toBe(0);
  expect((await eventsOf(domain)).slice(VERIFIED_EVENTS.length)).toEqual([
    'record.lost',
    'record.lost',
    'domain.drifted',
    'record.seen',
    'record.seen',
    'domain.recovered',
  ]);
});

test('the event of a lost record has the values that were there instead', async () => {
  const domain = await verified('shop.acme.com');
  world.dns.remove('shop.acme.com', 'CNAME');
  world.dns.set('shop.acme.com', 'CNAME', ['old.example.net']);
  world.dns.set('_service.shop.acme.com', 'TXT', ['v=spf1 -all', 'another']);
  await passes(DAY_MS);
  await passes(10 * MINUTE_MS);
  const { items } = await world.store.listDomainEvents(domain.workspaceId, domain.id, { limit: 100 });
  const lost = items.flatMap(({ type, data }) =>
    type === 'record.lost' ? [{ record: data.record, seen: data.seen }] : [],
  );
  expect(lost.toSorted((a, b) => `${a.record}`.localeCompare(`${b.record}`))).toEqual([
    { record: 'ownership', seen: ['another', 'v=spf1 -all'] },
    { record: 'routing', seen: ['old.example.net'] },
  ]);
  expect((await world.read(domain)).verificationError).toBe(
    `shop.acme.com is a CNAME to "old.example.net". That host does not exist. It has to lead to ${domain.target}. In the DNS settings of acme.com, change the CNAME record. Name: \`shop\`, Value: \`${domain.target}\`.`,
  );
});

test('a domain that has drifted is told with what to change, and again when there is another mistake', async () => {
  const domain = await verified('shop.acme.com');
  const told = async () =>
    (await world.store.listDomainEvents(domain.workspaceId, domain.id, { limit: 100 })).items
      .filter(({ type }) => type === 'domain.drifted' || type === 'diagnosis.changed')
      .map(({ type, data }) => ({ type, seen: data.findings?.[0]?.seen, value: data.findings?.[0]?.action?.value }));
  const value = domain.target;
  world.dns.remove('_service.shop.acme.com', 'TXT');
  world.dns.set('shop.acme.com', 'CNAME', ['old.example.net']);
  await passes(DAY_MS);
  await passes(10 * MINUTE_MS);
  const drifted = { type: 'domain.drifted', seen: ['old.example.net'], value };
  expect(await told()).toEqual([drifted]);
  await passes(HOUR_MS);
  expect(await told()).toEqual([drifted]);
  world.dns.set('shop.acme.com', 'CNAME', ['typo.example.net']);
  await passes(HOUR_MS);
  expect(await told()).toEqual([{ type: 'diagnosis.changed', seen: ['typo.example.net'], value }, drifted]);
});

test('a loss that is over before the second look leaves no trace', async () => {
  const domain = await verified('shop.acme.com');
  world.dns.remove('shop.acme.com', 'CNAME');
  await passes(DAY_MS);
  world.publish(domain);
  await passes(DAY_MS);
  expect(await world.read(domain)).toEqual(domain);
  expect(await eventsOf(domain)).toHaveLength(VERIFIED_EVENTS.length);
});

test('a record that is missing but not needed changes its flag only', async () => {
  const domain = await verified('shop.acme.com');
  world.dns.remove('_service.shop.acme.com', 'TXT');
  await passes(DAY_MS);
  await passes(10 * MINUTE_MS);
  const { revision, updatedAt, ownershipVerifiedAt, ...rest } = await world.read(domain);
  expect(domain).toMatchObject(rest);
  expect({ ownershipVerifiedAt, updatedAt }).toEqual({ ownershipVerifiedAt: null, updatedAt: world.clock.now() });
  expect((await eventsOf(domain)).at(-1)).toBe('record.lost');
});

describe('an apex', () => {
  test('whose addresses lead elsewhere is reported, though its TXT record matches', async () => {
    const domain = await verified('acme.com', 'apex');
    await passes(DAY_MS);
    expect(await world.read(domain)).toEqual(domain);
    world.dns.remove('acme.com', 'ALIAS');
    world.dns.set('acme.com', 'A', ['192.0.2.99']);
    await passes(DAY_MS);
    await passes(10 * MINUTE_MS);
    expect((await world.read(domain)).verificationError).toMatch(
      /^acme\.com has the address 192\.0\.2\.99, which leads to another server\./,
    );
  });

  test('is not reported while our own edge does not answer', async () => {
    const domain = await verified('acme.com', 'apex');
    ours.clear();
    for (let i = 0; i < 48; i++) await passes(HOUR_MS);
    expect(await world.read(domain)).toEqual(domain);
  });
});

test.each([
  ['every nameserver fails', 'servfail'],
  ['every nameserver refuses', 'refused'],
] as const)('an hour in which %s: no flag, no status, no event', async (_, fault) => {
  const domain = await verified('shop.acme.com');
  const apex = await verified('other.com', 'apex');
  for (const name of ['acme.com', 'other.com']) world.dns.fail(name, fault);
  for (let i = 0; i < 6; i++) await passes(10 * MINUTE_MS);
  await passes(DAY_MS);
  expect(await world.read(domain)).toEqual(domain);
  expect(await world.read(apex)).toEqual(apex);
  expect(await eventsOf(domain)).toHaveLength(VERIFIED_EVENTS.length);
  for (const name of ['acme.com', 'other.com']) world.dns.unfail(name);
});

test('an hour without resolvers and nameservers: no flag, no status, no event', async () => {
  const domain = await verified('shop.acme.com');
  await world.silence();
  await passes(HOUR_MS);
  expect(await world.read(domain)).toEqual(domain);
  const { values } = await metrics.rechecks.get();
  expect(values.filter(({ value }) => value > 0)).toMatchObject([{ labels: { outcome: 'unreadable' }, value: 1 }]);
});

test('a re-check changes nothing of a domain that is deleted or taken over meanwhile', async () => {
  const domain = await verified('shop.acme.com');
  world.dns.remove('shop.acme.com', 'CNAME');
  await passes(DAY_MS);
  world.clock.pass(10 * MINUTE_MS);
  const running = monitor.runOnce();
  await world.store.deleteDomain(domain.workspaceId, domain.id, world.clock.now());
  await running;
  expect(await world.store.findDomainById(domain.workspaceId, domain.id)).toBe(null);
  expect((await eventsOf(domain)).at(-1)).toBe('domain.deleted');
});
