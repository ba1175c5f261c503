import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { WINDOW_MS } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { cacheDomains } from '../../server/src/store/cache/cached-domains.ts';
import { type PolledChangeFeed, startChangeFeed } from '../../server/src/store/cache/change-feed.ts';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import { type Store, StoreUnavailable } from '../../server/src/store/store.ts';
import { attach, failedAt, NOW, type Planted, plant, verifiedAt, verifyingAt } from '../support/entities.ts';

const memory = NO_MEMORY;

let directory: string;
/** The store of another process, without the cache. */
let elsewhere: Store;
let engine: Store;
let reads: number;
/** While the change log cannot be read. */
let down: boolean;
/** Runs before a read of the engine returns. */
let meanwhile: () => Promise<unknown>;
let clock: { ms: number; now(): number };
let changes: PolledChangeFeed;
let store: Store;
let planted: Planted;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-cached-domains-'));
  const path = join(directory, 'nameplate.db');
  engine = await sqliteStore({ path });
  elsewhere = await sqliteStore({ path });
});

beforeEach(async () => {
  planted = await plant(elsewhere);
  reads = 0;
  down = false;
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
      if (down) throw new StoreUnavailable('down');
      return engine.changesSince(seq);
    },
  };
  changes = startChangeFeed(watched, { clock, intervalMs: 3_600_000 });
  await changes.poll();
  store = cacheDomains(watched, changes, 16_000);
});

afterEach(() => changes.stop());

afterAll(async () => {
  await engine.close();
  await elsewhere.close();
  await rm(directory, { recursive: true });
});

const byName = (name: string) => store.findDomainByName(planted.workspace.id, name);

/** Reads it as often as it takes. */
async function cached(name: string) {
  await byName(name);
  await byName(name);
}

it('a domain is read twice, by name or id', async () => {
  const domain = await attach(elsewhere, planted.environment);
  expect(await byName(domain.name)).toEqual(domain);
  expect(await byName(domain.name)).toEqual(domain);
  expect(await byName(domain.name)).toEqual(domain);
  expect(await store.findDomainById(planted.workspace.id, domain.id)).toEqual(domain);
  expect(reads).toBe(2);
});

it('domains that are polled in turn are cached, as many as there is room for', async () => {
  const domain = await attach(elsewhere, planted.environment);
  let readings = 0;
  const findDomainById: Store['findDomainById'] = async (_, id) => {
    readings += 1;
    return { ...domain, id };
  };
  const polled = cacheDomains({ ...engine, findDomainById }, changes);
  const pollAll = async () => {
    for (let i = 0; i < 20_000; i++) await polled.findDomainById(planted.workspace.id, `dom_${i}`);
  };
  await pollAll();
  await pollAll();
  readings = 0;
  await pollAll();
  expect(readings).toBe(0);
});

it.each([
  ['little', null, 0],
  ['much', JSON.stringify({ a: 'x'.repeat(500) }), 1],
])("a platform's own data counts: five domains with %s of it", async (_, metadata, readAgain) => {
  const first = await attach(elsewhere, planted.environment);
  await cached(first.name);
  for (let i = 0; i < 5; i++) await cached((await attach(elsewhere, planted.environment, { metadata })).name);
  reads = 0;
  await byName(first.name);
  expect(reads).toBe(readAgain);
});

it('a change made elsewhere is seen with the next poll', async () => {
  const domain = await attach(elsewhere, planted.environment);
  await cached(domain.name);
  const after = verifyingAt(domain, NOW);
  await elsewhere.saveTransition({ before: domain, after, memory, now: NOW });
  expect(await byName(domain.name)).toEqual(domain);
  await changes.poll();
  expect(await byName(domain.name)).toEqual(after);
});

it('an entry is at most a second old, also while the change log cannot be read', async () => {
  const domain = await attach(elsewhere, planted.environment);
  await cached(domain.name);
  await elsewhere.deleteDomain(planted.workspace.id, domain.id, NOW);
  down = true;
  clock.ms += 1000;
  await changes.poll();
  expect(await byName(domain.name)).toEqual(domain);
  clock.ms += 1;
  expect(await byName(domain.name)).toBeNull();
});

it('a change made here is seen at once', async () => {
  const { workspace, environment } = planted;
  const domain = await attach(store, environment);
  await cached(domain.name);
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
  await cached(loser.name);
  const lost = { before: incumbent, after: failedAt(incumbent, NOW) };
  await store.saveTransition({ before: claim, after: verifiedAt(claim, NOW), loser: lost, memory, now: NOW });
  expect(await byName(loser.name)).toEqual(lost.after);
});

it('a name that was deleted and attached again leads to the new domain', async () => {
  const { workspace, environment } = planted;
  const first = await attach(store, environment);
  await cached(first.name);
  await store.deleteDomain(workspace.id, first.id, NOW);
  const second = await attach(store, environment, { name: first.name });
  expect(await byName(first.name)).toEqual(second);
});

it('a value that was read before a change is not cached after it', async () => {
  const domain = await attach(elsewhere, planted.environment);
  const after = verifyingAt(domain, NOW);
  meanwhile = async () => {
    await elsewhere.saveTransition({ before: domain, after, memory, now: NOW });
    await changes.poll();
  };
  expect(await byName(domain.name)).toEqual(domain);
  meanwhile = async () => {};
  expect(await byName(domain.name)).toEqual(after);
});

it('a domain of one workspace is not shown to another', async () => {
  const domain = await attach(elsewhere, planted.environment);
  await cached(domain.name);
  const { workspace } = await plant(elsewhere);
  expect(await store.findDomainById(workspace.id, domain.id)).toBeNull();
  expect(await store.findDomainByName(workspace.id, domain.name)).toBeNull();
});

it('a name that is not attached is looked up each time, so that it is found as soon as it is', async () => {
  expect(await byName('soon.example.com')).toBeNull();
  const domain = await attach(elsewhere, planted.environment, { name: 'soon.example.com' });
  expect(await byName('soon.example.com')).toEqual(domain);
});

it('the cache stays within its bytes, and keeps what was used last', async () => {
  const domains = [];
  for (let i = 0; i < 20; i++) domains.push(await attach(elsewhere, planted.environment));
  for (const { name } of domains) await cached(name);
  reads = 0;
  for (const { name } of domains.slice(-5)) await byName(name);
  expect(reads).toBe(0);
  for (const { name } of domains.slice(0, 5)) await byName(name);
  expect(reads).toBe(5);
});
