import { expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { reporting } from './throttled-log.ts';

it('what fails over and over is said once in ten seconds, with how often it was not said since', () => {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  const report = reporting(log, { now: () => now });
  for (let i = 0; i < 100; i += 1) {
    report('it fails', { i });
    report('it fails', { i }, 'otherwise');
    now += 250;
  }
  const said = lines.map(({ i, unsaid }) => [i, unsaid]);
  expect(said).toEqual([
    [0, undefined],
    [0, undefined],
    [40, 39],
    [40, 39],
    [80, 39],
    [80, 39],
  ]);
  // A clock that was set back silences nothing.
  now = -1_000_000;
  report('it fails', {});
  expect(lines).toHaveLength(7);
});
