import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { cname, everywhere } from '../../support/observations.ts';
import { observed } from '../../support/observed.ts';

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

const remove = (domain: string) => api.call('domains.deleteDomain', { domain });

describe('domains.deleteDomain', () => {
  it('answers 200 with nothing; a second call answers 404', async () => {
    await api.createDomain(tree, 'api.acme.com');
    expect(await remove('api.acme.com')).toMatchObject({ status: 200, body: { data: {} } });
    expect(await remove('api.acme.com')).toMatchObject({ status: 404, body: { error: { type: 'not-found' } } });
  });

  it('takes the id, or the name in any form', async () => {
    const { id } = await api.createDomain(tree, 'first.acme.com');
    await api.createDomain(tree, 'bücher.acme.com');
    expect(await remove(id)).toMatchObject({ status: 200 });
    expect(await remove('BÜCHER.acme.com')).toMatchObject({ status: 200 });
  });

  it('takes the route, the certificate and the schedule with it', async () => {
    const domain = await api.createDomain(tree, 'routed.acme.com');
    await observed(api, domain, { routing: everywhere(cname(domain.target)) });
    expect(await api.store.findSite('routed.acme.com')).toMatchObject({ domainId: domain.id });
    await api.createDomain(tree, 'due.acme.com');
    await remove('routed.acme.com');
    await remove('due.acme.com');
    expect(await api.store.findSite('routed.acme.com')).toBeNull();
    expect(await api.store.findCertificate('routed.acme.com')).toBeNull();
    expect(await api.store.claimDue(api.clock.now(), 100, 60_000, () => 0)).toEqual([]);
  });

  it('frees the name at once', async () => {
    const { id } = await api.createDomain(tree, 'again.acme.com');
    await remove('again.acme.com');
    expect((await api.createDomain(tree, 'again.acme.com')).id).not.toBe(id);
    expect(await api.call('domains.getDomain', { domain: id })).toMatchObject({ status: 404 });
  });

  it('of several calls at once, one finds the domain', async () => {
    await api.createDomain(tree, 'race.acme.com');
    const answers = await Promise.all([1, 2, 3].map(() => remove('race.acme.com')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  });
});
