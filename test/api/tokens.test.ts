import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signToken } from '../../server/src/access/dashboard-token.ts';
import { currentSigningKey, rotateSigningKey } from '../../server/src/access/signing-key.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import { ALL_GRANTS, type Harness, START, startApi, type Tree } from '../support/api-harness.ts';

const MINUTE = 60_000;
let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi({ settings: { rateLimits: { 'domains.listDomains': { limit: 2, windowMs: MINUTE } } } });
  tree = await api.createTree();
  await api.createDomain(tree, 'api.acme.com');
});
afterAll(() => api.close());

const parts = () => ({ store: api.store, clock: api.clock, newId: idMaker(api.clock) });

async function mint({ workspaceId = api.workspaceId, permissions = ALL_GRANTS, lifeMs = MINUTE } = {}) {
  const claims = { sub: 'ada', workspaceId, permissions };
  const { token } = await signToken(await currentSigningKey(parts()), claims, { now: api.clock.now(), lifeMs });
  return token;
}

const ask = (key: string) => api.call('domains.getDomain', { domain: 'api.acme.com' }, { key });
const unauthorized = { status: 401, body: { error: { status: 401, title: 'Unauthorized', type: 'unauthorized' } } };

describe('a dashboard token', () => {
  it('is sent like a root key, and has its permissions in its workspace', async () => {
    expect(await ask(await mint())).toMatchObject({ status: 200 });
    const one = [`environment.${tree.environmentId}.read_domain`];
    expect(await ask(await mint({ permissions: one }))).toMatchObject({ status: 200 });
    expect(await ask(await mint({ permissions: ['environment.*.create_domain'] }))).toMatchObject({ status: 404 });
    const other = await api.createWorkspace();
    expect(await ask(await mint({ workspaceId: other.id }))).toMatchObject({ status: 404 });
  });

  it('names its subject in the timeline of what it did', async () => {
    const key = await mint();
    await api.createDomain(tree, 'dashboard.acme.com', key);
    expect(await api.call('domains.listEvents', { domain: 'dashboard.acme.com' })).toMatchObject({
      body: { data: [{ type: 'domain.created', actor: 'ada' }] },
    });
  });

  it('that expired, was tampered with, or is for no workspace yields 401', async () => {
    const token = await mint({ lifeMs: 1000 });
    const [head = '', claims = '', signature = ''] = token.split('.');
    const more = Buffer.from(claims, 'base64url').toString().replace('"ada"', '"eve"');
    for (const bad of [
      [head, Buffer.from(more).toString('base64url'), signature].join('.'),
      [head, claims, ''].join('.'),
      [Buffer.from('{"alg":"none"}').toString('base64url'), claims, ''].join('.'),
      await mint({ workspaceId: 'ws_none' }),
    ]) {
      const answer = await ask(bad);
      expect(answer).toMatchObject(unauthorized);
      expect(answer.body.error?.detail).toContain('does not exist');
    }
    expect(await ask(token)).toMatchObject({ status: 200 });
    api.clock.advance(1000);
    await api.changes.poll();
    expect(await ask(token)).toMatchObject(unauthorized);
  });

  it('that is larger than any token is malformed', async () => {
    const answer = await ask(`${'x'.repeat(5000)}.y.z`);
    expect(answer).toMatchObject(unauthorized);
    expect(answer.body.error?.detail).toContain('does not contain a root key');
  });

  it('of a disabled workspace yields 403 after the next poll of the change feed, also one signed before', async () => {
    const workspace = await api.createWorkspace();
    const token = await mint({ workspaceId: workspace.id });
    expect(await ask(token)).toMatchObject({ status: 404 });
    await api.store.setWorkspaceDisabled(workspace.id, START);
    await api.changes.poll();
    expect(await ask(token)).toMatchObject({ status: 403, body: { error: { type: 'forbidden' } } });
    await api.store.setWorkspaceDisabled(workspace.id, null);
    await api.changes.poll();
    expect(await ask(token)).toMatchObject({ status: 404 });
  });

  it("counts against its workspace's rate limit, together with the keys", async () => {
    const { id: workspaceId } = await api.createWorkspace();
    const { key } = await api.createKey({ workspaceId });
    const body = { project: 'demo', app: 'web', environment: 'production' };
    const list = (credential: string) => api.call('domains.listDomains', body, { key: credential });
    expect(await list(key)).toMatchObject({ headers: { 'ratelimit-remaining': '1' } });
    expect(await list(await mint({ workspaceId }))).toMatchObject({ headers: { 'ratelimit-remaining': '0' } });
    expect(await list(await mint({ workspaceId }))).toMatchObject({ status: 429 });
    expect(await list(key)).toMatchObject({ status: 429 });
  });

  it('is in no line of the log', async () => {
    const token = await mint();
    await ask(token);
    expect(api.logged.join()).not.toContain(token.slice(-40));
  });
});

