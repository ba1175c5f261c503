import {
  findCurrentSigningKey,
  findPrincipal,
  findRootKey,
  findSigningKey,
  findWorkspace,
  listKeysOfWorkspace,
  listRootKeys,
  listWorkspaces,
} from '../access/access.ts';
import { listChildWorkspaces } from '../access/child-workspaces.ts';
import { listConnectKeys } from '../access/connect-keys.ts';
import { findDashboardSession, findDashboardSessionByHash } from '../access/dashboard-sessions.ts';
import { listAuditEntries } from '../audit/entries.ts';
import { findCaAccount, listCaAccounts, listHeldCas } from '../certificate/ca-accounts.ts';
import {
  countCertificates,
  findCertificate,
  listCertificates,
  listExpiring,
  listWaiting,
} from '../certificate/certificate-rows.ts';
import { listDnsChallenges, listEdgeAddresses } from '../certificate/dns-answers.ts';
import { findFallback } from '../certificate/fallback-certificates.ts';
import { findExpiring } from '../certificate/issuance.ts';
import { countLedgerEntries } from '../certificate/ledger.ts';
import { findOperatorSite } from '../certificate/operator-names.ts';
import { findChallenge } from '../certificate/orders.ts';
import { findStaged } from '../certificate/staged-certificates.ts';
import { findCheckResult } from '../check/check-results.ts';
import { findIncumbent, findNameByToken } from '../check/checks.ts';
import { findDueLooks, leaseOf } from '../check/live-checks.ts';
import { countDrifted, earliestDueAt } from '../check/schedules.ts';
import { countSites } from '../domain/board-counts.ts';
import { findDeletedDomain, listRestorable } from '../domain/deleted-domains.ts';
import { countDomains, countWorkspaceDomains } from '../domain/domain-counts.ts';
import { findListedDomain, listDomains, listWorkspaceDomains } from '../domain/domain-lists.ts';
import { findDomainById, findDomainByName, findReplaceable, findTargetOutside } from '../domain/domains.ts';
import { findFailedAfter, listDomainEvents } from '../domain/events.ts';
import { findRedirect } from '../domain/redirect-rows.ts';
import { findSharedTarget, listSharedTargets } from '../domain/shared-targets.ts';
import { findOrigin, findSite } from '../domain/sites.ts';
import { findSuspension, findWorkspaceSuspension } from '../domain/suspensions.ts';
import { findLastBackup, findLastIssuing } from '../heartbeats.ts';
import { countSecrets, listSecretPrefixes, listSecrets } from '../sealing/sealed-values.ts';
import {
  findBrand,
  findSetupLink,
  findSetupLinkByToken,
  findSetupPage,
  isSetupOrigin,
  listSetupLinks,
} from '../setup/setup.ts';
import type { OnceChanges, OnceResult, Store } from '../store.ts';
import { findOriginSettings } from '../tree/origin-settings.ts';
import {
  findApp,
  findEnvironment,
  findProject,
  listApps,
  listDeployments,
  listEnvironments,
  listProjects,
} from '../tree/tree.ts';
import { findUsage, findUsageDomain, listUsage } from '../usage/usage.ts';
import { deliveryBacklog, findDelivery, listDeliveries } from '../webhook/delivery-rows.ts';
import { findDueWebhooks } from '../webhook/queue.ts';
import { findWebhook, listWebhooks } from '../webhook/webhook-rows.ts';
import type { ChangeCall } from './change.ts';
import { changes, changesWith } from './changes.ts';
import type { Reader } from './statement.ts';
import type { Write, WriteUseCase } from './write.ts';
import { writes } from './writes.ts';

export type ReadUseCase<Args extends unknown[], T> = (reader: Reader, ...args: Args) => Promise<T>;

/** The use cases by which the store reads. */
export const reads = {
  findPrincipal,
  findWorkspace,
  listWorkspaces,
  listRootKeys,
  findRootKey,
  listKeysOfWorkspace,
  listChildWorkspaces,
  findSigningKey,
  findCurrentSigningKey,
  listConnectKeys,
  findDashboardSession,
  findDashboardSessionByHash,
  findSetupLinkByToken,
  findSetupLink,
  listSetupLinks,
  findSetupPage,
  isSetupOrigin,
  findProject,
  listProjects,
  findApp,
  listApps,
  findEnvironment,
  listEnvironments,
  listDeployments,
  findOriginSettings,
  findDomainByName,
  findReplaceable,
  findDomainById,
  findTargetOutside,
  findSharedTarget,
  listSharedTargets,
  countDomains,
  countWorkspaceDomains,
  countSites,
  listDomains,
  listWorkspaceDomains,
  findListedDomain,
  findDeletedDomain,
  listRestorable,
  earliestDueAt,
  findFailedAfter,
  findIncumbent,
  findNameByToken,
  findCheckResult,
  countDrifted,
  listDomainEvents,
  findWebhook,
  listWebhooks,
  findDueWebhooks,
  deliveryBacklog,
  findDelivery,
  listDeliveries,
  findCertificate,
  findFallback,
  findStaged,
  listCertificates,
  countCertificates,
  listExpiring,
  listWaiting,
  findLastIssuing,
  findCaAccount,
  listCaAccounts,
  listHeldCas,
  countLedgerEntries,
  findRedirect,
  findSuspension,
  findWorkspaceSuspension,
  findSite,
  findOperatorSite,
  findOrigin,
  findBrand,
  findChallenge,
  listDnsChallenges,
  listEdgeAddresses,
  listSecretPrefixes,
  listSecrets,
  countSecrets,
  listAuditEntries,
  findLastBackup,
  findUsageDomain,
  findUsage,
  listUsage,
};

