import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { operations } from '../../server/src/api/operations.ts';
import { type Harness, startApi } from '../support/api-harness.ts';

let api: Harness;
beforeAll(async () => {
  api = await startApi({ settings: { rateLimits: { 'apps.getApp': { limit: 0, windowMs: 60_000 } } } });
});
afterAll(() => api.close());

/** A 400 with exactly these violations. */
const invalid = (...errors: object[]) => ({
  status: 400,
  body: { error: { status: 400, title: 'Bad Request', type: 'validation-error', errors } },
});

const GET_DOMAIN = '/v2/domains.getDomain';

describe('every response carries an envelope with operational metadata', () => {
  it('meta.requestId is a unique id per request, and stands in X-Request-Id too', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => api.call('domains.getDomain', { domain: 'nobody.test' })));
    const ids = answers.map(({ body }) => body.meta?.requestId ?? '');
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-z]{26}$/);
    expect(answers.map(({ headers }) => headers['x-request-id'])).toEqual(ids);
  });

  it('meta.requestId is ours, whatever id the request brings', async () => {
    const { body } = await api.call('liveness', {}, { headers: { 'x-request-id': 'mine', 'request-id': 'mine' } });
    expect(body.meta?.requestId).toMatch(/^req_/);
  });
});

it('every error response names its code in Nameplate-Error-Code, as the log does, and a success none', async () => {
  const codes = await Promise.all([
    api.call('domains.getDomain', { domain: 'nobody.test' }),
    api.call('domains.getDomain', { domain: 'nobody.test' }, { key: null }),
    api.call('domains.getDomain', {}),
    api.call('apps.getApp', { project: 'a', app: 'b' }),
    api.send({ path: '/v2/nobody.nothing' }),
    api.send({ method: 'GET', path: GET_DOMAIN }),
    api.call('projects.listProjects', {}),
  ]);
  expect(codes.map(({ headers }) => headers['nameplate-error-code'])).toEqual([
    'data/domain_not_found',
    'authentication/missing',
    'validation/invalid_input',
    'limits/rate_limited',
    'request/route_not_found',
    'request/method_not_allowed',
    undefined,
  ]);
  await vi.waitFor(() => expect(api.logged.join('')).toContain('"code":"limits/rate_limited"'));
});

