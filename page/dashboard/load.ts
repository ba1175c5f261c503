import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** A call as a page shows it: the last result stays while a newer one is loaded, or could not be. */
export interface Loaded<Data> {
  data: Data | undefined;
  /** Why the last attempt failed. */
  error: unknown;
  isLoading: boolean;
  reload(): void;
}

interface State<Data> {
  key: string;
  data?: Data;
  error?: unknown;
  isLoading: boolean;
}

/**
 * Loads when `key` changes, and every `everyMs` while the page is visible and nothing is in flight: a slow response is not given up
 * for the next one. An attempt that is no longer wanted is aborted.
 */
export function useLoad<Data>(
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
  { everyMs }: { everyMs?: number } = {},
): Loaded<Data> {
  const [state, setState] = useState<State<Data>>({ key, isLoading: true });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const isBusy = useRef(false);
  const reload = useCallback(() => setTurn((before) => before + 1), []);

  useEffect(() => {
    const aborted = new AbortController();
    const { signal } = aborted;
    const end = (change: (before: State<Data>) => State<Data>) => {
      if (signal.aborted) return;
      isBusy.current = false;
      setState(change);
    };
    isBusy.current = true;
    setState((before) => ({ ...(before.key === key ? before : { key }), isLoading: true }));
    latest.current(signal).then(
      (data) => end(() => ({ key, data, isLoading: false })),
      (error) => end((before) => ({ ...before, error, isLoading: false })),
    );
    return () => aborted.abort();
  }, [key, turn]);

  useEffect(() => {
    if (everyMs === undefined) return;
    const look = () => {
      if (document.visibilityState === 'visible' && !isBusy.current) reload();
    };
    const timer = setInterval(look, everyMs);
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
