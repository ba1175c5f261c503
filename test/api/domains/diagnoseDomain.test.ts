import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DiagnosisData } from '../../../server/src/api/domains/diagnosis-schema.ts';
import type { Domain } from '../../../server/src/domain/domain.ts';
import type { Answer, Observation, RecordObservation } from '../../../server/src/domain/observation.ts';
import { ownershipName } from '../../../server/src/domain/records.ts';
import { createDiagnoser, type DiagnosisQuery } from '../../../server/src/verification/observation/diagnoser.ts';
import { dataOf, type Harness, START, startApi, type Tree } from '../../support/api-harness.ts';
import { aSave, prove } from '../../support/certificates.ts';

let api: Harness;
let tree: Tree;
let domain: Domain;
/** The diagnoses that were asked for, and how each ends. */
let asked: DiagnosisQuery[] = [];
let observe: (request: DiagnosisQuery) => Promise<Observation> = async ({ domain }) => nothingAt(domain);

beforeAll(async () => {
  const now = { now: () => START };
  const diagnoser = createDiagnoser({
    clock: now,
    observe: (request) => {
      asked.push(request);
      return observe(request);
    },
    sharedForMs: 0,
  });
  api = await startApi({ diagnoser });
  tree = await api.createTree();
  domain = await api.createDomain(tree, 'shop.acme.com');
});
beforeEach(() => {
  asked = [];
  observe = async ({ domain }) => nothingAt(domain);
});
afterAll(() => api.close());

/** The observation of a name without any records. */
function nothingAt({ name, service }: Domain): Observation {
  const absent: Answer = { kind: 'absent', reason: 'nxdomain', chain: [] };
  const record = (at: string): RecordObservation => ({
    name: at,
    zone: {
      apex: 'acme.com',
      source: 'parent',
      nameservers: [{ name: 'ns1.acme.com', addresses: ['192.0.2.1'] }],
      ownNameservers: null,
      failure: null,
    },
    nameservers: [{ server: 'ns1.acme.com', address: '192.0.2.1', answers: [absent] }],
    validation: null,
  });
  return { routing: record(name), ownership: record(ownershipName({ name, service })) };
}

const diagnose = (body: object = {}, key?: string) =>
  api.call('domains.diagnoseDomain', { domain: 'shop.acme.com', ...body }, key === undefined ? {} : { key });

test('a diagnosis shows the records of each nameserver beside the expected ones, and the missing ones', async () => {
  const diagnosis = dataOf<DiagnosisData>(await diagnose());
  expect(diagnosis).toMatchObject({
    domainId: domain.id,
    domain: 'shop.acme.com',
    status: 'pending',
    checkedAt: START,
    schedule: { attempts: 0, nextCheckAt: START, windowEndsAt: START + 86_400_000 },
    zone: { name: 'acme.com', registered: true, nameservers: [{ name: 'ns1.acme.com', outcome: 'answered' }] },
    records: [
      { record: 'routing', type: 'CNAME', expected: domain.target, verified: false, needed: 'yes' },
      { record: 'ownership', type: 'TXT', verified: false, needed: 'alternative' },
    ],
  });
  expect(diagnosis.records[0]?.seen).toEqual([{ nameserver: 'ns1.acme.com', outcome: 'nxdomain', values: [] }]);
  expect(diagnosis.findings).toContainEqual(expect.objectContaining({ code: 'record_missing' }));
});

