/**
 * A hidden page keeps its connection for this long: a visitor who opens the DNS panel for a moment comes back to a
 * current page.
 */
const HIDDEN_MS = 30_000;

const isHidden = () => document.visibilityState === 'hidden';

/** Resolves once the page is visible. Rejects with the reason of the signal. */
export function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (isHidden() && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}

/**
 * Runs `work` until the page has been hidden for `hiddenMs` without a break, and resolves then: its signal is aborted. Over
 * HTTP/1.1 browsers have six connections to a host, for all tabs together, so a tab that nobody looks at keeps none.
 * Otherwise resolves and rejects as `work` does.
 */
export async function whileVisible(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  hiddenMs = HIDDEN_MS,
): Promise<void> {
  const left = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (isHidden()) timer = setTimeout(() => left.abort(), hiddenMs);
  };
  document.addEventListener('visibilitychange', look);
  look();
  try {
    await work(AbortSignal.any([signal, left.signal]));
  } catch (error) {
    if (signal.aborted || !left.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  }
}