/** SQLite and PostgreSQL each do this in their own way. */
const ENGINE_METHODS = [
  'claimDue',
  'claimMonitored',
  'claimCertificates',
  'addRequests',
  'changesSince',
  'ping',
  'poolUsage',
  'serverTime',
  'close',
] as const satisfies (keyof Store)[];

export interface Engine extends Pick<Store, (typeof ENGINE_METHODS)[number]> {
  /** Runs a use case that reads. It is one statement, and so sees one moment; but for those that search many rows. */
  read<Args extends unknown[], T>(useCase: ReadUseCase<Args, T>, ...args: Args): Promise<T>;
  /** Runs a use case that writes, in one transaction. */
  write<Args extends unknown[], T>(useCase: WriteUseCase<Args, T>, ...args: Args): Promise<T>;
}

/** The names of all methods of a store. */
export const STORE_METHODS = [
  ...Object.keys(reads),
  ...Object.keys(writes),
  ...Object.keys(changes),
  ...ENGINE_METHODS,
  'changesBy',
  'changesOnce',
  'onDomainWrite',
] as (keyof Store)[];

/** The store on a SQL database: each method of the contract is a use case that the engine runs, or the engine's own. */
export function sqlStore(engine: Engine): Store {
  const { read, claimDue, claimMonitored, claimCertificates, addRequests, changesSince } = engine;
  const listeners: ((domainId: string) => void)[] = [];

  async function write<Args extends unknown[], T>(useCase: WriteUseCase<Args, T>, ...given: Args): Promise<T> {
    const args = useCase.prepare === undefined ? given : await read(useCase.prepare, ...given);
    try {
      return await engine.write(useCase, ...args);
    } finally {
      // Whatever the result: a write that was rejected may have happened.
      for (const id of useCase.invalidates(...args)) for (const listener of listeners) listener(id);
    }
  }

  const changesOnce = (call: ChangeCall) =>
    changesWith((change, args) => write(change, call, ...args)) as unknown as OnceChanges;
  const changesBy = (by: ChangeCall['by']) =>
    changesWith(async (change, args) => outcomeOf(await write(change, { by }, ...args)));
  return {
    ...bind(reads, read),
    ...bind(writes, write),
    ...changesBy(null),
    changesBy,
    changesOnce,
    async recordExpiring(now, limit) {
      const expiring = await read(findExpiring, now, limit);
      for (const each of expiring) await write(writes.recordExpiring, each, now);
      return expiring.length;
    },
    async claimLooks(claim) {
      // Found before, so that a verifier with nothing to do writes nothing.
      const due = await read(findDueLooks, claim);
      if (due.length === 0) return [];
      const claimed = new Set(await write(writes.claimLooks, due.map(leaseOf)));
      return due.filter(({ domain }) => claimed.has(domain.id));
    },
    onDomainWrite: (listener) => void listeners.push(listener),
    claimDue,
    claimMonitored,
    claimCertificates,
    addRequests,
    changesSince,
    ping: engine.ping,
    poolUsage: engine.poolUsage,
    serverTime: engine.serverTime,
    close: engine.close,
  };
}

/** The outcome of a change that is no repeat. */
function outcomeOf(result: OnceResult<unknown>): unknown {
  if (result.kind !== 'first')
    throw new Error(`a change that is made each time was taken for a repeat: ${result.kind}`);
  return result.outcome;
}

type Bound<UseCases> = {
  [Name in keyof UseCases]: UseCases[Name] extends ReadUseCase<infer Args, infer T>
    ? (...args: Args) => Promise<T>
    : UseCases[Name] extends Write<infer Args, infer T>
      ? (...args: Args) => Promise<T>
      : never;
};

/** A method for each use case, which runs it. */
function bind<UseCases extends object>(
  useCases: UseCases,
  run: (useCase: never, ...args: never[]) => Promise<unknown>,
): Bound<UseCases> {
  const method =
    (useCase: unknown) =>
    (...args: unknown[]) =>
      run(useCase as never, ...(args as never[]));
  const bound = Object.entries(useCases).map(([name, useCase]) => [name, method(useCase)]);
  return Object.fromEntries(bound) as Bound<UseCases>;
}
