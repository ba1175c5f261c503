import { expect, it } from 'vitest';
import { inheritedSockets, type ListeningSockets } from './inherited-sockets.ts';
import { threadListeners } from './thread-listeners.ts';

const endpoint = { host: '127.0.0.1', port: 0 };

/** How so many threads listen on these sockets. */
function divide(given: Partial<ListeningSockets>, threads: number) {
  const sockets: ListeningSockets = { name: 'api', endpoint, port: 7070, fds: [], ...given };
  return threadListeners({ name: 'api', endpoint, threads, inherited: inheritedSockets([sockets]) });
}

it.each([1, 2, 3, 5, 8])('every inherited socket belongs to exactly one of %i threads', async (threads) => {
  const fds = [5, 6, 7, 8, 9];
  const { count, optionsOf } = await divide({ fds }, threads);
  expect(count).toBe(threads);
  const divided = Array.from({ length: threads }, (_, index) => optionsOf(index, 'first')?.fds ?? []);
  expect(divided.flat().sort()).toEqual(fds);
});

it('a thread that replaces one that has died opens a socket of its own', async () => {
  const { optionsOf, canReopen } = await divide({ fds: [5] }, 1);
  expect(canReopen).toBe(true);
  expect(optionsOf(0, 'first')).toMatchObject({ port: 7070, fds: [5] });
  expect(optionsOf(0, 'again')).toMatchObject({ port: 7070 });
  expect(optionsOf(0, 'again')).not.toHaveProperty('fds');
});

it('beside sockets of systemd no others are opened', async () => {
  const { count, optionsOf, canReopen } = await divide({ endpoint: null, port: null, fds: [3, 4] }, 4);
  expect({ count, canReopen }).toEqual({ count: 2, canReopen: false });
  expect([0, 1, 2].map((index) => optionsOf(index, 'first')?.fds)).toEqual([[3], [4], undefined]);
});

it('sockets of another address are not taken', async () => {
  const other = inheritedSockets([{ name: 'api', endpoint: { ...endpoint, port: 1 }, port: 1, fds: [] }]);
  const listeners = await threadListeners({ name: 'api', endpoint, threads: 1, inherited: other });
  listeners.release();
  expect(listeners.optionsOf(0, 'first')).not.toHaveProperty('fds');
});
