import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveFindings } from '../../../server/src/domain/findings/live-findings.ts';
import { dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { anIssuedCertificate, aSave, prove } from '../../support/certificates.ts';
import { unique } from '../../support/entities.ts';
import { addresses, everywhere, rightTxt } from '../../support/observations.ts';
import { observed } from '../../support/observed.ts';

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
    const blocker = (reason: string) => ({ reason, since: api.clock.now() });
    expect(dataOf(await get(name))).toEqual({
      domain: await shown(),
      certificate: { state: 'none' },
      blocker: blocker('not_checked'),
    });

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
      blocker: blocker('not_ordered'),
      redirect: { to: target.name, status: 308, setAt: api.clock.now() },
      suspension: { status: 503, by: 'workspace', suspendedAt: api.clock.now() },
      origin: { url: 'https://origin.acme.test', deploymentId },
      externalId: '7',
      metadata: { plan: 'pro' },
    });
    expect(dataOf(await get(domain.id))).toEqual(site);
    expect(await listed(name)).toEqual(site);
  });

  it('says why visitors do not reach the site, as diagnoseDomain and the event do, and not before an hour has passed', async () => {
    const domain = await api.createDomain(tree, `www.${newName()}`);
    await observed(api, domain, {
      ownership: everywhere(rightTxt(domain)),
      routing: everywhere(addresses('198.51.100.7')),
    });
    const now = api.clock.now();
    const orders = await api.store.claimCertificates({ now, limit: 100, leaseMs: 1000, newNames: true });
    const order = orders.find(({ certificate }) => certificate.hostname === domain.name);
    if (order === undefined) throw new Error('no certificate is wanted');
    await api.store.saveCertificate(aSave(order, { state: 'issued', issued: anIssuedCertificate(), now }));
    const seen = { addresses: [{ address: '198.51.100.7', problem: 'certificate_expired' as const }] };
    const look = async (event: 'site.unreachable' | null) => {
      const now = api.clock.now();
      const due = (await api.store.claimLooks({ now, limit: 1000 })).find((one) => one.domain.name === domain.name);
      if (due === undefined) throw new Error('no look is due');
      const live = {
        ...seen,
        state: 'unreachable',
        problem: 'certificate_expired',
        since: now,
        checkedAt: now,
        from: 'here',
      } as const;
      const findings = liveFindings(due.domain, live, { edgeAddresses: [], isServed: true });
      await api.store.saveLook({ ...due, memory: { live, isDoubted: false }, event, findings, nextAt: now, now });
    };
    api.clock.advance(10 * 60_000);
    await look(null);
    expect(dataOf(await get(domain.name))).not.toHaveProperty('findings');
    api.clock.advance(3_600_000);
    await look('site.unreachable');
    const findings = [{ code: 'certificate_expired_outside', severity: 'blocking', seen: ['198.51.100.7'] }];
    expect(dataOf(await get(domain.name))).toMatchObject({ findings });
    const events = dataOf<object[]>(await api.call('domains.listEvents', { domain: domain.name, limit: 1 }));
    const cached = dataOf<object>(await api.call('domains.diagnoseDomain', { domain: domain.name, cached: true }));
    expect(cached).toMatchObject({ findings: [...findings, { code: 'address_instead_of_cname', severity: 'info' }] });
    expect(events).toMatchObject([{ type: 'site.unreachable', data: { findings, live: { state: 'unreachable' } } }]);
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
