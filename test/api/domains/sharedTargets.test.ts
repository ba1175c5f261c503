import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_GRANTS, dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { unique } from '../../support/entities.ts';

const HOST = 'customers.platform.net';
const ADDRESS = '203.0.113.7';

let api: Harness;
let tree: Tree;
let theirs: string;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
  const other = await api.createWorkspace();
  theirs = 'customers.rival.net';
  await api.store.addSharedTarget({ host: HOST, workspaceId: api.workspaceId, addresses: [ADDRESS], createdAt: 5 });
  await api.store.addSharedTarget({ host: theirs, workspaceId: other.id, addresses: [], createdAt: 5 });
});
afterAll(() => api.close());

interface Made {
  dnsRecords: { name: string; type: string; value: string; note: string }[];
  counterpart?: Made;
}
const registered = () => `${unique('name')}.com`;
const newName = () => `${unique('name')}.example.com`;
const create = (body: object, key = api.rootKey) =>
  api.call('domains.createDomain', { environment: tree.environmentId, ...body }, { key });
const createMany = (domains: unknown[], key = api.rootKey) =>
  api.call('domains.createDomains', { environment: tree.environmentId, domains }, { key });
const keyOf = async (permissions: string[]) => (await api.createKey({ permissions })).key;

describe('a domain with a shared target', () => {
  it('has it as the value of its routing record, in any spelling, and so has its counterpart', async () => {
    const name = registered();
    const answer = await create({ domain: `www.${name}`, withWww: true, target: 'Customers.Platform.NET' });
    const { dnsRecords, counterpart } = dataOf<Made>(answer);
    expect(dnsRecords[0]).toMatchObject({ type: 'CNAME', value: HOST });
    expect(counterpart?.dnsRecords[0]).toMatchObject({ name, type: 'ALIAS', value: HOST });
    expect(counterpart?.dnsRecords[0]?.note).toContain(ADDRESS);
    const found = await api.call('domains.getDomain', { domain: name });
    expect(found.body.data).toMatchObject({ dnsRecords: counterpart?.dnsRecords });
  });

  it('is made in bulk beside others, each with the target that it names', async () => {
    const [one, other] = [newName(), newName()];
    const outcomes = dataOf<Made[]>(await createMany([{ domain: one, target: HOST }, other]));
    expect(outcomes[0]?.dnsRecords[0]?.value).toBe(HOST);
    expect(outcomes[1]?.dnsRecords[0]?.value).not.toBe(HOST);
  });

  it("another workspace's target, and one that nobody has, get one answer", async () => {
    const refused = await Promise.all(
      [theirs, 'customers.nobody.net', 'no name'].map((target) => create({ domain: newName(), target })),
    );
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(refused.map(({ body }) => JSON.stringify(body.error))).size).toBe(1);
    const bulk = dataOf<{ error: object }[]>(
      await createMany([theirs, 'customers.nobody.net'].map((target) => ({ domain: newName(), target }))),
    );
    expect(bulk[0]?.error).toEqual(bulk[1]?.error);
    expect(bulk[0]?.error).toMatchObject({ status: 404 });
  });

  it('needs use_shared_target on the environment: a key that may create domains cannot have a name that leads there verified', async () => {
    const key = await keyOf(ALL_GRANTS.filter((grant) => !grant.endsWith('.use_shared_target')));
    const refused = await create({ domain: newName(), target: HOST }, key);
    expect(refused).toMatchObject({ status: 403 });
    expect(refused.body.error?.detail).toContain('use_shared_target');
    // Whether the target exists is not told.
    expect((await create({ domain: newName(), target: theirs }, key)).body.error).toEqual(refused.body.error);
    const [outcome] = dataOf<{ error: object }[]>(await createMany([{ domain: newName(), target: HOST }], key));
    expect(outcome?.error).toMatchObject({ status: 403 });
    expect(await create({ domain: newName() }, key)).toMatchObject({ status: 200 });
    const elsewhere = ['environment.*.create_domain', 'environment.env_other.use_shared_target'];
    expect(await create({ domain: newName(), target: HOST }, await keyOf(elsewhere))).toMatchObject({ status: 404 });
    const here = ['environment.*.create_domain', `environment.${tree.environmentId}.use_shared_target`];
    expect(await create({ domain: newName(), target: HOST }, await keyOf(here))).toMatchObject({ status: 200 });
  });

  it('is not the target itself', async () => {
    expect(await create({ domain: HOST, target: HOST })).toMatchObject({ status: 400 });
  });

  it('that is a wildcard has its challenges at a label of its own in the zone for them, and is refused where there is none', async () => {
    for (const challengeZone of ['acme.platform.net', undefined]) {
      const own = await startApi({ settings: { challengeZone, wildcards: { challengeZone: null } } });
      const { environmentId: environment } = await own.createTree();
      await own.store.addSharedTarget({ host: HOST, workspaceId: own.workspaceId, addresses: [], createdAt: 5 });
      const made = await Promise.all(
        [1, 2].map(() => own.call('domains.createDomain', { environment, domain: `*.${newName()}`, target: HOST })),
      );
      await own.close();
      expect(made.map(({ status }) => status)).toEqual(challengeZone ? [200, 200] : [400, 400]);
      if (challengeZone === undefined) continue;
      const values = made.map((answer) => dataOf<Made>(answer).dnsRecords[2]?.value);
      expect(new Set(values).size).toBe(2);
      for (const value of values) expect(value).toMatch(/^s[a-z0-9]{19}\.acme\.platform\.net$/);
    }
  });
});

describe('targets.listTargets', () => {
  it('lists those of the workspace alone', async () => {
    const listed = await api.call('targets.listTargets');
    expect(listed.body.data).toEqual([{ host: HOST, addresses: [ADDRESS], createdAt: 5 }]);
  });
});
