import { expect, it } from 'vitest';
import type { CheckStore } from '../store.ts';
import { changes } from './changes.ts';
import { sqliteWrites } from './sqlite/commit-batch.ts';
import { writes } from './writes.ts';

type Save = Parameters<CheckStore['saveTransition']>[0];

const save = (before: string, after: string) => ({ before: { status: before }, after: { status: after } }) as Save;

it('every write waits for the disk, but those that the contract marks unsynced', () => {
  const unsynced = Object.entries(writes).filter(([, { synced }]) => {
    const isSynced = synced as (save: Save) => boolean;
    return !isSynced(save('verifying', 'verifying'));
  });
  expect(unsynced.map(([name]) => name)).toEqual([
    'pruneAuditEntries',
    'saveKeyUses',
    'pruneSetupLinks',
    'pruneDashboardSessions',
    'pruneDeletedDomains',
    'saveTransition',
    'saveMonitoring',
    'claimLooks',
    'lookSoon',
    'pruneEvents',
    'leaseDelivery',
    'saveDelivery',
    'pruneDeliveries',
    'retryBlocked',
    'extendLease',
    'recordExpiring',
    'recordIssuing',
    'pruneInheritedCertificates',
    'putChallenge',
    'pruneChallenges',
    'addDnsChallenge',
    'removeDnsChallenge',
    'recordEdgeAddresses',
    'pruneLedger',
    'pruneChanges',
    'pruneRequests',
    'pruneIdempotencyKeys',
    'addUsage',
    'pruneUsage',
  ]);
});

it.for([
  ['pending', 'verifying'],
  ['pending', 'verified'],
  ['verifying', 'verified'],
  ['verifying', 'failed'],
] as const)('the save of a check that made %s %s waits for the disk', ([before, after]) => {
  expect(writes.saveTransition.synced(save(before, after) as never)).toBe(true);
});

it('the save of a re-check that made a verified domain failed waits for the disk', () => {
  expect(writes.saveMonitoring.synced(save('verified', 'failed') as never)).toBe(true);
});

it("SQLite's own writes do not wait for the disk", () => {
  expect(Object.values(sqliteWrites).filter(({ synced }) => (synced as () => boolean)())).toEqual([]);
});

it('every change waits for the disk', () => {
  expect(Object.values(changes).filter(({ synced }) => !(synced as () => boolean)())).toEqual([]);
});

it('every write has a name of its own, by which the writer thread finds it', () => {
  const all = [writes, changes, sqliteWrites].flatMap((useCases) => Object.entries(useCases));
  expect(all.filter(([name, useCase]) => useCase.name !== name)).toEqual([]);
  expect(new Set(all.map(([name]) => name)).size).toBe(all.length);
});
