import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLinkSecret } from '../../../server/src/access/dashboard-secrets.ts';
import { idMaker } from '../../../server/src/base/ids.ts';
import { ALL_GRANTS, dataOf, type Harness, startApi } from '../../support/api-harness.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const GRANTS = ['environment.*.read_domain', 'key.*.create_key', 'key.*.revoke_key', 'key.*.read_key'];

let api: Harness;
const PROXY = { networks: ['127.0.0.1/32'], header: 'x-forwarded-user', permissions: ['environment.*.read_domain'] };
beforeAll(async () => {
  api = await startApi();
  await api.createTree();
});
afterAll(() => api.close());

/** A link for a person, as the command makes it. */
async function newLink(about: { subject?: string; permissions?: string[] } = {}): Promise<string> {
  const { text, hash } = createLinkSecret(randomBytes);
  const createdAt = api.clock.now();
  const times = { createdAt, openedAt: null, expiresAt: createdAt + 5 * MINUTE };
  const person = { subject: 'ada', permissions: GRANTS, ...about };
  const id = idMaker(api.clock)('ses');
  await api.store.createDashboardSession({ id, workspaceId: api.workspaceId, ...person, ...times }, hash);
  return text;
}

interface Reply {
  status: number;
  cookie: string;
  setCookie: string;
  body: { data?: { token: string; ended: number; expiresAt: number }; error?: { type: string } };
}

