import { describe, expect, it } from 'vitest';
import { draftOf, pageOf, problemsOf } from './brand-draft.ts';

const EMPTY = { name: '', logo: '', accent: '', accentDark: '', support: '', origins: '' };

describe('the form of the brand', () => {
  it.each([
    ['nothing', EMPTY, { brand: {}, origins: [] }],
    ['what is empty is removed', { ...EMPTY, name: ' Acme ' }, { brand: { name: 'Acme' }, origins: [] }],
    [
      'one origin a line',
      { ...EMPTY, origins: 'https://a.example\n\n https://b.example \n' },
      { brand: {}, origins: ['https://a.example', 'https://b.example'] },
    ],
  ])('says to the API all that is typed: %s', (_, draft, page) => {
    expect(pageOf(draft)).toEqual(page);
  });

  it('changes nothing of what is saved', () => {
    const saved = { brand: { name: 'Acme', accent: '#123456' }, origins: ['https://a.example', 'https://b.example'] };
    expect(pageOf(draftOf(saved))).toEqual(saved);
  });

  it.each([
    ['body.brand.accent', 'accent'],
    ['body.origins.1', 'origins'],
    ['body.brand', 'form'],
    ['body', 'form'],
    ['body.brand.__proto__', 'form'],
  ])('shows an error of %s at the part that it is about', (location, part) => {
    expect(problemsOf([{ location, message: 'is wrong', fix: 'mend it' }])).toEqual({
      [part]: 'It is wrong. Mend it.',
    });
  });
});
