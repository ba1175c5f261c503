import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRootKey } from '../../server/src/access/secret-text.ts';
import { createLoadShedder } from '../../server/src/api/load-shedding.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { dataOf, type Harness, startApi, type Tree } from '../support/api-harness.ts';
import { failedAt, verifiedAt } from '../support/entities.ts';

let api: Harness;
let tree: Tree;

beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

interface Sent {
  method?: string;
  body?: unknown;
  key?: string | null;
  headers?: Record<string, string>;
}

interface Received {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the vendor's envelope, of which each test reads what it is about.
  body: any;
}

async function send(path: string, { method = 'GET', body, key = api.rootKey, headers = {} }: Sent = {}) {
  const response = await fetch(`${api.url}/compat/cloudflare/client/v4${path}`, {
    method,
    headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const received: Received = { status: response.status, headers: response.headers, body: await response.json() };
  const { success, errors, messages, result } = received.body;
  expect({ success, hasErrors: errors.length > 0 }).toEqual({ success: response.ok, hasErrors: !response.ok });
  expect(Array.isArray(messages)).toBe(true);
  if (!response.ok) expect(result).toBeNull();
  return received;
}

const hostnames = (zone = tree.environmentId) => `/zones/${zone}/custom_hostnames`;
const SSL = { method: 'http', type: 'dv', settings: { http2: 'on', min_tls_version: '1.2' } };

async function create(hostname: string, more: object = {}, options: Sent = {}): Promise<Received> {
  return send(hostnames(), { method: 'POST', body: { hostname, ssl: SSL, ...more }, ...options });
}

const list = async (query: string, options: Sent = {}) => send(`${hostnames()}?${query}`, options);
const namesIn = ({ body }: Received) => body.result.map(({ hostname }: { hostname: string }) => hostname);
const refusal = ({ status, body }: Received) => ({ status, code: body.errors[0]?.code });

describe('a custom hostname', () => {
  it('is created as a domain of the environment, with the records that prove it, and its metadata', async () => {
    const { status, body } = await create('one.acme.com', { custom_metadata: { plan: 'pro' } });
    expect(status).toBe(201);
    const { id } = body.result;
    const domain = dataOf<{ dnsRecords: { name: string; value: string }[] }>(
      await api.call('domains.getDomain', { domain: id }),
    );
    const [, ownership] = domain.dnsRecords;
    expect(body.result).toMatchObject({
      hostname: 'one.acme.com',
      status: 'pending',
      ssl: { status: 'pending_validation', validation_records: [{ txt_name: ownership?.name }] },
      verification_errors: ['custom hostname does not CNAME to this zone.'],
      ownership_verification: { type: 'txt', name: ownership?.name, value: ownership?.value },
      custom_metadata: { plan: 'pro' },
      nameplate: { dns_records: domain.dnsRecords },
    });
    expect((await send(`${hostnames()}/${id}`)).body.result).toEqual(body.result);
  });

  it('that is taken is refused with 1406', async () => {
    await create('taken.acme.com');
    const again = await create('taken.acme.com');
    expect(refusal(again)).toEqual({ status: 409, code: 1406 });
    expect(again.body.errors[0].message).toMatch(/^Duplicate custom hostname found\./);
  });

  it('is active while its domain is verified, and blocked while that is suspended', async () => {
    const { body } = await create('states.acme.com');
    const { id } = body.result;
    const statusNow = async () => (await send(`${hostnames()}/${id}`)).body.result;
    const now = api.clock.now();
    const before = await api.store.findDomainById(api.workspaceId, id);
    if (before === null) throw new Error('it was not created');
    const after = verifiedAt(before, now);
    await api.store.saveTransition({ before, after, memory: NO_MEMORY, now });
    expect(await statusNow()).toMatchObject({ status: 'active', ssl: { status: 'pending_issuance' } });
    expect(await statusNow()).not.toHaveProperty('verification_errors');
    await api.call('domains.suspendDomain', { domain: id });
    expect(await statusNow()).toMatchObject({ status: 'blocked' });
    await api.call('domains.resumeDomain', { domain: id });
    await api.store.saveTransition({ before: after, after: failedAt(after, now), memory: NO_MEMORY, now });
    expect(await statusNow()).toMatchObject({ status: 'pending', verification_errors: expect.any(Array) });
  });

  it('is edited: metadata is replaced as a whole, min_tls_version is set, and an ssl validates again', async () => {
    const { id } = (await create('edit.acme.com', { custom_metadata: { a: '1', b: '2' } })).body.result;
    const body = { custom_metadata: { b: '3' }, ssl: { ...SSL, settings: { min_tls_version: '1.3' } } };
    const edited = await send(`${hostnames()}/${id}`, { method: 'PATCH', body });
    expect(edited.status).toBe(202);
    expect(edited.body.result).toMatchObject({
      custom_metadata: { b: '3' },
      ssl: { settings: { min_tls_version: '1.3' } },
    });
    const site = dataOf<{ metadata: object }>(await api.call('domains.getSite', { domain: id }));
    expect(site.metadata).toEqual({ b: '3' });
    const entries = dataOf<{ action: string; requestId: string }[]>(await api.call('audit.listEntries', {}));
    const requestId = edited.headers.get('x-request-id');
    const made = entries.filter((entry) => entry.requestId === requestId).map(({ action }) => action);
    expect(made.sort()).toEqual(['domains.updateDomain', 'domains.verifyDomain']);
  });

  it('is edited under any spelling of its own name, and of no other', async () => {
    const { id, hostname } = (await create('Bücher.acme.com')).body.result;
    const edit = (name: unknown) => send(`${hostnames()}/${id}`, { method: 'PATCH', body: { hostname: name } });
    for (const spelling of ['bücher.ACME.com', hostname]) expect((await edit(spelling)).status).toBe(202);
    for (const other of ['other.acme.com', '', 7, null])
      expect(refusal(await edit(other))).toEqual({ status: 403, code: 1439 });
  });

  it('is deleted once, and not found after', async () => {
    const { id } = (await create('gone.acme.com')).body.result;
    const path = `${hostnames()}/${id}`;
    const deleted = await send(path, { method: 'DELETE', headers: { 'content-type': 'application/json' } });
    expect(deleted.body).toMatchObject({ id, result: { id } });
    expect(refusal(await send(path, { method: 'DELETE' }))).toEqual({ status: 404, code: 1436 });
    expect(refusal(await send(path))).toEqual({ status: 404, code: 1436 });
  });
});

describe('the list of custom hostnames', () => {
  const names = Array.from({ length: 123 }, (_, at) => `n${String(at).padStart(3, '0')}.list.com`);
  let zone: string;
  const listed = (query: string) => send(`${hostnames(zone)}?${query}`);

  beforeAll(async () => {
    const parents = { project: 'demo', app: 'web' };
    const made = await api.call('environments.createEnvironment', { ...parents, slug: 'many' });
    zone = dataOf<{ environmentId: string }>(made).environmentId;
    for (let from = 0; from < names.length; from += 100) {
      const domains = names.slice(from, from + 100).map((domain) => ({ domain }));
      dataOf(await api.call('domains.createDomains', { environment: zone, domains }));
    }
  });

  it('has each name once over its pages, in any order that they are read in, with exact totals', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 3; page += 1) {
      const received = await listed(`page=${page}`);
      seen.push(...namesIn(received));
      const count = page === 3 ? 23 : 50;
      const info = { page, per_page: 50, count, total_count: 123, total_pages: 3 };
      expect(received.body.result_info).toEqual(info);
    }
    expect(seen).toEqual(names);
    // Nobody read the pages of this size before.
    expect(namesIn(await listed('page=4&per_page=30'))).toEqual(names.slice(90, 120));
    expect(namesIn(await listed('per_page=5&constructor=1&toString=1'))).toEqual(names.slice(0, 5));
    expect((await listed('page=9')).body).toMatchObject({ result: [], result_info: { count: 0, total_count: 123 } });
    expect(namesIn(await listed('per_page=1000'))).toEqual(names);
  });

  it('filters by hostname, id, status and wildcard, and sorts', async () => {
    const { id } = (await listed('hostname=n007.list.com')).body.result[0];
    for (const query of [
      `id=${id}`,
      'hostname=N007.list.com',
      'hostname.exact=n007.list.com',
      'hostname[exact]=n007.list.com',
    ])
      expect(namesIn(await listed(query))).toEqual(['n007.list.com']);
    expect(namesIn(await listed('hostname.contain=07.list'))).toEqual(['n007.list.com', 'n107.list.com']);
    expect(namesIn(await listed('hostname[startsWith]=n12'))).toEqual([
      'n120.list.com',
      'n121.list.com',
      'n122.list.com',
    ]);
    expect(namesIn(await listed('direction=desc&per_page=5&page=2'))).toEqual(names.slice(113, 118).reverse());
    expect(namesIn(await listed('order=ssl&per_page=5'))).toEqual(names.slice(0, 5));
    expect((await listed('hostname_status=pending&ssl=0&wildcard=false')).body.result_info.total_count).toBe(123);
    for (const query of [
      'hostname_status=active',
      'ssl=1',
      'ssl_status=active',
      'wildcard=true',
      'hostname=list.com',
      `hostname=${id}`,
      'id=n007.list.com',
      'id=env_1',
    ])
      expect(namesIn(await listed(query))).toEqual([]);
  });

  it('of thousands has exact totals, filters and sorts, and lets other requests run in between', async () => {
    const { environmentId: large } = await api.createTree('large');
    for (let from = 0; from < 2200; from += 100) {
      const domains = Array.from({ length: 100 }, (_, at) => ({ domain: `l${from + at}.large.com` }));
      dataOf(await api.call('domains.createDomains', { environment: large, domains }));
    }
    const read = (query: string) => send(`${hostnames(large)}?${query}`);
    expect((await read('per_page=1000&page=2')).body.result_info).toEqual({
      ...{ page: 2, per_page: 1000, count: 1000, total_count: 2200, total_pages: 3 },
    });
    expect(namesIn(await read('hostname.contain=L2199.'))).toEqual(['l2199.large.com']);
    let turns = 0;
    const count = () => {
      turns += 1;
      turning = setImmediate(count);
    };
    let turning = setImmediate(count);
    expect(namesIn(await read('order=ssl&direction=desc&per_page=5'))[0]).toBe('l2199.large.com');
    clearImmediate(turning);
    expect(turns).toBeGreaterThanOrEqual(22);
  });

  it('has the hostnames that are there now, also where others were deleted before a page', async () => {
    const { environmentId: shrinking } = await api.createTree('shrinking');
    const domains = Array.from({ length: 11 }, (_, at) => ({ domain: `s${at}.shrinking.com` }));
    dataOf(await api.call('domains.createDomains', { environment: shrinking, domains }));
    const read = (page: number) => send(`${hostnames(shrinking)}?per_page=5&page=${page}`);
    for (const page of [1, 2, 3]) await read(page);
    for (let at = 0; at < 5; at += 1) await api.call('domains.deleteDomain', { domain: `s${at}.shrinking.com` });
    const second = await read(2);
    expect(namesIn(second)).toEqual(['s10.shrinking.com']);
    expect(second.body.result_info).toMatchObject({ total_count: 6, total_pages: 2 });
  });

  it.each([
    ['page=0', 1434],
    ['page=-1', 1434],
    ['page=1e3', 1434],
    ['per_page=4', 1434],
    ['per_page=1001', 1434],
    ['order=hostname', 1434],
    ['direction=up', 1434],
    ['ssl=2', 1434],
    ['page=1&page=2', 1434],
    ['page=1000000', 1434],
    ['certificate_authority=google', 1434],
    ['custom_origin_server=a.example.com', 1434],
    ['id=dom_1&hostname=a.example.com', 1438],
    ['hostname=', 1437],
    ['hostname.contain=%00', 1437],
    [`hostname=${'a'.repeat(300)}`, 1437],
  ])('refuses %s with %i', async (query, code) => {
    expect(refusal(await listed(query))).toEqual({ status: 400, code });
  });
});

