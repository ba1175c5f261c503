import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkspaceLimits } from '../../../server/src/store/store.ts';
import { ALL_GRANTS, dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';

const MINUTE = 60_000;

interface Outcome {
  domain: string;
  domainId?: string;
  dnsRecords?: unknown[];
  error?: { status: number; type: string; title: string; detail: string; errors?: object[] };
}

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

/** A workspace of its own, with an environment. */
async function fresh(limits: Partial<WorkspaceLimits> = {}) {
  const { id } = await api.createWorkspace({ limits: { rates: {}, domains: null, ...limits } });
  const { key } = await api.createKey({ workspaceId: id });
  const { project, app, environment } = await api.createTree('demo', key);
  const create = (domains: unknown, more: object = {}) =>
    api.call('domains.createDomains', { project, app, environment, domains, ...more }, { key });
  const outcomes = async (domains: string[], more: object = {}) => dataOf<Outcome[]>(await create(domains, more));
  const call = (operation: string, body: object) => api.call(operation, body, { key });
  return { id, key, create, outcomes, call };
}
const statuses = (outcomes: Outcome[]) => outcomes.map(({ error }) => error?.status);

describe('domains.createDomains', () => {
  it('attaches each name, as domains.createDomain does, with its records, in the order of the request', async () => {
    const { outcomes, call } = await fresh();
    const names = ['www.acme.com', 'acme.com', 'MÜNCHEN.acme.com'];
    const made = await outcomes(names);
    expect(made.map(({ domain }) => domain)).toEqual(['www.acme.com', 'acme.com', 'xn--mnchen-3ya.acme.com']);
    for (const { domain, domainId, dnsRecords } of made) {
      const { body } = await call('domains.getDomain', { domain });
      expect(body.data).toMatchObject({ id: domainId, dnsRecords, status: 'pending' });
    }
    const { body } = await call('domains.listEvents', { domain: 'acme.com' });
    expect(body.data).toMatchObject([{ type: 'domain.created', actor: expect.stringMatching(/^key_/) }]);
  });

  it('refuses each name with the error that domains.createDomain responds with, and attaches the others', async () => {
    const { outcomes, call } = await fresh({ domains: 4 });
    dataOf(await call('environments.createEnvironment', { project: 'demo', app: 'web', slug: 'staging' }));
    const path = { project: 'demo', app: 'web', environment: 'staging' };
    dataOf(await call('domains.createDomain', { ...path, domain: 'elsewhere.acme.com' }));
    const names = [
      'one.acme.com',
      'https://two.acme.com/',
      'x.platform.test',
      '',
      'elsewhere.acme.com',
      'x'.repeat(300),
      'three.acme.com',
      'four.acme.com',
      'five.acme.com',
      'one.acme.com',
    ];
    const made = await outcomes(names);
    expect(statuses(made)).toEqual([undefined, 400, 403, 400, 409, 400, undefined, undefined, 403, 409]);
    // No longer than a name can be.
    expect(made.map(({ domain }) => domain)).toEqual(names.map((name) => name.slice(0, 253)));
    const [hidden] = await outcomes(['\u202emoc.\u0000\u200b acme\u001b[2J']);
    expect(hidden?.domain).toBe('\\u{202e}moc.\\u{0}\\u{200b} acme\\u{1b}[2J');
    expect(JSON.stringify(hidden?.error)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(made[1]?.error?.errors).toEqual([
      { location: 'body.domains.1', message: expect.stringContaining('without a scheme'), fix: 'use "two.acme.com"' },
    ]);
    for (const at of [1, 2, 4, 8]) {
      const where = { project: 'demo', app: 'web', environment: 'production' };
      const { body } = await call('domains.createDomain', { ...where, domain: names[at] });
      const { errors: _, ...alone } = body.error ?? {};
      expect(made[at]?.error).toMatchObject(alone);
    }
  });

  it('names the domain that the environment has already, and no other: so a request can be repeated', async () => {
    const { outcomes, call } = await fresh();
    const names = ['a.acme.com', 'b.acme.com'];
    const first = await outcomes(names);
    const again = await outcomes([...names, 'c.acme.com']);
    expect(statuses(again)).toEqual([409, 409, undefined]);
    expect(again.slice(0, 2).map(({ domainId }) => domainId)).toEqual(first.map(({ domainId }) => domainId));
    dataOf(await call('environments.createEnvironment', { project: 'demo', app: 'web', slug: 'staging' }));
    const [elsewhere] = await outcomes(['a.acme.com'], { environment: 'staging' });
    expect(elsewhere).toMatchObject({ error: { status: 409 } });
    expect(elsewhere?.domainId).toBeUndefined();
  });

  it('attaches a name that the request has twice once, whatever its form', async () => {
    const { outcomes, call } = await fresh();
    const made = await outcomes(['bücher.acme.com', 'XN--BCHER-KVA.acme.com']);
    expect(statuses(made)).toEqual([undefined, 409]);
    expect(made[1]).toMatchObject({
      domain: 'xn--bcher-kva.acme.com',
      error: { detail: expect.stringContaining('twice') },
    });
    const { body } = await call('domains.listWorkspaceDomains', {});
    expect(body.data).toHaveLength(1);
  });

  it('gives a name that several requests want at once to one of them', async () => {
    const { outcomes } = await fresh();
    const names = Array.from({ length: 20 }, (_, i) => `race${i}.acme.com`);
    const made = await Promise.all([names, names.toReversed(), names].map((each) => outcomes(each)));
    expect(made.flat().filter(({ error }) => error === undefined)).toHaveLength(20);
    expect(new Set(made.flat().map(({ domainId }) => domainId)).size).toBe(20);
  });

  it('takes 1 to 100 names, each a text', async () => {
    const { create, outcomes } = await fresh();
    const hundred = Array.from({ length: 100 }, (_, i) => `n${i}.acme.com`);
    expect(statuses(await outcomes(hundred))).toEqual(hundred.map(() => undefined));
    for (const domains of [[], [...hundred, 'one.acme.com'], 'a.acme.com', [1], undefined]) {
      expect(await create(domains)).toMatchObject({ status: 400 });
    }
  });

  it('attaches nothing without the permission, or where there is no environment: with the same response', async () => {
    const { project, app, environment } = tree;
    const { key } = await api.createKey({
      permissions: ALL_GRANTS.filter((grant) => !/(?:create_domain|read_environment)$/.test(grant)),
    });
    const body = { project, app, environment, domains: ['mine.acme.com', 'not a name'] };
    const hidden = await api.call('domains.createDomains', body, { key });
    expect(hidden).toMatchObject({ status: 404 });
    const missing = await api.call('domains.createDomains', { ...body, environment: 'nowhere' });
    expect(hidden.body.error).toEqual(missing.body.error);
    expect(await api.store.findDomainByName(api.workspaceId, 'mine.acme.com')).toBeNull();
  });

  it('counts each name against the rate limit of domains.createDomain, and refuses those beyond it', async () => {
    const { outcomes, create, call } = await fresh({
      rates: { 'domains.createDomain': { limit: 5, windowMs: MINUTE } },
    });
    const path = { project: 'demo', app: 'web', environment: 'production' };
    dataOf(await call('domains.createDomain', { ...path, domain: 'alone.acme.com' }));
    const names = ['a.acme.com', 'not a name', 'b.acme.com', 'c.acme.com', 'd.acme.com', 'e.acme.com'];
    expect(statuses(await outcomes(names))).toEqual([undefined, 400, undefined, undefined, 429, 429]);
    const refused = await create(['d.acme.com']);
    const headers = {
      'retry-after': expect.stringMatching(/^\d+$/),
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
    };
    expect(refused).toMatchObject({ status: 429, headers });
    expect(await call('domains.createDomain', { ...path, domain: 'd.acme.com' })).toMatchObject({ status: 429 });
    api.clock.advance(MINUTE);
    expect(statuses(await outcomes(['d.acme.com', 'e.acme.com']))).toEqual([undefined, undefined]);
  });

  it('counts nothing against the rate limit for a key that may not create domains there', async () => {
    const { id, outcomes } = await fresh({ rates: { 'domains.createDomain': { limit: 2, windowMs: MINUTE } } });
    const { key } = await api.createKey({ workspaceId: id, permissions: ['environment.*.read_domain'] });
    const body = { project: 'demo', app: 'web', environment: 'production', domains: ['a.acme.com', 'b.acme.com'] };
    for (let times = 0; times < 3; times++) {
      expect(await api.call('domains.createDomains', body, { key })).toMatchObject({ status: 404 });
    }
    expect(statuses(await outcomes(['a.acme.com', 'b.acme.com']))).toEqual([undefined, undefined]);
  });
});

describe('a dry run', () => {
  it('predicts the outcome of each name, and changes nothing', async () => {
    const { outcomes, call } = await fresh();
    const [held] = await outcomes(['held.acme.com']);
    const names = ['new.acme.com', 'held.acme.com', 'not a name', 'NEW.acme.com', 'x.platform.test'];
    const dry = await outcomes(names, { dryRun: true });
    expect(statuses(dry)).toEqual([undefined, 409, 400, 409, 403]);
    expect(dry[0]).toEqual({ domain: 'new.acme.com' });
    expect(dry[1]).toMatchObject({ domain: 'held.acme.com', domainId: held?.domainId });
    const { body } = await call('domains.listWorkspaceDomains', {});
    expect(body.data).toHaveLength(1);
    expect(statuses(await outcomes(names))).toEqual(statuses(dry));
  });
});
