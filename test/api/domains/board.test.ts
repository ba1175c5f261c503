import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_MEMORY } from '../../../server/src/domain/status.ts';
import { ALL_GRANTS, dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { aLedgerEntry, anIssuedCertificate, anOrder, aSave, DAY_MS, prove } from '../../support/certificates.ts';
import { failedAt, prepare, verifyingAt } from '../../support/entities.ts';

let api: Harness;
let tree: Tree;
let staging: string;
const HOUR_MS = 3_600_000;
const limits = [{ name: 'orders' as const, limit: 3, windowMs: HOUR_MS }];
const FROM_CADDY = { moved_from: 'caddy' };
const CAA = 'A CAA record forbids the CA.';

/** Names in every state: those that begin with `old` were moved here from Caddy. */
beforeAll(async () => {
  api = await startApi({
    settings: { edgeAddresses: ['198.51.100.7'], ordering: { issuers: ['https://ca.example'], limits } },
  });
  tree = await api.createTree();
  const made = await api.call('environments.createEnvironment', { project: 'demo', app: 'web', slug: 'staging' });
  staging = dataOf<{ environmentId: string }>(made).environmentId;
  const now = api.clock.now();
  const add = async (name: string, about: object = {}, environment = tree.environment) => {
    const metadata = name.startsWith('old') ? { metadata: { moved_from: 'caddy', plan: 'pro' } } : {};
    dataOf(await api.call('domains.createDomain', { ...place, environment, domain: name, ...metadata, ...about }));
    const domain = await api.store.findDomainByName(api.workspaceId, name);
    if (domain === null) throw new Error('it was not created');
    return domain;
  };
  const { project, app } = tree;
  const place = { project, app };
  for (const name of ['old-ready.acme.com', 'old-moved.acme.com', 'old-caa.acme.com', 'new-expired.acme.com'])
    await prove(api.store, await add(name), now);
  const due = await api.store.claimCertificates({ now, limit: 9, leaseMs: 1000, newNames: true });
  for (const each of due) {
    const { hostname } = each.certificate;
    const problem = { reason: 'caa_forbids', message: CAA, at: now } as const;
    const notAfter = hostname.startsWith('new') ? now - 1 : now + DAY_MS;
    const issuer = hostname.startsWith('old-moved') ? 'moved' : 'internal';
    const issued = { state: 'issued', issued: anIssuedCertificate({ notAfter, issuer }) } as const;
    const about = hostname.startsWith('old-caa') ? ({ state: 'waiting_for_routing', problem } as const) : issued;
    await api.store.saveCertificate(aSave(each, about));
  }
  await prove(api.store, await add('old-wanted.acme.com', {}, 'staging'), now);
  const failed = await add('old-failed.acme.com');
  await api.store.saveTransition({ before: failed, after: failedAt(failed, now), memory: NO_MEMORY, now });
  const verifying = await add('old-verifying.acme.com');
  await api.store.saveTransition({ before: verifying, after: verifyingAt(verifying, now), memory: NO_MEMORY, now });
  await add('new-pending.acme.com');
  const other = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
  await api.createDomain(await api.createTree('demo', other.key), 'old-foreign.acme.com', other.key);
});
afterAll(() => api.close());

interface Item {
  domain: { domain: string; status: string };
  readyToSwitch?: true;
  blocker?: { reason: string };
}
const list = (query: object = {}, key = api.rootKey) => api.call('domains.listWorkspaceDomains', query, { key });
const count = (query: object = {}, key = api.rootKey) => api.call('domains.countSites', query, { key });
const reasons = async (query: object = {}, key = api.rootKey) =>
  dataOf<Item[]>(await list(query, key)).map(({ domain: { domain }, blocker }) => [
    domain.split('.')[0],
    blocker?.reason ?? 'ready',
  ]);
const everything = [
  ['new-expired', 'ordering'],
  ['new-pending', 'not_checked'],
  ['old-caa', 'caa_forbids'],
  ['old-failed', 'verification_failed'],
  ['old-moved', 'ready'],
  ['old-ready', 'ready'],
  ['old-verifying', 'not_verified'],
  ['old-wanted', 'not_ordered'],
];
const moved = everything.filter(([name]) => name?.startsWith('old'));

describe('domains.listWorkspaceDomains', () => {
  it('lists each name once, with why it is not ready to switch: an expired certificate does not count', async () => {
    expect(await reasons()).toEqual(everything);
    const items = dataOf<Item[]>(await list());
    // Those that are verified have switched, or can.
    for (const { readyToSwitch } of items) expect(readyToSwitch).toBeUndefined();
    const of = (name: string) => items.find(({ domain }) => domain.domain.startsWith(name));
    const now = api.clock.now();
    expect(of('old-moved')).toMatchObject({
      certificate: { state: 'issued', source: 'moved', notAfter: now + DAY_MS },
    });
    expect(of('old-ready')).toMatchObject({ certificate: { source: 'managed' } });
    expect(of('old-caa')?.blocker).toEqual({ reason: 'caa_forbids', message: CAA, since: now });
    expect(of('new-pending')).toMatchObject({ certificate: { state: 'none' } });
  });

  it("says what domains.getDomain says of a name that failed, and nothing of another's records", async () => {
    const { verificationError } = dataOf<{ verificationError: string }>(
      await api.call('domains.getDomain', { domain: 'old-failed.acme.com' }),
    );
    const failed = dataOf<Item[]>(await list()).find(({ domain }) => domain.domain.startsWith('old-failed'));
    expect(failed?.blocker).toMatchObject({ message: verificationError });
    expect(verificationError.length).toBeGreaterThan(0);
  });

  it.each([
    [{ metadata: FROM_CADDY }, moved],
    [{ metadata: { moved_from: 'vercel' } }, []],
    [{ ready: false }, everything.filter(([, why]) => why !== 'ready')],
    [{ ready: true }, everything.filter(([, why]) => why === 'ready')],
    [{ metadata: FROM_CADDY, ready: false }, moved.filter(([, why]) => why !== 'ready')],
  ])('filters by %j', async (query, expected) => {
    expect((await reasons(query)).toSorted()).toEqual(expected);
    const pages: string[] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const { body } = await list({ ...query, limit: 1, ...(cursor && { cursor }) });
      pages.push(...(body.data as Item[]).map(({ domain: { domain } }) => domain.split('.')[0] ?? ''));
      cursor = body.pagination?.cursor;
      more = body.pagination?.hasMore === true;
    }
    expect(pages.toSorted()).toEqual(expected.map(([name]) => name));
  });

  it('within one environment lists its names alone; one that the key may not read is not found', async () => {
    expect(await reasons({ within: { environment: staging } })).toEqual([['old-wanted', 'not_ordered']]);
    const { key } = await api.createKey({ permissions: [`environment.${staging}.read_domain`] });
    for (const call of [list, count])
      expect(await call({ within: { environment: tree.environmentId } }, key)).toMatchObject({ status: 404 });
    expect(await reasons({}, key)).toEqual([['old-wanted', 'not_ordered']]);
  });
});

