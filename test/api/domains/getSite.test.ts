import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { prove } from '../../support/certificates.ts';
import { unique } from '../../support/entities.ts';

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

const newName = () => `${unique('shop')}.com`;
const get = (domain: string, key = api.rootKey) => api.call('domains.getSite', { domain }, { key });
async function listed(domain: string): Promise<unknown> {
  const [item] = dataOf<unknown[]>(await api.call('domains.listWorkspaceDomains', { search: domain }));
  return item;
}

describe('domains.getSite', () => {
  it('answers with the domain as getDomain does and with all that serves it, as the list of the workspace does', async () => {
    const domain = await api.createDomain(tree, newName());
    const { name } = domain;
    const shown = async () => dataOf<object>(await api.call('domains.getDomain', { domain: name }));
    expect(dataOf(await get(name))).toEqual({ domain: await shown(), certificate: { state: 'none' } });

    const { project, app, environment } = tree;
    const deployment = { project, app, environment, origin: 'https://origin.acme.test' };
    const { deploymentId } = dataOf<{ deploymentId: string }>(
      await api.call('deployments.createDeployment', deployment),
    );
    const target = await api.createDomain(tree, newName());
    for (const each of [domain, target]) await prove(api.store, each, api.clock.now());
    dataOf(await api.call('domains.setRedirect', { domain: name, to: target.name }));
    dataOf(await api.call('domains.suspendDomain', { domain: name }));
    dataOf(await api.call('domains.updateDomain', { domain: name, externalId: '7', metadata: { plan: 'pro' } }));
    const site = dataOf<{ domain: object }>(await get(name.toUpperCase()));
    expect(site).toEqual({
      domain: await shown(),
      certificate: { state: 'wanted' },
      redirect: { to: target.name, status: 308, setAt: api.clock.now() },
      suspension: { status: 503, by: 'workspace', suspendedAt: api.clock.now() },
      origin: { url: 'https://origin.acme.test', deploymentId },
      externalId: '7',
      metadata: { plan: 'pro' },
    });
    expect(dataOf(await get(domain.id))).toEqual(site);
    expect(await listed(name)).toEqual(site);
  });

  it('needs read_domain, and without it finds nothing, as with a domain that is not there', async () => {
    const { name } = await api.createDomain(tree, newName());
    const { key } = await api.createKey({ permissions: ['environment.*.update_domain'] });
    expect(await get(name, key)).toMatchObject({ status: 404 });
    expect(await get(newName())).toMatchObject({ status: 404 });
    const here = await api.createKey({ permissions: [`environment.${tree.environmentId}.read_domain`] });
    expect(await get(name, here.key)).toMatchObject({ status: 200 });
  });
});
