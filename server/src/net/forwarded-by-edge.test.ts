import { expect, it } from 'vitest';
import { clientOfEdge } from './forwarded-by-edge.ts';

it.each<[what: string, headers: Record<string, string>, client: string | null]>([
  ['nobody forwards', { 'x-real-ip': '192.0.2.1' }, null],
  ['the edge forwards', { 'x-forwarded-by-edge': 'secret', 'x-real-ip': '192.0.2.1' }, '192.0.2.1'],
  ['the edge forwards over IPv6', { 'x-forwarded-by-edge': 'secret', 'x-real-ip': '2001:db8::1' }, '2001:db8::1'],
  ['somebody pretends to be the edge', { 'x-forwarded-by-edge': 'guess!', 'x-real-ip': '192.0.2.1' }, null],
  ['somebody guesses a part', { 'x-forwarded-by-edge': 'secre', 'x-real-ip': '192.0.2.1' }, null],
  ['the edge forwards for a client that has gone', { 'x-forwarded-by-edge': 'secret', 'x-real-ip': '' }, 'unknown'],
])('the client of a request that %s', (_, headers, client) => {
  expect(clientOfEdge({ headers }, 'secret')).toBe(client);
});
