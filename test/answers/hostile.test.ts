import { expect, test } from 'vitest';
import { feed, mutatedQueries } from './hostile.ts';

test('no message makes the DNS server throw, and no response over UDP without a cookie is more than four times as long as its query', () => {
  const { rcodes, unanswered, worst } = feed(mutatedQueries(10_000, 1));
  // Every way out was taken.
  for (const rcode of ['NOERROR', 'NXDOMAIN', 'FORMERR', 'NOTIMP', 'REFUSED'])
    expect(rcodes[rcode]).toBeGreaterThan(50);
  expect(unanswered).toBeGreaterThan(50);
  expect(worst).toBeGreaterThan(3);
});
