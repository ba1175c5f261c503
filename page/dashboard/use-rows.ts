import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Loading, type LoadPage, type PageLoader, pageLoader } from './page-loader.ts';

const LOOK_MS = 1_000;

export interface Rows<Row> extends Loading<Row> {
  /** Whether the rows are still those of the filter before. */
  isStale: boolean;
  /** Says which rows are in view. */
  look(from: number, to: number): void;
  reload(): void;
}

/** The rows of a list, kept true while the document is visible. Those of the key before stay until there are others. */
export function useRows<Row>(key: string, load: LoadPage<Row>): Rows<Row> {
  const [state, setState] = useState<Loading<Row> & { key: string }>({
    key,
    pages: [],
    isLoading: true,
    error: undefined,
  });
  const latest = useRef(load);
  latest.current = load;
  const loader = useRef<PageLoader | null>(null);

  useEffect(() => {
    const show = (loading: Loading<Row>) => {
      const isFirst = loading.pages.length === 0 && loading.error === undefined;
      setState((before) => (isFirst ? { ...before, isLoading: true } : { ...loading, key }));
    };
    const current = pageLoader<Row>((cursor, signal) => latest.current(cursor, signal), show);
    loader.current = current;
    current.pump();
    const timer = setInterval(() => document.visibilityState === 'visible' && current.pump(), LOOK_MS);
    return () => {
      clearInterval(timer);
      current.stop();
    };
  }, [key]);

  const look = useCallback((from: number, to: number) => loader.current?.look(from, to), []);
  const reload = useCallback(() => loader.current?.reload(), []);
  return { ...state, isStale: state.key !== key, look, reload };
}
