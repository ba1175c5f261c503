import { expect, it } from 'vitest';
import { clientNetwork } from './client-network.ts';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['::', '0:0:0:0'],
  ['x'.repeat(10_000), 'unknown'],
])('%s is counted as %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
