import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WINDOW_MS } from '../../../server/src/domain/domain.ts';
import { ALL_GRANTS, dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';

let api: Harness;
let tree: Tree;
let where: { project: string; app: string; environment: string };
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
  where = { project: tree.project, app: tree.app, environment: tree.environment };
});
afterAll(() => api.close());

const create = (domain: unknown, more: object = {}, key = api.rootKey) =>
  api.call('domains.createDomain', { ...where, domain, ...more }, { key });

describe('domains.createDomain', () => {
  it('answers with the new id and the records to publish', async () => {
    const answer = await create('api.acme.com');
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: {
          domainId: expect.stringMatching(/^dom_[0-9a-z]{26}$/),
          dnsRecords: [
            { type: 'CNAME', name: 'api.acme.com', verified: false },
            { type: 'TXT', name: '_service.api.acme.com', verified: false },
          ],
        },
      },
    });
  });

  it('sets status pending and createdAt, and background checks begin at once', async () => {
    const before = api.clock.now();
    const domain = await api.createDomain(tree, 'begins.acme.com');
    expect(domain).toMatchObject({ status: 'pending', createdAt: before, windowStartedAt: before, updatedAt: null });
    const due = await api.store.claimDue(before, 100, 60_000, () => 0);
    expect(due.map((check) => check.domain.id)).toContain(domain.id);
  });

  it('takes project, app and environment by id or by slug', async () => {
    const byId = { project: tree.projectId, app: tree.appId, environment: tree.environmentId };
    expect(await create('by-id.acme.com', byId)).toMatchObject({ status: 200 });
    expect(await create('mixed.acme.com', { app: tree.appId })).toMatchObject({ status: 200 });
  });

  it('stores the canonical name, whatever form was sent', async () => {
    dataOf(await create('MÜNCHEN.Acme.com'));
    const answer = await api.call('domains.getDomain', { domain: 'xn--mnchen-3ya.acme.com' });
    expect(answer.body.data).toMatchObject({ domain: 'xn--mnchen-3ya.acme.com' });
  });

  it('makes a target and a token that no domain had before, also for a name that was deleted and added again', async () => {
    const values = async () =>
      dataOf<{ dnsRecords: { value: string }[] }>(await create('again.acme.com')).dnsRecords.map(({ value }) => value);
    const first = await values();
    await api.call('domains.deleteDomain', { domain: 'again.acme.com' });
    const second = await values();
    expect(new Set([...first, ...second]).size).toBe(4);
  });

  it('gives the same name to any number of workspaces, each with records of its own', async () => {
    const first = await api.createDomain(tree, 'shared.acme.com');
    const { id } = await api.createWorkspace();
    const { key } = await api.createKey({ workspaceId: id });
    const second = await api.createDomain(await api.createTree('demo', key), 'shared.acme.com', key);
    expect(second.target).not.toBe(first.target);
    expect(second.token).not.toBe(first.token);
  });

  it('gives an apex domain an ALIAS where a subdomain receives a CNAME', async () => {
    for (const apex of ['acme.com', 'acme.co.uk', 'acme.github.io']) {
      const { dnsRecords } = dataOf<{ dnsRecords: { type: string }[] }>(await create(apex));
      expect(dnsRecords[0]?.type).toBe('ALIAS');
    }
  });

  it('names the addresses of the edge in the note of an ALIAS, wherever the record is shown', async () => {
    const addressed = await startApi({ settings: { edgeAddresses: ['192.0.2.7', '2001:db8::7'] } });
    const { project, app, environment } = await addressed.createTree();
    const created = await addressed.call('domains.createDomain', { project, app, environment, domain: 'acme.com' });
    const records = [{ type: 'ALIAS', note: expect.stringContaining('publish A 192.0.2.7 and AAAA 2001:db8::7') }, {}];
    expect(created.body.data).toMatchObject({ dnsRecords: records });
    const shown = await addressed.call('domains.getDomain', { domain: 'acme.com' });
    expect(shown.body.data).toMatchObject({ dnsRecords: records });
    const listed = await addressed.call('domains.listDomains', { project, app, environment });
    expect(listed.body.data).toMatchObject([{ dnsRecords: records }]);
    await addressed.close();
  });

  it("stands under the operator's own word and zone", async () => {
    const branded = await startApi({ settings: { service: 'acme', cnameZone: 'edge.acme.net' } });
    const domain = await branded.createDomain(await branded.createTree(), 'www.customer.com');
    const answer = await branded.call('domains.getDomain', { domain: domain.id });
    expect(answer.body.data).toMatchObject({
      dnsRecords: [
        { value: expect.stringMatching(/\.edge\.acme\.net$/) },
        { name: '_acme.www.customer.com', value: expect.stringMatching(/^acme-domain-verify=/) },
      ],
    });
    await branded.close();
  });
});

