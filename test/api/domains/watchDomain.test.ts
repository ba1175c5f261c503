import { Agent } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { signToken } from '../../../server/src/access/dashboard-token.ts';
import { currentSigningKey, rotateSigningKey } from '../../../server/src/access/signing-key.ts';
import { createLoadShedder } from '../../../server/src/api/load-shedding.ts';
import { idMaker } from '../../../server/src/base/ids.ts';
import { digestOfMistakes } from '../../../server/src/domain/check-result.ts';
import type { Domain } from '../../../server/src/domain/domain.ts';
import { DIAGNOSIS_EVERY_MS } from '../../../server/src/domain/domain-event.ts';
import { NO_MEMORY } from '../../../server/src/domain/status.ts';
import { type Store, StoreUnavailable } from '../../../server/src/store/store.ts';
import { dataOf, type Harness, type HarnessOptions, startApi } from '../../support/api-harness.ts';
import { anIssuedCertificate, prove } from '../../support/certificates.ts';
import { aCheckResult, prepare, preparedAt, verifyingAt } from '../../support/entities.ts';
import { watch } from '../../support/watching.ts';

const NAME = 'shop.example.com';
let api: Harness;
let domain: Domain;
afterEach(() => api.close());

async function start(options: HarnessOptions = {}): Promise<void> {
  api = await startApi(options);
  domain = await api.createDomain(await api.createTree(), NAME);
}

const watching = (options: Partial<Parameters<typeof watch>[1]> = {}) =>
  watch(api.url, { key: api.rootKey, domain: NAME, ...options });
const asking = (options: { key?: string; headers?: Record<string, string> } = {}, body: object = { domain: NAME }) =>
  api.call('domains.watchDomain', body, { headers: { accept: 'text/event-stream' }, ...options });
const read = async () => dataOf(await api.call('domains.getDomain', { domain: NAME }));

/** A change as a check saves it; the feed tells it with the next poll. */
async function save(verificationError: string, of = domain): Promise<void> {
  const before = await api.store.findDomainById(of.workspaceId, of.id);
  if (before === null) throw new Error('there is no such domain');
  api.clock.advance(1);
  const now = api.clock.now();
  const after = { ...verifyingAt(before, now), verificationError };
  expect(await api.store.saveTransition({ before, after, memory: NO_MEMORY, now })).toBe('saved');
}

async function change(verificationError: string): Promise<void> {
  await save(verificationError);
  await api.changes.poll();
}