test('the value of another domain of the workspace is named, and of no other workspace', async () => {
  const blog = await api.createDomain(tree, 'blog.acme.com');
  const { key } = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
  const foreign = await api.createDomain(await api.createTree('foreign', key), 'foreign.com', key);
  const ownershipFindings = async ({ service, token }: Domain) => {
    observe = async ({ domain: subject }) => {
      const seen = nothingAt(subject);
      const answer: Answer = { kind: 'found', chain: [], values: [`${service}-domain-verify=${token}`] };
      const nameservers = seen.ownership.nameservers.map((each) => ({ ...each, answers: [answer] as [Answer] }));
      return { ...seen, ownership: { ...seen.ownership, nameservers } };
    };
    const { findings } = dataOf<DiagnosisData>(await diagnose());
    return findings.filter(({ record }) => record === 'ownership');
  };
  expect(await ownershipFindings(blog)).toMatchObject([
    { code: 'txt_other_domain', message: expect.stringContaining('That is the value of blog.acme.com.') },
  ]);
  const { token } = dataOf<{ token: string }>(await api.call('domains.createSetupLink', { domain: 'shop.acme.com' }));
  const opened = await api.call('setup.openSession', { token }, { key: null });
  const { sessionToken } = dataOf<{ sessionToken: string }>(opened);
  const shown = await api.call('domains.diagnoseDomain', { domain: 'shop.acme.com' }, { key: sessionToken });
  expect(shown.text).toContain('txt_stale');
  expect(shown.text).not.toContain('blog.acme.com');
  expect(await ownershipFindings(foreign)).toMatchObject([{ code: 'txt_stale' }]);
});

test('it changes nothing: neither the domain nor its schedule nor its timeline', async () => {
  const before = await api.store.findDomainById(api.workspaceId, domain.id);
  const schedule = await api.store.findCheckResult(api.workspaceId, domain.id);
  const events = await api.store.listDomainEvents(api.workspaceId, domain.id, { limit: 100 });
  dataOf(await diagnose());
  expect(await api.store.findDomainById(api.workspaceId, domain.id)).toEqual(before);
  expect(await api.store.findCheckResult(api.workspaceId, domain.id)).toEqual(schedule);
  expect(await api.store.listDomainEvents(api.workspaceId, domain.id, { limit: 100 })).toEqual(events);
});

test('a domain is found by its name in any form, and by its id', async () => {
  for (const form of ['SHOP.acme.com', domain.id])
    expect(dataOf(await diagnose({ domain: form }))).toMatchObject({ domainId: domain.id });
});

test('with cached, no nameserver is asked: before the first check the diagnosis is empty', async () => {
  const diagnosis = dataOf<DiagnosisData>(await diagnose({ cached: true }));
  expect(diagnosis).toMatchObject({ schedule: { attempts: 0 }, findings: [] });
  expect(diagnosis).not.toHaveProperty('checkedAt');
  expect(diagnosis).not.toHaveProperty('zone');
  expect(asked).toEqual([]);
});

test('a verified domain is looked at from outside within half a minute, and not for a cached diagnosis', async () => {
  const before = await api.createDomain(tree, 'live.acme.com');
  expect(await prove(api.store, before, START)).toBe('saved');
  const dueWithin = async (ms: number) => (await api.store.claimLooks({ now: START + ms, limit: 9 })).length;
  await diagnose({ domain: 'live.acme.com', cached: true });
  expect(await dueWithin(30_000)).toBe(0);
  expect(await diagnose({ domain: 'live.acme.com' })).toMatchObject({ status: 200 });
  expect(await dueWithin(30_000)).toBe(1);
});

test('a certificate that waits for its routing is attempted within ten seconds, and not for a cached diagnosis, nor for another domain of the name', async () => {
  const name = 'held.back.acme.com';
  const before = await api.createDomain(tree, name);
  expect(await prove(api.store, before, START)).toBe('saved');
  const claim = (now: number) => api.store.claimCertificates({ now, limit: 99, leaseMs: 60_000, newNames: true });
  const due = (await claim(START)).find(({ certificate }) => certificate.hostname === name);
  if (due === undefined) throw new Error('nothing was due');
  const nextTryAt = START + 3_600_000;
  await api.store.saveCertificate(aSave(due, { state: 'waiting_for_routing', nextTryAt }));
  const { key } = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
  await api.createDomain(await api.createTree('waiting', key), name, key);
  expect(await diagnose({ domain: name }, key)).toMatchObject({ status: 200 });
  expect(await diagnose({ domain: name, cached: true })).toMatchObject({ status: 200 });
  const soon = START + 10_000;
  expect(await claim(soon)).toEqual([]);
  expect(await diagnose({ domain: name })).toMatchObject({ status: 200 });
  expect((await claim(soon)).map(({ certificate }) => certificate.hostname)).toEqual([name]);
});