describe('a name', () => {
  it.each([
    ['https://www.acme.com', 'must be a name without a scheme: "https://"', 'use "www.acme.com"'],
    ['www.acme.com:443', 'must be a name without a port: ":443"', 'use "www.acme.com"'],
    ['www.acme.com/shop', 'must be a name without a path: "/shop"', 'use "www.acme.com"'],
    ['www.acme.com.', 'must not end with a dot: "."', 'use "www.acme.com"'],
    [' www.acme.com', 'must not contain white space: " "', 'use "www.acme.com"'],
    [
      'a.*.acme.com',
      'must have "*" only as its whole first label, which stands for one label ("*.example.com"): "*"',
      undefined,
    ],
    ['acme', 'must have at least two labels with a dot between them: "acme"', undefined],
    ['co.uk', 'must not be a public suffix, below which anyone may have a name: "co.uk"', undefined],
    ['192.0.2.1', 'must be a name, not an IP address: "192.0.2.1"', undefined],
  ])('%j is refused with 400 at body.domain: which rule, and what to send instead', async (name, message, fix) => {
    const answer = await create(name);
    expect(answer.status).toBe(400);
    const [error] = answer.body.error?.errors ?? [];
    expect(error).toEqual({ location: 'body.domain', message: expect.stringContaining(message), ...(fix && { fix }) });
  });

  it.each([
    ['', /^must not be empty/],
    ['foo', /^must have at least two labels/],
    ['com', /^must have at least two labels/],
    ['a.b', /^must have at least two characters in its last label/],
    [`${'a'.repeat(250)}.com`, /^must have at most 253 characters/],
  ])('that is too short or too long is told its own rule, here and by checkName: %j', async (name, message) => {
    const error = { location: 'body.domain', message: expect.stringMatching(message) };
    expect(await create(name)).toMatchObject({ status: 400, body: { error: { errors: [error] } } });
    if (name.length > 253) return;
    const checked = await api.call('domains.checkName', { ...where, domain: name });
    expect(checked.body.data).toMatchObject({ valid: false, problem: { message: error.message } });
  });

  it.each([
    'platform.test',
    'www.platform.test',
    'cname.platform.test',
    'x.cname.platform.test',
    'PLATFORM.test',
    'a.localhost',
    'printer.local',
    'x.onion',
    '1.0.0.127.in-addr.arpa',
    'db.internal',
  ])('that is reserved is forbidden to everybody: %s', async (name) => {
    expect(await create(name)).toMatchObject({
      status: 403,
      body: { error: { title: 'Forbidden', type: 'forbidden', detail: expect.stringContaining('must not be') } },
    });
  });

  it('under the CNAME zone is reserved without being listed', async () => {
    const other = await startApi({ settings: { reservedNames: [], cnameZone: 'edge.acme.net' } });
    const { project, app, environment } = await other.createTree();
    const body = { project, app, environment, domain: 'www.edge.acme.net' };
    expect(await other.call('domains.createDomain', body)).toMatchObject({ status: 403 });
    await other.close();
  });

  it('that the workspace holds already is a conflict that names the canonical domain', async () => {
    dataOf(await create('bücher.held.com'));
    for (const name of ['bücher.held.com', 'XN--BCHER-KVA.held.com']) {
      expect(await create(name)).toMatchObject({
        status: 409,
        body: {
          error: { title: 'Conflict', type: 'conflict', detail: expect.stringContaining('xn--bcher-kva.held.com') },
        },
      });
    }
  });

  it('that two requests want at once is given to one', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => create('race.acme.com')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });
});

describe('the number of domains', () => {
  it('is limited where the workspace has a limit', async () => {
    const { id } = await api.createWorkspace({ limits: { rates: {}, domains: 1 } });
    const { key } = await api.createKey({ workspaceId: id });
    await api.createDomain(await api.createTree('demo', key), 'first.acme.com', key);
    expect(await create('second.acme.com', {}, key)).toMatchObject({
      status: 403,
      body: {
        error: {
          title: 'Forbidden',
          type: 'forbidden',
          detail: 'The workspace has reached its domain limit of 1.',
        },
      },
    });
    expect(await create('first.acme.com', {}, key)).toMatchObject({ status: 409 });
    dataOf(await api.call('domains.deleteDomain', { domain: 'first.acme.com' }, { key }));
    expect(await create('second.acme.com', {}, key)).toMatchObject({ status: 200 });
  });
});

describe('refusals come in the order environment, permission, name, held, quota', () => {
  it('a missing environment before a bad name', async () => {
    expect(await create('not a name', { environment: 'nowhere' })).toMatchObject({ status: 404 });
  });

  it('a missing permission before a bad name', async () => {
    const { key } = await api.createKey({
      permissions: ALL_GRANTS.filter((grant) => !grant.endsWith('create_domain')),
    });
    expect(await create('not a name', {}, key)).toMatchObject({ status: 403 });
  });

  it('a bad name before a name that is held and a quota', async () => {
    const { id } = await api.createWorkspace({ limits: { rates: {}, domains: 0 } });
    const { key } = await api.createKey({ workspaceId: id });
    await api.createTree('demo', key);
    expect(await create('not a name', {}, key)).toMatchObject({ status: 400 });
    expect(await create('fine.acme.com', {}, key)).toMatchObject({ status: 403 });
  });
});

describe('a window of another length', () => {
  it('is the operator’s to choose', async () => {
    const short = await startApi({ settings: { windowMs: 60_000 } });
    const { createdAt } = await short.createDomain(await short.createTree(), 'short.acme.com');
    const due = await short.store.claimDue(createdAt, 1, 3_600_000, () => 0);
    expect(due).toHaveLength(1);
    expect(await short.store.earliestDueAt()).toBe(createdAt + 60_000);
    expect(WINDOW_MS).toBe(24 * 60 * 60 * 1000);
    await short.close();
  });
});
