import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** A call as a page shows it: the last result stays while a newer one is loaded, or could not be. */
export interface Loaded<Data> {
  data: Data | undefined;
  /** Why the last attempt failed. */
  error: unknown;
  isLoading: boolean;
  reload(): void;
}

/** Loads when `key` changes, and every `everyMs` while the page is visible. An attempt that is no longer wanted is aborted. */
export function useLoad<Data>(
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
  { everyMs }: { everyMs?: number } = {},
): Loaded<Data> {
  const [state, setState] = useState<{ key: string; data?: Data; error?: unknown; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(() => setTurn((before) => before + 1), []);

  useEffect(() => {
    const aborted = new AbortController();
    const { signal } = aborted;
    setState((before) => ({ ...(before.key === key ? before : { key }), isLoading: true }));
    latest.current(signal).then(
      (data) => signal.aborted || setState({ key, data, isLoading: false }),
      (error) => signal.aborted || setState((before) => ({ ...before, error, isLoading: false })),
    );
    return () => aborted.abort();
  }, [key, turn]);

  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);

  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: state.isLoading || !isCurrent,
    reload,
  };
}
