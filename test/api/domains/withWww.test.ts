import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { prove } from '../../support/certificates.ts';
import { unique } from '../../support/entities.ts';

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi({ settings: { deletedKeepMs: 60_000, reservedNames: ['www.reserved.com'] } });
  tree = await api.createTree();
});
afterAll(() => api.close());

interface Created {
  domainId: string;
  dnsRecords: object[];
  counterpart: { domainId: string; domain: string; dnsRecords: object[] };
}

const newApex = () => `${unique('pair')}.com`;
const create = (
  domain: string,
  { key, headers = {}, ...more }: { key?: string; headers?: Record<string, string> } = {},
) => {
  const { project, app, environment } = tree;
  const body = { project, app, environment, domain, withWww: true, ...more };
  return api.call('domains.createDomain', body, { headers, ...(key !== undefined && { key }) });
};
const redirectOf = async (domain: string) => dataOf<object>(await api.call('domains.getRedirect', { domain }));
const isThere = async (domain: string) => (await api.call('domains.getDomain', { domain })).status === 200;
async function verify(domain: string): Promise<void> {
  const found = await api.store.findDomainByName(api.workspaceId, domain);
  if (found === null) throw new Error(`there is no ${domain}`);
  expect(await prove(api.store, found, api.clock.now())).toBe('saved');
}