describe('a key', () => {
  it('is verified as a token, and is refused like one', async () => {
    const verified = await send('/user/tokens/verify');
    expect(verified.body.result).toEqual({ id: expect.stringMatching(/^key_/), status: 'active' });
    for (const key of [null, 'wrong', `${api.rootKey.slice(0, -1)}x`])
      expect(refusal(await send('/user/tokens/verify', { key }))).toEqual({ status: 401, code: 10_000 });
    const headers = { 'x-auth-email': 'a@example.com', 'x-auth-key': '1' };
    const byKey = await send('/user/tokens/verify', { headers, key: null });
    expect(refusal(byKey)).toEqual({ status: 401, code: 6003 });
    expect(byKey.body.errors[0].message).toContain('Authorization: Bearer');
  });

  it('of another workspace, and one without the permission, get the same responses as for what does not exist', async () => {
    const { id } = (await create('mine.acme.com')).body.result;
    const { id: workspaceId } = await api.createWorkspace();
    const foreign = await api.createKey({ workspaceId });
    const blind = await api.createKey({ permissions: ['environment.env_other.read_domain'] });
    for (const { key } of [foreign, blind]) {
      for (const suffix of ['', `/${id}`]) {
        const real = await send(hostnames() + suffix, { key });
        const missing = await send(hostnames('env_00000000000000000000000000') + suffix.replace(/.$/, '0'), { key });
        expect({ ...refusal(real), body: real.body }).toEqual({ ...refusal(missing), body: missing.body });
        expect(real.status).toBe(404);
      }
      expect((await create('theirs.acme.com', {}, { key })).status).toBe(404);
    }
    const other = await api.createTree('other', api.rootKey);
    expect(refusal(await send(`${hostnames(other.environmentId)}/${id}`))).toEqual({ status: 404, code: 1436 });
    expect(refusal(await send(hostnames('not-a-zone')))).toEqual({ status: 404, code: 7003 });
  });

  it('must be a key: the session of a set-up link is refused', async () => {
    const { id } = (await create('session.acme.com')).body.result;
    const link = dataOf<{ url: string }>(await api.call('domains.createSetupLink', { domain: id }));
    const token = link.url.slice(link.url.indexOf('#') + 1);
    const opened = await api.call('setup.openSession', { token }, { key: null });
    const { sessionToken: key } = dataOf<{ sessionToken: string }>(opened);
    expect(refusal(await send(`${hostnames()}/${id}`, { key }))).toEqual({ status: 403, code: 10_000 });
  });

  it('that lacks a permission of an edit changes nothing', async () => {
    const { id } = (await create('read.acme.com', { custom_metadata: { a: '1' } })).body.result;
    const { key } = await api.createKey({ permissions: ['environment.*.read_domain'] });
    const edited = await send(`${hostnames()}/${id}`, { method: 'PATCH', body: { custom_metadata: {} }, key });
    expect(refusal(edited)).toEqual({ status: 403, code: 10_000 });
    expect((await send(`${hostnames()}/${id}`, { key })).body.result.custom_metadata).toEqual({ a: '1' });
  });
});

