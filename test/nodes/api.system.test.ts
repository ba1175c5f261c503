import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRootKey } from '../../server/src/access/secret-text.ts';
import { createSetupToken } from '../../server/src/access/setup-link.ts';
import { createLog } from '../../server/src/base/log.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { type RunningServer, startServer } from '../../server/src/main.ts';
import { TIMEOUTS } from '../../server/src/store/engine/postgres/postgres-connection.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';
import { aRootKey, aSetupLink, attach, type Planted, plant, verifyingAt } from '../support/entities.ts';
import { type Postgres, sharedPostgres } from '../support/postgres.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { watch } from '../support/watching.ts';

// Nodes that serve the API from one PostgreSQL, as `nameplate serve` makes them, on the real clock.

const LIMIT = 100;
let postgres: Postgres;
let url: string;
let nodes: RunningServer[];
let tree: Planted;
let workspaceId: string;

beforeAll(async () => {
  postgres = sharedPostgres();
  url = await postgres.createDatabase();
  nodes = await Promise.all([1, 2, 3, 4].map(() => serve(url)));
  tree = await plant(node(0).store);
  workspaceId = tree.workspace.id;
});
afterAll(async () => {
  await Promise.all(nodes.map(({ stop }) => stop()));
});

/** The window is longer than any test: it ends in the year 2243. */
function serve(database: string): Promise<RunningServer> {
  const config = readServerConfig({
    NAMEPLATE_DATABASE_URL: database,
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_RESOLVERS: '127.0.0.1',
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_METRICS_LISTEN: 'off',
    NAMEPLATE_RATE_LIMITS: `domains.getDomain=${LIMIT}/99999d`,
    NAMEPLATE_ROLES: 'api',
    NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
  });
  return startServer(config, { log: createLog('silent') });
}

function node(i: number): RunningServer {
  const found = nodes[i];
  if (found === undefined) throw new Error(`there is no node ${i}`);
  return found;
}

/** A key that all nodes can look up. */
async function makeKey(): Promise<{ id: string; key: string }> {
  const { key, hash, start } = createRootKey(randomBytes);
  const made = aRootKey({ workspaceId, start });
  await node(0).store.createRootKey(made, hash);
  return { id: made.id, key };
}

