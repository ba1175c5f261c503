import { expect, test } from 'vitest';
import { type Lead, leadOf, noteLead } from './move-watch.ts';

const EDGES = new Set(['203.0.113.7', '2001:db8::7']);

test.each<[string[], Lead]>([
  [[], 'elsewhere'],
  [['198.51.100.1'], 'elsewhere'],
  [['203.0.113.7'], 'here'],
  [['203.0.113.7', '2001:DB8:0::7'], 'here'],
  [['203.0.113.7', '2001:db8::8'], 'partly'],
])('a name with the addresses %j leads %s', (addresses, lead) => {
  expect(leadOf(addresses, EDGES)).toBe(lead);
});

test('a change is noted once, in both directions, and a name that cannot be looked up stays where it was', () => {
  const leads = new Map<string, Lead>();
  const rounds: (Lead | null)[] = [null, 'elsewhere', 'elsewhere', null, 'here', null, 'partly', 'elsewhere'];
  const changes = rounds.map((lead) => noteLead(leads, 'a', lead));
  expect(changes.map((change) => change && [change.before, change.after])).toEqual([
    null,
    [undefined, 'elsewhere'],
    null,
    null,
    ['elsewhere', 'here'],
    null,
    ['here', 'partly'],
    ['partly', 'elsewhere'],
  ]);
  noteLead(leads, 'b', 'here');
  expect([...leads]).toEqual([
    ['a', 'elsewhere'],
    ['b', 'here'],
  ]);
});
