import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../server/src/store/store.ts';
import { type Harness, startApi } from '../support/api-harness.ts';

const MINUTE = 60_000;
let api: Harness;
beforeAll(async () => {
  api = await startApi({
    settings: {
      rateLimits: { '*': { limit: 3, windowMs: MINUTE }, 'domains.verifyDomain': { limit: 1, windowMs: MINUTE } },
    },
  });
});
afterAll(() => api.close());

/** A key of a workspace of its own, whose counts begin at nothing. */
async function fresh(rates = {}, about = {}) {
  const workspace = await api.createWorkspace({ limits: { rates, domains: null } });
  const { key } = await api.createKey({ workspaceId: workspace.id, ...about });
  const ask = (operation = 'domains.getDomain', body: unknown = { domain: 'nobody.test' }) =>
    api.call(operation, body, { key });
  return { workspaceId: workspace.id, key, ask };
}

describe('the rate limit', () => {
  it('is per workspace, per operation; exceeding it yields 429', async () => {
    const { ask, workspaceId } = await fresh();
    for (let i = 0; i < 3; i += 1) expect(await ask()).toMatchObject({ status: 404 });
    expect(await ask()).toMatchObject({
      status: 429,
      body: { error: { status: 429, title: 'Too Many Requests', type: 'rate-limited' } },
    });
    const second = await api.createKey({ workspaceId });
    expect(await api.call('domains.getDomain', {}, { key: second.key })).toMatchObject({ status: 429 });
    expect(await ask('domains.deleteDomain')).toMatchObject({ status: 404 });
    const other = await fresh();
    expect(await other.ask()).toMatchObject({ status: 404 });
  });

  it('lets the client retry after the window resets, and Retry-After says when', async () => {
    const { ask } = await fresh();
    for (let i = 0; i < 3; i += 1) await ask();
    api.clock.advance(20_400);
    const refused = await ask();
    const wait = Number(refused.headers['retry-after']);
    expect(refused).toMatchObject({ status: 429, headers: { 'ratelimit-reset': String(wait) } });
    expect(wait).toBe(Math.ceil((MINUTE - (api.clock.now() % MINUTE)) / 1000));
    api.clock.advance((wait - 1) * 1000);
    expect(await ask()).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    api.clock.advance(1000);
    expect(await ask()).toMatchObject({ status: 404 });
  });

  it('is in the headers of every rate-limited response, whatever its status', async () => {
    const { ask } = await fresh();
    const left = (remaining: number) => ({
      headers: {
        'ratelimit-limit': '3',
        'ratelimit-remaining': String(remaining),
        'ratelimit-reset': expect.any(String),
      },
    });
    expect(await ask('projects.listProjects', {})).toMatchObject({ status: 200, ...left(2) });
    expect(await ask('projects.listProjects', '{')).toMatchObject({ status: 400, ...left(1) });
    expect(await ask('projects.listProjects', 'x'.repeat(2 ** 20 + 1))).toMatchObject({ status: 413, ...left(0) });
    expect(await ask('projects.listProjects', {})).toMatchObject({ status: 429, ...left(0) });
    expect(await ask('domains.getDomain')).toMatchObject({ status: 404, ...left(2) });
  });

  it('of an operation goes before that of all operations', async () => {
    const { ask } = await fresh();
    expect(await ask('domains.verifyDomain')).toMatchObject({ status: 404, headers: { 'ratelimit-limit': '1' } });
    expect(await ask('domains.verifyDomain')).toMatchObject({ status: 429 });
  });

  it('of a workspace goes before the default', async () => {
    const { ask } = await fresh({
      'domains.getDomain': { limit: 5, windowMs: MINUTE },
      '*': { limit: 4, windowMs: MINUTE },
    });
    expect(await ask()).toMatchObject({ headers: { 'ratelimit-limit': '5' } });
    expect(await ask('domains.verifyDomain')).toMatchObject({ headers: { 'ratelimit-limit': '4' } });
  });

  it('of 0 blocks the operation', async () => {
    const { ask } = await fresh({ 'domains.getDomain': { limit: 0, windowMs: MINUTE } });
    expect(await ask()).toMatchObject({ status: 429, headers: { 'ratelimit-limit': '0', 'ratelimit-remaining': '0' } });
    expect(Number((await ask()).headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  it('that is changed takes effect after the next poll of the change feed', async () => {
    const { ask, workspaceId } = await fresh();
    for (let i = 0; i < 4; i += 1) await ask();
    expect(await ask()).toMatchObject({ status: 429 });
    const rates = { 'domains.getDomain': { limit: 10, windowMs: MINUTE } };
    await api.store.setWorkspaceLimits(workspaceId, { rates, domains: null });
    await api.changes.poll();
    expect(await ask()).toMatchObject({ status: 404, headers: { 'ratelimit-remaining': '6' } });
  });

  it('does not count requests without a key', async () => {
    const { ask } = await fresh();
    for (let i = 0; i < 5; i += 1) {
      const answer = await api.call('domains.getDomain', {}, { key: null });
      expect(answer.status).toBe(401);
      expect(answer.headers['ratelimit-limit']).toBeUndefined();
    }
    expect(await ask()).toMatchObject({ headers: { 'ratelimit-remaining': '2' } });
  });
});

describe('without a rate limit', () => {
  it('nothing is limited, and no header speaks of one', async () => {
    const unlimited = await startApi();
    const answer = await unlimited.call('domains.getDomain', { domain: 'nobody.test' });
    expect(answer.status).toBe(404);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    await unlimited.close();
  });
});

describe('counting requests', () => {
  it('writes nothing to the store, neither for those that are allowed nor for those that are refused', async () => {
    const asked = new Set<string>();
    const listening = (store: Store): Store =>
      new Proxy(store, {
        get(target, name: keyof Store) {
          asked.add(name);
          return target[name];
        },
      });
    const counted = await startApi({
      settings: { rateLimits: { '*': { limit: 50, windowMs: MINUTE } } },
      wrap: listening,
    });
    asked.clear();
    for (let i = 0; i < 100; i += 1) {
      const answer = await counted.call('domains.getDomain', { domain: 'nobody.test' });
      expect(answer.status).toBe(i < 50 ? 404 : 429);
    }
    expect([...asked].filter((name) => !/^(find|changesSince$)/.test(name))).toEqual([]);
    await counted.close();
  });
});
