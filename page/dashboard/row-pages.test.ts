import { describe, expect, it } from 'vitest';
import { hasMore, type RowPage, type RowPages, rowCount, rowsBetween, withPage } from './row-pages.ts';

const page = (after: string | undefined, next: string | undefined, ...rows: string[]): RowPage<string> => ({
  after,
  next,
  rows,
  at: 1,
});
const PAGES = [page(undefined, 'b', 'a', 'b'), page('b', 'c'), page('c', 'e', 'c', 'd', 'e')];
const rowsOf = (pages: RowPages<string>) => pages.flatMap(({ rows }) => rows);

describe('a list of pages', () => {
  it('has rows at positions, over pages with fewer rows than others, or none', () => {
    expect(rowCount(PAGES)).toBe(5);
    expect(rowsBetween(PAGES, 1, 4)).toEqual([
      { row: 'b', page: 0, position: 1 },
      { row: 'c', page: 2, position: 2 },
      { row: 'd', page: 2, position: 3 },
    ]);
    expect(rowsBetween(PAGES, 4, 99).map(({ row }) => row)).toEqual(['e']);
  });

  it('has more until a page has no cursor', () => {
    expect([hasMore([]), hasMore(PAGES), hasMore([page(undefined, undefined)])]).toEqual([true, true, false]);
  });

  it('keeps the pages around one that was loaded again and ends where it ended', () => {
    const again = withPage(PAGES, 0, page(undefined, 'b', 'A', 'b'));
    expect(rowsOf(again)).toEqual(['A', 'b', 'c', 'd', 'e']);
    expect(again.every(({ at }) => at > 0)).toBe(true);
  });

  it('loads the next page again from where the one before now ends', () => {
    const [, second] = withPage(PAGES, 0, page(undefined, 'aa', 'a', 'aa'));
    expect(second).toMatchObject({ after: 'aa', at: 0 });
  });

  it('loses the pages behind one that is the last now', () => {
    expect(rowsOf(withPage(PAGES, 0, page(undefined, undefined, 'a')))).toEqual(['a']);
  });
});
