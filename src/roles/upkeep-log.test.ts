import { expect, it } from 'vitest';
import { upkeepLog } from './upkeep-log.ts';

it('failures of upkeep are logged once a minute at most', () => {
  let now = 0;
  const lines: unknown[] = [];
  const failed = upkeepLog({ warn: (fields: unknown) => lines.push(fields) } as never, { now: () => now });
  for (now of [0, 1, 59_999, 60_000, 60_001]) failed(now);
  expect(lines).toEqual([{ err: 0 }, { err: 60_000 }]);
});
