import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { raceAbort } from '../../base/time-limit.ts';
import { type Issuer, type IssueTask, ReplacesRefused } from '../issuer.ts';
import { type AccountOptions, createAccounts, type ExternalAccount } from './acme-account.ts';
import { createAcmeClient } from './acme-client.ts';
import { beginOrder, findOrder, finishOrder, type OrderSnapshot } from './acme-order.ts';
import { caTransport } from './ca-transport.ts';
import { createPollBudget, orderGone } from './order-session.ts';
import { AcmeError } from './problem-document.ts';
import { readRenewalInfo, renewalIdOf } from './renewal-info.ts';

export interface AcmeOptions {
  directoryUrl: string;
  /** The account's contact; null: none. */
  email: string | null;
  externalAccount: ExternalAccount | null;
  /** The profile of certificates (draft-ietf-acme-profiles); null: the CA's default. */
  profile?: string | null;
  /** The common name of the issuer of the topmost certificate in the chain that is wanted; null: the CA's default chain. */
  chain?: string | null;
  /** PEM, trusted for HTTPS to the CA, besides the roots of the system. */
  trustRoots: string | null;
  store: AccountOptions['store'];
  clock: Clock;
  log: Log;
  /** Longest time for one request with its response. */
  timeoutMs?: number;
  /** Time between two reads of an order, unless the CA asks for more. */
  pollMs?: number;
  /** Longest sum of all waits in one call of `issue`; an order that takes longer is resumed later. */
  pollBudgetMs?: number;
}

const TIMEOUT_MS = 30_000;
const POLL_MS = 2_000;
const POLL_BUDGET_MS = 180_000;

/** An ACME CA (RFC 8555), with ARI (RFC 9773) if it supports that. */
export function acmeIssuer(options: AcmeOptions): Issuer {
  const {
    directoryUrl,
    profile = null,
    chain = null,
    trustRoots,
    clock,
    log,
    timeoutMs = TIMEOUT_MS,
    pollMs = POLL_MS,
  } = options;
  const { pollBudgetMs: budgetMs = POLL_BUDGET_MS } = options;
  const client = createAcmeClient({ directoryUrl, transport: caTransport({ trustRoots, timeoutMs }), clock, log });
  const accounts = createAccounts({ ...options, client });

  async function issue(task: IssueTask): Promise<{ chain: string }> {
    const account = await accounts.open();
    const pollBudget = createPollBudget(task, { host: client.host, pollMs, budgetMs });
    const session = { client, account, task, profile, chain, clock, log, pollBudget };
    let order: OrderSnapshot | null = null;
    try {
      order = task.orderUrl === null ? await beginOrder(session) : await findOrder(session, task.orderUrl);
      return await finishOrder(session, order);
    } catch (error) {
      const answer = error instanceof ReplacesRefused ? error.cause : error;
      if (answer instanceof AcmeError && !(await accounts.open()).key.equals(account.key)) {
        // The account got another key meanwhile: the order goes on with that.
        return issue({ ...task, orderUrl: order?.url ?? task.orderUrl });
      }
      if (!(error instanceof AcmeError && error.concernsAccount)) throw error;
      if (await accounts.isAccepted(account)) {
        // An order that the CA does not show to this account belongs to an earlier one.
        throw task.orderUrl !== null && order === null ? orderGone(error) : error;
      }
      await accounts.replace(account);
      if (task.orderUrl !== null || order !== null) throw orderGone(error);
      return issue(task);
    }
  }

  return {
    id: directoryUrl,
    validatesNames: true,
    caaNames: async () => (await client.directory()).caaIdentities,
    async issue(task) {
      task.signal.throwIfAborted();
      // Requests shared with other tasks (directory, account) are not aborted.
      return await raceAbort(issue(task), task.signal);
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
