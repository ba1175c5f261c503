import { expect, test } from 'vitest';
import type { DueWebhook } from '../../store/store.ts';
import { chooseWebhooks } from './concurrency.ts';

const aDue = (webhookId: string, about: Partial<DueWebhook> = {}): DueWebhook => ({
  webhookId,
  due: 1,
  dueAt: 0,
  isFailing: false,
  ...about,
});

/** The ids of the chosen ones. */
function choose(due: DueWebhook[], inFlight: Record<string, number>, places = 40): string[] {
  return chooseWebhooks(due, new Map(Object.entries(inFlight)), places).map(({ webhookId }) => webhookId);
}

test('a webhook has 20 deliveries in flight at most, and one that fails has one', () => {
  expect(choose([aDue('a')], { a: 19 }, 500)).toEqual(['a']);
  expect(choose([aDue('a')], { a: 20 }, 500)).toEqual([]);
  expect(choose([aDue('a', { isFailing: true })], {}, 500)).toEqual(['a']);
  expect(choose([aDue('a', { isFailing: true })], { a: 1 }, 500)).toEqual([]);
});

test('each is begun as often as it has something due, one after the other', () => {
  expect(choose([aDue('a', { due: 3 }), aDue('b', { due: 2 })], {}, 500)).toEqual(['a', 'b', 'a', 'b', 'a']);
  expect(choose([aDue('a', { due: 20 })], { a: 18 }, 500)).toEqual(['a', 'a']);
});

test('those with the fewest in flight come first, then the most overdue', () => {
  const due = [aDue('a', { dueAt: 1 }), aDue('b', { dueAt: 3 }), aDue('c', { dueAt: 2 })];
  expect(choose(due, { a: 2 })).toEqual(['c', 'b', 'a']);
});

test('whatever others take, half of the places are for webhooks that have nothing in flight', () => {
  const greedy = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`greedy${i}`, 2]));
  const due = [...Object.keys(greedy), 'a', 'b'].map((id) => aDue(id));
  expect(choose(due, greedy)).toEqual(['a', 'b']);
});

test('nor do webhooks that fail take more than half of them, however many there are', () => {
  const due = Array.from({ length: 99 }, (_, i) => aDue(`dead${i}`, { isFailing: true }));
  expect(choose([...due, aDue('a')], {})).toHaveLength(20);
  expect(choose([...due, aDue('a')], {})[0]).toBe('a');
});

test('no more are begun than there are places', () => {
  const due = Array.from({ length: 99 }, (_, i) => aDue(`w${i}`));
  expect(choose(due, { other: 35 })).toHaveLength(5);
  expect(choose(due, { other: 40 })).toEqual([]);
});
