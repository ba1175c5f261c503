import { expect, test } from 'vitest';
import { createDueLoop } from './due-loop.ts';
import { createLog } from './log.ts';

const HOUR_MS = 3_600_000;

/** A loop for which nothing is due, whose waits are as long as a test never is; `claimed` resolves with its first claim. */
function idleLoop({ pollMs, restMs }: { pollMs: number; restMs: number }) {
  const { promise: claimed, resolve } = Promise.withResolvers<void>();
  const loop = createDueLoop<never, void>({
    ...{ clock: Date, log: createLog('silent'), name: 'item', maxInFlight: 10, batch: 1, deadlineMs: HOUR_MS },
    ...{ pollMs, restMs },
    async claim() {
      resolve();
      return [];
    },
    async complete() {},
    about: () => ({}),
  });
  return { loop, claimed };
}

test.each([
  ['for the next poll', { pollMs: HOUR_MS, restMs: 0 }],
  ['between two claims', { pollMs: HOUR_MS, restMs: HOUR_MS }],
])('a stop ends a wait %s', async (_, waits) => {
  const { loop, claimed } = idleLoop(waits);
  loop.start();
  await claimed;
  await loop.stop();
  expect(await loop.runOnce()).toBe(0);
});