describe('createDomain with withWww', () => {
  it.for([
    ['an apex', (apex: string) => [apex, `www.${apex}`]],
    ['www', (apex: string) => [`www.${apex}`, apex]],
  ] as const)('attaches both names of %s, with the records of each', async ([, names]) => {
    const [name = '', second = ''] = names(newApex());
    const created = dataOf<Created>(await create(name.toUpperCase()));
    expect(created.counterpart.domain).toBe(second);
    for (const [domain, { domainId, dnsRecords }] of [
      [name, created],
      [second, created.counterpart],
    ] as const) {
      const shown = dataOf<{ id: string; dnsRecords: object[]; status: string }>(
        await api.call('domains.getDomain', { domain }),
      );
      expect(shown).toMatchObject({ id: domainId, dnsRecords, status: 'pending' });
    }
    expect(await redirectOf(second)).toEqual({
      domainId: created.counterpart.domainId,
      domain: second,
      planned: { to: name, status: 308 },
    });
    expect(await redirectOf(name)).toEqual({ domainId: created.domainId, domain: name });
  });

  it.for([
    ['the first name first', [0, 1]],
    ['the second name first', [1, 0]],
  ] as const)('redirects the second to the first once both are verified: %s', async ([, order]) => {
    const apex = newApex();
    const names = [apex, `www.${apex}`];
    dataOf(await create(apex));
    const redirectServed = async () => (await api.store.findSite(`www.${apex}`))?.redirect ?? null;
    await verify(names[order[0]] ?? '');
    expect(await redirectServed()).toBeNull();
    await verify(names[order[1]] ?? '');
    expect(await redirectServed()).toMatchObject({ hostname: apex, status: 308 });
    expect(await redirectOf(`www.${apex}`)).toMatchObject({ redirect: { to: apex, status: 308 } });
    expect(await redirectOf(`www.${apex}`)).not.toHaveProperty('planned');
    const events = dataOf<{ type: string }[]>(await api.call('domains.listEvents', { domain: `www.${apex}` }));
    expect(events.filter(({ type }) => type === 'redirect.set')).toHaveLength(1);
  });

  it('plans a redirect that ends where the redirect is removed or set to another domain', async () => {
    const [one, other] = [newApex(), newApex()];
    dataOf(await create(one));
    dataOf(await api.call('domains.removeRedirect', { domain: `www.${one}` }));
    expect(await redirectOf(`www.${one}`)).not.toHaveProperty('planned');
    await verify(one);
    expect(await redirectOf(`www.${one}`)).not.toHaveProperty('redirect');

    dataOf(await create(other));
    dataOf(await api.call('domains.setRedirect', { domain: `www.${other}`, to: one }));
    await verify(other);
    expect(await redirectOf(`www.${other}`)).toMatchObject({ redirect: { to: one } });
  });

  it('plans a redirect that is kept with a domain that is deleted and restored, and ends with its destination', async () => {
    const apex = newApex();
    const www = `www.${apex}`;
    dataOf(await create(apex));
    dataOf(await api.call('domains.deleteDomain', { domain: www }));
    dataOf(await api.call('domains.restoreDomain', { domain: www }));
    expect(await redirectOf(www)).toMatchObject({ planned: { to: apex } });
    dataOf(await api.call('domains.deleteDomain', { domain: www }));
    await verify(apex);
    dataOf(await api.call('domains.restoreDomain', { domain: www }));
    expect(await redirectOf(www)).toMatchObject({ redirect: { to: apex, status: 308 } });

    const gone = newApex();
    dataOf(await create(gone));
    dataOf(await api.call('domains.deleteDomain', { domain: gone }));
    expect(await redirectOf(`www.${gone}`)).not.toHaveProperty('planned');
    expect(await isThere(`www.${gone}`)).toBe(true);
  });

  it.for(['shop.example.com', 'www.shop.example.com', 'shop.example.co.uk'])(
    'is refused for %s, which has no counterpart, and says what to do',
    async (name) => {
      expect(await create(name)).toMatchObject({
        status: 400,
        body: { error: { errors: [{ location: 'body.withWww', fix: expect.stringContaining('leave it out') }] } },
      });
      expect(await isThere(name)).toBe(false);
    },
  );

  it('attaches neither name where the other is held, reserved, or one more than the limit', async () => {
    const held = newApex();
    dataOf(await create(`www.${held}`));
    dataOf(await api.call('domains.deleteDomain', { domain: held }));
    const conflict = await create(held);
    expect(conflict).toMatchObject({
      status: 409,
      body: { error: { detail: expect.stringContaining(`www.${held}`) } },
    });
    expect(await isThere(held)).toBe(false);

    expect(await create('reserved.com')).toMatchObject({ status: 403 });
    expect(await isThere('reserved.com')).toBe(false);
  });

  it('needs room for both in the limit of the workspace', async () => {
    const { id } = await api.createWorkspace({ limits: { rates: {}, domains: 3 } });
    const { key } = await api.createKey({ workspaceId: id });
    const { project, app, environment } = await api.createTree('demo', key);
    const attach = (domain: string, withWww: boolean) =>
      api.call('domains.createDomain', { project, app, environment, domain, withWww }, { key });
    const [one, other] = [newApex(), newApex()];
    expect(await attach(one, true)).toMatchObject({ status: 200 });
    expect(await attach(other, true)).toMatchObject({ status: 403 });
    expect((await api.call('domains.getDomain', { domain: other }, { key })).status).toBe(404);
    expect(await attach(other, false)).toMatchObject({ status: 200 });
    expect(await attach(newApex(), false)).toMatchObject({ status: 403 });
  });

  it('counts twice against the rate limit', async () => {
    const limits = { rates: { 'domains.createDomain': { limit: 3, windowMs: 60_000 } }, domains: null };
    const { id } = await api.createWorkspace({ limits });
    const { key } = await api.createKey({ workspaceId: id });
    const { project, app, environment } = await api.createTree('demo', key);
    const attach = () =>
      api.call('domains.createDomain', { project, app, environment, domain: newApex(), withWww: true }, { key });
    expect(await attach()).toMatchObject({ status: 200 });
    expect(await attach()).toMatchObject({ status: 429 });
  });

  it('is repeated with an Idempotency-Key: the same ids and records, and two domains', async () => {
    const apex = newApex();
    const headers = { 'idempotency-key': unique('key') };
    const first = await create(apex, { headers });
    const again = await create(apex, { headers });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(dataOf(again)).toEqual(dataOf(first));
    const listed = dataOf<object[]>(await api.call('domains.listWorkspaceDomains', { search: apex }));
    expect(listed).toHaveLength(2);
  });

  it('leaves an entry in the audit log for each domain', async () => {
    const apex = newApex();
    dataOf(await create(apex));
    for (const target of [apex, `www.${apex}`])
      expect(dataOf(await api.call('audit.listEntries', { target }))).toMatchObject([
        { action: 'domains.createDomain' },
      ]);
  });

  it('gives both domains the same data of the platform', async () => {
    const apex = newApex();
    const own = { externalId: 'customer_7', metadata: { plan: 'pro' } };
    dataOf(await create(apex, own as object));
    for (const domain of [apex, `www.${apex}`])
      expect(dataOf(await api.call('domains.getSite', { domain }))).toMatchObject(own);
  });
});
