import type { Clock } from '../../clock.ts';
import { CaProblem, type IssueTask } from '../issuer.ts';
import type { Account } from './acme-account.ts';
import type { AcmeClient, AcmeReply } from './acme-client.ts';
import type { Patience } from './poll-budget.ts';
import { Refusal } from './problem-document.ts';

/** What working on an order takes. */
export interface Session {
  client: AcmeClient;
  account: Account;
  task: IssueTask;
  clock: Clock;
  patience: Patience;
}

/**
 * Asks for something of an order; `payload` null: only looks (POST-as-GET, RFC 8555 section 6.3). Rejects with `CaProblem`, of kind `order_gone`
 * where the CA no longer has it.
 */
export async function ask(session: Session, url: string, payload: object | null): Promise<AcmeReply> {
  const { client, account, task } = session;
  try {
    return await client.post(account, url, payload, task.signal);
  } catch (error) {
    throw error instanceof Refusal && error.status === 404 && !error.concernsAccount ? orderGone(error) : error;
  }
}

/** What the CA said means that it no longer has the order, or not for us. */
export function orderGone(refusal: Refusal): CaProblem {
  return new CaProblem('order_gone', refusal.message, { type: refusal.type, cause: refusal });
}
