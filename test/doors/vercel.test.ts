import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addresses, cname, everywhere, txt } from '../support/observations.ts';
import { type Answered, openVercelDoor, type VercelDoor } from './vercel-door.ts';

let door: VercelDoor;
let project: string;
beforeAll(async () => {
  door = await openVercelDoor();
  project = door.tree.environmentId;
});
afterAll(() => door.api.close());

const domains = (version = 'v9') => `/${version}/projects/${project}/domains`;
const add = (name: string, more: object = {}) => door.request('POST', domains('v10'), { name, ...more });
const show = (name: string) => door.request('GET', `${domains()}/${name}`);
const config = (name: string) => door.request('GET', `/v6/domains/${name}/config`);
const verify = (name: string) => door.request('POST', `${domains()}/${name}/verify`);
const target = async (name: string) => (await config(name)).body.recommendedCNAME[0].value as string;
/** The value of the TXT record. */
const token = ({ body }: Answered) => body.verification.find((each: { type: string }) => each.type === 'TXT').value;

describe('a domain of a project', () => {
  it('is added unverified, with its TXT record first among the challenges, then its CNAME record', async () => {
    const added = await add('Shop.Acme.com');
    expect(added).toMatchObject({
      status: 200,
      body: {
        name: 'shop.acme.com',
        apexName: 'acme.com',
        projectId: project,
        redirect: null,
        redirectStatusCode: null,
        gitBranch: null,
        customEnvironmentId: null,
        createdAt: door.api.clock.now(),
        updatedAt: door.api.clock.now(),
        verified: false,
        verification: [
          { type: 'TXT', domain: '_service.shop.acme.com', reason: 'pending_domain_verification' },
          { type: 'CNAME', domain: 'shop.acme.com', reason: 'pending_domain_verification' },
        ],
      },
    });
    expect((await show('shop.acme.com')).body).toEqual(added.body);
  });

  it('has no challenge left once it is verified', async () => {
    await door.verified('proven.acme.com');
    const { body } = await show('proven.acme.com');
    expect(body).toMatchObject({ verified: true });
    expect(body).not.toHaveProperty('verification');
  });

  it('of an apex has the TXT record alone as a challenge, since ALIAS is no type of the DNS', async () => {
    const { body } = await add('apex-acme.com');
    expect(body.verification).toEqual([expect.objectContaining({ type: 'TXT', domain: '_service.apex-acme.com' })]);
  });

  it('that the project has is refused with 400, that of another project with 409: domain_already_in_use', async () => {
    await add('twice.acme.com');
    expect(await add('twice.acme.com')).toMatchObject({
      status: 400,
      body: { error: { code: 'domain_already_in_use' } },
    });
    const other = await door.api.createTree('other');
    const path = `/v10/projects/${other.environmentId}/domains`;
    const elsewhere = await door.request('POST', path, { name: 'twice.acme.com' });
    expect(elsewhere).toMatchObject({ status: 409, body: { error: { code: 'domain_already_in_use' } } });
    for (const { headers } of [await add('twice.acme.com'), elsewhere])
      expect(headers.get('nameplate-error-code')).toBe('data/domain_already_exists');
    expect(await door.request('GET', `${path}/twice.acme.com`)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  });

  it('is removed from its project, and from the account by products that need it nowhere', async () => {
    await add('gone.acme.com');
    expect(await door.request('DELETE', `${domains()}/gone.acme.com`)).toMatchObject({ status: 200, body: {} });
    expect(await show('gone.acme.com')).toMatchObject({ status: 404 });
    await add('gone.acme.com');
    expect(await door.request('DELETE', '/v6/domains/gone.acme.com')).toMatchObject({
      status: 200,
      body: { uid: expect.stringMatching(/^dom_/) },
    });
    expect(await show('gone.acme.com')).toMatchObject({ status: 404 });
  });

  it('has a name as long as a name may be', async () => {
    const name = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.acme.com`;
    expect(await add(name)).toMatchObject({ status: 200 });
    expect(await show(name)).toMatchObject({ status: 200, body: { name } });
  });
});

describe('redirects', () => {
  it('lead to a verified domain, with 308 unless 301 was asked for, and are removed by null', async () => {
    await door.verified('main.acme.com');
    expect((await add('www.acme.com', { redirect: 'main.acme.com' })).body).toMatchObject({
      redirect: 'main.acme.com',
      redirectStatusCode: 308,
    });
    const patch = (body: object) => door.request('PATCH', `${domains()}/www.acme.com`, body);
    expect((await patch({ redirectStatusCode: 301 })).body).toMatchObject({
      redirect: 'main.acme.com',
      redirectStatusCode: 301,
    });
    expect((await patch({})).body).toMatchObject({ redirect: 'main.acme.com', redirectStatusCode: 301 });
    expect((await patch({ redirect: null })).body).toMatchObject({ redirect: null, redirectStatusCode: null });
    expect((await patch({ redirect: 'main.acme.com' })).body).toMatchObject({ redirectStatusCode: 308 });
  });

  it('that cannot be set leave no domain behind', async () => {
    await add('unproven.acme.com');
    for (const redirect of ['unproven.acme.com', 'missing.acme.com', 'not a name']) {
      expect(await add('left.acme.com', { redirect })).toMatchObject({
        status: 400,
        body: { error: { code: 'bad_request' } },
      });
      expect(await show('left.acme.com')).toMatchObject({ status: 404 });
    }
  });

  it('that cannot be set any more leave the domain that a request with the same Idempotency-Key made', async () => {
    await door.verified('brief.acme.com');
    const body = { name: 'kept.acme.com', redirect: 'brief.acme.com' };
    const once = () => door.request('POST', domains(), body, { headers: { 'idempotency-key': 'kept' } });
    expect(await once()).toMatchObject({ status: 200, body: { redirect: 'brief.acme.com' } });
    await door.request('DELETE', `${domains()}/brief.acme.com`);
    expect(await once()).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
    expect(await show('kept.acme.com')).toMatchObject({ status: 200, body: { redirect: null } });
  });

  it('go with the domain that they lead to, if the request says so', async () => {
    await door.verified('hub.acme.com');
    await add('spoke.acme.com', { redirect: 'hub.acme.com' });
    await door.request('DELETE', `${domains()}/hub.acme.com`, { removeRedirects: true });
    expect(await show('spoke.acme.com')).toMatchObject({ status: 404 });
  });
});

describe('verification', () => {
  it('that fails answers 400 missing_txt_record, and says what to publish', async () => {
    await add('early.acme.com');
    const answered = await verify('early.acme.com');
    expect(answered).toMatchObject({ status: 400, body: { error: { code: 'missing_txt_record' } } });
    expect(answered.body.error.message).toContain('early.acme.com');
  });

  it('of an apex needs its TXT record alone, wherever the name leads', async () => {
    const apex = 'txt-acme.com';
    const ownership = everywhere(txt(token(await add(apex))));
    door.publish(apex, { ownership, routing: everywhere(addresses('192.0.2.99')) });
    const answer = verify(apex);
    await door.check(apex);
    expect(await answer).toMatchObject({ status: 200, body: { name: apex, verified: true } });
  });

  it('waits for the check once the records are right, and answers with the verified domain', async () => {
    await add('ready.acme.com');
    door.publish('ready.acme.com', { routing: everywhere(cname(await target('ready.acme.com'))) });
    const answer = verify('ready.acme.com');
    await door.check('ready.acme.com');
    expect(await answer).toMatchObject({ status: 200, body: { name: 'ready.acme.com', verified: true } });
    expect(await verify('ready.acme.com')).toMatchObject({ status: 200, body: { verified: true } });
  });
});

describe('the configuration of a domain', () => {
  it('of a name without records is misconfigured, and has the record to publish', async () => {
    await add('bare.acme.com');
    expect((await config('bare.acme.com')).body).toEqual({
      configuredBy: null,
      acceptedChallenges: [],
      misconfigured: true,
      recommendedCNAME: [{ rank: 1, value: expect.stringMatching(/\.cname\.platform\.test$/) }],
      recommendedIPv4: [],
      conflicts: [],
      nameservers: ['ns1.acme.com', 'ns2.acme.com'],
      serviceType: 'external',
      cnames: [],
      aValues: [],
    });
  });

  it('of an apex recommends the addresses of the edge, and an A record of these is right with the TXT record', async () => {
    const apex = 'plain-acme.com';
    const added = await add(apex);
    expect((await config(apex)).body).toMatchObject({
      recommendedIPv4: [{ rank: 1, value: ['203.0.113.7'] }],
      misconfigured: true,
    });
    const ownership = everywhere(txt(token(added)));
    door.publish(apex, { ownership, routing: everywhere(addresses('203.0.113.7')) });
    expect((await config(apex)).body).toMatchObject({
      configuredBy: 'A',
      misconfigured: false,
      aValues: ['203.0.113.7'],
    });
    door.publish(apex, { ownership, routing: everywhere(addresses('192.0.2.99')) });
    expect((await config(apex)).body).toMatchObject({ configuredBy: null, misconfigured: true });
  });

  it('names a CNAME record, a proxy and a record beside the right one', async () => {
    const added = await add('seen.acme.com');
    const host = await target('seen.acme.com');
    const see = async (seen: Parameters<VercelDoor['publish']>[1]) => {
      door.publish('seen.acme.com', seen);
      return (await config('seen.acme.com')).body;
    };
    expect(await see({ routing: everywhere(cname(host)) })).toMatchObject({
      configuredBy: 'CNAME',
      acceptedChallenges: ['http-01'],
      misconfigured: false,
      cnames: [host],
    });
    const proxied = { ownership: everywhere(txt(token(added))), routing: everywhere(addresses('104.16.1.2')) };
    expect(await see(proxied)).toMatchObject({ configuredBy: 'http', misconfigured: false });
    expect(await see({ routing: everywhere(cname('old.example.net')) })).toMatchObject({
      configuredBy: null,
      misconfigured: true,
    });
    const beside = { kind: 'found', chain: [host], values: [], beside: ['192.0.2.9'] } as const;
    expect(await see({ routing: everywhere(beside as never) })).toMatchObject({
      misconfigured: true,
      conflicts: [{ name: 'seen.acme.com', type: 'A', value: '192.0.2.9' }],
    });
  });

  it('is that of the last check where too many requests ask the DNS at once', async () => {
    await add('busy.acme.com');
    const { promise, resolve } = Promise.withResolvers<void>();
    door.hold('busy.acme.com', promise);
    const all = Array.from({ length: 12 }, () => config('busy.acme.com'));
    const first = await Promise.race(all);
    resolve();
    expect(first).toMatchObject({ status: 200, body: { misconfigured: true, nameservers: [] } });
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
  });
});

describe('the list of a project', () => {
  let listed: string;
  const list = async (query: string) => (await door.request('GET', `/v9/projects/${listed}/domains?${query}`)).body;
  const names = async (query: string) => (await list(query)).domains.map(({ name }: { name: string }) => name);
  /** Every page, one after the other, as the vendor's clients follow them. */
  async function pages(query: string, bound: 'since' | 'until'): Promise<string[][]> {
    const found: string[][] = [];
    for (let more = ''; ; ) {
      const { domains, pagination } = await list(`${query}${more}`);
      found.push(domains.map(({ name }: { name: string }) => name));
      expect(pagination.count).toBe(domains.length);
      if (pagination.next === null) return found;
      more = `&${bound}=${pagination.next}`;
    }
  }

  beforeAll(async () => {
    const tree = await door.api.createTree('listed');
    listed = tree.environmentId;
    for (let at = 0; at < 7; at++) {
      door.api.clock.advance(1000);
      if (at === 0) await door.verified('l0.list.com', tree);
      // Two were created in one millisecond.
      else await door.api.createDomain(tree, `l${at}.list.com`);
      if (at === 3) await door.api.createDomain(tree, 'l3b.list.com');
    }
    await door.api.call('domains.setRedirect', { domain: 'l6.list.com', to: 'l0.list.com' });
  });

  it('has the newest first in pages, none missing and none twice, also of one millisecond', async () => {
    const newest = ['l6', 'l5', 'l4', 'l3b', 'l3', 'l2', 'l1', 'l0'].map((name) => `${name}.list.com`);
    expect(await names('')).toEqual(newest);
    expect((await pages('limit=2', 'until')).flat()).toEqual(newest);
    expect((await pages('limit=2&order=ASC', 'since')).flat()).toEqual(newest.toReversed());
    expect(await pages('limit=4', 'until')).toEqual([newest.slice(0, 5), newest.slice(5)]);
  });

  it('is filtered by verification, redirect and time, and has no previews', async () => {
    expect(await names('verified=true')).toEqual(['l0.list.com']);
    expect(await names('verified=false&order=ASC&limit=1')).toEqual(['l1.list.com']);
    expect(await names('redirect=l0.list.com')).toEqual(['l6.list.com']);
    expect(await names('redirect=not%20a%20name')).toEqual([]);
    expect(await names('redirects=false')).not.toContain('l6.list.com');
    const { createdAt } = (await list('redirect=l0.list.com')).domains[0];
    expect(await names(`since=${createdAt - 1}`)).toEqual(['l6.list.com']);
    expect(await names(`since=${createdAt}`)).toEqual([]);
    expect(await names(`until=${createdAt}&limit=1`)).toEqual(['l5.list.com']);
    expect(await names('target=production&production=true')).toHaveLength(8);
    for (const none of ['target=preview', 'gitBranch=main', 'customEnvironmentId=env_1'])
      expect(await names(none)).toEqual([]);
  });

  it('refuses what it cannot read', async () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=x',
      'order=up',
      'verified=maybe',
      'since=-1',
      'verified=true&verified=false',
    ]) {
      expect(await list(query)).toMatchObject({ error: { code: 'bad_request' } });
    }
  });
});

describe('errors have the shape of the vendor', () => {
  const codeOf = ({ status, body }: Answered) => [status, body.error?.code, typeof body.error?.message];

  it('without a key, with a bad one, and with one of another workspace', async () => {
    await add('mine.acme.com');
    const path = `${domains()}/mine.acme.com`;
    const none = await door.request('GET', path, undefined, { key: null });
    expect([codeOf(none), none.body.error.missingToken]).toEqual([[403, 'forbidden', 'string'], true]);
    const bad = await door.request('GET', path, undefined, { key: 'np_wrong' });
    expect([codeOf(bad), bad.body.error.invalidToken]).toEqual([[403, 'forbidden', 'string'], true]);
    const { key } = await door.api.createKey({ workspaceId: (await door.api.createWorkspace()).id });
    const attempts = [
      ['GET', path],
      ['GET', domains()],
      ['PATCH', path, {}],
      ['DELETE', path],
      ['POST', `${path}/verify`],
      ['GET', '/v6/domains/mine.acme.com/config'],
      ['DELETE', '/v6/domains/mine.acme.com'],
      ['POST', domains(), { name: 'theirs.acme.com' }],
    ] as const;
    for (const [method, at, body] of attempts) {
      expect(codeOf(await door.request(method, at, body, { key }))).toEqual([404, 'not_found', 'string']);
    }
    expect((await show('mine.acme.com')).status).toBe(200);
  });

  it('for a key that may read only', async () => {
    const { key } = await door.api.createKey({
      permissions: ['environment.*.read_domain', 'environment.*.read_environment'],
    });
    expect(codeOf(await door.request('POST', domains(), { name: 'no.acme.com' }, { key }))).toEqual([
      403,
      'forbidden',
      'string',
    ]);
  });

  it('for names that nobody may have', async () => {
    for (const name of ['', 'x', 'not a name', 'com', 'a..acme.com', `${'a'.repeat(64)}.acme.com`]) {
      expect(codeOf(await add(name))).toEqual([400, 'invalid_domain', 'string']);
    }
    expect(codeOf(await add('shop.platform.test'))).toEqual([403, 'forbidden', 'string']);
  });

  it('for what this server does not have', async () => {
    await door.verified('to.acme.com');
    for (const more of [
      { gitBranch: 'main' },
      { customEnvironmentId: 'env_1' },
      { redirect: 'to.acme.com', redirectStatusCode: 307 },
      { redirect: 'to.acme.com', redirectStatusCode: 302 },
      { redirectStatusCode: 301 },
      { unknown: true },
    ]) {
      expect(codeOf(await add('refused.acme.com', more))).toEqual([400, 'bad_request', 'string']);
    }
    expect((await show('refused.acme.com')).status).toBe(404);
    for (const [method, path] of [
      ['GET', '/v4/domains/price?name=acme.com'],
      ['GET', '/v9/projects'],
      ['PUT', domains()],
      ['POST', '/v6/domains/acme.com/request-delegation'],
      ['GET', '/'],
      ['GET', ''],
    ] as const) {
      expect(codeOf(await door.request(method, path))).toEqual([404, 'not_found', 'string']);
    }
    expect(codeOf(await door.request('GET', '/v9/projects/production/domains'))).toEqual([404, 'not_found', 'string']);
  });

  it('for bodies that are hostile', async () => {
    const bodies = [
      '',
      '{',
      '[]',
      '1',
      'null',
      '"name"',
      '{"name":1}',
      '{"name":null}',
      '{"__proto__":{}}',
      `"${'x'.repeat(10_000)}"`,
    ];
    for (const body of bodies) {
      const { status, body: answered } = await door.request('POST', domains(), body);
      expect([body, status, typeof answered.error.code]).toEqual([body, 400, 'string']);
    }
    const named = await door.request('POST', domains(), { name: 'a.acme.com', toString: 1 });
    expect(named.body.error.message).toContain('`toString`');
    for (const body of ['{', '[]', '{"redirect":1}', '{"redirectStatusCode":"301"}', '{"redirect":{"to":"x"}}']) {
      expect((await door.request('PATCH', `${domains()}/mine.acme.com`, body)).status).toBe(400);
    }
    expect((await door.request('DELETE', `${domains()}/mine.acme.com`, '{"removeRedirects":"yes"}')).status).toBe(400);
    expect(codeOf(await door.request('POST', domains(), 'x'.repeat(2 ** 20 + 1)))).toEqual([
      413,
      'bad_request',
      'string',
    ]);
    for (const name of ['%00', '%2F', '..%2F..', '%E2%80%AE', 'a'.repeat(700), '%25']) {
      const { status, body } = await show(name);
      expect([name, status < 500, typeof body.error.code]).toEqual([name, true, 'string']);
    }
  });

  it('above a rate limit, with the time in Retry-After', async () => {
    const workspace = await door.api.createWorkspace({
      limits: { rates: { 'domains.getSite': { limit: 1, windowMs: 60_000 } }, domains: null },
    });
    const { key } = await door.api.createKey({ workspaceId: workspace.id });
    const read = () => door.request('GET', `${domains()}/any.acme.com`, undefined, { key });
    expect((await read()).status).toBe(404);
    const limited = await read();
    expect(codeOf(limited)).toEqual([429, 'rate_limited', 'string']);
    expect(limited.headers.get('ratelimit-limit')).toBe('1');
    expect(limited.headers.get('retry-after')).toMatch(/^\d+$/);
  });
});
