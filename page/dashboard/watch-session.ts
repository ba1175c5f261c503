import { backOff, pause } from '../../client/retry.ts';
import { untilVisible, whileVisible } from '../visibility.ts';

const RECONNECT_MS = 1_000;

/**
 * Keeps a stream open that ends with the session, while the page is visible. `isSignedIn` is asked at each end, since the
 * server may only have stopped. Resolves where there is no session, or none any more; rejects with the reason of the signal.
 */
export async function watchSession(signal: AbortSignal, isSignedIn: () => Promise<boolean>): Promise<void> {
  let failures = 0;
  let hasSession = true;

  /** Resolves with whether the stream ended, or could not begin without a session. */
  async function readToEnd(visible: AbortSignal): Promise<boolean> {
    const response = await fetch('/dashboard/watch', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
      body: '{}',
      signal: visible,
    });
    if (!response.ok) return response.status === 401;
    failures = 0;
    hasSession = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    await response.body?.pipeTo(new WritableStream());
    return hasSession;
  }

  while (hasSession) {
    await untilVisible(signal);
    let isEnded = false;
    try {
      await whileVisible(
        signal,
        async (visible) => {
          isEnded = await readToEnd(visible);
        },
        0,
      );
    } catch {
      signal.throwIfAborted();
    }
    if (isEnded && !(await isSignedIn())) return;
    await pause(backOff(null, failures, RECONNECT_MS), signal);
    failures += 1;
  }
}