describe('one request', () => {
  it('is counted, logged and authenticated once, under one id, whatever it calls', async () => {
    const before = api.logged.length;
    const { headers } = await create('counted.acme.com');
    const requestId = headers.get('x-request-id');
    const lines = api.logged
      .slice(before)
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'request');
    expect(lines).toMatchObject([
      { requestId, operation: 'compat.cloudflare', status: 201, workspaceId: api.workspaceId },
    ]);
    const { values } = await api.metrics.requests.get();
    expect(
      values.find(({ labels }) => labels.operation === 'domains.createDomain' && labels.status === 200)?.value,
    ).toBe(0);
  });

  it('leaves the audit entries of its operations, with the address of the client', async () => {
    const { headers } = await create('audited.acme.com');
    const entries = dataOf<{ action: string; from: string; requestId: string }[]>(
      await api.call('audit.listEntries', {}),
    );
    const made = entries.filter(({ requestId }) => requestId === headers.get('x-request-id'));
    expect(made).toMatchObject([{ action: 'domains.createDomain', from: '127.0.0.1' }]);
  });

  it('with an Idempotency-Key creates once', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await create('once.acme.com', {}, { headers });
    const again = await create('once.acme.com', {}, { headers });
    expect({ status: again.status, id: again.body.result.id }).toEqual({ status: 201, id: first.body.result.id });
    expect((await create('other.acme.com', {}, { headers })).status).toBe(422);
    // The zone in the path is a part of the request, as its body is.
    const { environmentId } = await api.createTree('another');
    const body = { hostname: 'once.acme.com', ssl: SSL };
    expect((await send(hostnames(environmentId), { method: 'POST', body, headers })).status).toBe(422);
  });

  it('while the server is overloaded gets 429 with Retry-After, before its key is looked at', async () => {
    const busy = await startApi({ loadShedder: createLoadShedder({ inFlight: 0 }) });
    const response = await fetch(`${busy.url}/compat/cloudflare/client/v4/user/tokens/verify`);
    expect({ status: response.status, retryAfter: response.headers.get('retry-after') }).toEqual({
      status: 429,
      retryAfter: '1',
    });
    expect(await response.json()).toMatchObject({ success: false, errors: [{ code: 971 }] });
    await busy.close();
  });

  it('with a bad key counts one failure of its address', async () => {
    const fresh = await startApi();
    const refusedBy = (url: string) => async (init: RequestInit) => (await fetch(url, init)).status;
    const compat = refusedBy(`${fresh.url}/compat/cloudflare/client/v4/user/tokens/verify`);
    const native = refusedBy(`${fresh.url}/v2/domains.listWorkspaceDomains`);
    const headers = { authorization: `Bearer ${createRootKey(randomBytes).key}`, 'content-type': 'application/json' };
    const failuresOf = async (send: () => Promise<number>) => {
      let failures = 0;
      while ((await send()) === 401) failures += 1;
      fresh.clock.advance(3_600_000);
      return failures;
    };
    const ours = await failuresOf(() => native({ method: 'POST', headers, body: '{}' }));
    expect(ours).toBeGreaterThan(1);
    expect(await failuresOf(() => compat({ headers }))).toBe(ours);
    await fresh.close();
  });

  it('above the rate limit of an operation gets 429 with Retry-After, and passes afterwards', async () => {
    const { id } = await api.createWorkspace({
      limits: { rates: { 'domains.createDomain': { limit: 1, windowMs: 60_000 } }, domains: null },
    });
    const { key } = await api.createKey({ workspaceId: id });
    const { environmentId } = await api.createTree('limited', key);
    const attach = (hostname: string) => send(hostnames(environmentId), { method: 'POST', body: { hostname }, key });
    expect((await attach('a.limited.com')).status).toBe(201);
    const limited = await attach('b.limited.com');
    expect(refusal(limited)).toEqual({ status: 429, code: 971 });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    api.clock.advance(60_000);
    expect((await attach('b.limited.com')).status).toBe(201);
  });
});

