import { expect, test } from 'vitest';
import {
  FIRST_OF_WEBHOOK,
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
  expect(limitAfter(FIRST_OF_WEBHOOK, 'overloaded', 4)).toBe(1);
  expect(limitAfter(1, 'overloaded', 100)).toBe(1);
  expect(limitAfter(1, 'answered', 50)).toBe(51);
  expect(limitAfter(1, 'answered', 1000)).toBe(100);
});

/** Workspaces whose receivers never answer claim whatever they may, until they may claim no more. */
function takenBy(greedy: number, places: number): number[] {
  const taken = Array.from({ length: greedy }, () => 0);
  for (let claimed = -1; claimed !== 0; ) {
    const free = places - sum(taken);
    claimed = 0;
    // Round robin, one of each at a time.
    for (let round = 0; round < places; round++) {
      for (const [i, has] of taken.entries()) {
        if (claimed === limitOfClaim(free) || has >= limitOfWorkspace(free)) continue;
        taken[i] = has + 1;
        claimed += 1;
      }
    }
  }
  return taken;
}

test("a webhook has half of its workspace's places at most, so that another one of it has some, too", () => {
  expect(limitOfWebhook(100, 60)).toBe(30);
  expect(limitOfWebhook(8, 60)).toBe(8);
  expect(limitOfWebhook(8, 1)).toBe(1);
});

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

test.each([1, 3, 20, 100])('%i workspaces whose receivers are dead leave places for others', (greedy) => {
  expect(sum(takenBy(greedy, 500))).toBeLessThan(500);
});