describe('the key that signs', () => {
  it('is replaced: tokens of the old one are good until they expire, those of the new one at once', async () => {
    const old = await mint({ lifeMs: 2 * MINUTE });
    const { id } = await rotateSigningKey(parts(), { revoke: false });
    await api.changes.poll();
    expect((await api.store.findCurrentSigningKey())?.id).toBe(id);
    expect(await ask(await mint())).toMatchObject({ status: 200 });
    api.clock.advance(2 * MINUTE - 1001);
    await api.changes.poll();
    expect(await ask(old)).toMatchObject({ status: 200 });
    api.clock.advance(1001);
    await api.changes.poll();
    expect(await ask(old)).toMatchObject(unauthorized);
  });

  it('is revoked: tokens of the old one are refused after the next poll of the change feed', async () => {
    const old = await mint();
    expect(await ask(old)).toMatchObject({ status: 200 });
    await rotateSigningKey(parts(), { revoke: true });
    await api.changes.poll();
    expect(await ask(old)).toMatchObject(unauthorized);
    expect(await ask(await mint())).toMatchObject({ status: 200 });
  });

  it('is deleted once its last token has expired', async () => {
    const before = await currentSigningKey(parts());
    await rotateSigningKey(parts(), { revoke: false });
    expect(await api.store.findSigningKey(before.id)).not.toBeNull();
    api.clock.advance(3 * MINUTE);
    await rotateSigningKey(parts(), { revoke: false });
    expect(await api.store.findSigningKey(before.id)).toBeNull();
  });

  it('is created once, also by concurrent first uses', async () => {
    const fresh = await startApi();
    const made = { store: fresh.store, clock: fresh.clock, newId: idMaker(fresh.clock) };
    const keys = await Promise.all(Array.from({ length: 5 }, () => currentSigningKey(made)));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
    await fresh.close();
  });
});

describe('a flood of bad credentials from one address', () => {
  const bad: [string, () => string][] = [
    ['nonsense', () => randomBytes(10).toString('hex')],
    ['bad tokens', () => ['a', 'b', 'c'].map((each) => each + randomBytes(4).toString('hex')).join('.')],
  ];

  it('locks out no key in use, whatever changes in its workspace meanwhile', async () => {
    const flooded = await startApi();
    const asking = (key: string) => flooded.call('domains.getDomain', { domain: 'nobody.test' }, { key });
    await flooded.changes.poll();
    expect(await asking(flooded.rootKey)).toMatchObject({ status: 404 });
    for (let i = 0; i < 300; i += 1) expect(await asking(`nonsense${i}`)).toMatchObject(unauthorized);
    expect(await asking('nonsense')).toMatchObject({ status: 429 });
    await flooded.store.setWorkspaceLimits(flooded.workspaceId, { rates: {}, domains: 7 });
    await flooded.changes.poll();
    expect(await asking(flooded.rootKey)).toMatchObject({ status: 404 });
    await flooded.close();
  });

  it.each(bad)('(%s) gets 429 and Retry-After, and locks out no key in use', async (_what, invent) => {
    const flooded = await startApi();
    const asking = (key: string) => flooded.call('domains.getDomain', { domain: 'nobody.test' }, { key });
    await flooded.changes.poll();
    // On a PostgreSQL that other tests use, too, their transactions may clear the cache of keys.
    await flooded.changes.stop();
    expect(await asking(flooded.rootKey)).toMatchObject({ status: 404 });
    for (let i = 0; i < 300; i += 1) expect(await asking(invent())).toMatchObject(unauthorized);
    const refused = await asking(invent());
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^[1-9]\d?$/) } });
    expect(await asking(flooded.rootKey)).toMatchObject({ status: 404 });
    await flooded.close();
  });
});
