import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WINDOW_MS } from '../../server/src/domain/domain.ts';
import { type SqliteOptions, sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import { type Environment, type Store, StoreUnavailable } from '../../server/src/store/store.ts';
import { aDomain, attach, NOW, plant } from '../support/entities.ts';

let directory: string;
let path: string;
const open: Store[] = [];
/** A connection such as another process might have. */
let other: DatabaseSync;
let environment: Environment;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-writer-'));
  path = join(directory, 'nameplate.db');
  const store = await sqliteStore({ path });
  environment = (await plant(store)).environment;
  await store.close();
  other = new DatabaseSync(path);
});
afterEach(async () => {
  other.close();
  await Promise.all(open.splice(0).map((store) => store.close()));
  await rm(directory, { recursive: true });
});

async function openStore(options: Partial<SqliteOptions> = {}): Promise<Store> {
  const store = await sqliteStore({ path, ...options });
  open.push(store);
  return store;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('reads, and does not block the event loop, while a write waits for the lock of another process', async () => {
  const store = await openStore();
  other.exec('begin immediate');
  const order: string[] = [];
  const domain = aDomain(environment);
  const write = store.createDomain(domain, NOW + WINDOW_MS).then(() => order.push('written'));
  for (let turn = 0; turn < 20; turn++) {
    await nextTurn();
    expect(await store.findDomainByName(domain.workspaceId, domain.name)).toBeNull();
  }
  order.push('read');
  other.exec('rollback');
  await write;
  expect(order).toEqual(['read', 'written']);
  expect(await store.findDomainByName(domain.workspaceId, domain.name)).toEqual(domain);
});

it('rejects a write that waits too long for a lock, and accepts writes once the lock is free', async () => {
  const store = await openStore({ busyTimeoutMs: 20 });
  other.exec('begin immediate');
  const refused = await attach(store, environment).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StoreUnavailable);
  expect(refused).toMatchObject({ message: expect.stringMatching(/busy/), cause: { errcode: 5 } });
  await expect(store.ping()).rejects.toThrow(StoreUnavailable);
  other.exec('rollback');
  await attach(store, environment);
  await store.ping();
});

it('rejects writes at once when too many are waiting', async () => {
  const store = await openStore({ maxWaiting: 3 });
  other.exec('begin immediate');
  const waiting = [1, 2, 3].map(() => attach(store, environment));
  await expect(attach(store, environment)).rejects.toThrow(/busy: 3 writes are waiting/);
  other.exec('rollback');
  await Promise.all(waiting);
  await attach(store, environment);
});

it('finishes what is queued behind a lock before it closes', async () => {
  const store = await openStore();
  other.exec('begin immediate');
  const first = attach(store, environment);
  await nextTurn();
  const rest = [attach(store, environment), attach(store, environment)];
  const closed = store.close();
  other.exec('rollback');
  const domains = await Promise.all([first, ...rest]);
  await closed;
  const again = await openStore();
  const { items } = await again.listDomains(environment.workspaceId, environment.id, { limit: 10 });
  expect(items).toEqual(domains);
});

it('commits writes of one tick together', async () => {
  const store = await openStore();
  const version = other.prepare('pragma data_version');
  const before = Number(version.get()?.data_version);
  await Promise.all(Array.from({ length: 100 }, () => attach(store, environment)));
  expect(Number(version.get()?.data_version)).toBe(before + 1);
});

it('writes nothing when no check is due', async () => {
  const store = await openStore();
  await attach(store, environment);
  const version = other.prepare('pragma data_version');
  const before = version.get();
  for (let i = 0; i < 5; i++) expect(await store.claimDue(NOW - 1, 10, 60_000, () => 0)).toEqual([]);
  expect(version.get()).toEqual(before);
});

it('rejects writes while the disk is full, keeps what it has, and accepts writes once there is space', async () => {
  const pages = Number(other.prepare('pragma page_count').get()?.page_count);
  const store = await openStore({ maxPages: pages + 10 });
  const domains = Array.from({ length: 400 }, () => aDomain(environment, { verificationError: 'x'.repeat(500) }));
  const outcomes = await Promise.allSettled(domains.map((domain) => store.createDomain(domain, NOW + WINDOW_MS)));
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(refused.length).toBeGreaterThan(0);
  for (const reason of refused) {
    expect(reason).toBeInstanceOf(StoreUnavailable);
    expect(reason.message).toMatch(/disk is full/);
  }
  for (const [i, { name, workspaceId }] of domains.entries()) {
    const kept = await store.findDomainByName(workspaceId, name);
    expect(kept !== null).toBe(outcomes[i]?.status === 'fulfilled');
  }
  other.exec('delete from checks; delete from events; delete from domains');
  await attach(store, environment);
});
