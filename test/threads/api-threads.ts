import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSetupToken } from '../../server/src/access/setup-link.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { aDomain, aSetupLink, attach, verifyingAt } from '../support/entities.ts';
import { type Watching, watch } from '../support/watching.ts';
import { startThreaded, type ThreadedServer } from './threaded-server.ts';

/** Tests that hold for any number of API threads in a process. `makeDatabase` resolves with the URL of a new one. */

const LIMIT = 150;
/** Longer than any test: the window ends in the year 2243. */
const RATE_LIMITS = `projects.listProjects=${LIMIT}/99999d`;
/** Whoever is let in gets 400 for an empty body: nothing has to be read for it. */
const OPERATION = 'projects.createProject';

export function threadedApi(threads: number, makeDatabase: () => Promise<string>): void {
  describe(`an API of ${threads} threads`, () => {
    let api: ThreadedServer;
    beforeAll(async () => {
      api = await startThreaded(await makeDatabase(), threads, { NAMEPLATE_RATE_LIMITS: RATE_LIMITS });
    });
    afterAll(() => api.close());

    const statusesOf = async (...args: Parameters<ThreadedServer['askAll']>) =>
      new Set((await api.askAll(...args)).map(({ status }) => status));

    it('listens in so many threads, whose metrics are added up', async () => {
      expect(api.workers.filter(({ name }) => name === 'api')).toHaveLength(threads - 1);
      const { key } = await api.createKey();
      const line = 'nameplate_requests_total{operation="environments.getEnvironment",status="400"}';
      const answers = await api.askAll('environments.getEnvironment', key);
      expect(await api.metric(line)).toBe(answers.length);
      expect(await api.metric('nameplate_connections')).toBe(answers.length);
    });

    it('admits exactly as many requests in a window as the limit says, however they are spread', async () => {
      const { key } = await api.createKey();
      const rounds = await Promise.all([1, 2, 3, 4].map(() => api.askAll('projects.listProjects', key)));
      const answers = rounds.flat();
      const admitted = answers.filter(({ status }) => status !== 429);
      expect(answers.length).toBeGreaterThan(2 * LIMIT);
      expect(admitted).toHaveLength(LIMIT);
      // Each was told another number of those that are left.
      expect(new Set(admitted.map(({ remaining }) => remaining)).size).toBe(LIMIT);
    });

    it('refuses a key in all threads within a second after it was revoked', async () => {
      const { id, key } = await api.createKey();
      expect(await statusesOf(OPERATION, key)).toEqual(new Set([400]));
      await api.server.store.revokeRootKey(id);
      await delay(1000);
      const refused = await statusesOf(OPERATION, key);
      expect(refused.has(400)).toBe(false);
    });

    it('shows a change in all threads as soon as the write has returned', async () => {
      const { environment } = api.tree;
      const { key } = await api.createKey();
      for (let i = 0; i < 5; i += 1) {
        const domain = aDomain(environment);
        await api.server.store.createDomain(domain, Date.now() + 86_400_000);
        // Twice, so that each thread has it in its cache.
        for (const _ of [1, 2])
          expect(await statusesOf('domains.getDomain', key, { domain: domain.name })).toEqual(new Set([200]));
        await api.server.store.deleteDomain(domain.workspaceId, domain.id, Date.now());
        expect(await statusesOf('domains.getDomain', key, { domain: domain.name })).toEqual(new Set([404]));
      }
    });

    it('creates once, however many threads get a request with one Idempotency-Key at once', async () => {
      const { workspace, project, app, environment } = api.tree;
      const { key } = await api.createKey();
      const body = { project: project.id, app: app.id, environment: environment.id, origin: 'https://acme.example' };
      for (const round of [1, 2, 3]) {
        const create = () => api.askAll('deployments.createDeployment', key, body, { 'idempotency-key': `${round}` });
        const statuses = (await create()).map(({ status }) => status);
        expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
        expect(statuses).toContain(200);
        const { items } = await api.server.store.listDeployments(workspace.id, environment.id, { limit: 100 });
        expect(items).toHaveLength(round);
      }
    });

    it('tells watchers in all threads of each change, and ends their streams when their key is revoked', async () => {
      const domain = await attach(api.server.store, api.tree.environment);
      const { id, key } = await api.createKey();
      const streams = await watchAll(api, key, domain.name);
      const after = verifyingAt(domain, Date.now());
      await api.server.store.saveTransition({ before: domain, after, memory: NO_MEMORY, now: Date.now() });
      for (const { next } of streams) expect((await next()).data.status).toBe('verifying');
      expect(await api.metric('nameplate_watchers')).toBe(streams.length);
      await api.server.store.revokeRootKey(id);
      for (const { next } of streams) expect((await next()).data.reason).toBe('access_ended');
    });

    it('limits a set-up link in all threads together, and ends its sessions and streams in all when it is revoked', async () => {
      const { store, api: url } = api.server;
      const domain = await attach(store, api.tree.environment);
      const createdAt = Date.now();
      const open = async (id: string) => {
        const { token, hash } = createSetupToken(randomBytes);
        await store.createSetupLink(aSetupLink(domain, { id, createdAt }), hash, 100);
        return dataOf(await post(url ?? '', 'setup.openSession', { token }));
      };
      const minute = () => Math.floor(Date.now() / 60_000);
      for (let before = -1, attempt = 1; before !== minute(); attempt += 1) {
        // Again where a window has ended meanwhile.
        before = minute();
        const { sessionToken: busy } = await open(`link_${String(attempt).padStart(26, '1')}`);
        const rounds = [1, 2].map(() => api.askAll('domains.getDomain', busy, { domain: domain.name }));
        const statuses = (await Promise.all(rounds)).flat().map(({ status }) => status);
        if (before !== minute()) continue;
        // One of the 120 opened the session.
        expect(statuses.filter((status) => status === 200)).toHaveLength(119);
        expect(new Set(statuses)).toEqual(new Set([200, 429]));
      }

      const linkId = `link_${'2'.repeat(26)}`;
      const { sessionToken: key } = await open(linkId);
      // Each thread takes its share of the ten at most, and connections are not spread evenly.
      const watching = Array.from({ length: 10 }, () => watch(url ?? '', { key, domain: domain.name }));
      const opened = await Promise.allSettled(watching);
      const streams = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(streams.length).toBeGreaterThan(1);
      for (const { next } of streams) expect((await next()).event).toBe('domain');
      expect(await statusesOf('domains.getDomain', key, { domain: domain.name })).toEqual(new Set([200]));
      await store.revokeSetupLink(linkId, Date.now());
      for (const { next } of streams) expect((await next()).data.reason).toBe('access_ended');
      await delay(1000);
      expect(await statusesOf('domains.getDomain', key, { domain: domain.name })).toEqual(new Set([401]));
    });

    it('goes on answering in the other threads when one dies, which is replaced and counted', async () => {
      const { key } = await api.createKey();
      await api.askAll(OPERATION, key);
      const workers = () => api.workers.filter(({ name }) => name === 'api');
      const before = workers().length;
      const line = 'nameplate_requests_total{operation="projects.createProject",status="400"}';
      const counted = await api.metric(line);
      await workers().at(-1)?.worker.terminate();
      await vi.waitUntil(() => workers().length > before, { timeout: 10_000 });
      expect(await api.metric('nameplate_thread_deaths_total{kind="api"}')).toBe(1);
      const answers = await vi.waitUntil(() => api.askAll(OPERATION, key).catch(() => null), { timeout: 10_000 });
      expect(new Set(answers?.map(({ status }) => status))).toEqual(new Set([400]));
      expect(await api.metric(line)).toBeGreaterThanOrEqual(counted);
    });

    it('answers every request in flight before it stops, and ends every stream', async () => {
      const { key } = await api.createKey();
      const domain = await attach(api.server.store, api.tree.environment);
      const streams = await watchAll(api, key, domain.name);
      await api.askAll(OPERATION, key);
      expect(api.idleConnections()).toBeGreaterThan(0);
      const requests = await Promise.all(Array.from({ length: 48 }, () => beginRequest(api, key)));
      const stopped = api.server.stop();
      for (const { next } of streams) expect((await next()).data.reason).toBe('server_stopping');
      // Every thread closes its idle connections when it begins to stop.
      await vi.waitUntil(() => api.idleConnections() === 0, { timeout: 3000, interval: 5 });
      const responses = await Promise.all(requests.map(({ finish }) => finish()));
      for (const response of responses) expect(response).toMatch(/HTTP\/1.1 400 /);
      await stopped;
    });
  });
}