describe('domains.watchDomain', () => {
  it('sends the domain at once and with each change, as domains.getDomain returns it', async () => {
    await start();
    const { response, next } = await watching();
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.stringMatching(/^req_/),
    });
    expect(await next()).toMatchObject({ event: 'domain', data: await read() });
    await change('No record yet.');
    const { event, data } = await next();
    expect([event, data]).toEqual(['domain', await read()]);
    expect(data.verificationError).toBe('No record yet.');
  });

  it('sends before the domain what the checks found, once it was told and after each change of it', async () => {
    await start();
    const { next, unread } = await watching();
    await next();
    const check = async (value: string) => {
      const result = aCheckResult(domain, { code: 'cname_other_target', seen: [value] });
      api.clock.advance(DIAGNOSIS_EVERY_MS);
      const now = api.clock.now();
      const mistakes = digestOfMistakes(result.findings);
      const before = (await api.store.findDomainById(domain.workspaceId, domain.id)) ?? domain;
      await api.store.saveTransition({ before, after: before, memory: NO_MEMORY, result, mistakes, now });
      await api.changes.poll();
      return { event: 'diagnosis', data: { checkedAt: now, findings: result.findings } };
    };
    for (const value of ['typo.test.', 'other.test.']) {
      const diagnosis = await check(value);
      expect(await next()).toMatchObject(diagnosis);
      expect(await next()).toMatchObject({ event: 'domain', data: { id: domain.id } });
    }
    await check('other.test.');
    await change('Something else.');
    expect(await next()).toMatchObject({ event: 'diagnosis' });
    const { id } = await next();
    expect(unread()).toEqual([]);
    const again = await watching({ lastEventId: id });
    await check('third.test.');
    expect(await again.next()).toMatchObject({ event: 'diagnosis', data: { findings: [{ seen: ['third.test.'] }] } });
  });

  it('tells before the domain that it is ready to switch, while its certificate is in use and it is not verified', async () => {
    await start();
    const { next, unread } = await watching();
    await next();
    await prepare(api.store, domain, api.clock.now());
    await api.changes.poll();
    expect(await next()).toMatchObject({ event: 'domain', data: { status: 'verifying' } });
    const issued = anIssuedCertificate({ issuedAt: api.clock.now() });
    await api.store.importCertificate(NAME, issued, api.clock.now(), domain.id);
    await api.changes.poll();
    expect(await next()).toMatchObject({ event: 'ready_to_switch', data: { since: api.clock.now() } });
    const { event, id } = await next();
    expect(event).toBe('domain');
    const again = await watching({ lastEventId: id });
    await prove(api.store, preparedAt(domain, api.clock.now()), api.clock.now());
    await api.changes.poll();
    for (const each of [{ next }, again])
      expect(await each.next()).toMatchObject({ event: 'domain', data: { status: 'verified' } });
    expect([unread(), again.unread()]).toEqual([[], []]);
  });

  it('takes the id as well as the name', async () => {
    await start();
    expect((await (await watching({ domain: domain.id })).next()).data.domain).toBe(NAME);
  });

  it('tells that a domain was deleted with the error that a request gets now, and ends', async () => {
    await start();
    const { next, ended } = await watching();
    await next();
    await api.call('domains.deleteDomain', { domain: NAME });
    await api.changes.poll();
    const { error } = (await api.call('domains.getDomain', { domain: NAME })).body;
    expect(await next()).toMatchObject({ event: 'end', data: { reason: 'domain_gone', error } });
    await ended;
  });

  it('sends changes that come together as one event: the newest state', async () => {
    await start();
    const { next, unread } = await watching();
    await next();
    for (let i = 1; i <= 20; i += 1) await save(`Change ${i}.`);
    await api.changes.poll();
    let events = 1;
    for (; (await next()).data.verificationError !== 'Change 20.'; events += 1);
    expect(events).toBeLessThan(20);
    expect(unread()).toEqual([]);
  });

  it('reads a changed domain for many streams at once, not for each', async () => {
    let reads = 0;
    const wrap = (store: Store) => ({
      ...store,
      findDomainById(...args: Parameters<Store['findDomainById']>) {
        reads += 1;
        return store.findDomainById(...args);
      },
    });
    await start({ wrap });
    const watchers = await Promise.all(Array.from({ length: 50 }, () => watching()));
    await Promise.all(watchers.map(({ next }) => next()));
    await api.changes.poll();
    await save('No record yet.');
    reads = 0;
    await api.changes.poll();
    for (const { next } of watchers) expect((await next()).data.verificationError).toBe('No record yet.');
    expect(reads).toBeLessThan(10);
  });

  it('sends a change that was made while it was being opened', async () => {
    let isOpening = false;
    const wrap = (store: Store) => ({
      ...store,
      async findDomainByName(...args: Parameters<Store['findDomainByName']>) {
        const found = await store.findDomainByName(...args);
        if (isOpening) await change('Changed meanwhile.');
        return found;
      },
    });
    await start({ wrap });
    isOpening = true;
    const { next } = await watching();
    isOpening = false;
    expect((await next()).data.verificationError).toBe('Changed meanwhile.');
  });

  it('reads again what could not be read', async () => {
    let isDown = false;
    const wrap = (store: Store) => ({
      ...store,
      findDomainById: (...args: Parameters<Store['findDomainById']>) =>
        isDown ? Promise.reject(new StoreUnavailable('down')) : store.findDomainById(...args),
    });
    await start({ wrap });
    const { next } = await watching();
    await next();
    await save('No record yet.');
    isDown = true;
    await api.changes.poll();
    await vi.waitUntil(() => api.logged.some((line) => line.includes('cannot be read')));
    isDown = false;
    expect((await next()).data.verificationError).toBe('No record yet.');
  });

  it('sends a comment while nothing changes', async () => {
    await start({ limits: { streams: { heartbeatMs: 20, stalledMs: 30_000 } } });
    const { nextHint } = await watching({ lastEventId: await idOfState() });
    expect(await nextHint()).toBe('retry: 1000');
    expect(await nextHint()).toBe(': heartbeat');
    expect(await nextHint()).toBe(': heartbeat');
  });

  it('outlives the time limits of requests', async () => {
    const streams = { heartbeatMs: 20, stalledMs: 30_000 };
    await start({ limits: { requestTimeoutMs: 100, headerTimeoutMs: 100, streams } });
    const { next, nextHint } = await watching();
    await next();
    for (const _ of [1, 2, 3]) await nextHint();
    await change('Still there.');
    expect((await next()).data.verificationError).toBe('Still there.');
  });

  it('is no load: open streams leave room for requests, and count as requests when they end', async () => {
    await start({ loadShedder: createLoadShedder({ inFlight: 1 }) });
    const watchers = [await watching(), await watching(), await watching()];
    expect((await api.call('domains.getDomain', { domain: NAME })).status).toBe(200);
    expect((await api.metrics.watchers.get()).values[0]?.value).toBe(3);
    for (const { close } of watchers) close();
    await vi.waitUntil(async () => (await api.metrics.watchers.get()).values[0]?.value === 0);
    const line = 'nameplate_requests_total{operation="domains.watchDomain",status="200"} 3';
    await vi.waitUntil(async () => (await api.metrics.registry.metrics()).includes(line));
    const metrics = await api.metrics.registry.metrics();
    expect(metrics).toContain('nameplate_watchers_ended_total{reason="client"} 3');
    expect(metrics).not.toContain('nameplate_request_seconds_count{operation="domains.watchDomain"}');
  });

  it('leaves the connection to further requests when the stream has ended', async () => {
    await start();
    const agent = new Agent({ keepAlive: true });
    const { response, ended } = await watching({ agent });
    await api.call('domains.deleteDomain', { domain: NAME });
    await api.changes.poll();
    await ended;
    expect(response.complete).toBe(true);
    await vi.waitUntil(() => Object.values(agent.freeSockets).flat().length === 1);
    agent.destroy();
  });
});

