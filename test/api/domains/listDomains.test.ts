import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';

let api: Harness;
let tree: Tree;
const names = ['a', 'b', 'c', 'd', 'e'].map((label) => `${label}.acme.com`);

beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
  for (const name of names) await api.createDomain(tree, name);
  await api.call('environments.createEnvironment', { project: 'demo', app: 'web', slug: 'staging' });
  await api.createDomain({ ...tree, environment: 'staging' }, 'staging.acme.com');
});
afterAll(() => api.close());

const list = (more: object = {}) => {
  const { project, app, environment } = tree;
  return api.call('domains.listDomains', { project, app, environment, ...more });
};
const namesOf = (data: unknown) => (data as { domain: string }[]).map(({ domain }) => domain);

describe('domains.listDomains', () => {
  it('lists the domains of one environment in order of creation, each as domains.getDomain shows it', async () => {
    const answer = await list();
    expect(namesOf(answer.body.data)).toEqual(names);
    expect(answer.body.pagination).toEqual({ hasMore: false });
    const one = await api.call('domains.getDomain', { domain: 'a.acme.com' });
    expect(dataOf<unknown[]>(answer)[0]).toEqual(one.body.data);
  });

  it('pages: the cursor is where the next page starts, and is absent on the last one', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const answer = await list({ limit: 2, ...(cursor !== undefined && { cursor }) });
      seen.push(...namesOf(answer.body.data));
      cursor = answer.body.pagination?.cursor;
      expect(answer.body.pagination?.hasMore).toBe(cursor !== undefined);
      pages += 1;
    } while (cursor !== undefined);
    expect(seen).toEqual(names);
    expect(pages).toBe(3);
  });

  it('has no empty last page', async () => {
    const { body } = await list({ limit: 5 });
    expect(body.pagination).toEqual({ hasMore: false });
  });

  it('takes an unknown cursor as a lower bound', async () => {
    expect(namesOf((await list({ cursor: 'dom_0' })).body.data)).toEqual(names);
    expect(namesOf((await list({ cursor: 'dom_z' })).body.data)).toEqual([]);
  });

  it('continues from a cursor whose domain was deleted', async () => {
    const gone = await api.createDomain(tree, 'gone.acme.com');
    const last = await api.createDomain(tree, 'last.acme.com');
    await api.call('domains.deleteDomain', { domain: gone.id });
    expect(namesOf((await list({ cursor: gone.id })).body.data)).toEqual(['last.acme.com']);
    await api.call('domains.deleteDomain', { domain: last.id });
  });

  it('searches for part of a name or id, in any case', async () => {
    const id = (await api.store.findDomainByName(api.workspaceId, 'c.acme.com'))?.id ?? '';
    expect(namesOf((await list({ search: 'C.AC' })).body.data)).toEqual(['c.acme.com']);
    expect(namesOf((await list({ search: id.slice(-6).toUpperCase() })).body.data)).toEqual(['c.acme.com']);
    expect(namesOf((await list({ search: 'acme' })).body.data)).toEqual(names);
    expect(namesOf((await list({ search: '' })).body.data)).toEqual(names);
  });

  it.each(['%', '_', '\\', "'", '*'])('takes %j in a search as the character itself', async (search) => {
    const found = namesOf((await list({ search })).body.data);
    // Ids have an underscore; nothing else of these is in an id or a name.
    expect(found).toEqual(search === '_' ? names : []);
  });

  it('searches page by page', async () => {
    const first = await list({ search: '.acme.com', limit: 3 });
    expect(namesOf(first.body.data)).toEqual(names.slice(0, 3));
    const second = await list({ search: '.acme.com', limit: 3, cursor: first.body.pagination?.cursor });
    expect(namesOf(second.body.data)).toEqual(names.slice(3));
  });

  it('answers 404 for an environment that does not exist', async () => {
    expect(await list({ environment: 'nowhere' })).toMatchObject({
      status: 404,
      body: { error: { type: 'not-found' } },
    });
  });
});
