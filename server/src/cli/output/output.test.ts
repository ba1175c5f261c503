import { describe, expect, test, vi } from 'vitest';
import { CliError, reportError } from '../cli-error.ts';
import { type Column, jsonText, print, printable, shortDuration, table, wrap } from './output.ts';

type Row = [string, string];
const columns: Column<Row>[] = [
  { title: 'Name', text: ([name]) => name },
  { title: 'Value', text: ([, value]) => value },
];

describe('a table', () => {
  const rows: Row[] = [
    ['a', 'first'],
    ['longer', 'second'],
  ];

  test('aligns its columns', () => {
    expect(table(columns, rows, 80)).toBe(['  Name    Value', '  a       first', '  longer  second'].join('\n'));
  });

  test('becomes blocks if a row does not fit', () => {
    expect(table(columns, rows, 15)).toBe(
      ['  Name   a', '  Value  first', '', '  Name   longer', '  Value  second'].join('\n'),
    );
  });

  test('escapes control characters in untrusted text', () => {
    expect(table(columns, [['\u001b[2J', '\u202eevil\nline']], 80)).toContain('\\u{1b}[2J  \\u{202e}evil\\u{a}line');
  });
});

test('JSON has the values of DNS records, and no character that controls a terminal', () => {
  const seen = ['\u009b2J \u202e \u{e0001} \u2028 bücher', '"\\'];
  const text = jsonText({ seen, absent: null });
  expect(JSON.parse(text)).toEqual({ seen });
  expect(text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(text).toContain('\\u009b2J \\u202e \\udb40\\udc01 \\u2028 bücher');
});

test('printed text has no character that controls a terminal or reorders text, except styles and line breaks', () => {
  const written: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0),
  );
  const evil = '\u001b[2J\u001b]0;x\u0007\u202e\u2066\r\u009bm';
  const styled = '\u001b[8m';
  print(`\u001b[31mred\u001b[39m\n\ta ${evil}`);
  reportError(new CliError(`No domain ${evil}${styled}\nNext`), true);
  for (const spy of spies) spy.mockRestore();
  const shown = '\\u{1b}[2J\\u{1b}]0;x\\u{7}\\u{202e}\\u{2066}\\u{d}\\u{9b}m';
  expect(written.slice(0, 2)).toEqual([
    `\u001b[31mred\u001b[39m\n\ta ${shown}\n`,
    `nameplate: No domain ${shown}\\u{1b}[8m\nNext\n`,
  ]);
  expect(JSON.parse(written[2] ?? '')).toEqual({ error: { message: `No domain ${evil}${styled}\nNext` } });
  expect(written[2]?.trimEnd()).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
});

test('printable text stays as it is', () => {
  expect(printable('_service.bücher.example "a b"')).toBe('_service.bücher.example "a b"');
});

test.each([
  [59.5 * 86_400_000, '59 d 12 h'],
  [86_399_000, '23 h 59 min'],
  [250_000, '4 min 10 s'],
  [9400, '9 s'],
  [-5, '0 s'],
])('%d ms read as %s', (ms, words) => {
  expect(shortDuration(ms)).toBe(words);
});

test('wrapped text fits the terminal, with whole words and indented lines', () => {
  expect(wrap('one two three four', 4, 12)).toBe('one two\n    three\n    four');
});
