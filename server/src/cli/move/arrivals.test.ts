import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createArrivals, type Lead, leadOf } from './arrivals.ts';
import { parseEdge } from './move-board.ts';
import { createScreen } from './move-watch.ts';

const EDGES = new Set(['203.0.113.7', '2001:db8::7']);

test.each<[string[], Lead]>([
  [[], 'nowhere'],
  [['198.51.100.1'], 'elsewhere'],
  [['203.0.113.7'], 'here'],
  [['203.0.113.7', '2001:db8::7'], 'here'],
  [['203.0.113.7', '2001:db8::8'], 'partly'],
])('a name with the addresses %j leads %s', (addresses, lead) => {
  expect(leadOf(addresses, EDGES)).toBe(lead);
});

test('a change is noted once, in both directions, and a name that cannot be looked up stays where it was', () => {
  const arrivals = createArrivals();
  const rounds: (Lead | null)[] = [null, 'elsewhere', 'elsewhere', null, 'here', null, 'partly', 'elsewhere'];
  const changes = rounds.map((lead) => arrivals.note('a', lead));
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
  arrivals.note('b', 'here');
  expect((['here', 'partly', 'elsewhere', 'nowhere'] as const).map(arrivals.count)).toEqual([1, 0, 1, 0]);
});

test.each([
  ['203.0.113.7', '203.0.113.7', 443],
  ['203.0.113.7:8443', '203.0.113.7', 8443],
  ['2001:DB8:0::7', '2001:db8::7', 443],
  ['[2001:db8::7]:8443', '2001:db8::7', 8443],
])('the edge at %s is %s, port %d', (text, address, port) => {
  expect(parseEdge(text)).toEqual({ address, port });
});

test.each(['', 'edge.example.com', '203.0.113.7:0', '203.0.113.7:65536', '203.0.113.7:', '[203.0.113.7]', '::1%eth0'])(
  'the edge cannot be at "%s"',
  (text) => {
    expect(() => parseEdge(text)).toThrow('Expected an IP address');
  },
);

test('on a terminal the sum is redrawn in place; elsewhere each change is a line, and what a name holds controls no terminal', () => {
  const shown = (isTTY: boolean) => {
    const output = Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream;
    const screen = createScreen(output, 2, { now: () => 0 });
    const arrivals = createArrivals();
    for (const lead of ['elsewhere', 'here'] as const) {
      const change = arrivals.note('a\u001b[2J.example.com', lead);
      if (change !== null) screen.change(change);
      screen.round(arrivals);
    }
    screen.end();
    return String(output.read());
  };
  expect(shown(false)).toMatch(
    /^0 of 2 arrived\n\d\d:\d\d:\d\d {2}a\\u\{1b\}\[2J\.example\.com arrived\n1 of 2 arrived\n$/,
  );
  expect(shown(true)).not.toContain('example.com');
  expect(shown(true)).toMatch(/1 of 2 arrived\n$/);
});
