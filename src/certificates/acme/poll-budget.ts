import { setTimeout as sleep } from 'node:timers/promises';
import { CaProblem, type IssueTask } from '../issuer.ts';

/** Waits between looks at what a CA is doing. */
export interface Patience {
  /**
   * As long as the CA asked for, or else as usual; `alive` is called meanwhile. Rejects with `CaProblem`, of kind `unavailable`, when that would be
   * more than there is patience for: the order stays, to be looked at later.
   */
  wait(retryAfterMs: number | null): Promise<void>;
}

/** No longer without a sign of life. */
const SLICE_MS = 10_000;

/** `pollMs`: waited unless the CA asks for more. `limitMs`: all waits together. */
export function createPatience(
  { signal, alive }: Pick<IssueTask, 'signal' | 'alive'>,
  { host, pollMs, limitMs }: { host: string; pollMs: number; limitMs: number },
): Patience {
  let leftMs = limitMs;
  return {
    async wait(retryAfterMs) {
      const waitMs = Math.max(retryAfterMs ?? 0, pollMs);
      leftMs -= waitMs;
      if (leftMs < 0) {
        const message = `${host} is not done with the order after ${Math.round(limitMs / 1000)} s.`;
        throw new CaProblem('unavailable', message, { retryAfterMs });
      }
      for (let restMs = waitMs; restMs > 0; restMs -= SLICE_MS) {
        await sleep(Math.min(restMs, SLICE_MS), undefined, { signal }).catch(() => signal.throwIfAborted());
        await alive();
      }
    },
  };
}
