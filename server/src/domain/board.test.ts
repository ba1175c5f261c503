import { expect, test } from 'vitest';
import { type BoardRow, boardBlocker, boardCounter, isReadyToSwitch, waitingOf } from './board.ts';
import type { CertificateProblem } from './certificate-state.ts';

const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const problem: CertificateProblem = { reason: 'budget_spent', message: 'The budget is spent.', at: NOW - HOUR_MS };

function row(about: Partial<BoardRow['domain']>, certificate: BoardRow['certificate'] = null): BoardRow {
  const times = { windowStartedAt: NOW - 3 * HOUR_MS, verifiedAt: null, updatedAt: null };
  const domain = { name: 'a.example.com', status: 'pending', verificationError: null, ...times } as const;
  return { domain: { ...domain, ...about }, certificate, live: null };
}
const verified = { status: 'verified', verifiedAt: NOW - 2 * HOUR_MS } as const;
const inUse = (notAfter: number | null, state: 'issued' | 'renewing' | 'wanted' | 'ordering' = 'issued') => ({
  state,
  problem: null,
  notAfter,
});

test.each([
  ['one that is verified, with a certificate in use', row(verified, inUse(NOW + 1))],
  ['one that is prepared, with a certificate in use', row({ status: 'verifying' }, inUse(NOW + 1))],
  ['one whose renewal is blocked', row(verified, { ...inUse(NOW + 1, 'renewing'), problem })],
])('%s is ready to switch', (_, ready) => {
  expect(isReadyToSwitch(ready, NOW)).toBe(true);
  expect(boardBlocker(ready, NOW)).toBeNull();
});

test.each([
  ['no check has completed', row({}), 'not_checked', null, 3],
  ['records are missing', row({ status: 'verifying', verificationError: 'No.' }), 'not_verified', 'No.', 3],
  [
    'it failed, since its last change',
    row({ status: 'failed', verificationError: 'Late.', updatedAt: NOW - HOUR_MS }),
    'verification_failed',
    'Late.',
    1,
  ],
  ['its certificate is about to be ordered', row(verified, inUse(null, 'wanted')), 'not_ordered', null, 2],
  ['its order is in progress', row(verified, inUse(null, 'ordering')), 'ordering', null, 2],
  ['its certificate has expired', row(verified, inUse(NOW, 'renewing')), 'ordering', null, 2],
  ['its certificate is blocked', row(verified, { ...inUse(null), problem }), 'budget_spent', problem.message, 1],
  ['its certificate is blocked before', row({}, { ...inUse(null), problem }), 'budget_spent', problem.message, 1],
])('a name is not ready where %s: with its own sentence, and since when', (_, blocked, reason, message, hours) => {
  expect(isReadyToSwitch(blocked, NOW)).toBe(false);
  expect(boardBlocker(blocked, NOW)).toEqual({ reason, message, since: NOW - hours * HOUR_MS });
});

test('a board counts every name once, groups by reason with the oldest name, and knows how many wait for an order alone', () => {
  const counter = boardCounter(NOW);
  const seen = { ...row(verified, inUse(NOW + 1)), live: { state: 'live' as const } };
  const named = (name: string, verifiedAt: number) => row({ ...verified, name, verifiedAt }, inUse(null, 'wanted'));
  const blocked = row({ ...verified, name: 'caa' }, { ...inUse(null), problem: { ...problem, reason: 'caa_forbids' } });
  for (const each of [seen, row({}), named('b', 2), named('a', 1), named('c', 3), blocked]) counter.add(each);
  const counts = counter.counts();
  expect(counts).toMatchObject({ total: 6, readyToSwitch: 1, live: 1 });
  expect(counts.blockers.map(({ reason, count, oldest }) => [reason, count, oldest.domain])).toEqual([
    ['not_ordered', 3, 'a'],
    ['not_checked', 1, 'a.example.com'],
    ['caa_forbids', 1, 'caa'],
  ]);
  expect(waitingOf(counts)).toBe(3);
  expect(boardCounter(NOW).counts()).toEqual({ total: 0, readyToSwitch: 0, live: 0, blockers: [] });
});
