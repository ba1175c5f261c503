import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../../playground/dns/simulator.ts';
import type { DiagnosisData } from '../../../server/src/api/domains/diagnosis-schema.ts';
import type { NameCheck } from '../../../server/src/api/domains/present-name.ts';
import { authoritativeResolver } from '../../../server/src/dns/authoritative.ts';
import { ownershipName, ownershipValue } from '../../../server/src/domain/records.ts';
import { createDiagnoser } from '../../../server/src/verification/observation/diagnoser.ts';
import { observe } from '../../../server/src/verification/observation/observe.ts';
import { dataOf, type Harness, START, startApi, type Tree } from '../../support/api-harness.ts';
import { loopbackClient, startSimulatorAt } from '../../support/simulators.ts';

// The API, the resolver and real DNS packets: what a diagnosis says of nameservers, and what it asks them.

let api: Harness;
let tree: Tree;
let dns: Simulator;
let second: Simulator;
const client = loopbackClient();
/** The diagnoser's time. */
let now = START;

beforeAll(async () => {
  dns = await startSimulator({ port: 0 });
  second = await startSimulatorAt('127.0.0.2', dns.port);
  const resolver = authoritativeResolver({
    client,
    resolvers: [{ address: '127.0.0.1', port: dns.port }],
    nameserverPort: dns.port,
    allowedNetworks: ['127.0.0.0/8'],
    clock: { now: Date.now },
  });
  const diagnoser = createDiagnoser({
    clock: { now: () => now },
    async observe({ scope, domain, incumbent }) {
      const depth = scope === 'name' ? scope : 'diagnosis';
      const asking = { depth, signal: AbortSignal.timeout(10_000), random: Math.random } as const;
      return observe(resolver, domain, incumbent, asking);
    },
  });
  api = await startApi({ diagnoser });
  tree = await api.createTree();
});
beforeEach(() => {
  now += 60_000;
});
afterAll(async () => {
  await api.close();
  client.close();
  await Promise.all([dns.close(), second.close()]);
});

const diagnose = async (domain: string, body: object = {}) =>
  dataOf<DiagnosisData>(await api.call('domains.diagnoseDomain', { domain, ...body }));
const queries = () => dns.log().length + second.log().length;

test('requests for one domain within 5 s ask the nameservers once; after that, anew', async () => {
  await api.createDomain(tree, 'shared.acme.com');
  const before = queries();
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => diagnose('shared.acme.com')));
  const asked = queries() - before;
  expect(asked).toBeGreaterThan(0);
  for (const other of others) expect(other).toEqual(first);
  now += 4999;
  expect(await diagnose('shared.acme.com')).toEqual(first);
  expect(queries() - before).toBe(asked);
  now += 1;
  await diagnose('shared.acme.com');
  expect(queries() - before).toBeGreaterThan(asked);
});

test('with cached, no packet is sent', async () => {
  await api.createDomain(tree, 'cached.acme.com');
  const before = queries();
  await diagnose('cached.acme.com', { cached: true });
  expect(queries()).toBe(before);
});

test('both records right: every look matches, and there is nothing to fix', async () => {
  const domain = await api.createDomain(tree, 'right.acme.com');
  dns.set(domain.name, 'CNAME', [domain.target]);
  dns.set(ownershipName(domain), 'TXT', [ownershipValue(domain)]);
  const { records, findings, zone } = await diagnose('right.acme.com');
  expect(records).toMatchObject([
    { verified: true, needed: 'yes', nameInZone: 'right', seen: [{ outcome: 'matched' }] },
    { verified: true, needed: 'no', nameInZone: '_service.right', seen: [{ outcome: 'matched' }] },
  ]);
  expect(findings.filter(({ severity }) => severity === 'blocking')).toEqual([]);
  expect(zone).toMatchObject({ name: 'acme.com', registered: true });
});

test('nameservers that differ are shown one by one, each with what it has', async () => {
  const domain = await api.createDomain(tree, 'shop.differ.test');
  dns.delegate('differ.test', ['ns1.differ.test', 'ns2.differ.test']);
  const third = await startSimulatorAt('127.0.0.3', dns.port);
  try {
    for (const [at, server] of [second, third].entries()) {
      for (const each of [dns, second, third]) each.set(`ns${at + 1}.differ.test`, 'A', [server.address]);
      server.setZone('differ.test', ['ns1.differ.test', 'ns2.differ.test']);
    }
    second.set(domain.name, 'CNAME', [domain.target]);
    third.set(domain.name, 'CNAME', ['old.example.net']);
    const { records, findings } = await diagnose('shop.differ.test');
    expect(records[0]).toMatchObject({
      verified: false,
      seen: [
        { nameserver: 'ns1.differ.test', outcome: 'matched' },
        { nameserver: 'ns2.differ.test', outcome: 'other', values: ['old.example.net'] },
      ],
    });
    expect(findings[0]).toMatchObject({ code: 'nameservers_disagree', severity: 'blocking' });
  } finally {
    await third.close();
  }
});

test('a nameserver that fails is named, with how it fails', async () => {
  const domain = await api.createDomain(tree, 'fails.acme.com');
  dns.fail(domain.name, 'refused');
  const { records, findings } = await diagnose('fails.acme.com');
  expect(records[0]).toMatchObject({ verified: false, seen: [{ outcome: 'refused', values: [] }] });
  expect(findings).toContainEqual(expect.objectContaining({ code: 'nameserver_refused' }));
});

test('a name that is checked before it is attached shows what stands there, and its CAA records', async () => {
  dns.set('busy.acme.com', 'A', ['192.0.2.7']);
  dns.set('busy.acme.com', 'AAAA', ['2001:db8::7']);
  const where = { project: tree.project, app: tree.app, environment: tree.environment };
  const name = dataOf<NameCheck>(await api.call('domains.checkName', { ...where, domain: 'busy.acme.com' }));
  expect(name).toMatchObject({
    valid: true,
    zone: { name: 'acme.com', registered: true },
    conflicts: [
      { record: 'routing', type: 'A', nameInZone: 'busy', values: ['192.0.2.7'] },
      { record: 'routing', type: 'AAAA', nameInZone: 'busy', values: ['2001:db8::7'] },
    ],
    caa: [],
  });
});
