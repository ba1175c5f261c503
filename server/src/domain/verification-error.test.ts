import { expect, test } from 'vitest';
import type { Domain } from './domain.ts';
import type { Unreadable } from './reading.ts';
import { describeTakeover, describeUnreadable } from './verification-error.ts';

test.each<[string, Omit<Unreadable, 'kind'>, string]>([
  [
    'a nameserver that is silent',
    { reason: 'timeout', chain: [], server: 'ns1.acme.com' },
    'api.acme.com could not be read: its nameserver ns1.acme.com did not answer in time.',
  ],
  [
    'a nameserver that too many domains wait for',
    { reason: 'overloaded', chain: [], server: 'ns1.acme.com' },
    'api.acme.com could not be read: its nameserver ns1.acme.com could not be queried in time, because too many domains wait for it.',
  ],
  [
    'a CNAME to a host in a zone that cannot be read',
    { reason: 'refused', chain: ['lb.broken.test'], server: 'ns1.broken.test' },
    'api.acme.com leads to "lb.broken.test", which could not be read: its nameserver ns1.broken.test refused to answer (REFUSED).',
  ],
  [
    'a resolver of ours, which is not named',
    { reason: 'servfail', chain: ['www.acme.com', 'lb.broken.test'] },
    'api.acme.com leads to "lb.broken.test", which could not be read: the resolver that looked up its zone answered with a failure (SERVFAIL).',
  ],
])('a name that cannot be read names what failed: %s', (_, seen, expected) => {
  expect(describeUnreadable('api.acme.com', seen)).toBe(expected);
});

test('the error of the domain that lost its name is whole, however long the name is', () => {
  const name = `${['a', 'b', 'c'].map((letter) => letter.repeat(63)).join('.')}.${'d'.repeat(57)}.com`;
  const error = describeTakeover({ name } as Domain);
  expect(error.length).toBeLessThanOrEqual(512);
  expect(error).toContain(name);
  expect(error).toMatch(/\.$/);
});
