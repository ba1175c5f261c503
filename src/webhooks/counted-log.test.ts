import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { countedLog } from './counted-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what happens to a webhook is reported at once, then once a minute with its number', () => {
  const lines: object[] = [];
  const log = countedLog((fields) => lines.push(fields));
  for (let i = 0; i < 1000; i++) log.add('wh_1', { i });
  log.add('wh_2', { i: 'one' });
  expect(lines.splice(0)).toEqual([
    { webhookId: 'wh_1', count: 1, i: 0 },
    { webhookId: 'wh_2', count: 1, i: 'one' },
  ]);
  vi.advanceTimersByTime(60_000);
  expect(lines.splice(0)).toEqual([{ webhookId: 'wh_1', count: 999, i: 999 }]);
  log.add('wh_1');
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(lines.splice(0)).toEqual([{ webhookId: 'wh_1', count: 1 }]);

  // After a quiet minute it is news again, and nothing is left that would run.
  vi.advanceTimersByTime(60_000);
  expect(vi.getTimerCount()).toBe(0);
  log.add('wh_1');
  expect(lines).toEqual([{ webhookId: 'wh_1', count: 1 }]);
});

test('a stop reports what is left', () => {
  const lines: object[] = [];
  const log = countedLog((fields) => lines.push(fields));
  for (let i = 0; i < 5; i++) log.add('wh_1');
  log.stop();
  expect(lines).toEqual([
    { webhookId: 'wh_1', count: 1 },
    { webhookId: 'wh_1', count: 4 },
  ]);
  expect(vi.getTimerCount()).toBe(0);
});
