import { expect, test } from 'vitest';
import { isBelow, isWithin, normalizeName, parentOf } from './dns-name.ts';

test('names are normalized: lower case, no final dot, "." for the root', () => {
  expect(['WWW.Acme.com.', 'acme.com', '.', ''].map(normalizeName)).toEqual(['www.acme.com', 'acme.com', '.', '.']);
});

test.each([
  ['www.acme.com', 'acme.com', true, true],
  ['acme.com', 'acme.com', true, false],
  ['notacme.com', 'acme.com', false, false],
  ['com', 'acme.com', false, false],
  ['acme.com', '.', true, true],
  ['.', '.', true, false],
])('%s in %s: within %s, below %s', (name, zone, within, below) => {
  expect(isWithin(name, zone)).toBe(within);
  expect(isBelow(name, zone)).toBe(below);
});

test('the parent of a name lacks its first label', () => {
  expect(['www.acme.com', 'com', '.'].map(parentOf)).toEqual(['acme.com', '.', '.']);
});
