import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { prove } from '../../support/certificates.ts';
import { unique } from '../../support/entities.ts';

let api: Harness;
let tree: Tree;
let staging: { id: string };
const there = () => ({ project: tree.project, app: tree.app, environment: 'staging' });
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
  const { project, app } = tree;
  const created = await api.call('environments.createEnvironment', { project, app, slug: 'staging' });
  staging = { id: dataOf<{ environmentId: string }>(created).environmentId };
});
afterAll(() => api.close());

const newName = () => `${unique('shop')}.com`;
const get = (domain: string) => api.call('domains.getDomain', { domain });
const move = (domain: string, to: object = there(), key = api.rootKey) =>
  api.call('domains.moveDomain', { domain, ...to }, { key });
const keyWith = async (...permissions: string[]) => (await api.createKey({ permissions })).key;

describe('domains.moveDomain', () => {
  it('answers with the domain in the other environment, all else as before, by name or id; a repetition changes nothing', async () => {
    const domain = await api.createDomain(tree, newName());
    await prove(api.store, domain, api.clock.now());
    const before = dataOf<object>(await get(domain.name));
    const moved = dataOf(await move(domain.name.toUpperCase()));
    expect(moved).toEqual({ ...before, environmentId: staging.id, updatedAt: api.clock.now() });
    expect(dataOf(await move(domain.id))).toEqual(moved);
    expect(dataOf(await get(domain.name))).toEqual(moved);
    expect(await api.store.findSite(domain.name)).toMatchObject({ domainId: domain.id, environmentId: staging.id });
  });

  it('needs delete_domain where the domain is and create_domain where it goes; without either it moves nothing', async () => {
    const { name } = await api.createDomain(tree, newName());
    const [leave, enter] = [
      `environment.${tree.environmentId}.delete_domain`,
      `environment.${staging.id}.create_domain`,
    ];
    const others = ['environment.*.read_domain', 'environment.*.update_domain'];
    const reversed = [`environment.${staging.id}.delete_domain`, `environment.${tree.environmentId}.create_domain`];
    for (const [permissions, status, missing] of [
      [[enter, ...others], 403, 'environment.*.delete_domain'],
      [[leave, ...others], 404, 'such environment'],
      [[leave, ...others, 'environment.*.read_environment'], 403, 'environment.*.create_domain'],
      [reversed, 404, 'such domain'],
    ] as const) {
      const answer = await move(name, there(), await keyWith(...permissions));
      expect(answer).toMatchObject({ status });
      expect(JSON.stringify(answer.body)).toContain(missing);
    }
    expect(await move(name, there(), await keyWith(leave, enter))).toMatchObject({ status: 200 });
  });

  it('needs create_deployment where it goes if it has an own origin, which would get the secret there', async () => {
    const { name } = await api.createDomain(tree, newName());
    await api.call('domains.updateDomain', { domain: name, settings: { origin: 'https://evil.acme.test' } });
    const own = ['read_domain', 'update_domain', 'create_deployment', 'delete_domain'];
    const permissions = [
      ...own.map((action) => `environment.${tree.environmentId}.${action}`),
      `environment.${staging.id}.create_domain`,
    ];
    const refused = await move(name, there(), await keyWith(...permissions));
    expect([refused.status, refused.body.error?.detail]).toEqual([
      403,
      expect.stringContaining(`environment.${staging.id}.create_deployment`),
    ]);
    expect(dataOf(await get(name))).toMatchObject({ environmentId: tree.environmentId });
    const deploys = `environment.${staging.id}.create_deployment`;
    expect(await move(name, there(), await keyWith(...permissions, deploys))).toMatchObject({ status: 200 });
  });

  it('finds no domain and no environment of another workspace, nor one that does not exist', async () => {
    const { name } = await api.createDomain(tree, newName());
    const { key } = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
    expect(await move(name, there(), key)).toMatchObject({ status: 404 });
    expect(await move(name, { ...there(), environment: 'nowhere' })).toMatchObject({ status: 404 });
    expect(await move(newName())).toMatchObject({ status: 404 });
  });
});
