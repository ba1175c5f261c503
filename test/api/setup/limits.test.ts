import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRootKey } from '../../../server/src/access/secret-text.ts';
import { createSetupToken } from '../../../server/src/access/setup-link.ts';
import { NO_MEMORY } from '../../../server/src/domain/status.ts';
import { dataOf, type Harness, START, startApi } from '../../support/api-harness.ts';
import { blindDiagnoser } from '../../support/blind-diagnoser.ts';
import { failedAt } from '../../support/entities.ts';
import { watch } from '../../support/watching.ts';

let api: Harness;
let diagnosed: string[];
/** Hashes of tokens that were looked up. */
let reads: Uint8Array[];
/** Ids of links that were looked up. */
let links: string[];
beforeEach(async () => {
  diagnosed = [];
  reads = [];
  links = [];
  api = await startApi({
    wrap: (store) => ({
      ...store,
      findSetupLinkByToken(hash) {
        reads.push(hash);
        return store.findSetupLinkByToken(hash);
      },
      findSetupLink(id) {
        links.push(id);
        return store.findSetupLink(id);
      },
    }),
    settings: { rateLimits: { '*': { limit: 1000, windowMs: 60_000 } } },
    diagnoser: {
      ...blindDiagnoser,
      async diagnose({ workspaceId }) {
        diagnosed.push(workspaceId);
        return { refused: 'workspace' };
      },
      diagnoseName: async () => ({ refused: 'workspace' }),
    },
  });
  await api.createDomain(await api.createTree(), 'shop.acme.com');
});
afterEach(() => api.close());

const newLink = async () =>
  dataOf<{ token: string; linkId: string }>(await api.call('domains.createSetupLink', { domain: 'shop.acme.com' }));
const open = (token: string, headers: Record<string, string> = {}) =>
  api.call('setup.openSession', { token }, { key: null, headers });
const newSession = async (token?: string) =>
  dataOf<{ sessionToken: string }>(await open(token ?? (await newLink()).token)).sessionToken;
const ask = (key: string, operation: string, about: object = {}) =>
  api.call(operation, { domain: 'shop.acme.com', ...about }, { key });
const limited = {
  status: 429,
  headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
  body: { error: { detail: expect.stringContaining('set-up link has reached its rate limit') } },
};
const remaining = async () =>
  (await api.call('domains.getDomain', { domain: 'shop.acme.com' })).headers['ratelimit-remaining'];

it('a link makes 120 requests a minute, all its sessions and openings together; another link is not concerned', async () => {
  const { token } = await newLink();
  const sessions = [await newSession(token), await newSession(token)];
  for (let i = 2; i < 120; i += 1)
    expect(await ask(sessions[i % 2] ?? '', 'domains.getDomain')).toMatchObject({ status: 200 });
  for (const key of sessions) expect(await ask(key, 'domains.getDomain')).toMatchObject(limited);
  expect(await open(token)).toMatchObject(limited);
  expect(await ask(await newSession(), 'domains.getDomain')).toMatchObject({ status: 200 });
  api.clock.set(START + 60_000);
  expect(await open(token)).toMatchObject({ status: 200 });
});

it('nothing of it counts against the limits of the workspace', async () => {
  const before = Number(await remaining());
  const key = await newSession();
  for (let i = 0; i < 10; i += 1) await ask(key, 'domains.getDomain');
  expect(Number(await remaining())).toBe(before - 1);
});

it('a link has its domain checked six times a minute', async () => {
  const { token } = await newLink();
  const key = await newSession(token);
  for (let i = 0; i < 6; i += 1) expect(await ask(key, 'domains.verifyDomain')).toMatchObject({ status: 202 });
  expect(await ask(key, 'domains.verifyDomain')).toMatchObject(limited);
  expect(await ask(await newSession(token), 'domains.verifyDomain')).toMatchObject(limited);
  expect(await ask(key, 'domains.getDomain')).toMatchObject({ status: 200 });
  expect(await api.call('domains.verifyDomain', { domain: 'shop.acme.com' })).toMatchObject({ status: 202 });
});

it('and looks at the DNS 20 times, while the last check may be read as often as anything, from a share beside that of the workspace', async () => {
  const key = await newSession();
  for (let i = 0; i < 20; i += 1) await ask(key, 'domains.diagnoseDomain');
  expect(diagnosed).toHaveLength(20);
  expect(await ask(key, 'domains.diagnoseDomain')).toMatchObject(limited);
  expect(await ask(key, 'domains.diagnoseDomain', { cached: true })).toMatchObject({ status: 200 });
  await api.call('domains.diagnoseDomain', { domain: 'shop.acme.com' });
  expect(diagnosed).toHaveLength(21);
  expect(diagnosed[20]).toBe(api.workspaceId);
  expect(diagnosed[0]).not.toBe(api.workspaceId);
});

it('a refused domain is counted too, so that names cannot be tried for nothing', async () => {
  const key = await newSession();
  const answers = [];
  for (let i = 0; i < 125; i += 1)
    answers.push((await api.call('domains.getDomain', { domain: `a${i}.com` }, { key })).status);
  expect(answers.filter((status) => status === 404)).toHaveLength(119);
  expect(answers.slice(119)).toEqual(Array(6).fill(429));
});

it('ten streams of a link may be open', async () => {
  const key = await newSession();
  const open = [];
  for (let i = 0; i < 10; i += 1) open.push(await watch(api.url, { key, domain: 'shop.acme.com' }));
  await expect(watch(api.url, { key, domain: 'shop.acme.com' })).rejects.toThrow('429');
  const own = await watch(api.url, { key: api.rootKey, domain: 'shop.acme.com' });
  own.close();
  open[0]?.close();
  await open[0]?.ended;
  for (const each of open) each.close();
});