async function idOfState(): Promise<string | undefined> {
  const { next, close } = await watching();
  const { id } = await next();
  close();
  return id;
}

describe('Last-Event-ID', () => {
  it('of the present state: nothing is sent until it changes', async () => {
    await start();
    const { next } = await watching({ lastEventId: await idOfState() });
    await change('No record yet.');
    expect((await next()).data.verificationError).toBe('No record yet.');
  });

  it('of an earlier state: the present one is sent once, whatever came between', async () => {
    await start();
    const lastEventId = await idOfState();
    for (const text of ['First.', 'Second.', 'Third.']) await change(text);
    const { next } = await watching({ lastEventId });
    expect((await next()).data.verificationError).toBe('Third.');
    await change('Fourth.');
    expect((await next()).data.verificationError).toBe('Fourth.');
  });

  it('of a domain that had the same name before: the new one is sent', async () => {
    await start();
    const lastEventId = await idOfState();
    await api.call('domains.deleteDomain', { domain: NAME });
    const again = dataOf<{ domainId: string }>(
      await api.call('domains.createDomain', { project: 'demo', app: 'web', environment: 'production', domain: NAME }),
    );
    expect((await (await watching({ lastEventId })).next()).data.id).toBe(again.domainId);
  });

  it.each(['', 'nonsense', '0', 'dom_1.1.1'])('that no event had counts as none: %j', async (lastEventId) => {
    await start();
    expect((await (await watching({ lastEventId })).next()).event).toBe('domain');
  });
});

