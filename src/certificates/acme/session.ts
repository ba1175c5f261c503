import type { Clock } from '../../clock.ts';
import type { IssueTask } from '../issuer.ts';
import type { Account } from './account.ts';
import type { AcmeClient, AcmeReply } from './client.ts';
import type { Patience } from './patience.ts';

/** What working on an order takes. */
export interface Session {
  client: AcmeClient;
  account: Account;
  task: IssueTask;
  clock: Clock;
  patience: Patience;
}

/** `payload` null: only looks (POST-as-GET, RFC 8555 section 6.3). Rejects with `Refusal` and `CaProblem`. */
export function ask({ client, account, task }: Session, url: string, payload: object | null): Promise<AcmeReply> {
  return client.post(account, url, payload, task.signal);
}