test('cached must be true or false, and nothing else may be in the body', async () => {
  expect(await diagnose({ cached: 'yes' })).toMatchObject({ status: 400 });
  expect(await diagnose({ force: true })).toMatchObject({ status: 400 });
});

test('another workspace that holds the name is looked at, and never named', async () => {
  const other = await api.createWorkspace();
  const { key } = await api.createKey({ workspaceId: other.id });
  const held = await api.createDomain(await api.createTree('theirs', key), 'held.acme.com', key);
  await api.store.saveTransition({
    before: held,
    after: { ...held, status: 'verified', verifiedAt: START, updatedAt: START, revision: held.revision + 1 },
    memory: { unreadableInARow: 0, provenSince: null, ownershipDoubt: null, routingDoubt: null, fingerprint: null },
    now: START,
  });
  await api.createDomain(tree, 'held.acme.com');
  const { text } = await diagnose({ domain: 'held.acme.com' });
  expect(asked).toMatchObject([{ incumbent: { id: held.id } }]);
  for (const secret of [held.id, held.target, held.token, other.id]) expect(text).not.toContain(secret);
});

describe('limits', () => {
  /** Looks that last until they are let go. */
  function hold(): () => void {
    const held = Promise.withResolvers<void>();
    observe = async ({ domain }) => {
      await held.promise;
      return nothingAt(domain);
    };
    return held.resolve;
  }

  test('10 requests of one workspace ask at once; more get 429 with Retry-After, and cached ones are answered', async () => {
    const names = Array.from({ length: 11 }, (_, at) => `n${at}.acme.com`);
    for (const name of names) await api.createDomain(tree, name);
    const release = hold();
    const answers = names.slice(0, 10).map((name) => diagnose({ domain: name }));
    await expect.poll(() => asked.length).toBe(10);
    const refused = await diagnose({ domain: 'n10.acme.com' });
    expect(refused).toMatchObject({ status: 429, body: { error: { type: 'rate-limited' } } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    const where = { project: tree.project, app: tree.app, environment: tree.environment };
    expect(await api.call('domains.checkName', { ...where, domain: 'free.acme.com' })).toMatchObject({ status: 429 });
    expect(await diagnose({ domain: 'n10.acme.com', cached: true })).toMatchObject({ status: 200 });
    const other = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
    await api.createDomain(await api.createTree('free', other.key), 'other.acme.com', other.key);
    const theirs = diagnose({ domain: 'other.acme.com' }, other.key);
    await expect.poll(() => asked.length).toBe(11);
    release();
    for (const answer of [...answers, theirs]) expect(await answer).toMatchObject({ status: 200 });
    expect(await diagnose({ domain: 'n10.acme.com' })).toMatchObject({ status: 200 });
  });

  test('a process that cannot look answers 429 with Retry-After, and says that it is not the rate limit', async () => {
    observe = () => Promise.reject(new Error('the thread has crashed'));
    expect(await diagnose()).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      body: { error: { detail: expect.stringContaining('overloaded') } },
    });
  });

  test("the workspace's rate limit of the operation applies, cached or not", async () => {
    const workspace = await api.createWorkspace({
      limits: { rates: { 'domains.diagnoseDomain': { limit: 1, windowMs: 60_000 } }, domains: null },
    });
    const { key } = await api.createKey({ workspaceId: workspace.id });
    await api.createDomain(await api.createTree('limited', key), 'limited.acme.com', key);
    const ask = () => diagnose({ domain: 'limited.acme.com', cached: true }, key);
    expect(await ask()).toMatchObject({ status: 200, headers: { 'ratelimit-remaining': '0' } });
    expect(await ask()).toMatchObject({ status: 429 });
  });
});
