import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Static } from 'typebox';
import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import {
  allItems,
  ConnectionError,
  createClient,
  type Domain,
  type NameplateClient,
  NameplateError,
  UnexpectedResponse,
  VerificationFailed,
} from '../../client/client.ts';
import { isRead, takesKey } from '../../client/operation-kinds.ts';
import type { OutcomeSchema } from '../../server/src/api/domains/createDomains.ts';
import type { DomainSchema } from '../../server/src/api/domains/present-domain.ts';
import type { SiteSchema } from '../../server/src/api/domains/site.ts';
import { isStream, madeOnceBy } from '../../server/src/api/operation.ts';
import { operations } from '../../server/src/api/operations.ts';
import type { Domain as StoredDomain } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { type Harness, startApi } from '../support/api-harness.ts';
import { failedAt, verifiedAt, verifyingAt } from '../support/entities.ts';

const PLACE = { project: 'demo', app: 'web', environment: 'production' };

let api: Harness;
let client: NameplateClient;
beforeAll(async () => {
  api = await startApi();
  await api.createTree();
  client = createClient({ baseUrl: `${api.url}/`, rootKey: api.rootKey });
});
afterAll(() => api.close());

async function change(name: string, make: (domain: StoredDomain, now: number) => StoredDomain): Promise<void> {
  const before = await api.store.findDomainByName(api.workspaceId, name);
  if (before === null) throw new Error(`there is no ${name}`);
  api.clock.advance(1);
  const now = api.clock.now();
  await api.store.saveTransition({ before, after: make(before, now), memory: NO_MEMORY, now });
  await api.changes.poll();
}

