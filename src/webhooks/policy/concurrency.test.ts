import { expect, test } from 'vitest';
import {
  freeShared,
  LEAST_OF_WEBHOOK,
  type Load,
  limitOfClaim,
  limitOfWebhook,
  limitOfWorkspace,
  nextLimitOfWebhook,
} from './concurrency.ts';

function limitAfter(limit: number, load: Load, attempts: number): number {
  for (let attempt = 0; attempt < attempts; attempt++) limit = nextLimitOfWebhook(limit, load);
  return limit;
}

test('a receiver that does not answer soon has one delivery in flight at a time, and gets more as soon as it answers', () => {
  expect(limitAfter(60, 'overloaded', 6)).toBe(LEAST_OF_WEBHOOK);
  expect(limitAfter(LEAST_OF_WEBHOOK, 'overloaded', 100)).toBe(1);
  expect(limitAfter(1, 'answered', 50)).toBe(51);
  expect(limitAfter(1, 'answered', 1000)).toBe(100);
});

test("a webhook has half of its workspace's places at most, so that another one of it has some, too", () => {
  expect(limitOfWebhook(100, 60)).toBe(30);
  expect(limitOfWebhook(8, 60)).toBe(8);
  expect(limitOfWebhook(8, 1)).toBe(1);
});

const PLACES = 500;
const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

/** How many places each of these workspaces has, whose receivers never answer, once none may have more. `groups` arrive one after the other. */
function takenBy(groups: number[]): number[] {
  const taken: number[] = [];
  for (const group of groups) {
    taken.push(...Array.from({ length: group }, () => 0));
    while (claim(taken) > 0);
  }
  return taken;
}

/** One claim: round robin, one of each at a time. */
function claim(taken: number[]): number {
  const free = freeShared(PLACES, sum(taken), taken.filter((count) => count > 0).length);
  let claimed = 0;
  let beyondFirst = 0;
  for (let round = 0; round < limitOfWorkspace(free); round++) {
    for (const [i, has] of taken.entries()) {
      const isBeyond = has > 0;
      if (has >= limitOfWorkspace(free) || (isBeyond && beyondFirst === limitOfClaim(free))) continue;
      if (sum(taken) === PLACES) return claimed;
      taken[i] = has + 1;
      claimed += 1;
      if (isBeyond) beyondFirst += 1;
    }
  }
  return claimed;
}

test.each([1, 3, 20, 60, 99])(
  '%i workspaces whose receivers are dead leave a place for another, whatever they take',
  (greedy) => {
    expect(sum(takenBy([greedy]))).toBeLessThan(PLACES);
    const oneAfterTheOther = Array.from({ length: greedy }, () => 1);
    const taken = takenBy(oneAfterTheOther);
    expect(taken.every((count) => count > 0)).toBe(true);
    expect(sum(taken)).toBeLessThan(PLACES);
  },
);

test('greedy workspaces that come together have as many each, and leave some of the shared places', () => {
  expect(takenBy([2])).toEqual([101, 101]);
  const taken = takenBy([38]);
  expect(Math.max(...taken)).toBeLessThan(2 * Math.min(...taken));
  expect(freeShared(PLACES, sum(taken), taken.length)).toBeGreaterThan(10);
});
