import { expect, it } from 'vitest';
import type { CheckStore } from '../contract/store.ts';
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
    'pruneDeletedDomains',
    'saveTransition',
    'saveMonitoring',
    'pruneEvents',
    'leaseDelivery',
    'saveDelivery',
    'pruneDeliveries',
    'extendLease',
    'recordExpiring',
    'recordIssuing',
    'pruneInherited',
    'putChallenge',
    'pruneChallenges',
    'pruneLedger',
    'pruneChanges',
    'pruneRequests',
    'pruneIdempotencyKeys',
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

it('every write has a name of its own, by which the writer thread finds it', () => {
  expect(Object.entries(writes).filter(([name, useCase]) => useCase.name !== name)).toEqual([]);
});
