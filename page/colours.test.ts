import fc from 'fast-check';
import { expect, it } from 'vitest';
import { brandColours } from './brand-colours.ts';
import { contrast, isColour, legibleOn, textOn } from './colours.ts';

const colour = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`);
const LEGIBLE = 4.5;

it('contrast is that of WCAG 2.2', () => {
  expect(contrast('#000000', '#ffffff')).toBe(21);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrast('#123456', '#123456')).toBe(1);
});

it('a text on any brand colour is legible', () => {
  fc.assert(fc.property(colour, (ground) => contrast(textOn(ground), ground) >= LEGIBLE));
});

it('any brand colour becomes legible on any ground, and one that is legible stays as it is', () => {
  fc.assert(
    fc.property(colour, colour, (ground, brand) => {
      const text = legibleOn(ground, brand);
      expect(contrast(text, ground)).toBeGreaterThanOrEqual(LEGIBLE);
      if (contrast(brand, ground) >= LEGIBLE) expect(text).toBe(brand);
    }),
  );
});

it('an invalid colour sets none', () => {
  for (const text of ['red', '#fff', '#12345g', '#123456;color:red', undefined]) {
    expect(isColour(text)).toBe(false);
    if (text !== undefined) expect(brandColours({ accent: text, accentDark: text })).toEqual({});
  }
});

it('a button of any brand colour is seen: its ground or its edge differs from what is around it', () => {
  fc.assert(
    fc.property(colour, colour, (accent, accentDark) => {
      const colours = brandColours({ accent, accentDark });
      for (const ground of ['#ffffff', '#f6f7f9', '#f3f4f6'])
        expect(contrast(colours['--brand-edge-light'] ?? '', ground)).toBeGreaterThanOrEqual(3);
      for (const ground of ['#181b20', '#0f1114', '#22262d'])
        expect(contrast(colours['--brand-edge-dark'] ?? '', ground)).toBeGreaterThanOrEqual(3);
    }),
  );
});
