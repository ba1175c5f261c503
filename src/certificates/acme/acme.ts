import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { Issuer, IssueTask } from '../issuer.ts';
import { unlessAborted } from '../worker/unless-aborted.ts';
import { type AccountOptions, createAccounts, type ExternalAccount } from './acme-account.ts';
import { createAcmeClient } from './acme-client.ts';
import { beginOrder, findOrder, finishOrder, type OrderSeen } from './acme-order.ts';
import { caTransport } from './ca-transport.ts';
import { createPatience } from './poll-budget.ts';
import { Refusal } from './problem-document.ts';
import { readRenewalInfo, renewalIdOf } from './renewal-info.ts';
import { orderGone } from './session.ts';

export interface AcmeOptions {
  directoryUrl: string;
  /** Where the CA writes to; null: nowhere. */
  email: string | null;
  externalAccount: ExternalAccount | null;
  /** PEM, trusted for the CA's own HTTPS beside what the system trusts. */
  trustRoots: string | null;
  store: AccountOptions['store'];
  clock: Clock;
  log: Log;
  /** For one request with its answer. */
  timeoutMs?: number;
  /** Between two looks at what the CA is doing, unless it asks for more. */
  pollMs?: number;
  /** For all waits of one call of `issue`; an order that takes longer stays, and is looked at again later. */
  patienceMs?: number;
}

const TIMEOUT_MS = 30_000;
const POLL_MS = 2_000;
const PATIENCE_MS = 180_000;

/** A CA that speaks ACME (RFC 8555), with HTTP-01, and ARI where it has that (RFC 9773). */
export function acmeIssuer(options: AcmeOptions): Issuer {
  const { directoryUrl, trustRoots, clock, log, timeoutMs = TIMEOUT_MS, pollMs = POLL_MS } = options;
  const { patienceMs: limitMs = PATIENCE_MS } = options;
  const client = createAcmeClient({ directoryUrl, transport: caTransport({ trustRoots, timeoutMs }), clock, log });
  const accounts = createAccounts({ ...options, client });

  async function issue(task: IssueTask): Promise<{ chain: string }> {
    const account = await accounts.open();
    const patience = createPatience(task, { host: client.host, pollMs, limitMs });
    const session = { client, account, task, clock, patience };
    let order: OrderSeen | null = null;
    try {
      order = task.orderUrl === null ? await beginOrder(session) : await findOrder(session, task.orderUrl);
      return await finishOrder(session, order);
    } catch (error) {
      if (!(error instanceof Refusal && error.concernsAccount)) throw error;
      if (await accounts.isAccepted(account)) {
        // An order that the CA does not show to this account is that of the one before it.
        throw task.orderUrl !== null && order === null ? orderGone(error) : error;
      }
      await accounts.replace(account);
      if (task.orderUrl !== null || order !== null) throw orderGone(error);
      return issue(task);
    }
  }

  return {
    id: directoryUrl,
    usesHttp01: true,
    caaNames: async () => (await client.directory()).caaIdentities,
    async issue(task) {
      task.signal.throwIfAborted();
      // What others wait for too (the directory, the account) goes on when one of them stops waiting.
      return await unlessAborted(issue(task), task.signal);
    },
    async renewalInfo(leaf) {
      const { renewalInfo } = await client.directory();
      return renewalInfo === null ? null : readRenewalInfo(client, renewalInfo, leaf);
    },
    async renewalId(leaf) {
      const { renewalInfo } = await client.directory();
      return renewalInfo === null ? null : renewalIdOf(leaf);
    },
  };
}
