import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../playground/dns/simulator.ts';
import { secureRandom } from '../../../server/src/base/ids.ts';
import { createLog } from '../../../server/src/base/log.ts';
import { authoritativeResolver } from '../../../server/src/dns/authoritative.ts';
import type { DnsRecord } from '../../../server/src/domain/records.ts';
import { createMetrics } from '../../../server/src/roles/metrics.ts';
import { observe } from '../../../server/src/verification/observation/observe.ts';
import { createVerifier, type Verifier } from '../../../server/src/verification/verifier.ts';
import { dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { blindDiagnoser } from '../../support/blind-diagnoser.ts';
import { loopbackClient } from '../../support/simulators.ts';

let api: Harness;
let tree: Tree;
let dns: Simulator;
let verifier: Verifier;
const client = loopbackClient();

beforeAll(async () => {
  dns = await startSimulator({ port: 0 });
  const resolver = authoritativeResolver({
    client,
    resolvers: [dns],
    nameserverPort: dns.port,
    allowedNetworks: ['127.0.0.0/8'],
    clock: { now: () => api.clock.now() },
  });
  api = await startApi({
    settings: { wildcards: { challengeZone: 'acme.platform.test' } },
    diagnoser: {
      ...blindDiagnoser,
      async diagnose({ domain, incumbent }) {
        const options = { depth: 'diagnosis', signal: AbortSignal.timeout(10_000), random: secureRandom } as const;
        return { observation: await observe(resolver, domain, incumbent, options), at: api.clock.now() };
      },
    },
  });
  tree = await api.createTree();
  verifier = createVerifier({
    ...{ store: api.store, resolver, random: secureRandom, log: createLog('silent'), metrics: createMetrics() },
    clock: { now: () => api.clock.now(), isTrusted: () => true },
  });
});
afterAll(async () => {
  await verifier.stop();
  await api.close();
  await dns.close();
  client.close();
});

const where = () => ({ project: tree.project, app: tree.app, environment: tree.environment });
const create = (domain: string, more: object = {}) => api.call('domains.createDomain', { ...where(), domain, ...more });

interface Created {
  domainId: string;
  dnsRecords: DnsRecord[];
}

/** As the customer does; then the checks that are due. */
async function publish(records: DnsRecord[]): Promise<void> {
  for (const { name, type, value } of records) if (type !== 'ALIAS') dns.set(name, type, [value]);
  api.clock.advance(120_000);
  await verifier.runOnce();
}

const verified = async (name: string) => publish(dataOf<Created>(await create(name)).dnsRecords);

/** Where another API would create a domain. */
async function placeIn(other: Harness) {
  const { project, app, environment } = await other.createTree();
  return { project, app, environment };
}

describe('a wildcard domain', () => {
  it('is created with three records, and verified once they are published; every operation takes its name', async () => {
    const { domainId, dnsRecords } = dataOf<Created>(await create('*.Shop.acme.test'));
    const [target = ''] = dnsRecords[0]?.value.split('.') ?? [];
    expect(dnsRecords).toMatchObject([
      { type: 'CNAME', name: '*.shop.acme.test', verified: false },
      { type: 'TXT', name: '_service.shop.acme.test', verified: false },
      { type: 'CNAME', name: '_acme-challenge.shop.acme.test', value: `${target}.acme.platform.test`, verified: false },
    ]);
    await publish(dnsRecords);
    const domain = '*.shop.acme.test';
    const shown = dataOf<{ dnsRecords: DnsRecord[] }>(await api.call('domains.getDomain', { domain }));
    expect(shown).toMatchObject({ id: domainId, domain, status: 'verified' });
    expect(shown.dnsRecords.map(({ verified }) => verified)).toEqual([true, true, true]);
    expect(dataOf(await api.call('domains.getCertificate', { domain }))).toMatchObject({ state: 'wanted' });
    const diagnosis = dataOf<{ records: object[]; findings: object[] }>(
      await api.call('domains.diagnoseDomain', { domain }),
    );
    expect(diagnosis.findings).toEqual([]);
    expect(diagnosis.records).toMatchObject([
      { record: 'routing', nameInZone: '*.shop', verified: true },
      { record: 'ownership', nameInZone: '_service.shop', verified: true },
      { record: 'challenge', nameInZone: '_acme-challenge.shop', verified: true, seen: [{ outcome: 'matched' }] },
    ]);

    await create('www.acme.test');
    await verified('acme.test');
    const redirect = { domain: 'www.acme.test', to: domain };
    // Visitors can be sent to one name only.
    expect(await api.call('domains.setRedirect', redirect)).toMatchObject({ status: 400 });
    for (const [operation, body] of [
      ['domains.setRedirect', { domain, to: 'acme.test' }],
      ['domains.suspendDomain', { domain }],
      ['domains.resumeDomain', { domain }],
      ['domains.updateDomain', { domain, externalId: 'customer_1' }],
      ['domains.getSite', { domain }],
      ['domains.deleteDomain', { domain }],
      ['domains.restoreDomain', { domain }],
    ] as const)
      expect([operation, (await api.call(operation, body)).status]).toEqual([operation, 200]);

    const { body } = await api.call('domains.listEvents', { domain });
    expect(body.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'domain.created' }),
        expect.objectContaining({ type: 'domain.verified' }),
        expect.objectContaining({ type: 'domain.deleted' }),
      ]),
    );
    const found = dataOf<unknown[]>(await api.call('domains.listWorkspaceDomains', { search: '*.shop' }));
    expect(found).toHaveLength(1);
  });

  it('is imported with other names, each with its own outcome', async () => {
    const domains = ['*.bulk.acme.test', '*.co.uk', 'a.*.acme.test', '*bulk.acme.test'];
    const outcomes = dataOf(await api.call('domains.createDomains', { ...where(), domains }));
    expect(outcomes).toMatchObject([
      { domain: '*.bulk.acme.test', dnsRecords: [{}, {}, {}] },
      { error: { status: 400, errors: [{ message: expect.stringContaining('public suffix') }] } },
      { error: { status: 400, errors: [{ message: expect.stringContaining('only as its whole first label') }] } },
      { error: { status: 400, errors: [{ fix: 'use "*.bulk.acme.test"' }] } },
    ]);
  });

  it('has no counterpart', async () => {
    expect(await create('*.acme.test', { withWww: true })).toMatchObject({ status: 400 });
  });

  it('takes the place of one that was never verified, as any other name does', async () => {
    const first = dataOf<Created>(await create('*.again.acme.test'));
    const second = dataOf<Created>(await create('*.again.acme.test', { replaceUnverified: true }));
    expect(second.domainId).not.toBe(first.domainId);
    expect(second.dnsRecords[2]?.value).not.toBe(first.dnsRecords[2]?.value);
  });

  it('has two records where its own CNAME answers for its certificate', async () => {
    const delegated = await startApi({ settings: { wildcards: { challengeZone: null } } });
    const { dnsRecords } = dataOf<Created>(
      await delegated.call('domains.createDomain', { ...(await placeIn(delegated)), domain: '*.acme.test' }),
    );
    await delegated.close();
    expect(dnsRecords).toHaveLength(2);
  });

  it('is refused where no certificate could be had, with the setting that is missing', async () => {
    const plain = await startApi();
    const place = await placeIn(plain);
    const refused = await plain.call('domains.createDomain', { ...place, domain: '*.acme.test' });
    const checked = await plain.call('domains.checkName', { ...place, domain: '*.acme.test' });
    await plain.close();
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { detail: expect.stringContaining('NAMEPLATE_CHALLENGE_ZONE') } },
    });
    expect(dataOf(checked)).toMatchObject({ valid: false });
  });
});