const guessed = { status: 429, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } };

it('who guesses keys, tokens of dashboards or parts of links locks out no customer behind the same address', async () => {
  const { token } = await newLink();
  const guesses = [
    () => api.call('domains.getDomain', {}, { key: createRootKey(randomBytes).key }),
    () => api.call('domains.getDomain', {}, { key: 'a.b.c' }),
    () => open('nps_1'),
  ];
  for (let i = 0; i < 300; i += 1) expect((await guesses[i % 3]?.())?.status).toBe(401);
  for (const guess of guesses) expect(await guess()).toMatchObject(guessed);
  const key = await newSession(token);
  for (const operation of ['domains.getDomain', 'domains.getCertificate'])
    expect(await ask(key, operation)).toMatchObject({ status: 200 });
});

it('an address that guesses 300 whole links in a minute has no more looked up; a link that was opened before still opens', async () => {
  const { token } = await newLink();
  await newSession(token);
  const guess = () => open(createSetupToken(randomBytes).token);
  for (let i = 0; i < 300; i += 1) expect((await guess()).status).toBe(401);
  reads = [];
  expect(await guess()).toMatchObject(guessed);
  expect(reads).toEqual([]);
  const key = await newSession(token);
  expect(await ask(key, 'domains.getDomain')).toMatchObject(guessed);
  expect(await api.call('domains.getDomain', { domain: 'shop.acme.com' })).toMatchObject({ status: 200 });
  api.clock.set(START + 60_000);
  expect(await open((await newLink()).token)).toMatchObject({ status: 200 });
});

it('an address that forges 300 sessions in a minute has no more checked; a session that is in use goes on', async () => {
  const key = await newSession();
  await api.changes.poll();
  await ask(key, 'domains.getDomain');
  const forged = `${key.split('.').slice(0, 2).join('.')}.AAAA`;
  for (let i = 0; i < 300; i += 1) expect((await ask(forged, 'domains.getDomain')).status).toBe(401);
  expect(await ask(forged, 'domains.getDomain')).toMatchObject(guessed);
  // The requests may have taken more than a second: without a poll since, nothing that is cached is trusted.
  await api.changes.poll();
  expect(await ask(key, 'domains.getDomain')).toMatchObject({ status: 200 });
});

it('a session is opened with 1 KiB at most', async () => {
  const body = (bytes: number) => JSON.stringify({ token: 'x'.repeat(bytes - '{"token":""}'.length) });
  const send = (bytes: number) => api.send({ path: '/v2/setup.openSession', key: null, body: body(bytes) });
  expect(await send(1024)).toMatchObject({ status: 400 });
  expect(await send(1025)).toMatchObject({ status: 413 });
});

it('a link above its limit is not looked up', async () => {
  const { token } = await newLink();
  for (let i = 0; i < 120; i += 1) expect((await open(token)).status).toBe(200);
  reads = [];
  expect(await open(token)).toMatchObject(limited);
  expect(reads).toEqual([]);
});

it('a change of a domain causes no look-up of its links', async () => {
  const key = await newSession();
  await api.changes.poll();
  expect(await ask(key, 'domains.getDomain')).toMatchObject({ status: 200 });
  links = [];
  const before = await api.store.findDomainByName(api.workspaceId, 'shop.acme.com');
  if (before === null) throw new Error('the domain is missing');
  await api.store.saveTransition({ before, after: failedAt(before, START), memory: NO_MEMORY, now: START });
  await api.changes.poll();
  expect(await ask(key, 'domains.getDomain')).toMatchObject({ status: 200, body: { data: { status: 'failed' } } });
  expect(links).toEqual([]);
});

it('an operation that a rate of 0 blocks is blocked for sessions too', async () => {
  const block = async (operation: string) => {
    const rates = { '*': { limit: 1000, windowMs: 60_000 }, [operation]: { limit: 0, windowMs: 60_000 } };
    await api.store.setWorkspaceLimits(api.workspaceId, { rates, domains: null });
    await api.changes.poll();
  };
  const { token } = await newLink();
  const key = await newSession(token);
  await block('domains.verifyDomain');
  expect(await ask(key, 'domains.verifyDomain')).toMatchObject({ status: 429 });
  expect(await ask(key, 'domains.getDomain')).toMatchObject({ status: 200 });
  await block('setup.openSession');
  expect(await open(token)).toMatchObject({ status: 429 });
});

it('ended links do not count as guesses: their customers lock out nobody behind the same address', async () => {
  const { token, linkId } = await newLink();
  await api.call('domains.revokeSetupLink', { linkId });
  for (let minute = 0; minute < 3; minute += 1) {
    api.clock.set(START + minute * 60_000);
    for (let i = 0; i < 120; i += 1) await open(token);
  }
  expect(await open((await newLink()).token)).toMatchObject({ status: 200 });
});

it('neither tokens of links nor of sessions are logged, of requests that were refused neither', async () => {
  const { token } = await newLink();
  const key = await newSession(token);
  await ask(key, 'domains.getDomain');
  await ask(`${key}x`, 'domains.getDomain');
  await open(`${token}x`);
  const lines = api.logged.join('\n');
  expect(lines).toContain('setup.openSession');
  for (const secret of [token, key, key.split('.')[2] ?? '']) expect(lines).not.toContain(secret);
});
