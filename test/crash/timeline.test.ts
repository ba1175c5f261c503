import { expect, test } from 'vitest';
import type { DomainStatus } from '../../server/src/domain/domain.ts';
import type { DomainEventType } from '../../server/src/domain/domain-event.ts';
import { type Entry, timelineFaults } from './timeline.ts';

// The judge of the crash suites: whatever it lets pass, they let pass.

type Short = [domainId: string, type: DomainEventType, status: DomainStatus, verificationError?: string];

function faultsOf(...entries: Short[]): string[] {
  const about = { name: 'a.test', environmentId: 'e', routingVerified: false, ownershipVerified: false };
  const long = ([domainId, type, status, verificationError]: Short): Entry => ({
    domainId,
    type,
    data: { ...about, status, verificationError: verificationError ?? null },
  });
  return timelineFaults(entries.map(long));
}

const created: Short = ['d', 'domain.created', 'pending'];
const seen: Short = ['d', 'record.seen', 'verifying'];
const drifted: Short = ['d', 'domain.drifted', 'verified', 'gone'];
const recovered: Short = ['d', 'domain.recovered', 'verified'];
const verified: Short = ['d', 'domain.verified', 'verified'];
const failed: Short = ['d', 'domain.failed', 'failed', 'too late'];
const retried: Short = ['d', 'domain.retried', 'pending'];
const superseded: Short = ['d', 'domain.superseded', 'failed', 'lost'];
const deleted: Short = ['d', 'domain.deleted', 'verified'];

test('a life with every legal step has no faults', () => {
  const lost: Short = ['d', 'record.lost', 'verifying', 'the wrong value'];
  const begun = [created, seen, lost, failed, retried, verified, superseded, retried, verified];
  expect(faultsOf(...begun, drifted, recovered, drifted, failed, retried, verified, deleted)).toEqual([]);
});

test.each<[string, Short[]]>([
  ['verified twice', [created, verified, verified]],
  ['failed after it was verified, though it had not drifted', [created, verified, failed]],
  ['failed after it had recovered', [created, verified, drifted, recovered, failed]],
  ['recovered before it had drifted', [created, verified, recovered]],
  ['retried while it waits', [created, retried]],
  ['superseded before it was verified', [created, superseded]],
  ['changed after its deletion', [created, verified, deleted, retried]],
  ['never created', [seen]],
  ['changed with nothing new', [created, seen, seen]],
  ['not what its event says', [created, ['d', 'domain.verified', 'verifying']]],
])('a domain that was %s is a fault', (_, events) => {
  expect(faultsOf(...events)).toHaveLength(1);
});

test('two domains that held one name as verified at one time are a fault; one after the other are none', () => {
  const other: Short[] = [
    ['o', 'domain.created', 'pending'],
    ['o', 'domain.verified', 'verified'],
  ];
  expect(faultsOf(created, verified, ...other)).toEqual(['a.test was verified for o while d held it']);
  expect(faultsOf(created, verified, superseded, ...other)).toEqual([]);
  expect(faultsOf(created, verified, deleted, ...other)).toEqual([]);
});
