import { expect, it } from 'vitest';
import { unicodeForm, visible } from './names.ts';

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

it('characters that cannot be seen, or reorder others, are written out; all others stay', () => {
  expect(visible('a\u202eb\u2066c\u0000d\u200be\u00a0f\ng')).toBe(
    'a\\u{202e}b\\u{2066}c\\u{0}d\\u{200b}e\\u{a0}f\\u{a}g',
  );
  expect(visible('v=spf1 "müller" 例 ישראל \\')).toBe('v=spf1 "müller" 例 ישראל \\');
});
