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
      redirect: { to: name, status: 308, setAt: api.clock.now() },
    });
    expect(dataOf(await api.call('domains.getSite', { domain: second }))).toMatchObject({
      redirect: { to: name, status: 308 },
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
    const events = dataOf<{ type: string }[]>(await api.call('domains.listEvents', { domain: `www.${apex}` }));
    expect(events.filter(({ type }) => type === 'redirect.set')).toHaveLength(1);
  });

  it('redirects no more where the redirect is removed or set to another domain before', async () => {
    const [one, other] = [newApex(), newApex()];
    dataOf(await create(one));
    dataOf(await api.call('domains.removeRedirect', { domain: `www.${one}` }));
    await verify(one);
    expect(await redirectOf(`www.${one}`)).not.toHaveProperty('redirect');

    dataOf(await create(other));
    dataOf(await api.call('domains.setRedirect', { domain: `www.${other}`, to: one }));
    await verify(other);
    expect(await redirectOf(`www.${other}`)).toMatchObject({ redirect: { to: one } });
  });

  it('keeps the redirect with a domain that is deleted and restored, and ends it with its destination', async () => {
    const apex = newApex();
    const www = `www.${apex}`;
    dataOf(await create(apex));
    dataOf(await api.call('domains.deleteDomain', { domain: www }));
    dataOf(await api.call('domains.restoreDomain', { domain: www }));
    expect(await redirectOf(www)).toMatchObject({ redirect: { to: apex } });
    dataOf(await api.call('domains.deleteDomain', { domain: www }));
    await verify(apex);
    dataOf(await api.call('domains.restoreDomain', { domain: www }));
    expect(await redirectOf(www)).toMatchObject({ redirect: { to: apex, status: 308 } });

    const gone = newApex();
    dataOf(await create(gone));
    dataOf(await api.call('domains.deleteDomain', { domain: gone }));
    expect(await redirectOf(`www.${gone}`)).not.toHaveProperty('redirect');
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

  it('attaches neither name where the workspace has one of them, which the conflict names, nor where one is reserved', async () => {
    const apex = newApex();
    const www = `www.${apex}`;
    for (const [held, other] of [
      [apex, www],
      [www, apex],
    ] as const) {
      dataOf(await create(apex));
      dataOf(await api.call('domains.deleteDomain', { domain: other }));
      for (const name of [apex, www])
        expect(await create(name)).toMatchObject({
          status: 409,
          body: { error: { detail: `The workspace already has the domain ${held}.` } },
        });
      expect(await isThere(other)).toBe(false);
      dataOf(await api.call('domains.deleteDomain', { domain: held }));
    }

    expect(await create('reserved.com')).toMatchObject({ status: 403 });
    expect(await isThere('reserved.com')).toBe(false);
  });

  it('attaches both names that another workspace has: whoever proves them has them', async () => {
    const { id } = await api.createWorkspace();
    const { key } = await api.createKey({ workspaceId: id });
    const { project, app, environment } = await api.createTree('demo', key);
    const apex = newApex();
    dataOf(await create(apex));
    await verify(`www.${apex}`);
    const body = { project, app, environment, domain: apex, withWww: true };
    expect(await api.call('domains.createDomain', body, { key })).toMatchObject({ status: 200 });
  });

  it('is refused with replaceUnverified, and says what to do', async () => {
    const apex = newApex();
    expect(await create(apex, { replaceUnverified: true } as object)).toMatchObject({
      status: 400,
      body: {
        error: {
          errors: [{ location: 'body.replaceUnverified', fix: expect.stringContaining('a call for each') }],
        },
      },
    });
    expect(await isThere(apex)).toBe(false);
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
    api.clock.advance(60_000);
    expect(await attach()).toMatchObject({ status: 200 });
  });

  it('is repeated with an Idempotency-Key after a lost response: the same ids and records, two domains, whatever they are by now', async () => {
    const apex = newApex();
    const headers = { 'idempotency-key': unique('key') };
    const first = await create(apex, { headers });
    await verify(apex);
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
