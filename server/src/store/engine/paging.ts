import type { Paged, PageRequest } from '../store.ts';

/** What a statement needs of a page: one row more than its items, which starts the next page. */
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
