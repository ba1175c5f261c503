import { expect, test } from 'vitest';
import { openEngine } from '../../test/support/engine.ts';
import { attach, NOW, plant, timelineOf } from '../../test/support/entities.ts';
import { prune, ROWS_AT_ONCE, STEPS } from './pruning.ts';

const DAY_MS = 86_400_000;
const config = { eventsKeepMs: 90 * DAY_MS, webhookDeliveriesKeepMs: 14 * DAY_MS };
const clock = { now: () => NOW };

test('events are kept as long as the operator says, and then deleted', async () => {
  const { store, remove } = await openEngine();
  const { environment } = await plant(store);
  const old = await attach(store, environment, { createdAt: NOW - 90 * DAY_MS - 1 });
  const young = await attach(store, environment, { createdAt: NOW - 90 * DAY_MS });
  await prune({ store, config, clock });
  expect(await timelineOf(store, old)).toEqual([]);
  expect(await timelineOf(store, young)).toHaveLength(1);
  await store.close();
  await remove();
});

const rest: [string, boolean, number][] = [
  ['in so many steps at most', false, STEPS],
  ['in no further step once the process stops', true, 0],
];
test.for(rest)('of more old events than one run deletes the rest is left to the next, %s', async ([, stops, steps]) => {
  const { store, remove } = await openEngine();
  let taken = 0;
  const endless = {
    ...store,
    async pruneEvents() {
      taken++;
      return ROWS_AT_ONCE;
    },
  };
  await prune({ store: endless, config, clock }, () => stops);
  expect(taken).toBe(steps);
  await store.close();
  await remove();
});
