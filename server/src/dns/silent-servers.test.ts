import { expect, test } from 'vitest';
import { silentServers } from './silent-servers.ts';

const MINUTE_MS = 60_000;

test('a server that did not answer is silent for 30 s, then for longer each time, ten minutes at most', () => {
  let now = 0;
  const silent = silentServers({ now: () => now });
  const lasts: number[] = [];
  for (let time = 0; time < 7; time++) {
    silent.note('192.0.2.1', false);
    const since = now;
    while (silent.has('192.0.2.1')) now += 1000;
    lasts.push((now - since) / 1000);
  }
  expect(lasts).toEqual([30, 60, 120, 240, 480, 600, 600]);
});

test('an answer ends it', () => {
  let now = 0;
  const silent = silentServers({ now: () => now });
  silent.note('192.0.2.1', false);
  silent.note('192.0.2.1', true);
  expect(silent.has('192.0.2.1')).toBe(false);
  silent.note('192.0.2.1', false);
  now += MINUTE_MS / 2;
  expect(silent.has('192.0.2.1')).toBe(false);
});

test('more silence meanwhile does not lengthen it, and a clock that is set back ends it', () => {
  let now = 1_000_000;
  const silent = silentServers({ now: () => now });
  silent.note('192.0.2.1', false);
  now += 20_000;
  silent.note('192.0.2.1', false);
  now += 10_000;
  expect(silent.has('192.0.2.1')).toBe(false);
  silent.note('192.0.2.1', false);
  now -= 500_000;
  expect(silent.has('192.0.2.1')).toBe(false);
});
