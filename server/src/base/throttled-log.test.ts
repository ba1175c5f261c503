import { expect, it } from 'vitest';
import { createLog } from './log.ts';
import { throttledWarn } from './throttled-log.ts';

it('a warning that repeats is logged once in ten seconds, with the number of those suppressed', () => {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  const warn = throttledWarn(log, { now: () => now });
  for (let i = 0; i < 100; i += 1) {
    warn('it fails', { i });
    warn('it fails', { i }, 'otherwise');
    now += 250;
  }
  const logged = lines.map(({ i, suppressed }) => [i, suppressed]);
  expect(logged).toEqual([
    [0, undefined],
    [0, undefined],
    [40, 39],
    [40, 39],
    [80, 39],
    [80, 39],
  ]);
  // A clock that was set back suppresses nothing.
  now = -1_000_000;
  warn('it fails', {});
  expect(lines).toHaveLength(7);
});
