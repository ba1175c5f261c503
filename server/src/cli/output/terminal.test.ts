import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createBar } from './terminal.ts';

/** Returns the output for these shares, each at most 1. */
function written(isTTY: boolean, shares: number[]): string {
  const output = Object.assign(new PassThrough(), { isTTY });
  const bar = createBar(output as unknown as NodeJS.WriteStream);
  for (const share of shares) bar.show('Copying', share);
  bar.clear();
  return String(output.read() ?? '');
}

test('on a terminal the bar is one line, redrawn after a change and removed at the end', () => {
  const text = written(true, [0, 0.5, 0.501, 1]);
  expect(text).not.toContain('\n');
  const pictures = stripVTControlCharacters(text.replaceAll('\x1b[1G', '|')).split('|');
  expect(pictures).toEqual([
    '',
    `Copying  ${'░'.repeat(30)}  0 %`,
    `Copying  ${'█'.repeat(15)}${'░'.repeat(15)}  50 %`,
    `Copying  ${'█'.repeat(30)}  100 %`,
    '',
  ]);
});

test('without a terminal there is one line for each ten percent', () => {
  const shares = Array.from({ length: 1001 }, (_, at) => at / 1000);
  const lines = Array.from({ length: 11 }, (_, at) => `Copying: ${at * 10} %\n`);
  expect(written(false, shares)).toBe(lines.join(''));
});
