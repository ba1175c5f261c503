import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { NameCheck } from '../../../server/src/api/domains/present-name.ts';
import type { Answer, Observation, RecordObservation } from '../../../server/src/domain/observation.ts';
import type { Diagnoser, NameRequest } from '../../../server/src/verification/observation/diagnoser.ts';
import { dataOf, type Harness, START, startApi, type Tree } from '../../support/api-harness.ts';
import { blindDiagnoser } from '../../support/blind-diagnoser.ts';

let api: Harness;
let tree: Tree;
let looked: NameRequest[] = [];
let seen: { routing: Answer; ownership: Answer; caa?: Answer };

const absent: Answer = { kind: 'absent', reason: 'nxdomain', chain: [] };

const diagnoser: Diagnoser = {
  ...blindDiagnoser,
  async diagnoseName(request) {
    looked.push(request);
    const record = (name: string, answer: Answer): RecordObservation => ({
      name,
      zone: {
        apex: 'acme.com',
        source: 'parent',
        nameservers: [{ name: 'ns1.acme.com', addresses: ['192.0.2.1'] }],
        ownNameservers: null,
        failure: null,
      },
      nameservers: [{ server: 'ns1.acme.com', address: '192.0.2.1', answers: [answer] }],
      validation: null,
    });
    const observation: Observation = {
      routing: record(request.name, seen.routing),
      ownership: record(`_service.${request.name}`, seen.ownership),
    };
    const { caa } = seen;
    const probe = { purpose: 'caa', record: 'routing', name: request.name, type: 'CAA' } as const;
    return { observation: caa ? { ...observation, probes: [{ ...probe, answer: caa }] } : observation, at: START };
  },
};

beforeAll(async () => {
  api = await startApi({ diagnoser });
  tree = await api.createTree();
});
beforeEach(() => {
  looked = [];
  seen = { routing: absent, ownership: absent };
});
afterAll(() => api.close());

const where = () => ({ project: tree.project, app: tree.app, environment: tree.environment });
const check = async (domain: string) => dataOf<NameCheck>(await api.call('domains.checkName', { ...where(), domain }));

test('a free name is valid, with its kind and its zone, and nothing is in the way', async () => {
  expect(await check('Shop.ACME.com')).toMatchObject({
    domain: 'shop.acme.com',
    valid: true,
    kind: 'subdomain',
    held: false,
    zone: { name: 'acme.com', registered: true },
    conflicts: [],
  });
  expect(await check('acme.com')).toMatchObject({ kind: 'apex' });
  expect(looked.map(({ name }) => name)).toEqual(['shop.acme.com', 'acme.com']);
});

test('records in place of the CNAME are conflicts: other addresses, another CNAME', async () => {
  seen.routing = { kind: 'found', chain: [], values: ['192.0.2.7', '2001:db8::7'] };
  expect((await check('shop.acme.com')).conflicts).toMatchObject([
    { record: 'routing', type: 'A', name: 'shop.acme.com', values: ['192.0.2.7'] },
    { record: 'routing', type: 'AAAA', name: 'shop.acme.com', values: ['2001:db8::7'] },
  ]);
  seen.routing = { kind: 'found', chain: ['old.example.net', 'end.example.net'], values: ['192.0.2.7'] };
  expect((await check('shop.acme.com')).conflicts).toMatchObject([{ type: 'CNAME', values: ['old.example.net'] }]);
});

test('a CNAME where the TXT record belongs is in the way; other TXT records may stay', async () => {
  seen.ownership = { kind: 'found', chain: [], values: ['v=spf1 -all'] };
  expect((await check('shop.acme.com')).conflicts).toEqual([]);
  seen.ownership = { kind: 'absent', reason: 'nodata', chain: ['wild.example.net'] };
  expect((await check('shop.acme.com')).conflicts).toMatchObject([
    { record: 'ownership', type: 'CNAME', name: '_service.shop.acme.com', values: ['wild.example.net'] },
  ]);
});

test('CAA records are shown, and having none differs from unreadable ones', async () => {
  expect(await check('shop.acme.com')).not.toHaveProperty('caa');
  seen.caa = { kind: 'absent', reason: 'nodata', chain: [] };
  expect(await check('shop.acme.com')).toMatchObject({ caa: [] });
  seen.caa = { kind: 'found', chain: [], values: ['0 issue "ca.example"'] };
  expect(await check('shop.acme.com')).toMatchObject({ caa: ['0 issue "ca.example"'] });
  seen.caa = { kind: 'unreadable', reason: 'timeout', chain: [] };
  expect(await check('shop.acme.com')).not.toHaveProperty('caa');
});

test('a name that cannot be added is refused with the reason, without a DNS query', async () => {
  expect(await check('https://shop.acme.com/')).toMatchObject({
    domain: 'https://shop.acme.com/',
    valid: false,
    problem: { message: expect.stringContaining('scheme'), fix: 'use "shop.acme.com"' },
  });
  expect(await check('shop.platform.test')).toMatchObject({ valid: false });
  expect(looked).toEqual([]);
});

test('a name of the workspace itself is reported as such, and one of another workspace is not revealed', async () => {
  await api.createDomain(tree, 'mine.acme.com');
  expect(await check('mine.acme.com')).toMatchObject({ valid: true, held: true, conflicts: [] });
  const other = await api.createWorkspace();
  const { key } = await api.createKey({ workspaceId: other.id });
  const theirs = await api.createDomain(await api.createTree('theirs', key), 'theirs.acme.com', key);
  const answer = await check('theirs.acme.com');
  expect(answer).toMatchObject({ valid: true, held: false });
  for (const secret of [theirs.id, theirs.target, other.id]) expect(JSON.stringify(answer)).not.toContain(secret);
});

test('it creates nothing', async () => {
  await check('later.acme.com');
  expect(await api.store.findDomainByName(api.workspaceId, 'later.acme.com')).toBeNull();
});

test('an invalid name is repeated with its invisible characters escaped', async () => {
  const { project, app, environment } = tree;
  const sent = '\u202emoc.acme\u0000';
  const answer = await api.call('domains.checkName', { project, app, environment, domain: sent });
  expect(dataOf(answer)).toMatchObject({ domain: '\\u{202e}moc.acme\\u{0}', valid: false });
  expect(answer.text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
