import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import { StoreUnavailable } from '../../server/src/store/store.ts';
import { type Harness, startApi, type Tree } from '../support/api-harness.ts';
import { cname, everywhere, rightTxt, txt } from '../support/observations.ts';
import { observed } from '../support/observed.ts';

/**
 * The tables of the specification, copied by hand and not made from the code: whatever the program and its OpenAPI
 * document agree on is held against these too.
 */

const text = (minLength: number, maxLength: number) => ({ type: 'string', minLength, maxLength });
const identifier = (prefix: string) => ({ ...text(8, 255), pattern: `^${prefix}[a-zA-Z0-9_]+$` });
const exactly = (required: string[], properties: Record<string, unknown>) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

const DnsRecord = exactly(['type', 'name', 'value', 'ttl', 'verified'], {
  type: { enum: ['CNAME', 'ALIAS', 'TXT'] },
  name: text(1, 253),
  value: text(1, 512),
  ttl: { type: 'integer', minimum: 1 },
  verified: { type: 'boolean' },
  note: text(0, 512),
});
const time = { type: 'integer', minimum: 1_600_000_000_000, maximum: 4_000_000_000_000 };
const DomainObject = exactly(
  ['id', 'domain', 'projectId', 'appId', 'environmentId', 'status', 'dnsRecords', 'createdAt'],
  {
    id: { ...text(3, 255), pattern: '^dom_[a-zA-Z0-9_-]+$' },
    domain: text(4, 253),
    projectId: identifier('proj_'),
    appId: identifier('app_'),
    environmentId: identifier('env_'),
    status: { enum: ['pending', 'verifying', 'verified', 'failed'] },
    verificationError: text(1, 512),
    dnsRecords: { type: 'array', minItems: 1, items: DnsRecord },
    createdAt: time,
    updatedAt: time,
  },
);
const meta = exactly(['requestId'], { requestId: text(1, 255) });
const base = { title: text(1, 255), detail: text(1, 2000), status: { type: 'integer' }, type: text(1, 255) };
const ValidationError = exactly(['location', 'message'], {
  location: { ...text(1, 255), pattern: '^(body|path|query|header)' },
  message: text(1, 1000),
  fix: text(1, 1000),
});
const SCHEMAS = {
  success: exactly(['meta', 'data'], { meta, data: DomainObject }),
  error: exactly(['meta', 'error'], { meta, error: exactly(['title', 'detail', 'status', 'type'], base) }),
  badRequest: exactly(['meta', 'error'], {
    meta,
    error: exactly(['title', 'detail', 'status', 'type', 'errors'], {
      ...base,
      errors: { type: 'array', minItems: 1, items: ValidationError },
    }),
  }),
  page: exactly(['meta', 'data', 'pagination'], {
    meta,
    data: { type: 'array', items: DomainObject },
    pagination: exactly(['hasMore'], { cursor: text(1, 255), hasMore: { type: 'boolean' } }),
  }),
};
const ajv = new Ajv2020({ allErrors: true });

function conform(name: keyof typeof SCHEMAS, body: unknown): void {
  const validate = ajv.compile(SCHEMAS[name]);
  expect(validate(body), ajv.errorsText(validate.errors)).toBe(true);
}

let api: Harness;
let tree: Tree;
let broken = false;
beforeAll(async () => {
  const wrap: Parameters<typeof startApi>[0] = {
    settings: { rateLimits: { 'deployments.listDeployments': { limit: 0, windowMs: 60_000 } } },
    wrap: (store) => ({
      ...store,
      findDomainByName: async (...args) => {
        if (broken) throw new StoreUnavailable('the disk is gone');
        return store.findDomainByName(...args);
      },
    }),
  };
  api = await startApi(wrap);
  tree = await api.createTree();
});
afterAll(() => api.close());

const get = (domain: string) => api.call('domains.getDomain', { domain });

