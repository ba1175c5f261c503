import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../server/src/api/operations.ts';
import { dataOf, type Harness, startApi } from '../../support/api-harness.ts';
import { watch } from '../../support/watching.ts';

const OWN = 'https://api.platform.test';
const LISTED = 'https://app.acme.com';
const OTHERS = 'https://app.other.com';
const FOREIGN = 'https://evil.example';
const IN_SESSIONS = [
  ...['getDomain', 'watchDomain', 'diagnoseDomain', 'getCertificate', 'verifyDomain'].map((name) => `domains.${name}`),
  'setup.getDomainConnect',
];

let api: Harness;
let token: string;
let session: string;
beforeAll(async () => {
  api = await startApi();
  await api.createDomain(await api.createTree(), 'shop.acme.com');
  ({ token } = dataOf<{ token: string }>(await api.call('domains.createSetupLink', { domain: 'shop.acme.com' })));
  session = dataOf<{ sessionToken: string }>(await open()).sessionToken;
  await api.call('setup.setBrand', { origins: [LISTED] });
  const other = await api.createWorkspace();
  await api.store.saveSetupPage(other.id, { brand: {}, origins: [OTHERS] });
  await api.changes.poll();
});
afterAll(() => api.close());

const open = (origin?: string, body: object = { token }) =>
  api.call('setup.openSession', body, { key: null, headers: origin === undefined ? {} : { origin } });
const ask = (origin: string, { operation = 'domains.getDomain', key = session } = {}) =>
  api.call(operation, { domain: 'shop.acme.com' }, { key, headers: { origin } });
const preflight = (operation: string, origin?: string, about: Record<string, string> = {}) =>
  fetch(`${api.url}/v2/${operation}`, {
    method: 'OPTIONS',
    headers: { 'access-control-request-method': 'POST', ...(origin !== undefined && { origin }), ...about },
  });
const corsOf = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control'));
const allowed = 'access-control-allow-origin';

