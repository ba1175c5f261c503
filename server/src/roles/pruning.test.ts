import { expect, test } from 'vitest';
import { openEngine } from '../../../test/support/engine.ts';
import { aSetupLink, attach, NOW, plant, timelineOf } from '../../../test/support/entities.ts';
import { BUDGET_MS, prune, ROWS_AT_ONCE } from './pruning.ts';

const DAY_MS = 86_400_000;
const config = { eventsKeepMs: 90 * DAY_MS, auditKeepMs: 365 * DAY_MS, webhookDeliveriesKeepMs: 14 * DAY_MS };
const clock = { now: () => NOW, isTrusted: () => true };

test('events are kept as long as the operator says, and then deleted', async () => {
  const { store, remove } = await openEngine();
  const { environment } = await plant(store);
  const old = await attach(store, environment, { createdAt: NOW - 90 * DAY_MS - 1 });
  const young = await attach(store, environment, { createdAt: NOW - 90 * DAY_MS });
  await prune({ store, config, clock });
  expect(await timelineOf(store, old)).toEqual([]);
  expect(await timelineOf(store, young)).toHaveLength(1);
  await store.close();
  await remove();
});

test('a set-up link is kept for 30 days after it expired, so that its customer learns it', async () => {
  const { store, remove } = await openEngine();
  const domain = await attach(store, (await plant(store)).environment);
  const expired = [NOW - 30 * DAY_MS - 1, NOW - 30 * DAY_MS];
  for (const [i, expiresAt] of expired.entries())
    await store.createSetupLink(aSetupLink(domain, { id: `link_${i}`, expiresAt }), new Uint8Array(32).fill(i), 9);
  await prune({ store, config, clock });
  expect(await store.findSetupLink('link_0')).toBeNull();
  expect(await store.findSetupLink('link_1')).not.toBeNull();
  await store.close();
  await remove();
});

test('a deleted domain is kept until its time is over', async () => {
  const { store, remove } = await openEngine();
  const { environment } = await plant(store);
  const [over, kept] = [await attach(store, environment), await attach(store, environment)];
  await store.deleteDomain(over.workspaceId, over.id, NOW - DAY_MS, NOW);
  await store.deleteDomain(kept.workspaceId, kept.id, NOW - DAY_MS, NOW + 1);
  await prune({ store, config, clock });
  expect(await store.findDeletedDomain(over.workspaceId, over.id, NOW - DAY_MS)).toBeNull();
  expect(await store.findDeletedDomain(kept.workspaceId, kept.id, NOW - DAY_MS)).not.toBeNull();
  await store.close();
  await remove();
});

test('rows that are old by an untrusted clock are kept', async () => {
  const { store, remove } = await openEngine();
  const { environment } = await plant(store);
  const [domain, deleted] = [await attach(store, environment), await attach(store, environment)];
  await store.deleteDomain(deleted.workspaceId, deleted.id, NOW, NOW + DAY_MS);
  const ahead = { now: () => NOW + 400 * DAY_MS };
  await prune({ store, config, clock: { ...ahead, isTrusted: () => false } });
  expect(await timelineOf(store, domain)).toHaveLength(1);
  expect(await store.findDeletedDomain(deleted.workspaceId, deleted.id, NOW)).not.toBeNull();
  await prune({ store, config, clock: { ...ahead, isTrusted: () => true } });
  expect(await timelineOf(store, domain)).toEqual([]);
  expect(await store.findDeletedDomain(deleted.workspaceId, deleted.id, NOW)).toBeNull();
  await store.close();
  await remove();
});

/** A store with so many batches of old deliveries, each of which takes `stepMs` to delete. */
async function pruneBatches(batches: number, { stepMs = 0, isStopped = (): boolean => false } = {}): Promise<number> {
  const { store, remove } = await openEngine();
  let taken = 0;
  const full = {
    ...store,
    async pruneDeliveries() {
      taken++;
      return taken > batches ? 0 : ROWS_AT_ONCE;
    },
  };
  await prune({ store: full, config, clock }, { isStopped, elapsedMs: () => taken * stepMs });
  await store.close();
  await remove();
  return taken;
}

test('one run deletes everything that is too old', async () => {
  expect(await pruneBatches(200)).toBe(201);
});

test('the next run deletes the rows that one run had no time for, so that rows of all kinds are deleted', async () => {
  expect(await pruneBatches(200, { stepMs: BUDGET_MS / 20 })).toBe(20);
});

test('once the process stops, no further step is taken', async () => {
  expect(await pruneBatches(200, { isStopped: () => true })).toBe(0);
});
