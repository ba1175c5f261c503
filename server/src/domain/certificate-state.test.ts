import { expect, test } from 'vitest';
import {
  type CertificateReason,
  type CertificateState,
  expiringAt,
  lifetimeWindow,
  MOVED,
  problemWhileOrdering,
  unattendedProblem,
  waitingSince,
} from './certificate-state.ts';

const NOW = 1_800_000_000_000;
const MINUTE_MS = 60_000;

test.each<[string, { dueAgo: number; seenAgo: number | null }, boolean]>([
  ['is due, and no process has ever ordered certificates', { dueAgo: 5, seenAgo: null }, true],
  ['is due, and the last such process has not been seen for five minutes', { dueAgo: 5, seenAgo: 5 }, true],
  ['is due, and there is such a process, which may be busy', { dueAgo: 600, seenAgo: 4 }, false],
  ['is due, and there is such a process, whose clock is ahead', { dueAgo: 600, seenAgo: -4 }, false],
  ['is due, and the last sign of such a process is from a clock that was wrong', { dueAgo: 5, seenAgo: -600 }, true],
  ['has been due for less than five minutes', { dueAgo: 4, seenAgo: null }, false],
  ['is not due', { dueAgo: -600, seenAgo: null }, false],
])('of a certificate that %s', (_, { dueAgo, seenAgo }, isUnattended) => {
  const nextTryAt = NOW - dueAgo * MINUTE_MS;
  const problem = unattendedProblem({ nextTryAt }, seenAgo === null ? null : NOW - seenAgo * MINUTE_MS, NOW);
  expect(problem).toEqual(
    isUnattended ? { reason: 'not_issued_here', message: expect.any(String), at: nextTryAt } : null,
  );
});

test.each<[CertificateReason, boolean]>([
  ['no_address', false],
  ['dns_unreadable', false],
  ['address_not_public', false],
  ['unreachable', false],
  ['answered_by_another', false],
  ['caa_forbids', false],
  ['budget_spent', false],
  ['ca_rate_limited', true],
  ['ca_unavailable', true],
  ['ca_account', true],
  ['authorization_failed', true],
  ['ca_refused', true],
])('once an order has begun, the problem %s is still shown: %s', (reason, isShown) => {
  const problem = { reason, message: '', at: NOW };
  expect(problemWhileOrdering(problem)).toBe(isShown ? problem : null);
});

test('a certificate that was not attempted yet has been waiting since it was wanted', () => {
  expect(waitingSince({ state: 'wanted', problem: null, createdAt: NOW })).toBe(NOW);
});

test.each<[CertificateReason, boolean]>([
  ['no_address', false],
  ['dns_unreadable', false],
  ['address_not_public', false],
  ['unreachable', false],
  ['answered_by_another', false],
  ['caa_forbids', false],
  ['budget_spent', false],
  ['ca_rate_limited', false],
  ['ca_unavailable', true],
  ['ca_account', true],
  ['authorization_failed', false],
  ['ca_refused', false],
])('a certificate with the problem %s waits for us or the CA, since it has that problem: %s', (reason, isWaiting) => {
  const problem = { reason, message: '', at: NOW + MINUTE_MS };
  expect(waitingSince({ state: 'failed', problem, createdAt: NOW })).toBe(isWaiting ? problem.at : null);
});

test.each<CertificateState>(['waiting_for_routing', 'ordering', 'issued', 'renewing'])(
  'a certificate that is %s waits for nobody here',
  (state) => {
    const problem = { reason: 'ca_unavailable', message: '', at: NOW } as const;
    expect(waitingSince({ state, problem, createdAt: NOW })).toBeNull();
    expect(waitingSince({ state, problem: null, createdAt: NOW })).toBeNull();
  },
);

test.each([
  [90, 60, 30, 51],
  [90, 20, 0, 11],
  [90, 5, 0, 0],
  [6, 4, 2, 3],
])(
  'renewals of moved certificates of %s days, %s of which are left, spread from day %s to day %s',
  (lifetime, left, from, to) => {
    const DAY_MS = 86_400_000;
    const notAfter = NOW + left * DAY_MS;
    const inUse = { issuer: MOVED, notBefore: notAfter - lifetime * DAY_MS, notAfter, issuedAt: NOW };
    const days = Array.from({ length: 1000 }, (_, i) => {
      const { renewAt, askAgainAt } = lifetimeWindow(inUse, NOW, i / 1000, false);
      expect(askAgainAt).toBeNull();
      expect(renewAt).toBeLessThanOrEqual(Math.max(NOW, expiringAt(inUse)));
      return (renewAt - NOW) / DAY_MS;
    });
    expect(Math.min(...days)).toBeCloseTo(from, 5);
    expect(Math.max(...days)).toBeCloseTo(from + (to - from) * 0.999, 5);
    const steps = days.slice(1).map((day, i) => day - (days[i] ?? 0));
    expect(Math.max(...steps)).toBeCloseTo(Math.min(...steps), 5);
  },
);