describe('paths and methods', () => {
  it.each([
    '/v2',
    '/v2/',
    '/v2/domains.getdomain',
    '/v2/domains.getDomain/',
    '/v2//domains.getDomain',
    '/v1/domains.getDomain',
    '/v2/nobody.nothing',
    '/v2/domains.getDomain%00',
    '/v2/%zz',
    '/docs/errors/service/data/nothing',
    '/v2/__proto__',
    '/v2/constructor',
  ])('%s is unknown: 404, also without a key and whatever the body is', async (path) => {
    for (const options of [{}, { key: null }, { body: '{' }, { body: '{', headers: { 'content-type': 'text/csv' } }]) {
      const answer = await api.send({ path, ...options });
      expect(answer).toMatchObject({ status: 404, body: { error: { title: 'Not Found', type: 'not-found' } } });
    }
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])(
    'an operation does not answer %s: 405 with Allow, also without a key',
    async (method) => {
      const answer = await api.send({ method, path: GET_DOMAIN, key: null });
      expect(answer).toMatchObject({
        status: 405,
        headers: { allow: 'POST' },
        body: { error: { title: 'Method Not Allowed', type: 'method-not-allowed' } },
      });
    },
  );

  it('an operation does not answer HEAD: 405 with Allow, and no body', async () => {
    const answer = await api.send({ method: 'HEAD', path: GET_DOMAIN });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' }, text: '' });
  });

  it('a path for GET does not answer POST: 405 with Allow', async () => {
    for (const path of ['/v2/liveness', '/healthz', '/readyz', '/openapi.json']) {
      expect(await api.send({ path })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
      expect(await api.send({ method: 'HEAD', path })).toMatchObject({ status: 200, text: '' });
    }
  });

  it('a query string is no part of the path', async () => {
    expect(await api.send({ path: `${GET_DOMAIN}?domain=a.test`, body: '{}' })).toMatchObject({ status: 400 });
    expect(await api.send({ path: `${GET_DOMAIN}?a`, method: 'GET' })).toMatchObject({ status: 405 });
  });
});

describe('a request is refused at the first step that refuses it', () => {
  it('an unknown path before a missing key', async () => {
    expect(await api.send({ path: '/v2/nothing', key: null, body: '{' })).toMatchObject({ status: 404 });
  });

  it('a missing key before the rate limit and before a bad body', async () => {
    expect(await api.call('apps.getApp', '{', { key: null })).toMatchObject({ status: 401 });
  });

  it('the rate limit before a bad body', async () => {
    expect(await api.call('apps.getApp', '{')).toMatchObject({ status: 429 });
  });

  it('a bad body, before the thing that it names is looked up', async () => {
    expect(await api.call('domains.getDomain', { domain: 'nobody.test', more: 1 })).toMatchObject({ status: 400 });
  });
});

describe('a request body', () => {
  it.each(operations.map(({ name }) => name))('of %s must be there', async (operation) => {
    const { key } = await api.createKey({ permissions: [] });
    const answer = await api.send({ path: `/v2/${operation}`, key });
    if (operation === 'apps.getApp') return expect(answer.status).toBe(429);
    return expect(answer).toMatchObject(
      invalid({ location: 'body', message: 'must be present', fix: 'send a JSON object' }),
    );
  });

  it.each(operations.map(({ name }) => name))('of %s has no other properties', async (operation) => {
    const answer = await api.call(operation, { nobody: 'knows' });
    if (operation === 'apps.getApp') return expect(answer.status).toBe(429);
    expect(answer.status).toBe(400);
    return expect(answer.body.error?.errors).toContainEqual({
      location: 'body.nobody',
      message: 'must not be there: the operation has no such property',
      fix: 'remove it',
    });
  });

  it('must not be empty', async () => {
    expect(await api.send({ path: GET_DOMAIN, body: '' })).toMatchObject(
      invalid({ location: 'body', message: 'must not be empty', fix: 'send a JSON object' }),
    );
  });

  it.each([
    '{',
    'domain=api.acme.com',
    "{'domain':'a.test'}",
    '{"domain":"a.test",}',
    '{"a":1}{"b":2}',
    'undefined',
    ' ',
  ])('must be JSON, not %j', async (body) => {
    expect(await api.call('domains.getDomain', body)).toMatchObject(
      invalid({ location: 'body', message: 'must be valid JSON', fix: 'send a JSON object' }),
    );
  });

  it.each(['[]', 'null', '1', 'true', '"api.acme.com"', '[{"domain":"api.acme.com"}]'])(
    'must be an object, not %s',
    async (body) => {
      expect(await api.call('domains.getDomain', body)).toMatchObject(
        invalid({ location: 'body', message: 'must be a JSON object' }),
      );
    },
  );

  it.each([
    ['bytes that are none', Buffer.from([...Buffer.from('{"domain":"a'), 0xff, ...Buffer.from('.test"}')])],
    ['an overlong form', Buffer.from([...Buffer.from('{"domain":"a'), 0xc0, 0xaf, ...Buffer.from('.test"}')])],
    [
      'half a surrogate pair',
      Buffer.from([...Buffer.from('{"domain":"'), 0xed, 0xa0, 0x80, ...Buffer.from('.test"}')]),
    ],
    ['UTF-16', Buffer.from('{"domain":"a.test"}', 'utf16le').subarray(0, 37)],
  ])('must be UTF-8, not %s', async (_what, body) => {
    const answer = await api.send({ path: GET_DOMAIN, body });
    expect(answer.status).toBe(400);
    expect(answer.body.error?.errors?.[0]?.location).toBe('body');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'text/json', 'nonsense', '*/*'])(
    'must be sent as application/json, not %s',
    async (type) => {
      const answer = await api.call('domains.getDomain', { domain: 'a.test' }, { headers: { 'content-type': type } });
      expect(answer).toMatchObject(
        invalid({
          location: 'header.content-type',
          message: 'must be "application/json"',
          fix: 'send "Content-Type: application/json"',
        }),
      );
    },
  );

  it('must be sent with a content type', async () => {
    const answer = await api.send({ path: GET_DOMAIN, body: '{"domain":"a.test"}', headers: { 'content-type': '' } });
    expect(answer).toMatchObject(invalid({ location: 'header.content-type' }));
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])(
    'may be sent as %s',
    async (type) => {
      const answer = await api.call('domains.getDomain', { domain: 'a.test' }, { headers: { 'content-type': type } });
      expect(answer.status).toBe(404);
    },
  );

  it('of 1 MiB is read; one byte more is too large', async () => {
    const pad = (bytes: number) => `{"domain":"nobody.test"${' '.repeat(bytes - 24)}}`;
    expect(Buffer.byteLength(pad(1024 * 1024))).toBe(1024 * 1024);
    expect(await api.call('domains.getDomain', pad(1024 * 1024))).toMatchObject({ status: 404 });
    expect(await api.call('domains.getDomain', pad(1024 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { error: { title: 'Content Too Large', type: 'content-too-large' } },
    });
  });

  it('without a length is too large as soon as it is', async () => {
    const answer = await api.send({
      path: GET_DOMAIN,
      body: ' '.repeat(1024 * 1024 + 1),
      headers: { 'transfer-encoding': 'chunked' },
    });
    expect(answer.status).toBe(413);
  });

  it('gets all its violations at once, each with its location', async () => {
    const answer = await api.call('domains.listDomains', {
      project: 'a',
      app: 'web app',
      environment: 5,
      limit: 101,
      cursor: '',
      search: 'x'.repeat(257),
      more: true,
      'odd "name"\n': true,
    });
    expect(answer.status).toBe(400);
    const errors = new Map(answer.body.error?.errors?.map((error) => [error.location, error.message]));
    expect(Object.fromEntries(errors)).toEqual({
      'body.project': 'must have at least 3 characters',
      'body.app': 'may hold only letters, digits, "_" and "-"',
      'body.environment': 'must be a string',
      'body.limit': 'must be at most 100',
      'body.cursor': expect.stringMatching(/must have at least 1 character|may hold only/),
      'body.search': 'must have at most 256 characters',
      'body.more': 'must not be there: the operation has no such property',
      'body["odd \\"name\\"\\u{a}"]': 'must not be there: the operation has no such property',
    });
  });

  it('names every missing property', async () => {
    expect(await api.call('domains.createDomain', {})).toMatchObject(
      invalid(
        ...['environment', 'domain'].map((name) => ({
          location: `body.${name}`,
          message: 'must be present',
        })),
      ),
    );
  });

  it.each([
    ['a number for a string', 'domains.getDomain', { domain: 12345 }, 'body.domain', 'must be a string'],
    ['null for a string', 'domains.getDomain', { domain: null }, 'body.domain', 'must be a string'],
    ['a list for a string', 'domains.getDomain', { domain: ['a.test'] }, 'body.domain', 'must be a string'],
    ['an object for a string', 'domains.getDomain', { domain: {} }, 'body.domain', 'must be a string'],
    ['a string for a number', 'projects.listProjects', { limit: '10' }, 'body.limit', 'must be a whole number'],
    ['true for a number', 'projects.listProjects', { limit: true }, 'body.limit', 'must be a whole number'],
    ['half a number', 'projects.listProjects', { limit: 1.5 }, 'body.limit', 'must be a whole number'],
    ['null for what is optional', 'projects.listProjects', { limit: null }, 'body.limit', 'must be a whole number'],
    ['zero', 'projects.listProjects', { limit: 0 }, 'body.limit', 'must be at least 1'],
  ])('is taken as it is: %s is refused', async (_what, operation, body, location, message) => {
    expect(await api.call(operation, body)).toMatchObject(invalid({ location, message }));
  });

  it.each(['1e400', '-1e400', '1e309', '9'.repeat(1000)])('with the number %s is refused', async (number) => {
    expect(await api.call('projects.listProjects', `{"limit":${number}}`)).toMatchObject({ status: 400 });
  });

  it.each([
    '{"__proto__":{"domain":"a.test"}}',
    '{"domain":"a.test","\\u005f_proto__":{}}',
    '{"domain":"a.test","constructor":{"prototype":{}}}',
    '{"domain":{"a":{"__proto__":1}}}',
  ])('sets no prototype: %s is refused', async (body) => {
    expect(await api.call('domains.getDomain', body)).toMatchObject(
      invalid({ location: 'body', message: 'must not set the prototype of an object' }),
    );
  });

  it('may be nested as deep as it likes: it is refused like any other', async () => {
    const depth = 200_000;
    const nested = `{"domain":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(await api.call('domains.getDomain', nested)).toMatchObject(
      invalid({ location: 'body.domain', message: 'must be a string' }),
    );
    expect(await api.call('domains.getDomain', '[{"a":'.repeat(100_000))).toMatchObject({ status: 400 });
  });

  it('with thousands of unknown properties gets a short response', async () => {
    const body = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`p${i}`, 1]));
    expect(await api.call('domains.getDomain', body)).toMatchObject(
      invalid({ location: 'body', message: 'must have at most 100 properties' }),
    );
  });

  it('gets at most 100 violations, with long names truncated', async () => {
    const body = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}${'é'.repeat(5000)}`, 1]));
    const answer = await api.call('domains.getDomain', body);
    expect(answer.body.error?.errors).toHaveLength(100);
    expect(answer.text.length).toBeLessThan(40_000);
  });

  it('that names a property twice has the value of the last, for every reader', async () => {
    const body = '{"domain":"abc","domain":"nobody.test"}';
    expect(await api.call('domains.getDomain', body)).toMatchObject({ status: 404 });
  });

  it('may begin with a byte order mark', async () => {
    expect(await api.call('domains.getDomain', '\ufeff{"domain":"nobody.test"}')).toMatchObject({ status: 404 });
  });
});
