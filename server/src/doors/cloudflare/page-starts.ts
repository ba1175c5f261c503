/** Where numbered pages start, as far as a reader came: cursors, for clients that read pages in order. */
export interface PageStarts {
  find(zone: string, perPage: number, page: number): string | undefined;
  note(zone: string, perPage: number, page: number, cursor: string): void;
}

const CAPACITY = 10_000;

/** Keeps the newest. A cursor is an id: it gives nothing to a key that may not read the zone. */
export function pageStarts(): PageStarts {
  const kept = new Map<string, string>();
  const keyOf = (zone: string, perPage: number, page: number) => `${zone} ${perPage} ${page}`;
  return {
    find: (...page) => kept.get(keyOf(...page)),
    note(zone, perPage, page, cursor) {
      const key = keyOf(zone, perPage, page);
      kept.delete(key);
      kept.set(key, cursor);
      const [oldest] = kept.keys();
      if (kept.size > CAPACITY && oldest !== undefined) kept.delete(oldest);
    },
  };
}