describe('the zone', () => {
  it('is the environment, and its fallback origin the host of the current deployment, which stays as it is', async () => {
    const { environmentId: zone } = await api.createTree('origins');
    expect((await send(`/zones/${zone}`)).body.result).toMatchObject({
      id: zone,
      name: 'production',
      status: 'active',
    });
    const path = `${hostnames(zone)}/fallback_origin`;
    expect((await send(path)).body.result).toMatchObject({ status: 'initializing' });
    for (const origin of ['https://old.example.net', 'https://new.example.net:8443'])
      await api.call('deployments.createDeployment', { environment: zone, origin });
    expect((await send(path)).body.result).toMatchObject({ origin: 'new.example.net', status: 'active' });
    const put = (origin: unknown) => send(path, { method: 'PUT', body: { origin } });
    expect((await put('new.example.net')).status).toBe(200);
    expect(refusal(await put('evil.example.net'))).toEqual({ status: 403, code: 1414 });
    expect(refusal(await put(7))).toEqual({ status: 400, code: 1415 });
    expect(refusal(await send(path, { method: 'DELETE' }))).toEqual({ status: 403, code: 1414 });
    expect((await send(path)).body.result).toMatchObject({ origin: 'new.example.net' });
  });
});

describe('a hostile request', () => {
  const bodies: [string, unknown][] = [
    ['no body', undefined],
    ['no JSON', '{"hostname":'],
    ['null', 'null'],
    ['a list', []],
    ['a prototype', '{"hostname":"a.evil.com","__proto__":{"x":1}}'],
    ['a constructor', '{"hostname":"a.evil.com","ssl":{"constructor":{"prototype":{}}}}'],
    ['no hostname', {}],
    ['a number', { hostname: 7 }],
    ['an object', { hostname: { toString: 1 } }],
    ['an address', { hostname: '127.0.0.1' }],
    ['a public suffix', { hostname: 'co.uk' }],
    ['a long name', { hostname: `${'a'.repeat(10_000)}.com` }],
    ['metadata that is text', { hostname: 'a.evil.com', custom_metadata: 'x' }],
    ['metadata with numbers', { hostname: 'a.evil.com', custom_metadata: { a: 1 } }],
    ['metadata too large', { hostname: 'a.evil.com', custom_metadata: { a: 'x'.repeat(5000) } }],
    ['an ssl that is a list', { hostname: 'a.evil.com', ssl: [] }],
    ['settings that are text', { hostname: 'a.evil.com', ssl: { settings: 'x' } }],
    ['a type of its own', { hostname: 'a.evil.com', ssl: { type: ['dv'] } }],
  ];
  it.each(bodies)('with %s gets 400 in the envelope, and creates nothing', async (_, body) => {
    expect((await send(hostnames(), { method: 'POST', body })).status).toBe(400);
    expect(namesIn(await list('hostname=a.evil.com'))).toEqual([]);
  });

  it('with a path that cannot be decoded is refused, and the server goes on', async () => {
    const response = await fetch(`${api.url}/compat/cloudflare/client/v4/zones/%ZZ/custom_hostnames`);
    expect(response.status).toBe(404);
    expect((await send('/user/tokens/verify')).status).toBe(200);
  });

  it('with a body above 1 MiB, and to a path or method that the door does not have, gets the envelope', async () => {
    expect((await create('big.evil.com', { custom_metadata: { a: 'x'.repeat(2 ** 20) } })).status).toBe(413);
    const { id } = (await create('paths.acme.com')).body.result;
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/'],
      ['GET', '/accounts'],
      ['POST', `/zones/${tree.environmentId}`],
      ['PUT', `${hostnames()}/${id}`],
      ['GET', `${hostnames()}/${id}/certificate_pack`],
    ] as const)
      expect(refusal(await send(path, { method }))).toEqual({ status: 404, code: 7000 });
    expect((await send(`${hostnames()}/${'x'.repeat(500)}`)).status).toBe(404);
    expect(refusal(await send(`${hostnames()}/paths.acme.com`))).toEqual({ status: 400, code: 1435 });
  });
});

it('a path that cannot be decoded is refused in the envelope of the vendor', async () => {
  const { status, body } = await send('/zones/%zz/custom_hostnames');
  expect([status, body.errors]).toEqual([404, [expect.objectContaining({ code: expect.any(Number) })]]);
});