async function post(path: string, body: object, headers: Record<string, string> = {}, to = api): Promise<Reply> {
  const response = await fetch(`${to.url}/dashboard/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const setCookie = response.headers.get('set-cookie') ?? '';
  const [cookie = ''] = setCookie.split(';');
  return { status: response.status, setCookie, cookie, body: (await response.json()) as Reply['body'] };
}

const signIn = async (about?: Parameters<typeof newLink>[0]) =>
  (await post('sign-in', { token: await newLink(about) })).cookie;
const tokenOf = async (cookie: string) => (await post('token', {}, { cookie })).body.data?.token ?? '';
const listDomains = (key: string) => api.call('domains.countDomains', {}, { key });
const SIGNED_OUT = { status: 401, body: { error: { type: 'dashboard-signed-out' } } };
const ENDED = 'retry: 1000\n\nretry: 1000\n\nevent: end\ndata: {"reason":"access_ended"}\n\n';
const NO_LINK = { status: 401, body: { error: { type: 'dashboard-link-not-found' } } };

describe('a sign-in link', () => {
  it('becomes a cookie that no script reads and no other site sends, for HTTPS alone also behind a proxy that ends TLS, and the cookie gets tokens of the person', async () => {
    const { status, setCookie, cookie } = await post('sign-in', { token: await newLink() });
    expect(status).toBe(200);
    expect(setCookie).toMatch(
      /^__Host-nameplate=npc_\w{39}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
    );
    expect(await listDomains(await tokenOf(cookie))).toMatchObject({ status: 200 });
  });

  it('becomes a cookie without a prefix where browsers come over plain HTTP', async () => {
    const platform = await startApi({ settings: { publicUrl: 'http://127.0.0.1:7070' } });
    const { text, hash } = createLinkSecret(randomBytes);
    const createdAt = platform.clock.now();
    const person = { workspaceId: platform.workspaceId, subject: 'ada', permissions: GRANTS };
    const times = { createdAt, openedAt: null, expiresAt: createdAt + 5 * MINUTE };
    await platform.store.createDashboardSession({ id: idMaker(platform.clock)('ses'), ...person, ...times }, hash);
    const { setCookie, cookie } = await post('sign-in', { token: text }, {}, platform);
    expect(setCookie).toMatch(/^nameplate=.*; Max-Age=43200$/);
    expect(await post('token', {}, { cookie }, platform)).toMatchObject({
      status: 200,
      body: { data: { workspaceId: platform.workspaceId } },
    });
    await platform.close();
  });

  it('works once', async () => {
    const token = await newLink();
    expect(await post('sign-in', { token })).toMatchObject({ status: 200 });
    expect(await post('sign-in', { token })).toMatchObject(NO_LINK);
  });

  it('works for five minutes', async () => {
    const [first, second] = [await newLink(), await newLink()];
    api.clock.advance(5 * MINUTE - 1);
    expect(await post('sign-in', { token: first })).toMatchObject({ status: 200 });
    api.clock.advance(1);
    expect(await post('sign-in', { token: second })).toMatchObject(NO_LINK);
  });

  it('is no cookie, and a cookie is no link', async () => {
    const link = await newLink();
    expect(await post('token', {}, { cookie: `nameplate=${link}` })).toMatchObject(SIGNED_OUT);
    const cookie = await signIn();
    expect(await post('sign-in', { token: cookie.slice('nameplate='.length) })).toMatchObject(NO_LINK);
  });

  it('never takes over a cookie that is there already: nobody can sign in another person to a session they know', async () => {
    const known = await signIn({ subject: 'mallory' });
    const { cookie } = await post('sign-in', { token: await newLink() }, { cookie: known });
    expect(cookie).not.toBe(known);
  });
});

describe('a session', () => {
  it('lasts twelve hours', async () => {
    const cookie = await signIn();
    api.clock.advance(12 * HOUR - 1);
    expect(await tokenOf(cookie)).not.toBe('');
    api.clock.advance(1);
    expect(await post('token', {}, { cookie })).toMatchObject(SIGNED_OUT);
  });

  it('ends with its tokens when its person signs out, and no other does', async () => {
    const [mine, other] = [await signIn(), await signIn()];
    const [token, kept] = [await tokenOf(mine), await tokenOf(other)];
    expect(await post('sign-out', {}, { cookie: mine })).toMatchObject({ body: { data: { ended: 1 } } });
    await api.changes.poll();
    expect(await listDomains(token)).toMatchObject({ status: 401 });
    expect(await post('token', {}, { cookie: mine })).toMatchObject(SIGNED_OUT);
    expect(await listDomains(kept)).toMatchObject({ status: 200 });
  });

  it('ends everywhere when its person signs out everywhere, and those of other people go on', async () => {
    const person = { subject: 'everywhere' };
    const [here, there, other] = [await signIn(person), await signIn(person), await signIn()];
    const token = await tokenOf(there);
    expect(await post('sign-out', { everywhere: true }, { cookie: here })).toMatchObject({
      body: { data: { ended: 2 } },
    });
    await api.changes.poll();
    expect(await listDomains(token)).toMatchObject({ status: 401 });
    expect(await post('token', {}, { cookie: there })).toMatchObject(SIGNED_OUT);
    expect(await tokenOf(other)).not.toBe('');
  });

  describe('has a stream', () => {
    const watch = (cookie: string) =>
      fetch(`${api.url}/dashboard/watch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', cookie },
        body: '{}',
      });

    it('that ends when its person signs out everywhere, and not with its tokens', async () => {
      const person = { subject: 'watching' };
      const [here, there] = [await signIn(person), await signIn(person)];
      const own = await watch(there);
      await watch(await signIn());
      expect(own.headers.get('content-type')).toBe('text/event-stream');
      api.clock.advance(10 * MINUTE);
      await post('sign-out', { everywhere: true }, { cookie: here });
      await api.changes.poll();
      expect(await own.text()).toBe(ENDED);
      expect((await api.metrics.watchers.get()).values[0]?.value).toBe(1);
    });

    it('that ends when the session expires', async () => {
      const stream = await watch(await signIn());
      api.clock.advance(12 * HOUR);
      expect(await stream.text()).toBe(ENDED);
    });

    it('for nobody without a session, and for no page of another origin', async () => {
      expect(await post('watch', {})).toMatchObject(SIGNED_OUT);
      const cookie = await signIn();
      expect(await post('watch', {}, { cookie, 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 403 });
      expect(await post('watch', {}, { cookie })).toMatchObject({ status: 406 });
    });
  });

  it('makes, rotates and revokes keys with no permission that its person lacks, and no tokens and workspaces', async () => {
    const key = await tokenOf(await signIn());
    const made = await api.call(
      'keys.createKey',
      { name: 'desk', permissions: ['environment.*.read_domain'] },
      { key },
    );
    const { keyId, key: newKey } = dataOf<{ keyId: string; key: string }>(made);
    expect(await listDomains(newKey)).toMatchObject({ status: 200 });
    const more = { name: 'more', permissions: ['environment.*.delete_domain'] };
    expect(await api.call('keys.createKey', more, { key })).toMatchObject({
      body: { error: { type: 'exceeds-caller' } },
    });
    expect(await api.call('keys.revokeKey', { keyId }, { key })).toMatchObject({ status: 200 });
    const owner = await tokenOf(await signIn({ permissions: ALL_GRANTS.slice(0, 60) }));
    const token = { subject: 'bob', permissions: ['environment.*.read_domain'] };
    expect(await api.call('tokens.createToken', token, { key: owner })).toMatchObject({ status: 403 });
  });

  it('is named in the audit log by its person', async () => {
    const key = await tokenOf(await signIn({ subject: 'grace', permissions: ['audit.*.read_entries'] }));
    const { data } = (await api.call('audit.listEntries', { actor: 'grace' }, { key })).body;
    expect(data).toMatchObject([{ actor: 'grace', action: 'dashboard sign-in' }]);
  });

  it('leaves an entry in the audit log for each key that it makes, rotates and revokes', async () => {
    const permissions = ['create_key', 'rotate_key', 'revoke_key'].map((action) => `key.*.${action}`);
    const key = await tokenOf(await signIn({ subject: 'maker', permissions }));
    const made = await api.call('keys.createKey', { name: 'desk', permissions: permissions.slice(0, 1) }, { key });
    const { keyId } = dataOf<{ keyId: string }>(made);
    await api.call('keys.rotateKey', { keyId }, { key });
    await api.call('keys.revokeKey', { keyId }, { key });
    const { data } = (await api.call('audit.listEntries', { actor: 'maker', target: keyId })).body;
    expect((data as { action: string }[]).map(({ action }) => action)).toEqual([
      'keys.revokeKey',
      'keys.rotateKey',
      'keys.createKey',
    ]);
  });
});