describe('a preflight', () => {
  it.each(['setup.openSession', ...IN_SESSIONS])(
    'of %s is answered for the origin of a workspace',
    async (operation) => {
      const { status, headers } = await preflight(operation, LISTED);
      expect(status).toBe(204);
      expect(headers.get(allowed)).toBe(LISTED);
      expect(headers.get('access-control-allow-methods')).toBe('POST');
      expect(headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type, Accept, Last-Event-ID');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('vary')).toBe('Origin');
    },
  );

  it.each([
    FOREIGN,
    'null',
    `${LISTED}:444`,
    LISTED.replace('https', 'http'),
    `${LISTED}.evil.example`,
    LISTED.toUpperCase(),
  ])('of the origin %s is refused, without a word about origins', async (origin) => {
    const { status, headers } = await preflight('setup.openSession', origin);
    expect(status).toBe(403);
    expect(corsOf(headers)).toEqual([]);
  });

  it('is refused for any other operation: the path has no such method', async () => {
    const others = operations.map(({ name }) => name).filter((name) => !IN_SESSIONS.includes(name));
    for (const operation of [...others, 'liveness']) {
      const { status, headers } = await preflight(operation, LISTED);
      expect([status, corsOf(headers)], operation).toEqual([405, []]);
    }
  });

  it('needs an origin and a method to ask for', async () => {
    expect((await preflight('setup.openSession')).status).toBe(405);
    expect((await preflight('setup.openSession', LISTED, { 'access-control-request-method': '' })).status).not.toBe(
      500,
    );
  });
});

it('an address that names 300 unknown origins in a minute causes no further look-ups; origins in use still work', async () => {
  const looked: string[] = [];
  const flooded = await startApi({
    wrap: (store) => ({
      ...store,
      isSetupOrigin(origin) {
        looked.push(origin);
        return store.isSetupOrigin(origin);
      },
    }),
  });
  await flooded.store.saveSetupPage(flooded.workspaceId, { origins: [LISTED] });
  await flooded.changes.poll();
  // On a PostgreSQL that other tests use, too, their changes may clear the cache.
  await flooded.changes.stop();
  const ask = async (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    return (await fetch(`${flooded.url}/v2/setup.openSession`, { method: 'OPTIONS', headers })).status;
  };
  expect(await ask(LISTED)).toBe(204);
  for (let i = 0; i < 310; i += 1) expect(await ask(`https://a${i}.evil.example`)).toBe(403);
  expect(looked).toHaveLength(301);
  expect(await ask(LISTED)).toBe(204);
  await flooded.close();
});

describe('a request of a page', () => {
  it('of the public address, or of no page at all, needs no permission of the browser', async () => {
    for (const origin of [OWN, undefined]) {
      const answer = await open(origin);
      expect(answer.status).toBe(200);
      expect(answer.headers[allowed]).toBeUndefined();
      expect(answer.headers.vary).toBe('Origin');
    }
    expect((await ask(OWN)).headers[allowed]).toBeUndefined();
  });

  it('of an origin that the workspace lists can be read there, headers for waiting included', async () => {
    for (const answer of [await open(LISTED), await ask(LISTED)]) {
      expect(answer).toMatchObject({ status: 200, headers: { [allowed]: LISTED, vary: 'Origin' } });
      expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
      expect(answer.headers['access-control-expose-headers']).toContain('Nameplate-Error-Code');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
    const watching = await watch(api.url, { key: session, domain: 'shop.acme.com', headers: { origin: LISTED } });
    expect(watching.response.headers[allowed]).toBe(LISTED);
    watching.close();
  });

  it.each([FOREIGN, OTHERS, 'null', ''])('of %j is refused before anything is done', async (origin) => {
    const before = (await api.call('domains.listEvents', { domain: 'shop.acme.com' })).body.data;
    for (const answer of [
      await open(origin),
      ...(await Promise.all(IN_SESSIONS.map((operation) => ask(origin, { operation })))),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { error: { title: 'Forbidden' } } });
      expect(answer.headers[allowed]).toBeUndefined();
      expect(answer.text).not.toContain('shop.acme.com');
    }
    expect((await api.call('domains.listEvents', { domain: 'shop.acme.com' })).body.data).toEqual(before);
  });

  it('of a foreign origin learns nothing about a token: every one is refused alike', async () => {
    const told = async (text: string) => {
      const { status, body } = await open(FOREIGN, { token: text });
      return [status, body.error];
    };
    expect(await told(token)).toEqual(await told('nps_none'));
  });

  it('of a known origin can read why it was refused', async () => {
    const forged = `${session.slice(0, -4)}AAAA`;
    for (const answer of [await open(LISTED, { token: 'nps_none' }), await ask(LISTED, { key: forged })]) {
      expect(answer).toMatchObject({ status: 401, headers: { [allowed]: LISTED } });
    }
    expect((await ask(FOREIGN, { key: forged })).headers[allowed]).toBeUndefined();
  });

  it('with a root key gets no permission of the browser: keys do not belong there', async () => {
    for (const operation of ['domains.getDomain', 'domains.listEvents']) {
      const answer = await ask(LISTED, { operation, key: api.rootKey });
      expect(answer.status).toBe(200);
      expect(corsOf(new Headers(answer.headers as Record<string, string>))).toEqual([]);
    }
  });

  it('of an origin that was taken away is refused after the next poll of the change feed', async () => {
    await api.call('setup.setBrand', { origins: [LISTED, 'https://gone.acme.com'] });
    await api.changes.poll();
    expect(await ask('https://gone.acme.com')).toMatchObject({ status: 200 });
    await api.call('setup.setBrand', { origins: [LISTED] });
    await api.changes.poll();
    expect(await ask('https://gone.acme.com')).toMatchObject({ status: 403 });
    expect((await preflight('setup.openSession', 'https://gone.acme.com')).status).toBe(403);
  });
});

describe('a form of another site', () => {
  it('cannot send a request of the API: it cannot send JSON, and there are no cookies', async () => {
    const body = JSON.stringify({ token });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      const answer = await fetch(`${api.url}/v2/setup.openSession`, {
        method: 'POST',
        headers: type === '' ? {} : { 'content-type': type },
        body: type === '' ? new Uint8Array(Buffer.from(body)) : body,
      });
      expect(answer.status, type).toBe(400);
    }
    const opened = await open();
    expect(opened.headers['set-cookie']).toBeUndefined();
    const without = await api.call(
      'domains.verifyDomain',
      { domain: 'shop.acme.com' },
      { key: null, headers: { cookie: `session=${session}` } },
    );
    expect(without).toMatchObject({ status: 401 });
  });

  it('has no token in a query, where logs and other sites would see it', async () => {
    const answer = await fetch(`${api.url}/v2/domains.getDomain?token=${session}&access_token=${session}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domain: 'shop.acme.com' }),
    });
    expect(answer.status).toBe(401);
  });
});
