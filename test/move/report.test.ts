import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openReport } from '../../server/src/cli/move/move-report.ts';
import { closingAfterEach } from '../support/closing.ts';
import { temporaryDirectory } from '../support/command.ts';

const closing = closingAfterEach();
const REFUSED = { line: 1, domain: 'shop.example.com', status: 400, reason: 'No.' } as const;

function place() {
  const { path, remove } = temporaryDirectory();
  closing.push(remove);
  return join(path, 'report.csv');
}

test('a report is readable for its owner alone, whatever an interrupted command or somebody else left in its place', () => {
  const path = place();
  writeFileSync(`${path}.part`, 'left');
  chmodSync(`${path}.part`, 0o666);
  const report = openReport(path);
  report.add(REFUSED);
  report.end();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toBe('line,domain,status,reason\n1,shop.example.com,400,No.\n');

  const other = `${path}.other`;
  writeFileSync(other, 'mine');
  symlinkSync(other, `${path}.part`);
  const second = openReport(path);
  second.add(REFUSED);
  second.end();
  expect(readFileSync(other, 'utf8')).toBe('mine');
});

test('a report without lines is no file, and an earlier one is gone', () => {
  const path = place();
  writeFileSync(path, 'earlier');
  openReport(path).end();
  expect([path, `${path}.part`].map((each) => existsSync(each))).toEqual([false, false]);
});

test('a name of any length is cut for the terminal, and is whole in the file', () => {
  const path = place();
  const report = openReport(path);
  const domain = 'a'.repeat(5000);
  report.add({ ...REFUSED, domain });
  report.end();
  expect(report.shown.map((line) => line.domain)).toEqual([`${'a'.repeat(253)}…`]);
  expect(readFileSync(path, 'utf8')).toContain(domain);
});