describe('Resources: Domain and DnsRecord', () => {
  const longest = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(57)}.com`;
  const matched = (domain: Domain) => ({ routing: everywhere(cname(domain.target)) });

  test.each(['a.co', 'api.acme.com', 'acme.com', 'bücher.example', longest])(
    'no properties other than those listed are present, within their constraints, in every status (%s)',
    async (name) => {
      const created = await api.createDomain(tree, name);
      conform('success', (await get(name)).body);
      await observed(api, created, { ownership: everywhere(txt('x'.repeat(5000), 'y')) });
      const verifying = await get(name);
      expect(verifying.body.data).toMatchObject({ status: 'verifying', verificationError: expect.any(String) });
      conform('success', verifying.body);

      api.clock.set(created.createdAt + 86_400_000);
      await observed(api, created, { ownership: everywhere(txt('x'.repeat(5000))) });
      expect((await get(name)).body.data).toMatchObject({ status: 'failed', verificationError: expect.any(String) });
      conform('success', (await get(name)).body);

      await api.call('domains.verifyDomain', { domain: name });
      expect((await get(name)).body.data).toMatchObject({ status: 'pending' });
      await observed(api, created, { ...matched(created), ownership: everywhere(rightTxt(created)) });
      const verified = await get(name);
      expect(verified.body.data).toMatchObject({ status: 'verified' });
      expect(verified.text).not.toContain('verificationError');
      conform('success', verified.body);
    },
  );

  test('createdAt and updatedAt are Unix times in milliseconds; updatedAt is that of the last change', async () => {
    const created = await api.createDomain(tree, 'times.acme.com');
    expect(created.createdAt).toBe(api.clock.now());
    api.clock.advance(61_000);
    await observed(api, created, {});
    const changedAt = api.clock.now();
    api.clock.advance(61_000);
    await observed(api, created, {});
    expect((await get('times.acme.com')).body.data).toMatchObject({
      createdAt: created.createdAt,
      updatedAt: changedAt,
    });
  });

  test('a paginated answer is {meta, data, pagination} with cursor and hasMore', async () => {
    const { project, app, environment } = tree;
    const first = await api.call('domains.listDomains', { project, app, environment, limit: 2 });
    expect(first.body.pagination).toEqual({ hasMore: true, cursor: expect.any(String) });
    conform('page', first.body);
    const rest = await api.call('domains.listDomains', {
      project,
      app,
      environment,
      cursor: first.body.pagination?.cursor,
    });
    expect(rest.body.pagination).toEqual({ hasMore: false });
    conform('page', rest.body);
  });
});

describe('Errors: each status has its title and type, in an envelope of {meta, error}', () => {
  const unused = `np_${'1'.repeat(39)}`;

  test('400 Bad Request, validation-error: the request body fails validation; errors lists location, message and fix', async () => {
    const answer = await api.call('domains.getDomain', { domain: 'abc', extra: 1 });
    expect(answer.body.error).toMatchObject({ title: 'Bad Request', status: 400, type: 'validation-error' });
    expect(answer.body.error?.errors?.map(({ location }) => location).sort()).toEqual(['body.domain', 'body.extra']);
    conform('badRequest', answer.body);
  });

  test.each([
    ['missing', null],
    ['malformed', 'not-a-key'],
    ['not found', unused],
  ])('401 Unauthorized, unauthorized: the root key is %s', async (_, key) => {
    const answer = await api.call('domains.getDomain', { domain: 'acme.com' }, { key });
    expect(answer.body.error).toMatchObject({ title: 'Unauthorized', status: 401, type: 'unauthorized' });
    conform('error', answer.body);
  });

  test.each(['key', 'workspace'])('403 Forbidden, forbidden: the %s is disabled', async (what) => {
    const workspace = await api.createWorkspace({ disabledAt: what === 'workspace' ? api.clock.now() : null });
    const { key } = await api.createKey({
      workspaceId: workspace.id,
      disabledAt: what === 'key' ? api.clock.now() : null,
    });
    const answer = await api.call('domains.getDomain', { domain: 'acme.com' }, { key });
    expect(answer.body.error).toMatchObject({ title: 'Forbidden', status: 403, type: 'forbidden' });
    conform('error', answer.body);
  });

  test('404 Not Found, not-found: the domain does not exist, the identifier matches nothing, or the key may not read it', async () => {
    const { id } = await api.createDomain(tree, 'masked.acme.com');
    const { key } = await api.createKey({ permissions: [] });
    const answers = [
      await get('nobody.acme.com'),
      await get('not a name'),
      await get('dom_00000000000000000000000000'),
      await api.call('domains.getDomain', { domain: id }, { key }),
      await api.call('domains.getDomain', { domain: 'masked.acme.com' }, { key }),
    ];
    for (const { body } of answers) {
      expect(body.error).toMatchObject({ title: 'Not Found', status: 404, type: 'not-found' });
      expect(body.error).toEqual(answers[0]?.body.error);
      conform('error', body);
    }
  });

  test('429 Too Many Requests, rate-limited: the workspace rate limit for the operation is exceeded', async () => {
    const { project, app, environment } = tree;
    const answer = await api.call('deployments.listDeployments', { project, app, environment });
    expect(answer.body.error).toMatchObject({ title: 'Too Many Requests', status: 429, type: 'rate-limited' });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    conform('error', answer.body);
  });

  test('500 Internal Server Error, internal-server-error: the detail asks to contact support with the requestId', async () => {
    broken = true;
    const answer = await get('acme.com');
    broken = false;
    expect(answer.body.error).toMatchObject({
      title: 'Internal Server Error',
      status: 500,
      type: 'internal-server-error',
    });
    expect(answer.body.error?.detail).toContain('contact support');
    expect(answer.body.error?.detail).toContain(answer.body.meta?.requestId);
    expect(answer.text).not.toContain('disk');
    expect(api.logged.join('')).toContain('the disk is gone');
    conform('error', answer.body);
  });

  test('with a documentation address, type is {docs_url}/errors/service/<category>/<name>, for each named code', async () => {
    const docsUrl = 'https://docs.acme.net';
    const other = await startApi({ settings: { docsUrl } });
    const type = async (options: Parameters<Harness['call']>[2]) =>
      (await other.call('domains.getDomain', { domain: 'acme.com' }, options)).body.error?.type;
    const disabledAt = other.clock.now();
    const disabled = await other.createKey({ disabledAt });
    const workspace = await other.createWorkspace({ disabledAt });
    const closed = await other.createKey({ workspaceId: workspace.id });
    const powerless = await other.createKey({ permissions: [] });
    expect(await type({ key: null })).toBe(`${docsUrl}/errors/service/authentication/missing`);
    expect(await type({ key: 'x' })).toBe(`${docsUrl}/errors/service/authentication/malformed`);
    // The key of another installation has the right form.
    const unknown = { key: null, headers: { authorization: `Bearer ${(await api.createKey()).key}` } };
    expect(await type(unknown)).toBe(`${docsUrl}/errors/service/authentication/key_not_found`);
    expect(await type({ key: disabled.key })).toBe(`${docsUrl}/errors/service/authorization/key_disabled`);
    expect(await type({ key: closed.key })).toBe(`${docsUrl}/errors/service/authorization/workspace_disabled`);
    const listing = await other.call('projects.listProjects', {}, { key: powerless.key });
    expect(listing.body.error?.type).toBe(`${docsUrl}/errors/service/authorization/insufficient_permissions`);
    const reserved = await other.createTree();
    const { project, app, environment } = reserved;
    const body = { project, app, environment, domain: 'x.platform.test' };
    const refused = await other.call('domains.createDomain', body);
    expect(refused.body.error?.type).toBe(`${docsUrl}/errors/service/authorization/forbidden`);
    await other.close();
  });
});

test('every operation that needs a key lives under /v2/ and is called with POST; the document says version 2.0.0', async () => {
  const document = (await api.send({ method: 'GET', path: '/openapi.json', key: null })).body as unknown as {
    info: { version: string };
    paths: Record<string, Record<string, { security?: object[] }>>;
  };
  expect(document.info.version).toBe('2.0.0');
  const secured = Object.entries(document.paths).filter(([, methods]) => 'post' in methods);
  expect(secured.length).toBeGreaterThan(15);
  for (const [path, methods] of secured) {
    expect(path).toMatch(/^\/v2\/[a-z]+\.[a-zA-Z]+$/);
    expect(Object.keys(methods)).toEqual(['post']);
  }
});
