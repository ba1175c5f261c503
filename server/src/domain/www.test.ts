import { expect, it } from 'vitest';
import { wwwCounterpart } from './www.ts';

it.each([
  ['example.com', 'www.example.com'],
  ['www.example.com', 'example.com'],
  ['example.co.uk', 'www.example.co.uk'],
  ['www.example.co.uk', 'example.co.uk'],
  ['xn--bcher-kva.example', 'www.xn--bcher-kva.example'],
  // Registered below a suffix of its own, as shops of a platform are.
  ['shop.github.io', 'www.shop.github.io'],
  ['www.com', 'www.www.com'],
  ['shop.example.com', null],
  ['www.shop.example.com', null],
  ['wwww.example.com', null],
  ['*.example.com', null],
  ['*.www.example.com', null],
  ['www.co.uk', 'www.www.co.uk'],
])('the counterpart of %s is %s', (name, counterpart) => {
  expect(wwwCounterpart(name)).toBe(counterpart);
});
