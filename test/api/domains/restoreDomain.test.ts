import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_GRANTS, dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { DAY_MS, prove } from '../../support/certificates.ts';
import { unique } from '../../support/entities.ts';

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

const newName = () => `${unique('shop')}.com`;
const remove = (domain: string) => api.call('domains.deleteDomain', { domain });
const get = (domain: string) => api.call('domains.getDomain', { domain });
const restore = (domain: string, key = api.rootKey) => api.call('domains.restoreDomain', { domain }, { key });

describe('domains.restoreDomain', () => {
  it('answers with the domain, which is there again with its id, its records and its status, by name or id', async () => {
    for (const identifier of [({ name }: { name: string }) => name.toUpperCase(), ({ id }: { id: string }) => id]) {
      const domain = await api.createDomain(tree, newName());
      await prove(api.store, domain, api.clock.now());
      const before = dataOf<object>(await get(domain.name));
      await remove(domain.name);
      expect(await get(domain.id)).toMatchObject({ status: 404 });
      const restored = dataOf(await restore(identifier(domain)));
      expect(restored).toEqual({ ...before, updatedAt: api.clock.now() });
      expect(restored).toMatchObject({ id: domain.id, status: 'verified' });
      expect(dataOf(await get(domain.name))).toEqual(restored);
      expect(await api.store.findSite(domain.name)).toMatchObject({ domainId: domain.id });
    }
  });

  it('needs the permission to create domains in the environment', async () => {
    const { name } = await api.createDomain(tree, newName());
    await remove(name);
    const { key } = await api.createKey({
      permissions: ALL_GRANTS.filter((grant) => grant !== 'environment.*.create_domain'),
    });
    expect(await restore(name, key)).toMatchObject({ status: 403 });
    const here = [`environment.${tree.environmentId}.create_domain`];
    expect(await restore(name, (await api.createKey({ permissions: here })).key)).toMatchObject({ status: 200 });
  });

  it('finds nothing that was not deleted, and nothing once its time is over', async () => {
    const { name } = await api.createDomain(tree, newName());
    expect(await restore(name)).toMatchObject({ status: 404 });
    await remove(name);
    api.clock.advance(7 * DAY_MS);
    expect(await restore(name)).toMatchObject({ status: 404, body: { error: { type: 'not-found' } } });
  });

  it('refuses a name that the workspace has attached again', async () => {
    const { name } = await api.createDomain(tree, newName());
    await remove(name);
    await api.createDomain(tree, name);
    expect(await restore(name)).toMatchObject({ status: 409, body: { error: { type: 'conflict' } } });
  });

  it('refuses a name that another workspace has been verified for', async () => {
    const { name, id } = await api.createDomain(tree, newName());
    await remove(name);
    const { id: workspaceId } = await api.createWorkspace();
    const { key } = await api.createKey({ workspaceId });
    const theirs = await api.createDomain(await api.createTree('demo', key), name, key);
    await prove(api.store, theirs, api.clock.now());
    expect(await restore(id)).toMatchObject({ status: 409, body: { error: { type: 'domain-superseded' } } });
    expect(await api.store.findSite(name)).toMatchObject({ domainId: theirs.id });
  });

  it('refuses a domain whose environment is gone', async () => {
    const where = { project: tree.project, app: tree.app, environment: 'short-lived' };
    await api.call('environments.createEnvironment', { project: tree.project, app: tree.app, slug: where.environment });
    const name = newName();
    await api.call('domains.createDomain', { ...where, domain: name });
    await remove(name);
    await api.call('environments.deleteEnvironment', where);
    expect(await restore(name)).toMatchObject({ status: 412, body: { error: { type: 'precondition-failed' } } });
  });

  it('refuses a domain whose shared target was removed', async () => {
    const { workspaceId } = api;
    const host = `${unique('customers')}.platform.net`;
    await api.store.addSharedTarget({ host, workspaceId, addresses: [], createdAt: api.clock.now() });
    const name = newName();
    await api.call('domains.createDomain', { environment: tree.environmentId, domain: name, target: host });
    await remove(name);
    await api.store.removeSharedTarget(host, workspaceId);
    expect(await restore(name)).toMatchObject({
      status: 404,
      body: { error: { detail: expect.stringContaining('target') } },
    });
    await api.store.addSharedTarget({ host, workspaceId, addresses: [], createdAt: api.clock.now() });
    expect(await restore(name)).toMatchObject({ status: 200 });
  });

  it('of several calls at once, one restores the domain', async () => {
    const { name } = await api.createDomain(tree, newName());
    await remove(name);
    const answers = await Promise.all([1, 2, 3].map(() => restore(name)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  });
});
