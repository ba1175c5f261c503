import { expect, it } from 'vitest';
import { unicodeForm } from './names.ts';

it.each([
  ['xn--mller-kva.example', 'müller.example'],
  ['shop.xn--fsq.example', 'shop.例.example'],
  ['xn--4dbrk0ce.example', 'ישראל.example'],
])('%s is %s', (name, unicode) => {
  expect(unicodeForm(name)).toBe(unicode);
});

it('a name without Punycode, or with labels that are not valid or not visible, has no other form', () => {
  expect(unicodeForm('shop.example.com')).toBeNull();
  expect(unicodeForm('xn--0.example')).toBeNull();
  // Right-to-left override, and a zero-width space.
  expect(unicodeForm('xn--ab-g4t.example')).toBeNull();
  expect(unicodeForm('xn--ab-g1t.example')).toBeNull();
});
