import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Domain } from '../../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../../server/src/domain/status.ts';
import { ALL_GRANTS, dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { failedAt, verifiedAt } from '../../support/entities.ts';

let api: Harness;
let tree: Tree;
let staging: string;
const names = ['a.acme.com', 'b.acme.com', 'c.acme.com', 'd.acme.com'];

beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
  const parents = { project: 'demo', app: 'web' };
  const made = await api.call('environments.createEnvironment', { ...parents, slug: 'staging' });
  staging = dataOf<{ environmentId: string }>(made).environmentId;
  const [, , verified, failed] = [
    await api.createDomain(tree, 'd.acme.com'),
    await api.createDomain({ ...tree, environment: 'staging' }, 'b.acme.com'),
    await api.createDomain(tree, 'a.acme.com'),
    await api.createDomain({ ...tree, environment: 'staging' }, 'c.acme.com'),
  ];
  const now = api.clock.now();
  const save = (before: Domain, after: Domain) => api.store.saveTransition({ before, after, memory: NO_MEMORY, now });
  if (verified !== undefined) await save(verified, verifiedAt(verified, now));
  if (failed !== undefined) await save(failed, failedAt(failed, now));
  const other = await api.createWorkspace();
  const { key } = await api.createKey({ workspaceId: other.id });
  await api.createDomain(await api.createTree('demo', key), 'foreign.acme.com', key);
});
afterAll(() => api.close());

const list = (query: object = {}, key = api.rootKey) => api.call('domains.listWorkspaceDomains', query, { key });
const namesIn = (data: unknown) => (data as { domain: { domain: string } }[]).map(({ domain }) => domain.domain);
const found = async (query: object = {}, key = api.rootKey) => namesIn(dataOf(await list(query, key)));

describe('domains.listWorkspaceDomains', () => {
  it('within one environment lists only its domains, in order of creation; one that the key may not read is not found', async () => {
    const within = { project: tree.project, app: tree.app, environment: tree.environment };
    expect(await found({ within })).toEqual(['d.acme.com', 'a.acme.com']);
    expect(await found({ within: { ...within, environment: 'staging' }, status: 'failed' })).toEqual(['c.acme.com']);
    const { key } = await api.createKey({ permissions: [`environment.${staging}.read_domain`] });
    expect(await list({ within }, key)).toMatchObject({ status: 404 });
    expect(await list({ within: { environment: 'staging' } })).toMatchObject({ status: 400 });
  });

  it('lists the domains of all environments in order of their names, each as domains.getDomain shows it, with its certificate', async () => {
    const { body } = await list();
    expect(namesIn(body.data)).toEqual(names);
    expect(body.pagination).toEqual({ hasMore: false });
    const data = body.data as { domain: object; certificate: object }[];
    for (const { domain, certificate } of data) {
      const { id } = domain as { id: string };
      expect(domain).toEqual((await api.call('domains.getDomain', { domain: id })).body.data);
      expect((await api.call('domains.getCertificate', { domain: id })).body.data).toMatchObject(certificate);
    }
    expect(data.map(({ certificate }) => certificate)).toEqual([
      { state: 'wanted' },
      { state: 'none' },
      { state: 'none' },
      { state: 'none' },
    ]);
  });

  it('pages: the cursor is where the next page starts, and is absent on the last one', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await list({ limit: 3, ...(cursor !== undefined && { cursor }) });
      seen.push(...namesIn(body.data));
      cursor = body.pagination?.cursor;
      expect(body.pagination?.hasMore).toBe(cursor !== undefined);
    } while (cursor !== undefined);
    expect(seen).toEqual(names);
    expect(await found({ cursor: 'bb' })).toEqual(names.slice(2));
  });

  it('filters by status, by certificate, by part of a name or id, and by all of them', async () => {
    expect(await found({ status: 'failed' })).toEqual(['c.acme.com']);
    expect(await found({ status: 'pending' })).toEqual(['b.acme.com', 'd.acme.com']);
    expect(await found({ certificate: 'wanted' })).toEqual(['a.acme.com']);
    expect(await found({ certificate: 'issued' })).toEqual([]);
    expect(await found({ search: 'B.AC' })).toEqual(['b.acme.com']);
    expect(await found({ status: 'verified', certificate: 'wanted', search: 'a.a' })).toEqual(['a.acme.com']);
    expect(await found({ status: 'pending', certificate: 'wanted' })).toEqual([]);
  });

  it.each([
    { status: 'unknown' },
    { certificate: 'none' },
    { cursor: 'a b' },
    { search: 1 },
    { limit: 101 },
    { page: 2 },
  ])('refuses %j', async (query) => {
    expect(await list(query)).toMatchObject({ status: 400 });
  });

  it('shows a key with the permission on some environments the domains of these, and of no other', async () => {
    const only = async (...ids: string[]) => {
      const permissions = ids.map((id) => `environment.${id}.read_domain`);
      return (await found({}, (await api.createKey({ permissions })).key)).toSorted();
    };
    expect(await only(staging)).toEqual(['b.acme.com', 'c.acme.com']);
    expect(await only(staging, tree.environmentId)).toEqual(names);
    expect(await only('env_none')).toEqual([]);
    const { key } = await api.createKey({ permissions: [`environment.${staging}.read_domain`] });
    expect(await found({ status: 'pending' }, key)).toEqual(['b.acme.com']);
    expect(await found({ search: 'd.acme' }, key)).toEqual([]);
  });

  it('refuses a key that may read no domain at all', async () => {
    const others = ALL_GRANTS.filter((grant) => grant !== 'environment.*.read_domain');
    // Neither a parent nor another action nor the other form of a grant gives it.
    const grants = [
      `app.${tree.appId}.read_domain`,
      `environment.${staging}.create_domain`,
      `acme/${staging}#read_domain`,
    ];
    const { key } = await api.createKey({ permissions: [...others, ...grants] });
    expect(await list({}, key)).toMatchObject({ status: 403, body: { error: { type: 'forbidden' } } });
  });
});