describe('the client', () => {
  it('knows a domain as the API describes it', () => {
    expectTypeOf<Domain>().toEqualTypeOf<Static<typeof DomainSchema>>();
  });

  it('creates, reads, lists, verifies and deletes domains', async () => {
    const { domainId, dnsRecords } = await client.domains.createDomain({ ...PLACE, domain: 'a.example.com' });
    expect(dnsRecords).toHaveLength(2);
    expect(await client.domains.getDomain({ domain: 'a.example.com' })).toMatchObject({ id: domainId, dnsRecords });
    await client.domains.createDomain({ ...PLACE, domain: 'b.example.com' });
    const { items, cursor } = await client.domains.listDomains({ ...PLACE, limit: 1 });
    expect(items).toMatchObject([{ id: domainId }]);
    const rest = await client.domains.listDomains({ ...PLACE, cursor: cursor ?? '' });
    expect([rest.items.length, rest.cursor]).toEqual([1, undefined]);
    const all: string[] = [];
    for await (const { domain } of allItems(client.domains.listDomains, { ...PLACE, limit: 1 })) all.push(domain);
    expect(all).toEqual(['a.example.com', 'b.example.com']);
    await client.domains.verifyDomain({ domain: domainId });
    await client.domains.deleteDomain({ domain: domainId });
    await expect(client.domains.getDomain({ domain: domainId })).rejects.toMatchObject({ status: 404 });
  });

  it('has every operation of the API', () => {
    const has = operations.map(({ name }) => {
      const [group, operation] = name.split('.') as ['domains', 'getDomain'];
      return typeof client[group]?.[operation];
    });
    expect(new Set(has)).toEqual(new Set(['function']));
  });

  it('repeats exactly the operations that the API declares to change nothing, to create, or to rotate', () => {
    // Under the permission to make what they are about, or for anybody who may make it.
    const others = ['domains.checkName', 'domains.listSetupLinks', 'targets.listTargets'];
    for (const operation of operations) {
      const { name, permission } = operation;
      const isReading = permission.action.startsWith('read_') || others.includes(name);
      const creates = !isStream(operation) && madeOnceBy(operation) !== undefined;
      expect([name, takesKey(name)]).toEqual([name, creates]);
      expect([name, isRead(name)]).toEqual([name, isReading && !isStream(operation)]);
    }
  });

  it('calls the operations of every group, with the types of their input and result', async () => {
    const { projectId } = await client.projects.createProject({ slug: 'other' });
    const { appId } = await client.apps.createApp({ project: projectId, slug: 'web' });
    const { environmentId } = await client.environments.createEnvironment({
      project: projectId,
      app: appId,
      slug: 'staging',
    });
    const place = { project: 'other', app: 'web', environment: 'staging' };
    expect((await client.environments.getEnvironment(place)).id).toBe(environmentId);
    const [outcome] = await client.domains.createDomains({ ...place, domains: ['www.example.net'] });
    expectTypeOf(outcome).toEqualTypeOf<Static<typeof OutcomeSchema> | undefined>();
    const { items } = await client.domains.listWorkspaceDomains({ search: 'example.net' });
    // The client takes values of enums that a later release adds.
    expectTypeOf<Static<typeof SiteSchema>[]>().toExtend<typeof items>();
    expect(items.map(({ domain }) => domain.id)).toEqual([outcome?.domainId]);
    expect(await client.call('projects.getProject', { project: 'other' })).toMatchObject({ id: projectId });
  });

  it('throws the error that the API responds with', async () => {
    const error = await client.domains.getDomain({ domain: 'x' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(NameplateError);
    expect(error).toMatchObject({ status: 400, type: 'validation-error', title: 'Bad Request', retryAfter: null });
    expect(error.errors).toMatchObject([{ location: 'body.domain', message: expect.any(String) }]);
    expect(error.requestId).toMatch(/^req_/);
    expect(error.message).toBe(`${error.title}: ${error.detail}`);
  });

  it('resolves with a verified domain, and tells each state before', async () => {
    await client.domains.createDomain({ ...PLACE, domain: 'c.example.com' });
    const states: string[] = [];
    const first = Promise.withResolvers<void>();
    const waiting = client.domains.waitUntilVerified({
      domain: 'c.example.com',
      onChange({ status }) {
        states.push(status);
        first.resolve();
      },
    });
    await first.promise;
    await change('c.example.com', verifyingAt);
    await change('c.example.com', verifiedAt);
    expect(await waiting).toMatchObject({ status: 'verified', domain: 'c.example.com' });
    expect([states[0], states.at(-1)]).toEqual(['pending', 'verified']);
  });

  it('rejects when verification fails, with the domain', async () => {
    await client.domains.createDomain({ ...PLACE, domain: 'd.example.com' });
    await change('d.example.com', failedAt);
    const error = await client.domains.waitUntilVerified({ domain: 'd.example.com' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(VerificationFailed);
    expect(error).toMatchObject({ message: 'Not verified within 24 hours.', domain: { status: 'failed' } });
  });

  it('stops a watch by its signal, whose reason it throws, and by leaving the loop', async () => {
    await client.domains.createDomain({ ...PLACE, domain: 'e.example.com' });
    const controller = new AbortController();
    const watch = client.domains.watchDomain({ domain: 'e.example.com', signal: controller.signal });
    expect((await watch.next()).value).toMatchObject({ status: 'pending' });
    const next = watch.next();
    controller.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    for await (const { status } of client.domains.watchDomain({ domain: 'e.example.com' })) {
      expect(status).toBe('pending');
      break;
    }
  });

  it('ends a watch with 404 when the domain is deleted, and with 401 when the key is revoked', async () => {
    const { domainId } = await client.domains.createDomain({ ...PLACE, domain: 'f.example.com' });
    const { key, id } = await api.createKey();
    const ofKey = createClient({ baseUrl: api.url, rootKey: key }).domains.watchDomain({ domain: domainId });
    const watch = client.domains.watchDomain({ domain: domainId });
    await Promise.all([ofKey.next(), watch.next()]);
    await api.store.revokeRootKey(id);
    await api.changes.poll();
    const code = 'authentication/key_not_found';
    await expect(ofKey.next()).rejects.toMatchObject({ name: 'NameplateError', status: 401, code });
    await client.domains.deleteDomain({ domain: domainId });
    await api.changes.poll();
    const gone = { status: 404, type: 'not-found', code: 'data/domain_not_found' };
    await expect(watch.next()).rejects.toMatchObject({ name: 'NameplateError', ...gone });
  });
});

describe('of a server that fails,', () => {
  let server: Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Serves what a list says, one request after the other. */
  async function serve(...handlers: RequestListener[]) {
    const requests: { lastEventId: string | undefined; key: string | undefined }[] = [];
    server = createServer((request, response) => {
      const { 'last-event-id': lastEventId, 'idempotency-key': key } = request.headers;
      requests.push({ lastEventId: lastEventId?.toString(), key: key?.toString() });
      (handlers[requests.length - 1] ?? handlers.at(-1))?.(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { domains, call } = createClient({ baseUrl: `http://127.0.0.1:${port}`, rootKey: 'np_x' });
    return { requests, domains, call };
  }

  const problem =
    (status: number, headers = {}): RequestListener =>
    (_, response) => {
      const error = { status, type: 'some-type', title: 'Some Title', detail: 'Some detail.' };
      response.writeHead(status, { 'x-request-id': 'req_1', ...headers });
      response.end(JSON.stringify({ meta: { requestId: 'req_1' }, error }));
    };
  const success: RequestListener = (_, response) =>
    response.end(JSON.stringify({ meta: { requestId: 'req_1' }, data: { status: 'verified' } }));
  const lost: RequestListener = (request) => request.socket.destroy();

  it('a read is repeated after 5xx, 429 and lost connections', async () => {
    const { requests, domains } = await serve(problem(500), lost, problem(429, { 'retry-after': '1' }), success);
    expect(await domains.getDomain({ domain: 'a.example.com' })).toEqual({ status: 'verified' });
    expect(requests).toHaveLength(4);
  });

  it('a change is repeated only after 429: after any other failure it may have been made', async () => {
    const first = await serve(problem(429), success);
    await first.domains.deleteDomain({ domain: 'a.example.com' });
    expect(first.requests).toHaveLength(2);
    server.close();
    const second = await serve(problem(500));
    await expect(second.domains.deleteDomain({ domain: 'a.example.com' })).rejects.toMatchObject({
      status: 500,
      code: null,
      requestId: 'req_1',
    });
    expect(second.requests).toHaveLength(1);
  });

  it('a creation is repeated too, under one Idempotency-Key, which the next one does not share', async () => {
    const { requests, domains } = await serve(lost, problem(500), problem(409, { 'retry-after': '1' }), success);
    await domains.createDomain({ ...PLACE, domain: 'a.example.com' });
    await domains.createDomain({ ...PLACE, domain: 'b.example.com' });
    const keys = requests.map(({ key }) => key);
    expect(keys).toHaveLength(5);
    expect(new Set(keys.slice(0, 4)).size).toBe(1);
    expect(keys[4]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[4]).not.toBe(keys[0]);
    await domains.createDomain({ ...PLACE, domain: 'c.example.com' }, { idempotencyKey: 'mine' });
    await domains.getDomain({ domain: 'c.example.com' });
    expect(requests.slice(5).map(({ key }) => key)).toEqual(['mine', undefined]);
  });

  it('a creation that sends no key is not repeated', async () => {
    const { requests, domains } = await serve(problem(500));
    const creating = domains.createDomain({ ...PLACE, domain: 'a.example.com' }, { idempotencyKey: null });
    await expect(creating).rejects.toMatchObject({ status: 500 });
    expect(requests).toEqual([{ lastEventId: undefined, key: undefined }]);
  });

  it('a key makes only a creation safe to repeat', async () => {
    const { requests, call } = await serve(problem(500));
    const deleting = call('domains.deleteDomain', { domain: 'a.example.com' }, { idempotencyKey: 'mine' });
    await expect(deleting).rejects.toMatchObject({ status: 500 });
    expect(requests).toHaveLength(1);
  });

  const html =
    (status: number, headers = {}): RequestListener =>
    (_, response) => {
      response.writeHead(status, { 'content-type': 'text/html', ...headers });
      response.end('<html>');
    };

  it('a proxy that cannot reach it, and a response in part, are waited out', async () => {
    const part: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"meta":{"requestId":"req_1"},"da');
    };
    const { requests, domains } = await serve(html(502), part, html(503, { 'retry-after': '1' }), success);
    expect(await domains.getDomain({ domain: 'a.example.com' })).toEqual({ status: 'verified' });
    expect(requests).toHaveLength(4);
  });

  it('something else that responds at its address is named, and not asked again', async () => {
    for (const other of [html(404), html(200), html(301, { location: '/elsewhere' })]) {
      const { requests, domains } = await serve(other);
      const error = await domains.getDomain({ domain: 'a.example.com' }).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(UnexpectedResponse);
      expect(error.message).toMatch(/\/v2\/domains\.getDomain returned status \d+, not a response of Nameplate's API/);
      const watch = domains.watchDomain({ domain: 'a.example.com' });
      await expect(watch.next()).rejects.toBeInstanceOf(UnexpectedResponse);
      expect(requests).toHaveLength(2);
      server.closeAllConnections();
      server.close();
    }
  });

  it('a redirect is named in a browser, too, which does not tell its status', async () => {
    const api = createClient({ baseUrl: 'https://api.example.com', rootKey: 'a', fetch: async () => Response.error() });
    const [reading, watch] = [api.domains.getDomain({ domain: 'a' }), api.domains.watchDomain({ domain: 'a' })];
    for (const promise of [reading, watch.next()]) {
      await expect(promise).rejects.toThrow(/ returned a redirect, not a response of Nameplate's API/);
    }
  });

  it('a call ends within its time limit: a longer wait is left to the caller at once, with the error', async () => {
    for (const headers of [{ 'retry-after': '4294967296' }, { 'retry-after': '1', 'ratelimit-limit': '0' }]) {
      const { requests, domains } = await serve(problem(429, headers));
      const reading = domains.getDomain({ domain: 'a.example.com' });
      await expect(reading).rejects.toMatchObject({ status: 429, retryAfter: Number(headers['retry-after']) });
      expect(requests).toHaveLength(1);
      server.closeAllConnections();
      server.close();
    }
  });

  it('a watch goes on with the id of its last event, and reports why it was interrupted', async () => {
    const streams =
      (...texts: string[]): RequestListener =>
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const text of texts) response.write(text);
        setImmediate(() => response.destroy());
      };
    const state = (id: string) => `id: ${id}\nevent: domain\ndata: {"id":"${id}"}\n\n`;
    const { requests, domains } = await serve(
      streams('retry: 1\n\n', state('one')),
      problem(503),
      streams(': nothing new\n\n'),
      streams(state('two')),
    );
    const reasons: string[] = [];
    const watch = domains.watchDomain({ domain: 'a.example.com', onDisconnect: ({ name }) => reasons.push(name) });
    expect((await watch.next()).value).toEqual({ id: 'one' });
    expect((await watch.next()).value).toEqual({ id: 'two' });
    expect(requests.map(({ lastEventId }) => lastEventId)).toEqual([undefined, 'one', 'one', 'one']);
    expect(reasons).toEqual(['ConnectionError', 'NameplateError', 'ConnectionError']);
    await watch.return(undefined as never);
  });
});

describe('a call without a response says why, and what to do:', () => {
  const failing = (code: string, name = 'Error') => {
    const fetch = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('it failed'), { code, name }) });
    };
    return createClient({ baseUrl: 'https://api.example.com:8443', rootKey: 'np_x', retries: 0, fetch });
  };

  it.each([
    ['ECONNREFUSED', /^Nothing listens at api\.example\.com:8443: .* Start the server/],
    ['ETIMEDOUT', /did not respond within 30 s\. Check whether a firewall/],
    ['UND_ERR_CONNECT_TIMEOUT', /did not respond within 30 s/],
    ['ENOTFOUND', /^The name api\.example\.com has no address in the DNS\. Correct it/],
    ['EAI_AGAIN', /could not be looked up \(EAI_AGAIN\)\. Check the DNS resolver/],
    ['CERT_HAS_EXPIRED', /^The TLS handshake with api\.example\.com:8443 failed \(CERT_HAS_EXPIRED\)/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /TLS handshake/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /TLS handshake/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /TLS handshake/],
    ['ECONNRESET', /closed the connection before it had responded \(ECONNRESET\)/],
    ['UND_ERR_SOCKET', /closed the connection/],
    ['ENETUNREACH', /^There is no route from this machine to api\.example\.com:8443/],
    ['EHOSTUNREACH', /no route/],
    ['ERR_OTHER', /^api\.example\.com:8443 cannot be reached \(ERR_OTHER\)\.$/],
  ])('%s', async (code, message) => {
    const error = await failing(code)
      .domains.getDomain({ domain: 'a.example.com' })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(message);
  });

  it('a real server that is not there, one that closes, and one that speaks no TLS', async () => {
    const server = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = (baseUrl: string) =>
      createClient({ baseUrl, rootKey: 'np_x', retries: 0 })
        .domains.getDomain({ domain: 'a.example.com' })
        .catch((thrown) => thrown.message);
    expect(await ask(`http://127.0.0.1:${port}`)).toMatch(/closed the connection before it had responded/);
    expect(await ask(`https://127.0.0.1:${port}`)).toMatch(/TLS handshake with .* failed/);
    server.close();
    await once(server, 'close');
    expect(await ask(`http://127.0.0.1:${port}`)).toMatch(/Nothing listens at 127\.0\.0\.1/);
  });
});

describe('the time limit of a call', () => {
  const input = { domain: 'a.example.com' };
  /** Never responds, and ends with its signal as `fetch` does. */
  const silent: typeof fetch = (_, init) =>
    new Promise((_, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  const options = { baseUrl: 'https://api.example.com', rootKey: 'np_x' };

  it('covers all attempts: one that gets no response is not made again', async () => {
    let attempts = 0;
    const counted: typeof fetch = (...request) => {
      attempts += 1;
      return silent(...request);
    };
    const client = createClient({ ...options, timeoutMs: 20, fetch: counted });
    await expect(client.domains.getDomain(input)).rejects.toThrow(/did not respond within 0\.02 s/);
    expect(attempts).toBe(1);
  });

  it('covers the waits: under a Retry-After that is longer, the call rejects at once with the 429', async () => {
    const error = { status: 429, type: 'rate-limited', title: 'Too Many Requests', detail: 'Later.' };
    const body = JSON.stringify({ meta: { requestId: 'req_1' }, error });
    let attempts = 0;
    const limited: typeof fetch = async () => {
      attempts += 1;
      return new Response(body, { status: 429, headers: { 'retry-after': '6' } });
    };
    const client = createClient({ ...options, timeoutMs: 5000, fetch: limited });
    await expect(client.domains.getDomain(input)).rejects.toMatchObject({ status: 429, retryAfter: 6 });
    expect(attempts).toBe(1);
  });

  it('covers the function that gives the key, and a signal ends that too', async () => {
    const never = new Promise<string>(() => {});
    const client = (timeoutMs: number) => createClient({ ...options, rootKey: () => never, timeoutMs, retries: 0 });
    await expect(client(20).domains.getDomain(input)).rejects.toBeInstanceOf(ConnectionError);
    const stop = new AbortController();
    const waiting = client(60_000).domains.getDomain(input, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
