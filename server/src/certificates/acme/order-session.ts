import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { CaProblem, type IssueTask } from '../issuer.ts';
import type { Account } from './acme-account.ts';
import type { AcmeClient, AcmeResponse } from './acme-client.ts';
import { AcmeError } from './problem-document.ts';

/** The steps of one order share these values. */
export interface Session {
  client: AcmeClient;
  account: Account;
  task: IssueTask;
  /** As in `AcmeOptions`. */
  profile: string | null;
  chain: string | null;
  clock: Clock;
  log: Log;
  pollBudget: ReturnType<typeof createPollBudget>;
}

const LEASE_CHECK_MS = 10_000;

/** Limits the waits between two reads of an order. `pollMs`: the shortest wait. `budgetMs`: for all waits together. */
export function createPollBudget(
  { signal, ensureLease }: Pick<IssueTask, 'signal' | 'ensureLease'>,
  { host, pollMs, budgetMs }: { host: string; pollMs: number; budgetMs: number },
) {
  let leftMs = budgetMs;
  return {
    /**
     * Waits as long as the CA asks for, or else `pollMs`, and keeps the lease meanwhile. Rejects with `CaProblem`, of
     * kind `unavailable`, when the budget does not cover the wait: the order stays, to be resumed later.
     */
    async wait(retryAfterMs: number | null): Promise<void> {
      const waitMs = Math.max(retryAfterMs ?? 0, pollMs);
      leftMs -= waitMs;
      if (leftMs < 0) {
        const message = `${host} did not complete the order within ${Math.round(budgetMs / 1000)} s.`;
        throw new CaProblem('unavailable', message, { retryAfterMs });
      }
      for (let restMs = waitMs; restMs > 0; restMs -= LEASE_CHECK_MS) {
        await sleep(Math.min(restMs, LEASE_CHECK_MS), undefined, { signal }).catch(() => signal.throwIfAborted());
        await ensureLease();
      }
    },
  };
}

/**
 * A request about an order; `payload` null: POST-as-GET (RFC 8555 section 6.3). Rejects with `CaProblem`, of kind
 * `order_gone` if the CA no longer has the order.
 */
export async function request(session: Session, url: string, payload: object | null): Promise<AcmeResponse> {
  const { client, account, task } = session;
  try {
    return await client.post(account, url, payload, task.signal);
  } catch (error) {
    throw error instanceof AcmeError && error.status === 404 && !error.concernsAccount ? orderGone(error) : error;
  }
}

/** The CA no longer has the order, or not for this account. */
export function orderGone(error: AcmeError): CaProblem {
  return new CaProblem('order_gone', error.message, { type: error.type, cause: error });
}
