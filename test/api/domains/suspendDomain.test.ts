import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_GRANTS, dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { unique } from '../../support/entities.ts';

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

const newName = () => `${unique('shop')}.com`;
const suspend = (input: object, key = api.rootKey) => api.call('domains.suspendDomain', input, { key });
const resume = (domain: string, key = api.rootKey) => api.call('domains.resumeDomain', { domain }, { key });
/** Returns the suspension that `diagnoseDomain` and the list of the workspace show. */
async function shown(domain: string) {
  const diagnosis = dataOf<{ suspension?: object }>(await api.call('domains.diagnoseDomain', { domain, cached: true }));
  const page = await api.call('domains.listWorkspaceDomains', { search: domain });
  const [listed] = dataOf<{ suspension?: object }[]>(page);
  return [diagnosis.suspension, listed?.suspension];
}

describe('domains.suspendDomain', () => {
  it('is shown by diagnoseDomain, the list of the workspace and the events until it is resumed; getDomain is unchanged', async () => {
    const { name, id } = await api.createDomain(tree, newName());
    const before = await api.call('domains.getDomain', { domain: name });
    const suspension = { status: 503, by: 'workspace', suspendedAt: api.clock.now() };
    expect(dataOf(await suspend({ domain: name }))).toEqual({ domainId: id, domain: name, suspension });
    expect(await shown(name)).toEqual([suspension, suspension]);
    expect(dataOf(await suspend({ domain: id, status: 451 }))).toMatchObject({ suspension: { status: 451 } });
    expect(dataOf(await api.call('domains.getDomain', { domain: name }))).toEqual(dataOf(before));
    expect(dataOf(await resume(name))).toEqual({ domainId: id, domain: name });
    expect(dataOf(await resume(name))).toEqual({ domainId: id, domain: name });
    expect(await shown(name)).toEqual([undefined, undefined]);
    const events = dataOf<{ type: string }[]>(await api.call('domains.listEvents', { domain: name }));
    expect(events.map(({ type }) => type).toSorted()).toEqual(
      ['domain.created', 'domain.resumed', 'domain.suspended', 'domain.suspended'].toSorted(),
    );
  });

  it.for(['the workspace', 'the domain'])(
    'of the operator is shown as such, and no key of the workspace lifts it: %s',
    async (what) => {
      const { name } = await api.createDomain(tree, newName());
      const suspendedAt = api.clock.now();
      const of = what === 'the domain' ? [name] : [];
      await api.store.setWorkspaceSuspension(api.workspaceId, { status: 451, suspendedAt }, ...of);
      const byOperator = { status: 451, by: 'operator', suspendedAt };
      const refused = {
        status: 403,
        body: { error: { detail: expect.stringContaining('The operator of the server') } },
      };
      expect(await resume(name)).toMatchObject(refused);
      expect(dataOf(await suspend({ domain: name, status: 503 }))).toMatchObject({ suspension: byOperator });
      expect(await shown(name)).toEqual([byOperator, byOperator]);
      expect(dataOf(await resume(name))).toMatchObject({ suspension: byOperator });
      expect(await resume(name)).toMatchObject(refused);
      await suspend({ domain: name });
      await api.store.setWorkspaceSuspension(api.workspaceId, null, ...of);
      expect(await shown(name)).toMatchObject([{ by: 'workspace' }, { by: 'workspace' }]);
    },
  );

  it('needs update_domain, also to resume', async () => {
    const { name } = await api.createDomain(tree, newName());
    const { key } = await api.createKey({
      permissions: ALL_GRANTS.filter((grant) => grant !== 'environment.*.update_domain'),
    });
    expect(await suspend({ domain: name }, key)).toMatchObject({ status: 403 });
    expect(await resume(name, key)).toMatchObject({ status: 403 });
    const here = await api.createKey({ permissions: [`environment.${tree.environmentId}.update_domain`] });
    expect(await suspend({ domain: name }, here.key)).toMatchObject({ status: 200 });
    expect(await resume(name, here.key)).toMatchObject({ status: 200 });
  });

  it.for([200, 404, 500, '503', null])('refuses the status %s', async (status) => {
    const { name } = await api.createDomain(tree, newName());
    expect(await suspend({ domain: name, status })).toMatchObject({ status: 400 });
    expect(await shown(name)).toEqual([undefined, undefined]);
  });
});
