import { useEffect, useState } from 'preact/hooks';
import { TEXT } from './text.ts';

const changed = new EventTarget();
let isLost = false;

function tell(lost: boolean): void {
  if (lost === isLost) return;
  isLost = lost;
  changed.dispatchEvent(new Event('change'));
}

/** `fetch`, which notices whether the server can be reached. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    tell(false);
    return response;
  } catch (error) {
    if (!init?.signal?.aborted || (init.signal.reason as Error)?.name === 'TimeoutError') tell(true);
    throw error;
  }
};

/** Says so while the server cannot be reached. */
export function LostConnection() {
  const [lost, setLost] = useState(isLost);
  useEffect(() => {
    const update = () => setLost(isLost);
    const offline = () => tell(true);
    changed.addEventListener('change', update);
    addEventListener('offline', offline);
    return () => {
      changed.removeEventListener('change', update);
      removeEventListener('offline', offline);
    };
  }, []);
  return <div role="status">{lost && <p class="lost">{TEXT.lost}</p>}</div>;
}
