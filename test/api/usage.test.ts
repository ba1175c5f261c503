import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UsageCounts } from '../../server/src/store/store.ts';
import { dataOf, type Harness, START, startApi, type Tree } from '../support/api-harness.ts';
import { verify } from '../support/certificates.ts';
import { unique } from '../support/entities.ts';
import { usageIn } from '../support/usage.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

const counts = (requests: number): UsageCounts => ({
  requests,
  bytesIn: 10 * requests,
  bytesOut: 100 * requests,
  edgeErrors: 1,
  originErrors: 2,
});

/** A domain that was requested so often in each of these hours. */
async function used(hours: Record<number, number>, place = { ...tree, workspaceId: api.workspaceId }) {
  const found = await api.store.findEnvironment(place.workspaceId, place);
  if (found === null) throw new Error('there is no such environment');
  const domain = await verify(api.store, found, { name: `${unique('used')}.acme.com` });
  const { usageNumber = 0 } = (await api.store.findSite(domain.name)) ?? {};
  for (const [hour, requests] of Object.entries(hours))
    await api.store.addUsage({
      writer: unique('writer'),
      sequence: 1,
      ...usageIn(Number(hour), new Map([[usageNumber, counts(requests)]])),
    });
  return domain;
}

const get = async (body: object) => dataOf(await api.call('usage.getUsage', body));

test('usage is shown by hour, and by day of UTC', async () => {
  const { id, name } = await used({ [START]: 1, [START + HOUR]: 2, [START + 12 * HOUR]: 4 });
  expect(await get({ domain: name, from: START, to: START + DAY })).toEqual({
    domainId: id,
    domain: name,
    usage: [
      { at: START, ...counts(1) },
      { at: START + HOUR, ...counts(2) },
      { at: START + 12 * HOUR, ...counts(4) },
    ],
  });
  const days = [
    { at: START - 12 * HOUR, requests: 3, bytesIn: 30, bytesOut: 300, edgeErrors: 2, originErrors: 4 },
    { at: START + 12 * HOUR, ...counts(4) },
  ];
  expect(await get({ domain: id, from: 0, to: START + DAY, resolution: 'day' })).toMatchObject({ usage: days });
});

test('only hours that begin in the time count, up to now where no end is given', async () => {
  const { name } = await used({ [START - HOUR]: 1, [START]: 2, [START + HOUR]: 3 });
  expect(await get({ domain: name, from: START - 1 })).toMatchObject({ usage: [] });
  api.clock.set(START + 1);
  expect(await get({ domain: name, from: START - 1 })).toMatchObject({ usage: [{ at: START, requests: 2 }] });
  expect(await get({ domain: name, from: START, to: START })).toMatchObject({ usage: [] });
  api.clock.set(START);
});

test('a domain without usage has none, which is no error', async () => {
  const { name, id } = await api.createDomain(tree, 'unused.acme.com');
  expect(await get({ domain: name, from: 0 })).toEqual({ domainId: id, domain: name, usage: [] });
});

test('a time is one that a date can have, and no number beyond', async () => {
  const { name } = await api.createDomain(tree, 'times.acme.com');
  for (const times of [{ from: -1 }, { from: 0, to: 2 ** 63 }, { from: 8.64e15 + 1 }])
    for (const [operation, about] of [['usage.getUsage', { domain: name }] as const, ['usage.listUsage', {}] as const])
      expect((await api.call(operation, { ...about, ...times })).status).toBe(400);
});

test('the usage of a deleted domain is shown by its id, to a key that may read that of its environment', async () => {
  const { id, name } = await used({ [START]: 5 });
  await api.call('domains.deleteDomain', { domain: id });
  const asked = { domain: id, from: START, to: START + HOUR };
  expect(await get(asked)).toEqual({ domainId: id, usage: [{ at: START, ...counts(5) }] });
  expect(await api.call('usage.getUsage', { ...asked, domain: name })).toMatchObject({ status: 404 });
  const [some, none] = await Promise.all([
    api.createKey({ permissions: [`environment.${tree.environmentId}.read_usage`] }),
    api.createKey({ permissions: ['environment.env_other.read_usage'] }),
  ]);
  expect(await api.call('usage.getUsage', asked, { key: some.key })).toMatchObject({ status: 200 });
  expect(await api.call('usage.getUsage', asked, { key: none.key })).toMatchObject({ status: 404 });
});

test('a moved domain keeps its usage, which those of its new environment may read', async () => {
  const { id, name } = await used({ [START]: 5 });
  const place = { project: tree.project, app: tree.app };
  const slug = 'staging';
  const made = dataOf<{ environmentId: string }>(await api.call('environments.createEnvironment', { ...place, slug }));
  await api.call('domains.moveDomain', { domain: name, ...place, environment: slug });
  const { key } = await api.createKey({ permissions: [`environment.${made.environmentId}.read_usage`] });
  const asked = { domain: id, from: START, to: START + HOUR };
  expect(await api.call('usage.getUsage', asked, { key })).toMatchObject({ status: 200 });
  await api.call('domains.deleteDomain', { domain: id });
  expect(await api.call('usage.getUsage', asked, { key })).toMatchObject({ status: 200 });
});

test('the sums of all domains are listed page by page, deleted ones and no unused ones among them', async () => {
  const other = await api.createWorkspace();
  const { key } = await api.createKey({ workspaceId: other.id });
  const its = { workspaceId: other.id, ...(await api.createTree('bills', key)) };
  const domains = [];
  for (let i = 1; i <= 3; i++) domains.push(await used({ [START]: i, [START + DAY]: i, [START + 40 * DAY]: 9 }, its));
  await used({ [START + 40 * DAY]: 1 }, its);
  await api.call('domains.deleteDomain', { domain: domains[1]?.id }, { key });
  const sums: object[] = [];
  let cursor: string | undefined;
  do {
    const asked = { from: START, to: START + 30 * DAY, limit: 2, cursor };
    const { body } = await api.call('usage.listUsage', asked, { key });
    sums.push(...(body.data as object[]));
    cursor = body.pagination?.cursor;
  } while (cursor !== undefined);
  const sumOf = (i: number) => ({ ...counts(2 * i), edgeErrors: 2, originErrors: 4 });
  expect(sums).toEqual([
    { domainId: domains[0]?.id, domain: domains[0]?.name, ...sumOf(1) },
    { domainId: domains[1]?.id, ...sumOf(2) },
    { domainId: domains[2]?.id, domain: domains[2]?.name, ...sumOf(3) },
  ]);
});