describe('before the stream begins, an error is an ordinary response:', () => {
  it.each([undefined, 'application/json', '*/*', 'text/*', 'text/event-stream;q=0'])(
    '406 for Accept: %s',
    async (accept) => {
      await start();
      const answer = await api.call(
        'domains.watchDomain',
        { domain: NAME },
        accept === undefined ? {} : { headers: { accept } },
      );
      expect(answer).toMatchObject({ status: 406, body: { error: { type: 'not-acceptable' } } });
      expect(answer.body.error?.detail).toContain('Accept: text/event-stream');
    },
  );

  it.each(['text/event-stream', 'TEXT/Event-Stream', 'application/json;q=0.1, text/event-stream;q=0.5'])(
    'none for Accept: %s',
    async (accept) => {
      await start();
      expect((await (await watching({ headers: { accept } })).next()).event).toBe('domain');
    },
  );

  it('404 for a domain that does not exist, and the same for one that the key may not read', async () => {
    await start();
    const { key } = await api.createKey({ permissions: ['environment.*.create_domain'] });
    const missing = await asking({}, { domain: 'nobody.example.com' });
    const hidden = await asking({ key });
    expect(missing.status).toBe(404);
    expect(hidden.body.error).toEqual(missing.body.error);
  });

  it('400 for a body that is not valid', async () => {
    await start();
    expect((await asking({}, { domain: NAME, more: 1 })).status).toBe(400);
  });

  it('429 above the rate limit', async () => {
    await start({ settings: { rateLimits: { 'domains.watchDomain': { limit: 1, windowMs: 60_000 } } } });
    const { response } = await watching();
    expect(response.headers['ratelimit-remaining']).toBe('0');
    expect(await asking()).toMatchObject({ status: 429, body: { error: { type: 'rate-limited' } } });
  });

  it.each([
    ['key', { total: 9, perWorkspace: 9, perKey: 2 }, 'The root key'],
    ['workspace', { total: 9, perWorkspace: 2, perKey: 9 }, 'The workspace'],
    ['server', { total: 2, perWorkspace: 9, perKey: 9 }, 'The server'],
  ])('429 for more streams than one %s may have, until one ends', async (_name, watchers, subject) => {
    await start({ limits: { watchers } });
    const first = await watching();
    await watching();
    const refused = await asking();
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '10' } });
    expect(refused.body.error?.detail).toContain(subject);
    first.close();
    const reopened = await vi.waitUntil(() => watching().catch(() => null));
    expect((await reopened.next()).event).toBe('domain');
  });

  it('another key or workspace has streams of its own', async () => {
    await start({ limits: { watchers: { total: 9, perWorkspace: 9, perKey: 1 } } });
    await watching();
    const { key } = await api.createKey();
    expect((await (await watching({ key })).next()).event).toBe('domain');
  });
});

