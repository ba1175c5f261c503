/** A list that is loaded page by page, and whose pages are loaded again while they are in view. Pure. */

export interface RowPage<Row> {
  /** Cursor that it was loaded with; undefined: it is the first. */
  after: string | undefined;
  /** Cursor of the page after it; undefined: it is the last. */
  next: string | undefined;
  rows: readonly Row[];
  /** When it was loaded, in ms of the monotonic clock; 0: it has to be loaded again. */
  at: number;
}

export type RowPages<Row> = readonly RowPage<Row>[];

export function rowCount<Row>(pages: RowPages<Row>): number {
  return pages.reduce((count, { rows }) => count + rows.length, 0);
}

/** Whether there is more than was loaded. */
export function hasMore<Row>(pages: RowPages<Row>): boolean {
  const last = pages.at(-1);
  return last === undefined || last.next !== undefined;
}

/** The rows from `from` to before `to`, each with its page and its position in the list. */
export function rowsBetween<Row>(
  pages: RowPages<Row>,
  from: number,
  to: number,
): { row: Row; page: number; position: number }[] {
  const found = [];
  let start = 0;
  for (const [page, { rows }] of pages.entries()) {
    if (start >= to) break;
    if (start + rows.length > from) {
      for (let at = Math.max(0, from - start); at < Math.min(rows.length, to - start); at += 1) {
        const row = rows[at];
        if (row !== undefined) found.push({ row, page, position: start + at });
      }
    }
    start += rows.length;
  }
  return found;
}

/**
 * Puts a page in place of the one with the same position, or behind the last. Where its end has moved, the page after it begins elsewhere, and has
 * to be loaded again; where it is the last one now, those after it are gone.
 */
export function withPage<Row>(pages: RowPages<Row>, position: number, page: RowPage<Row>): RowPages<Row> {
  const before = pages.slice(0, position);
  const [following, ...rest] = pages.slice(position + 1);
  if (following === undefined || page.next === undefined) return [...before, page];
  if (following.after === page.next) return [...before, page, following, ...rest];
  return [...before, page, { ...following, after: page.next, at: 0 }, ...rest];
}