async function post(url: string, operation: string, body: object): Promise<{ data?: { sessionToken: string } }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v2/${operation}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as { data?: { sessionToken: string } };
}

function dataOf<T>(body: { data?: T }): T {
  if (body.data === undefined) throw new Error(`answered ${JSON.stringify(body)}`);
  return body.data;
}

/** So many streams that each of four threads has some, with their first events taken. */
async function watchAll({ server }: ThreadedServer, key: string, domain: string): Promise<Watching[]> {
  const open = () => watch(server.api ?? '', { key, domain });
  const streams = await Promise.all(Array.from({ length: 64 }, open));
  for (const { next } of streams) expect((await next()).event).toBe('domain');
  return streams;
}

interface BegunRequest {
  /** Sends the last byte; resolves with all that was answered, once the connection is closed. */
  finish(): Promise<string>;
}

/** A request whose header has arrived, and all of its body but the last byte. */
async function beginRequest({ server }: ThreadedServer, key: string): Promise<BegunRequest> {
  const { hostname, port } = new URL(server.api ?? '');
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const closed = once(socket, 'close');
  const lines = [
    `POST /v2/${OPERATION} HTTP/1.1`,
    'Host: api',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Content-Length: 2',
    'Expect: 100-continue',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n{`);
  await once(socket, 'data');
  expect(text).toContain('100 Continue');
  return {
    async finish() {
      socket.write('}');
      await closed;
      return text;
    },
  };
}