/** Asks for no domain at all: 400 to whom is let in, for which nothing has to be read. */
async function ask({ api }: RunningServer, key: string, operation = 'domains.getDomain'): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${api}/v2/${operation}`, { method: 'POST', headers, body: '{}' });
  await response.arrayBuffer();
  return response;
}

/**
 * Asks until the key is no longer accepted: when it was for the last time, Unix ms, and what was answered then, after
 * how long.
 */
async function askUntilRefused(at: RunningServer, key: string) {
  let acceptedAt = 0;
  for (;;) {
    const askedAt = Date.now();
    const answer = await ask(at, key, 'domains.deleteDomain');
    if (answer.status !== 400) return { acceptedAt, answer, tookMs: Date.now() - askedAt };
    acceptedAt = askedAt;
  }
}

describe('the rate limit of four nodes', () => {
  const counted = async () => {
    const [row] = await postgres.run(url, 'select sum(requests) as sum from request_counts');
    return Number(row?.sum);
  };

  it('is shared by all of them, and by one that stops while it counts', async () => {
    const BURST = 10;
    const { key } = await makeKey();
    const leaving = await serve(url);
    let allowed = 0;
    for (let i = 0; i < 3; i += 1) allowed += Number((await ask(leaving, key)).status === 400);
    await leaving.stop();
    expect([allowed, await counted()]).toEqual([3, 3]);
    for (let before = -1; before !== allowed; ) {
      before = allowed;
      const answers = await Promise.all(nodes.flatMap((each) => Array.from({ length: BURST }, () => ask(each, key))));
      allowed += answers.filter(({ status }) => status === 400).length;
      while ((await counted()) !== allowed);
    }
    expect(allowed).toBeGreaterThanOrEqual(LIMIT);
    // A burst, and the one before where its flush was not answered yet.
    expect(allowed - LIMIT).toBeLessThanOrEqual((nodes.length - 1) * 2 * BURST);
    for (const each of nodes) {
      const refused = await ask(each, key);
      expect(refused.status).toBe(429);
      expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    }
  });
});

describe('a watched domain', () => {
  it('is followed at every node, whichever made the change, and from one to the next by Last-Event-ID', async () => {
    const { key } = await makeKey();
    let domain = await attach(node(0).store, tree.environment);
    const watching = (i: number, lastEventId?: string) =>
      watch(node(i).api ?? '', { key, domain: domain.name, lastEventId });
    const change = async (i: number) => {
      const [before, now] = [domain, Date.now()];
      domain = verifyingAt(before, now);
      expect(await node(i).store.saveTransition({ before, after: domain, memory: NO_MEMORY, now })).toBe('saved');
    };
    const streams = await Promise.all([0, 1, 2, 3].map((i) => watching(i)));
    for (const { next } of streams) expect((await next()).data.status).toBe('pending');
    await change(0);
    const events = await Promise.all(streams.map(({ next }) => next()));
    expect(events.map(({ data }) => data.updatedAt)).toEqual(events.map(() => domain.updatedAt));
    // The same state has the same id everywhere.
    const [lastEventId] = new Set(events.map(({ id }) => id));
    expect(events.map(({ id }) => id)).toEqual(events.map(() => lastEventId));

    const resumed = await watching(3, lastEventId);
    await change(1);
    const [told, alsoTold] = [await resumed.next(), await streams[2]?.next()];
    expect(told).toEqual(alsoTold);
    expect(told.data.updatedAt).toBe(domain.updatedAt);
    await node(2).store.deleteDomain(workspaceId, domain.id, Date.now());
    for (const { next } of [resumed, streams[2]].filter((each) => each !== undefined))
      expect((await next()).data.reason).toBe('domain_gone');
    for (const { close } of streams) close();
  });
});

describe('a set-up link that was revoked', () => {
  it('opens nothing at any node, and its sessions and streams end at every one within a second', async () => {
    const domain = await attach(node(0).store, tree.environment);
    const { token, hash } = createSetupToken(randomBytes);
    const link = aSetupLink(domain, { createdAt: Date.now() });
    await node(0).store.createSetupLink(link, hash, 1);
    const open = async ({ api }: RunningServer) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ token });
      const response = await fetch(`${api}/v2/setup.openSession`, { method: 'POST', headers, body });
      const { data } = (await response.json()) as { data?: { sessionToken: string } };
      return { status: response.status, key: data?.sessionToken ?? '' };
    };
    // Each node takes the session that another has opened.
    const { key } = await open(node(1));
    const streams = await Promise.all(nodes.map(({ api }) => watch(api ?? '', { key, domain: domain.name })));
    for (const { next } of streams) expect((await next()).event).toBe('domain');
    expect(await node(2).store.revokeSetupLink(link.id, Date.now())).toBe(true);
    const revokedAt = Date.now();
    for (const each of nodes) expect((await open(each)).status).toBe(401);
    for (const { next } of streams) {
      expect((await next()).data.reason).toBe('access_ended');
      expect(Date.now() - revokedAt).toBeLessThanOrEqual(1000);
    }
    for (const each of nodes) expect((await ask(each, key)).status).toBe(401);
  });
});

describe('a key that was revoked', () => {
  it('is refused by every node within a second, also where it was just used', async () => {
    const { id, key } = await makeKey();
    for (const each of nodes) expect((await ask(each, key, 'domains.deleteDomain')).status).toBe(400);
    expect(await node(0).store.revokeRootKey(id)).toBe(true);
    const revokedAt = Date.now();
    const refusals = await Promise.all(nodes.map((each) => askUntilRefused(each, key)));
    for (const { acceptedAt, answer } of refusals) {
      expect(answer.status).toBe(401);
      expect(acceptedAt - revokedAt).toBeLessThanOrEqual(1000);
    }
  });

  it('is trusted for at most a second by a node whose connections to the store hang: it responds 500, in time', async () => {
    const { id, key } = await makeKey();
    const proxy = await startProxy(Number(new URL(url).port));
    const cut = await serve(Object.assign(new URL(url), { port: String(proxy.port) }).href);
    const isLetIn = async () => (await ask(cut, key, 'domains.deleteDomain')).status === 400;
    try {
      // Until the key is remembered, which takes news that are trusted: these come every 300 ms.
      do {
        proxy.goOn();
        await delay(500);
        expect(await isLetIn()).toBe(true);
        proxy.hang();
      } while (!(await isLetIn()));
      await node(0).store.revokeRootKey(id);
      const revokedAt = Date.now();
      const { acceptedAt, answer, tookMs } = await askUntilRefused(cut, key);
      expect(acceptedAt - revokedAt).toBeLessThanOrEqual(1000);
      expect(answer.status).toBe(500);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(tookMs).toBeLessThan(TIMEOUTS.connectMs + TIMEOUTS.answerMs);
      proxy.goOn();
      await expect.poll(async () => (await ask(cut, key, 'domains.deleteDomain')).status).toBe(401);
    } finally {
      proxy.goOn();
      await cut.stop();
      await proxy.close();
    }
  });
});
