import type { Page } from '../../client/client.ts';
import { hasMore, type RowPages, rowCount, rowsBetween, withPage } from './row-pages.ts';

const REFRESH_MS = 10_000;
/** Pause after an error. */
const RETRY_MS = 5_000;
/** Rows that are loaded ahead of those in view. */
const AHEAD = 200;

export type LoadPage<Row> = (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>;

export interface Loading<Row> {
  pages: RowPages<Row>;
  isLoading: boolean;
  error: unknown;
}

/** Loads pages one at a time: those that are in view, and those that come next. */
export interface PageLoader {
  /** Which rows are in view. */
  look(from: number, to: number): void;
  /** Loads what is due. */
  pump(): void;
  /** Makes the rows in view due now. */
  reload(): void;
  stop(): void;
}

/** `now`: ms of the monotonic clock. */
export function pageLoader<Row>(
  load: LoadPage<Row>,
  onChange: (loading: Loading<Row>) => void,
  now: () => number = () => performance.now(),
): PageLoader {
  const stopped = new AbortController();
  const { signal } = stopped;
  let pages: RowPages<Row> = [];
  let view = { from: 0, to: 1 };
  let isBusy = false;
  let error: unknown;
  let waitUntil = 0;
  let freshFrom = Number.NEGATIVE_INFINITY;

  /** The position of the next page to load, or null. */
  function next(): number | null {
    const inView = new Set(rowsBetween(pages, view.from, view.to).map(({ page }) => page));
    if (inView.size === 0 && pages.length > 0 && rowCount(pages) === 0) inView.add(0);
    for (const position of inView) {
      const { at = 0 } = pages[position] ?? {};
      if (at === 0 || at < freshFrom || now() - at >= REFRESH_MS) return position;
    }
    return hasMore(pages) && rowCount(pages) < view.to + AHEAD ? pages.length : null;
  }

  async function pump(): Promise<void> {
    if (isBusy || signal.aborted || now() < waitUntil) return;
    isBusy = true;
    for (let position = next(); position !== null && !signal.aborted; position = next()) {
      const after = position < pages.length ? pages[position]?.after : pages.at(-1)?.next;
      onChange({ pages, isLoading: true, error });
      try {
        const { items, cursor } = await load(after, signal);
        pages = withPage(pages, position, { after, next: cursor, rows: items, at: now() });
        error = undefined;
      } catch (problem) {
        error = problem;
        waitUntil = now() + RETRY_MS;
        break;
      }
    }
    isBusy = false;
    if (!signal.aborted) onChange({ pages, isLoading: false, error });
  }

  return {
    look(from, to) {
      if (from === view.from && to === view.to) return;
      view = { from, to };
      pump();
    },
    pump,
    reload() {
      freshFrom = now();
      waitUntil = 0;
      pump();
    },
    stop: () => stopped.abort(),
  };
}
