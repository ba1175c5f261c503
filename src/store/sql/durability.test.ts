import { expect, it } from 'vitest';
import { isDurable } from './durability.ts';
import { writes } from './use-cases.ts';

it('takes every write for one that must survive a power cut, but those of which the contract says otherwise', () => {
  const saveAgain = [{ before: { status: 'verifying' }, after: { status: 'verifying' } }];
  const names = Object.keys(writes) as (keyof typeof writes)[];
  expect(names.filter((name) => !isDurable(name, saveAgain))).toEqual([
    'saveTransition',
    'extendLease',
    'putChallenge',
    'pruneChallenges',
    'pruneLedger',
    'pruneChanges',
    'pruneRequests',
  ]);
  expect([isDurable('claimDue', []), isDurable('addRequests', [])]).toEqual([false, false]);
});

it.for([
  ['pending', 'verifying'],
  ['pending', 'verified'],
  ['verifying', 'verified'],
  ['verifying', 'failed'],
])('syncs the save of a check that made %s %s', ([before, after]) => {
  expect(isDurable('saveTransition', [{ before: { status: before }, after: { status: after } }])).toBe(true);
});