describe('a stream ends, and its last event says why:', () => {
  const ended = { event: 'end', data: { reason: 'access_ended', error: expect.anything() } };

  it('when its key is revoked', async () => {
    await start();
    const { key, id } = await api.createKey();
    const { next, ended: over } = await watching({ key });
    await next();
    await api.store.revokeRootKey(id);
    await api.changes.poll();
    expect(await next()).toMatchObject({ ...ended, data: { error: { status: 401 } } });
    await over;
  });

  it('when its key is disabled', async () => {
    await start();
    const { key, id } = await api.createKey();
    const { next } = await watching({ key });
    await next();
    await api.store.setRootKeyDisabled(id, api.clock.now());
    await api.changes.poll();
    expect(await next()).toMatchObject({
      ...ended,
      data: { error: { detail: expect.stringMatching(/^The root key is disabled\./) } },
    });
  });

  it('when its workspace is disabled, for each of its keys', async () => {
    await start();
    const { key } = await api.createKey();
    const watchers = [await watching(), await watching({ key })];
    for (const { next } of watchers) await next();
    await api.store.setWorkspaceDisabled(api.workspaceId, api.clock.now());
    await api.changes.poll();
    for (const { next } of watchers) expect(await next()).toMatchObject({ ...ended, data: { error: { status: 403 } } });
  });

  it('when its key expires', async () => {
    await start();
    const { key } = await api.createKey({ expiresAt: api.clock.now() + 60_000 });
    const { next } = await watching({ key });
    await next();
    api.clock.advance(60_000);
    expect(await next()).toMatchObject({ ...ended, data: { error: { status: 401 } } });
  });

  it('when its dashboard token expires, or the key that signed it is revoked', async () => {
    await start();
    const deps = { store: api.store, clock: api.clock, newId: idMaker(api.clock) };
    const claims = { sub: 'ada', workspaceId: api.workspaceId, permissions: ['environment.*.read_domain'] };
    const tokenOf = async (lifeMs: number) =>
      (await signToken(await currentSigningKey(deps), claims, { now: api.clock.now(), lifeMs })).token;
    const short = await watching({ key: await tokenOf(10_000) });
    const long = await watching({ key: await tokenOf(120_000) });
    await short.next();
    await long.next();
    api.clock.advance(10_000);
    expect(await short.next()).toMatchObject(ended);
    await api.changes.poll();
    expect(long.unread()).toEqual([]);
    await rotateSigningKey(deps, { revoke: true });
    await api.changes.poll();
    expect(await long.next()).toMatchObject(ended);
  });

  it('when its permission is taken, as if the domain were gone', async () => {
    let grants: string[] | null = null;
    const wrap = (store: Store) => ({
      ...store,
      async findPrincipal(hash: Uint8Array) {
        const found = await store.findPrincipal(hash);
        return found && grants !== null ? { ...found, key: { ...found.key, permissions: grants } } : found;
      },
    });
    await start({ wrap });
    const { key, id } = await api.createKey();
    const { next } = await watching({ key });
    await next();
    grants = [`environment.${domain.environmentId}.read_domain`];
    await api.store.setRootKeyDisabled(id, null);
    await change('Still visible.');
    expect((await next()).event).toBe('domain');
    grants = ['environment.*.create_domain'];
    await api.store.setRootKeyDisabled(id, null);
    await api.changes.poll();
    expect(await next()).toMatchObject({ event: 'end', data: { reason: 'domain_gone', error: { status: 404 } } });
  });

  it('at once where its key was revoked while it was being opened', async () => {
    let isOpening = false;
    const wrap = (store: Store) => ({
      ...store,
      async findDomainByName(...args: Parameters<Store['findDomainByName']>) {
        const found = await store.findDomainByName(...args);
        if (isOpening) {
          await api.store.revokeRootKey(id);
          await api.changes.poll();
        }
        return found;
      },
    });
    await start({ wrap });
    const { key, id } = await api.createKey();
    isOpening = true;
    const outcome = await watching({ key }).then(
      async ({ next }) => (await next()).data.reason,
      ({ message }) => message,
    );
    expect(['access_ended', 'answered 401']).toContain(outcome);
  });

  it('when the server stops, which tells clients when to connect again, and does not wait for them', async () => {
    await start();
    const watchers = await Promise.all(Array.from({ length: 20 }, () => watching()));
    for (const { next, nextHint } of watchers) {
      await next();
      expect(await nextHint()).toBe('retry: 1000');
    }
    const closed = api.close();
    const pauses = new Set<string>();
    for (const { next, nextHint, ended: over } of watchers) {
      expect(await next()).toMatchObject({ event: 'end', data: { reason: 'server_stopping' } });
      pauses.add(await nextHint());
      await over;
    }
    // Not all at once.
    expect(pauses.size).toBe(watchers.length);
    await closed;
    await start();
  });

  it('when the server stops while it is being opened', async () => {
    const [looking, found] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isSlow = false;
    const wrap = (store: Store) => ({
      ...store,
      async findDomainByName(...args: Parameters<Store['findDomainByName']>) {
        if (isSlow) {
          looking.resolve();
          await found.promise;
        }
        return store.findDomainByName(...args);
      },
    });
    await start({ wrap });
    const open = await watching();
    await open.next();
    isSlow = true;
    const opening = watching();
    await looking.promise;
    const closed = api.close();
    expect((await open.next()).data.reason).toBe('server_stopping');
    found.resolve();
    expect((await (await opening).next()).data.reason).toBe('server_stopping');
    await closed;
    await start();
  });
});