describe('requests of other origins', () => {
  it.each([
    ['cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['same-site', { 'sec-fetch-site': 'same-site' }],
    ['another origin', { origin: 'https://evil.test' }],
    ['a sandboxed frame', { origin: 'null' }],
  ])('are refused, whatever their cookie: %s', async (_, headers) => {
    const cookie = await signIn();
    for (const path of ['token', 'sign-out'])
      expect(await post(path, {}, { cookie, ...headers })).toMatchObject({ status: 403 });
    expect(await post('sign-in', { token: await newLink() }, headers)).toMatchObject({ status: 403 });
    expect(await tokenOf(cookie)).not.toBe('');
  });

  it('are not those of the dashboard itself behind a proxy that ends TLS, in browsers that send nothing but Origin', async () => {
    const cookie = await signIn();
    const { host } = new URL(api.url);
    expect(await post('token', {}, { cookie, origin: `https://${host}` })).toMatchObject({ status: 200 });
    expect(await post('token', {}, { cookie, origin: `http://${host}` })).toMatchObject({ status: 403 });
  });

  it('cannot be sent by a form', async () => {
    const response = await fetch(`${api.url}/dashboard/sign-out`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', cookie: await signIn() },
      body: '{}',
    });
    expect(response.status).toBe(400);
  });
});

describe('a proxy with single sign-on', () => {
  it('signs in the person that it names, with the permissions of the setting', async () => {
    const proxied = await startProxied(['127.0.0.1/32']);
    const { body } = await post('token', {}, { 'x-forwarded-user': 'ada' }, proxied);
    expect(body.data).toMatchObject({ subject: 'ada', permissions: PROXY.permissions });
    await proxied.close();
  });

  it('counts for nothing from a network that is not named, or with two names, or with none', async () => {
    const elsewhere = await startProxied(['10.0.0.0/8']);
    expect(await post('token', {}, { 'x-forwarded-user': 'ada' }, elsewhere)).toMatchObject(SIGNED_OUT);
    const forged = { 'x-forwarded-user': 'ada', 'x-forwarded-for': '10.0.0.1' };
    expect(await post('token', {}, forged, elsewhere)).toMatchObject(SIGNED_OUT);
    await elsewhere.close();
    const proxied = await startProxied(['127.0.0.1/32']);
    expect(await post('token', {}, {}, proxied)).toMatchObject(SIGNED_OUT);
    await proxied.close();
  });
});

/** An API behind a proxy of these networks. */
function startProxied(networks: string[]): Promise<Harness> {
  return startApi({ settings: { dashboardProxy: { ...PROXY, networks, workspaceId: api.workspaceId } } });
}