describe('domains.getSite', () => {
  it('says that a prepared domain is ready to switch as long as its certificate is valid, and no longer', async () => {
    const other = await startApi();
    const domain = await other.createDomain(await other.createTree(), 'shop.acme.com');
    const now = other.clock.now();
    await prepare(other.store, domain, now);
    const [due] = await other.store.claimCertificates({ now, limit: 9, leaseMs: 1000, newNames: true });
    if (due === undefined) throw new Error('no certificate is wanted');
    const issued = anIssuedCertificate({ notAfter: now + DAY_MS });
    await other.store.saveCertificate(aSave(due, { state: 'issued', issued }));
    const get = async () => dataOf<Item>(await other.call('domains.getSite', { domain: domain.name }));
    expect(await get()).toMatchObject({ readyToSwitch: true });
    expect(await get()).not.toHaveProperty('blocker');
    other.clock.advance(DAY_MS);
    expect(await get()).toMatchObject({ blocker: { reason: 'ordering' } });
    expect(await get()).not.toHaveProperty('readyToSwitch');
    await other.close();
  });
});

describe('domains.countSites', () => {
  it('counts what listWorkspaceDomains lists under the same filter, and names the oldest of each reason', async () => {
    const { key } = await api.createKey({ permissions: [`environment.${staging}.read_domain`] });
    const queries = [
      {},
      { metadata: FROM_CADDY },
      { metadata: { moved_from: 'none' } },
      { within: { environment: staging } },
    ];
    for (const [query, own] of [...queries.map((each) => [each, api.rootKey] as const), [{}, key] as const]) {
      const counts = dataOf<Counts>(await count(query, own));
      const listed = await reasons(query, own);
      const others = listed.filter(([, why]) => why !== 'ready');
      expect(counts).toMatchObject({ total: listed.length, readyToSwitch: listed.length - others.length, live: 0 });
      expect(counts.blockers.map(({ reason, oldest }) => [oldest.domain.split('.')[0], reason]).toSorted()).toEqual(
        others.toSorted(),
      );
    }
    expect(dataOf(await count())).toMatchObject({ edgeAddresses: ['198.51.100.7'], countedAt: api.clock.now() });
  });

  it('says how long the names that wait for an order may have to, by the orders that the ledger has', async () => {
    const pace = { names: 2, windowMs: HOUR_MS, cas: 1 };
    expect(dataOf(await count())).toMatchObject({ waiting: 1, timeLeftMs: 0, pace });
    const now = api.clock.now();
    const other = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
    const place = await api.createTree('demo', other.key);
    for (const name of ['a.example.net', 'b.example.net'])
      await prove(api.store, await api.createDomain(place, name, other.key), now);
    const due = await api.store.claimCertificates({ now, limit: 9, leaseMs: 1000, newNames: true });
    for (const { certificate, lease } of due.filter((each) => each.certificate.hostname.endsWith('.net'))) {
      const order = anOrder({ hostname: certificate.hostname, issuer: 'https://ca.example' });
      const begun = { lease, order, entry: aLedgerEntry(order), limits: [], now };
      expect(await api.store.beginOrder(begun)).toEqual({ kind: 'begun' });
    }
    expect(dataOf(await count())).toMatchObject({ waiting: 1, timeLeftMs: HOUR_MS, pace });
    expect(dataOf(await count({ metadata: { moved_from: 'none' } }))).toMatchObject({ waiting: 0, timeLeftMs: 0 });
  });

  it('refuses a key that may read no domain at all, as listWorkspaceDomains does', async () => {
    const others = ALL_GRANTS.filter((grant) => grant !== 'environment.*.read_domain');
    const { key } = await api.createKey({ permissions: others });
    for (const call of [list, count]) expect(await call({}, key)).toMatchObject({ status: 403 });
  });

  it.each([
    { metadata: {} },
    { metadata: { a: 1 } },
    { metadata: { a: '1', b: '2' } },
    { within: {} },
    { ready: true },
  ])('refuses %j', async (query) => {
    expect(await count(query)).toMatchObject({ status: 400 });
  });
});

interface Counts {
  total: number;
  blockers: { reason: string; count: number; oldest: { domain: string } }[];
}
