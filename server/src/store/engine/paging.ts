import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Paged, PageRequest } from '../store.ts';
import type { Reader, Statement } from './statement.ts';

/** The slots of a page in a statement: it reads one row more than the items, which starts the next page. */
export interface PageSlots {
  from: string;
  rows: number;
}

export function pageSlots({ cursor = '', limit }: PageRequest): PageSlots {
  return { from: cursor, rows: limit + 1 };
}

export function paged<T extends { id: string }>(rows: T[], { limit }: PageRequest): Paged<T> {
  const next = rows[limit];
  return next === undefined ? { items: rows } : { items: rows.slice(0, limit), next: next.id };
}

/** Rows in the order of a key, by an index: from one key on, and before another. */
export interface Range<Slots extends object, Row> {
  /** Those of them that match. */
  select: Statement<Slots & { from: string; to: string; rows: number }, Row>;
  /** The key so many rows after `from`; none where the range ends before. */
  next: Statement<Slots & { from: string; slice: number }, { key: string }>;
}

interface Slices {
  from: string;
  /** Matches that are wanted. */
  rows: number;
  /** Rows that one statement scans. */
  slice: number;
  /** Slices that are scanned. */
  most: number;
}

interface Found<Row> {
  rows: Row[];
  /** Where to go on; null at the end of the range. */
  next: string | null;
  /** That were scanned. */
  slices: number;
}

/** After every name and id. */
export const END = '~';

/** Looks for rows that no index finds, slice by slice of a range. SQLite reads in the API's thread, so other requests run between two slices. */
export async function searchInSlices<Slots extends object, Row>(
  reader: Reader,
  range: Range<Slots, Row>,
  slots: Slots,
  { from, rows, slice, most }: Slices,
): Promise<Found<Row>> {
  const found: Row[] = [];
  for (let slices = 1; ; slices++) {
    const end = await reader.one(range.next, { ...slots, from, slice });
    const wanted = { ...slots, from, to: end?.key ?? END, rows: rows - found.length };
    found.push(...(await reader.all(range.select, wanted)));
    if (end === null) return { rows: found, next: null, slices };
    from = end.key;
    if (found.length === rows || slices === most) return { rows: found, next: from, slices };
    await setImmediate();
  }
}

/** A pattern for `like`. Ids and names are lower case, so that a lower-case pattern is case-insensitive with the `like` of either engine. */
export function containing(search: string): string {
  return `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
}

/** That a domain's id or name holds what is searched for. */
export function matches(pattern: string) {
  return sql<boolean>`(domains.id like ${pattern} escape '\\' or domains.name like ${pattern} escape '\\')`;
}
