import { expect, it } from 'vitest';
import { createRoom } from './adaptive-limit.ts';

function learnt(capacity: number, latenesses: number[]) {
  const room = createRoom(capacity);
  for (const ms of latenesses) room.learn(ms);
  return room;
}

const times = (count: number, ms: number): number[] => Array(count).fill(ms);

it('there is room for as many as the capacity while the event loop is on time, however long they wait for nameservers', () => {
  expect(learnt(2000, times(200, 1)).left(0)).toBe(2000);
  expect(learnt(2000, times(500, 10)).left(1500)).toBe(500);
  expect(learnt(30, []).left(0)).toBe(30);
});

it('there is less room the longer the event loop is late, and always some', () => {
  expect(learnt(2000, [...times(200, 1), 11]).left(0)).toBe(1400);
  expect(learnt(2000, [...times(200, 1), 11, 11]).left(0)).toBe(980);
  expect(learnt(2000, [...times(200, 1), ...times(100, 500)]).left(0)).toBe(10);
  expect(learnt(5, times(100, 500)).left(0)).toBe(5);
});

it('room comes back by steps', () => {
  expect(learnt(2000, [...times(100, 500), 1, 1, 1]).left(0)).toBe(40);
});
