import { expect, test } from 'vitest';
import { budget, LETS_ENCRYPT_LIMITS, type Urgency } from './budget.ts';

const limitsFor = (urgency: Urgency, published = LETS_ENCRYPT_LIMITS) =>
  Object.fromEntries(budget(published, urgency).map(({ name, limit }) => [name, limit]));

test.each([
  ['new', { orders: 240, failures: 4, certificates: 40, duplicates: 4 }],
  ['renewal', { orders: 285, failures: 4, certificates: 47, duplicates: 4 }],
  ['emergency', { orders: 300, failures: 4, certificates: 50, duplicates: 5 }],
] as const)(
  "of Let's Encrypt's limits, what is %s may spend no more than its share, and nobody the last failure",
  (urgency, spends) => {
    expect(limitsFor(urgency)).toEqual(spends);
  },
);

test('periods are those of the CA', () => {
  expect(budget(LETS_ENCRYPT_LIMITS, 'new').map(({ windowMs }) => windowMs / 3_600_000)).toEqual([3, 1, 168, 168]);
});

test('where a limit is small, one is left to everybody', () => {
  const published = [
    { name: 'certificates', limit: 1, windowMs: 1000 },
    { name: 'failures', limit: 2, windowMs: 1000 },
  ] as const;
  for (const urgency of ['new', 'renewal', 'emergency'] as const)
    expect(limitsFor(urgency, published)).toEqual({ certificates: 1, failures: 1 });
});

test('orders are not limited where the CA has no limit', () => {
  expect(budget([], 'new')).toEqual([]);
});
