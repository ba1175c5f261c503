import { describe, expect, it } from 'vitest';
import { STATUSES } from '../../server/src/api/errors.ts';
import { type Store, StoreUnavailable } from '../../server/src/store/store.ts';
import { type Harness, type HarnessOptions, startApi } from '../support/api-harness.ts';

/** Runs a test against an API of its own. */
async function withApi(options: HarnessOptions, test: (api: Harness) => Promise<void>): Promise<void> {
  const api = await startApi(options);
  try {
    await test(api);
  } finally {
    await api.close();
  }
}

const failing = (error: Error) => (store: Store) => ({
  ...store,
  findDomainByName: () => Promise.reject(error),
  ping: () => Promise.reject(error),
});

describe('the error table', () => {
  it.each([
    [400, 'Bad Request', 'validation-error'],
    [401, 'Unauthorized', 'unauthorized'],
    [403, 'Forbidden', 'forbidden'],
    [404, 'Not Found', 'not-found'],
    [405, 'Method Not Allowed', 'method-not-allowed'],
    [409, 'Conflict', 'conflict'],
    [412, 'Precondition Failed', 'precondition-failed'],
    [413, 'Content Too Large', 'content-too-large'],
    [429, 'Too Many Requests', 'rate-limited'],
    [500, 'Internal Server Error', 'internal-server-error'],
  ] as const)('%i is "%s", type %s', (status, title, type) => {
    expect(STATUSES[status]).toEqual({ title, type });
  });
});

describe('the type of an error', () => {
  it('as a URI ends like the path of the page that the server itself has for the error', () =>
    withApi({ settings: { docsUrl: 'https://docs.acme.test', service: 'acme' } }, async (api) => {
      const { type } = (await api.call('domains.getDomain', {}, { key: null })).body.error ?? {};
      const path = `/docs${type?.replace('https://docs.acme.test', '')}`;
      expect((await api.send({ method: 'GET', path, key: null })).status).toBe(200);
    }));
});

describe('an unexpected server error', () => {
  const cause = new Error('the disk named /secret/path broke');

  it('answers 500 with a detail that asks to contact support with the requestId, and reveals nothing else', () =>
    withApi({ wrap: failing(cause) }, async (api) => {
      const answer = await api.call('domains.getDomain', { domain: 'api.acme.com' });
      const requestId = answer.body.meta?.requestId;
      expect(answer).toMatchObject({
        status: 500,
        body: {
          error: {
            title: 'Internal Server Error',
            type: 'internal-server-error',
            detail: `Something went wrong on the server. A change that you requested may have been made: read before you repeat it. If this persists, please contact support and name the request id ${requestId}.`,
          },
        },
      });
      expect(answer.text).not.toContain('disk');
      expect(answer.headers['retry-after']).toBeUndefined();
    }));

  it('is in the log with its cause, under the request id', () =>
    withApi({ wrap: failing(cause) }, async (api) => {
      const answer = await api.call('domains.getDomain', { domain: 'api.acme.com' });
      const line = api.logged.map((each) => JSON.parse(each)).find(({ level }) => level === 50);
      expect(line).toMatchObject({ requestId: answer.body.meta?.requestId, operation: 'domains.getDomain' });
      expect(line.err.message).toBe(cause.message);
    }));

  it('leaves the next request unharmed', () =>
    withApi({ wrap: failing(cause) }, async (api) => {
      await api.call('domains.getDomain', { domain: 'api.acme.com' });
      expect(await api.call('projects.listProjects')).toMatchObject({ status: 200 });
    }));

  it('comes with Retry-After while the store is down', () =>
    withApi({ wrap: failing(new StoreUnavailable('busy')) }, async (api) => {
      const answer = await api.call('domains.getDomain', { domain: 'api.acme.com' });
      expect(answer).toMatchObject({ status: 500, headers: { 'retry-after': '1' } });
    }));

  it('is the response when a key cannot be looked up: it is neither accepted nor refused', () =>
    withApi(
      { wrap: (store) => ({ ...store, findPrincipal: () => Promise.reject(new StoreUnavailable('away')) }) },
      async (api) => {
        expect(await api.call('projects.listProjects')).toMatchObject({ status: 500 });
      },
    ));
});

describe('probes', () => {
  it('answer without a key', () =>
    withApi({}, async (api) => {
      const get = (path: string) => api.send({ method: 'GET', path, key: null });
      expect(await get('/v2/liveness')).toMatchObject({ status: 200, body: { data: { message: 'OK' } } });
      expect(await get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
      expect(await get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
    }));

  it('report "not ready" while the store is down, and log the reason', () =>
    withApi({ wrap: failing(new StoreUnavailable('no such host db.internal')) }, async (api) => {
      const answer = await api.send({ method: 'GET', path: '/readyz', key: null });
      expect(answer).toMatchObject({
        status: 503,
        body: { status: 'not ready', reason: 'The store cannot be read and written.' },
      });
      expect(api.logged.join()).toContain('db.internal');
      const lines = () => api.logged.filter((line) => line.includes('not ready: the store does not respond'));
      expect(lines()).toHaveLength(1);
      api.clock.advance(60_000);
      expect(await api.send({ method: 'GET', path: '/readyz', key: null })).toMatchObject({ status: 503 });
      expect(lines(), 'probes come every few seconds').toHaveLength(1);
      expect(await api.send({ method: 'GET', path: '/healthz', key: null })).toMatchObject({ status: 200 });
    }));

  it('beside an edge take no cached site out of rotation: "degraded" while the store is down', () =>
    withApi({ settings: { servesNames: true }, wrap: failing(new StoreUnavailable('away')) }, async (api) => {
      expect(await api.send({ method: 'GET', path: '/readyz', key: null })).toMatchObject({
        status: 200,
        body: { status: 'degraded', reason: 'The store cannot be read and written.' },
      });
      expect(api.logged.join()).toContain('not ready: the store does not respond');
    }));
});
