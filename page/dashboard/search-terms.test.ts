import { describe, expect, it } from 'vitest';
import { externalIdSearch, searchTerms, WHOLE } from './search-terms.ts';

describe('what is typed into the search', () => {
  it.each([
    ['', {}],
    ['shop', { search: 'shop' }],
    ['https://shop.example.com/cart?x=1', { search: 'shop.example.com' }],
    ['plan=pro', { metadata: { plan: 'pro' } }],
    ['plan=pro region=eu shop', { metadata: { plan: 'pro', region: 'eu' }, search: 'shop' }],
    ['note="two words"', { metadata: { note: 'two words' } }],
    ['token=a=b', { metadata: { token: 'a=b' } }],
    ['id:customer_7', { externalId: 'customer_7' }],
    ['externalId:"customer 7" plan=pro', { externalId: 'customer 7', metadata: { plan: 'pro' } }],
    ['a=1 b=2 c=3 d=4 e=5 f=6', { metadata: { a: '1', b: '2', c: '3', d: '4', e: '5' } }],
  ])('%j asks for %j', (typed, terms) => {
    expect(searchTerms(typed)).toEqual(terms);
  });

  it('finds every external id again that the list offers to look for', () => {
    for (const externalId of ['customer_7', 'a b', 'k=v', 'x:y'])
      expect(searchTerms(externalIdSearch(externalId))).toEqual({ externalId });
  });

  it('is looked up at once if it is a whole name or id', () => {
    expect(
      ['shop.example.com', 'dom_01kaghr5t6y7v8w9x0a1b2c3d4', 'bücher.example'].every((text) => WHOLE.test(text)),
    ).toBe(true);
    expect(['shop', 'dom_', 'shop.', 'a b.c'].some((text) => WHOLE.test(text))).toBe(false);
  });
});
