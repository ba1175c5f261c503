import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { rememberDomains } from '../../src/cache/cached-domains.ts';
import { type ChangeNews, followChanges } from '../../src/cache/change-feed.ts';
import { WINDOW_MS } from '../../src/domain/domain.ts';
import { type Store, StoreUnavailable } from '../../src/store/contract/store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { attach, failedAt, NOW, type Planted, plant, verifiedAt, verifyingAt } from '../support/entities.ts';

const memory = { unreadableInARow: 0, provenSince: null };

let directory: string;
/** What another process writes through. */
let elsewhere: Store;
let engine: Store;
let reads: number;
/** While the log of changes cannot be read. */
let cutOff: boolean;
/** Runs before an answer of the engine is given. */
let meanwhile: () => Promise<unknown>;
let clock: { ms: number; now(): number };
let news: ChangeNews;
let store: Store;
let planted: Planted;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-remember-'));
  const path = join(directory, 'nameplate.db');
  engine = await sqliteStore({ path });
  elsewhere = await sqliteStore({ path });
});

beforeEach(async () => {
  planted = await plant(elsewhere);
  reads = 0;
  cutOff = false;
  meanwhile = async () => {};
  clock = { ms: NOW, now: () => clock.ms };
  const watched: Store = {
    ...engine,
    async findDomainByName(...args) {
      reads += 1;
      const found = await engine.findDomainByName(...args);
      await meanwhile();
      return found;
    },
    async findDomainById(...args) {
      reads += 1;
      return engine.findDomainById(...args);
    },
    async changesSince(seq) {
      if (cutOff) throw new StoreUnavailable('away');
      return engine.changesSince(seq);
    },
  };
  news = followChanges(watched, { clock, intervalMs: 3_600_000 });
  await news.poll();
  store = rememberDomains(watched, news, 8);
});

afterEach(() => news.stop());

afterAll(async () => {
  await engine.close();
  await elsewhere.close();
  await rm(directory, { recursive: true });
});

const byName = (name: string) => store.findDomainByName(planted.workspace.id, name);

it('a domain that is asked for again, by name or id, is not read again', async () => {
  const domain = await attach(elsewhere, planted.environment);
  expect(await byName(domain.name)).toEqual(domain);
  expect(await byName(domain.name)).toEqual(domain);
  expect(await store.findDomainById(planted.workspace.id, domain.id)).toEqual(domain);
  expect(reads).toBe(1);
});

it('a change made elsewhere is seen with the next reading of the log', async () => {
  const domain = await attach(elsewhere, planted.environment);
  await byName(domain.name);
  const after = verifyingAt(domain, NOW);
  await elsewhere.saveTransition({ before: domain, after, memory, now: NOW });
  expect(await byName(domain.name)).toEqual(domain);
  await news.poll();
  expect(await byName(domain.name)).toEqual(after);
});

it('an old answer lives at most a second, also while the log cannot be read', async () => {
  const domain = await attach(elsewhere, planted.environment);
  await byName(domain.name);
  await elsewhere.deleteDomain(planted.workspace.id, domain.id, NOW);
  cutOff = true;
  clock.ms += 1000;
  await news.poll();
  expect(await byName(domain.name)).toEqual(domain);
  clock.ms += 1;
  expect(await byName(domain.name)).toBeNull();
});

it('a change made here is seen at once', async () => {
  const { workspace, environment } = planted;
  const domain = await attach(store, environment);
  await byName(domain.name);
  const failed = failedAt(domain, NOW);
  await store.saveTransition({ before: domain, after: failed, memory, now: NOW });
  expect(await byName(domain.name)).toEqual(failed);
  await store.retryVerification(workspace.id, domain.id, NOW, WINDOW_MS);
  expect(await byName(domain.name)).toMatchObject({ status: 'pending' });
  await store.deleteDomain(workspace.id, domain.id, NOW);
  expect(await byName(domain.name)).toBeNull();
  expect(await store.findDomainById(workspace.id, domain.id)).toBeNull();
});

it('the domain that lost its name is read again too', async () => {
  const loser = await attach(store, planted.environment);
  const incumbent = verifiedAt(loser, NOW);
  await store.saveTransition({ before: loser, after: incumbent, memory, now: NOW });
  const claim = await attach(store, (await plant(store)).environment, { name: loser.name });
  await byName(loser.name);
  const lost = { before: incumbent, after: failedAt(incumbent, NOW) };
  await store.saveTransition({ before: claim, after: verifiedAt(claim, NOW), loser: lost, memory, now: NOW });
  expect(await byName(loser.name)).toEqual(lost.after);
});

it('a name that was deleted and attached again leads to the new domain', async () => {
  const { workspace, environment } = planted;
  const first = await attach(store, environment);
  await byName(first.name);
  await store.deleteDomain(workspace.id, first.id, NOW);
  const second = await attach(store, environment, { name: first.name });
  expect(await byName(first.name)).toEqual(second);
});

it('what was read before a change was announced is not remembered', async () => {
  const domain = await attach(elsewhere, planted.environment);
  const after = verifyingAt(domain, NOW);
  meanwhile = async () => {
    await elsewhere.saveTransition({ before: domain, after, memory, now: NOW });
    await news.poll();
  };
  expect(await byName(domain.name)).toEqual(domain);
  meanwhile = async () => {};
  expect(await byName(domain.name)).toEqual(after);
});

it('what one workspace may see is not shown to another', async () => {
  const domain = await attach(elsewhere, planted.environment);
  await byName(domain.name);
  const { workspace } = await plant(elsewhere);
  expect(await store.findDomainById(workspace.id, domain.id)).toBeNull();
  expect(await store.findDomainByName(workspace.id, domain.name)).toBeNull();
});

it('a name that is not attached is looked for each time, so that it is found as soon as it is', async () => {
  expect(await byName('soon.example.com')).toBeNull();
  const domain = await attach(elsewhere, planted.environment, { name: 'soon.example.com' });
  expect(await byName('soon.example.com')).toEqual(domain);
});

it('no more domains are remembered than there is room for', async () => {
  const domains = [];
  for (let i = 0; i < 20; i++) domains.push(await attach(elsewhere, planted.environment));
  for (const { name } of domains) await byName(name);
  reads = 0;
  for (const { name } of domains) await byName(name);
  expect(reads).toBeGreaterThanOrEqual(12);
});
