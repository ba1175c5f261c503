import type { ChangeMethod } from '../contract/store.ts';
import { createApp, deleteApp } from './apps.ts';
import { pruneAuditEntries } from './audit/entries.ts';
import { recordedOf } from './audit/recorded.ts';
import * as accounts from './certificates/ca-accounts.ts';
import * as challenges from './certificates/challenge-rows.ts';
import { recordExpiring } from './certificates/expiry.ts';
import { pruneInherited } from './certificates/inherited-certificates.ts';
import * as issuance from './certificates/issuance.ts';
import { extendLease } from './certificates/leases.ts';
import { pruneLedger } from './certificates/ledger.ts';
import { claimOperatorName } from './certificates/operator-names.ts';
import * as orders from './certificates/orders.ts';
import { pruneChanges } from './change-log.ts';
import { saveTransition } from './checks.ts';
import { deleteWorkspace } from './delete-workspace.ts';
import { pruneDeletedDomains } from './deleted-domains.ts';
import { createDeployment } from './deployments.ts';
import * as domains from './domains.ts';
import { createEnvironment, deleteEnvironment } from './environments.ts';
import { pruneEvents } from './events.ts';
import { recordBackup, recordIssuing } from './heartbeats.ts';
import { createOnceOf, pruneIdempotencyKeys } from './idempotency-keys.ts';
import { saveMonitoring } from './monitors.ts';
import { moveDomain } from './move-domain.ts';
import { createProject, deleteProject } from './projects.ts';
import { removeRedirect, setRedirect } from './redirects.ts';
import { pruneRequests } from './request-counts.ts';
import { restoreDomain } from './restore-domain.ts';
import * as access from './root-keys.ts';
import { forgetSecrets, replaceSecret } from './sealed-values.ts';
import { createSetupLink, pruneSetupLinks, revokeSetupLink } from './setup-links.ts';
import { saveSetupPage } from './setup-pages.ts';
import { replaceSigningKey } from './signing-keys.ts';
import type { Transaction } from './statement.ts';
import { resumeDomain, setWorkspaceSuspension, suspendDomain } from './suspensions.ts';
import { saveDelivery } from './webhooks/delivery-results.ts';
import * as deliveries from './webhooks/delivery-rows.ts';
import { leaseDelivery } from './webhooks/queue.ts';
import * as webhooks from './webhooks/webhook-rows.ts';

/** A use case that writes, and how its transaction has to be run. */
export interface WriteUseCase<Args extends unknown[], T> {
  /** The name of `perform`: a function cannot be posted to SQLite's writer thread, so its name is (`sqlite/commit-batch.ts`). */
  name: string;
  perform(tx: Transaction, ...args: Args): Promise<T>;
  locks(...args: Args): string[];
  synced(...args: Args): boolean;
}

/**
 * `locks`: names of the advisory locks that isolate it where there are several writers: two transactions that take the same lock run one after
 * the other. A use case locks what it reads first and then relies on (`NO_LOCKS`: nothing). What a single statement, a key or a constraint
 * settles needs no lock; nor does what happens to one certificate, whose row each such use case updates before anything else.
 *
 * `synced`: whether it must survive a power cut, so that its commit waits for the disk: all writes but those the contract marks (unsynced).
 */
export function write<Args extends unknown[], T>(
  perform: (tx: Transaction, ...args: Args) => Promise<T>,
  locks: (...args: Args) => string[],
  synced: (...args: Args) => boolean = () => true,
): WriteUseCase<Args, T> {
  return { name: perform.name, perform, locks, synced };
}

export const NO_LOCKS = () => [];
const lockOf = (id: string | undefined) => (id === undefined ? [] : [id]);
export const UNSYNCED = () => false;

/** A write that creates what a client asks for. */
interface CreateUseCase<Args extends unknown[], T> extends WriteUseCase<Args, T> {
  /** Whether an outcome is that something was created. */
  hasCreated(outcome: T): boolean;
}

function creation<Args extends unknown[], T>(
  perform: (tx: Transaction, ...args: Args) => Promise<T>,
  locks: (...args: Args) => string[],
  hasCreated: (outcome: T) => boolean,
): CreateUseCase<Args, T> {
  return { ...write(perform, locks), hasCreated };
}

const isCreated = (outcome: string) => outcome === 'created';

/** `createOnce` carries these out as well. */
const creations = {
  createProject: creation(createProject, NO_LOCKS, isCreated),
  createApp: creation(createApp, ({ projectId }) => [projectId], isCreated),
  createEnvironment: creation(createEnvironment, ({ appId }) => [appId], isCreated),
  createDeployment: creation(createDeployment, ({ environmentId }) => [environmentId], isCreated),
  createDomain: creation(
    domains.createDomain,
    // The workspace, for its names and its quota.
    ({ workspaceId, environmentId }) => [workspaceId, environmentId],
    ({ kind }) => kind === 'created',
  ),
  createDomains: creation(
    domains.createDomains,
    ([first]) => (first === undefined ? [] : [first.workspaceId, first.environmentId]),
    (each) => each.some(({ kind }) => kind === 'created'),
  ),
  // The domain, for the number of its links.
  createSetupLink: creation(createSetupLink, ({ domainId }) => [domainId], isCreated),
  // The workspace, for the number of its webhooks.
  createWebhook: creation(webhooks.createWebhook, ({ workspaceId }) => [workspaceId], isCreated),
};

/** What a caller of the API or a command may change; `recorded` carries these out with their entries. */
const changes = {
  ...creations,
  createWorkspace: write(access.createWorkspace, NO_LOCKS),
  setWorkspaceDisabled: write(access.setWorkspaceDisabled, NO_LOCKS),
  setWorkspaceLimits: write(access.setWorkspaceLimits, NO_LOCKS),
  // What refers to it is kept away by foreign keys.
  deleteWorkspace: write(deleteWorkspace, (workspaceId) => [workspaceId]),
  createRootKey: write(access.createRootKey, NO_LOCKS),
  setRootKeyDisabled: write(access.setRootKeyDisabled, (keyId) => [keyId]),
  revokeRootKey: write(access.revokeRootKey, (keyId) => [keyId]),
  replaceSigningKey: write(replaceSigningKey, () => ['signing keys']),
  revokeSetupLink: write(revokeSetupLink, NO_LOCKS),
  saveSetupPage: write(saveSetupPage, (workspaceId) => [workspaceId]),
  deleteProject: write(deleteProject, (_, projectId) => [projectId]),
  deleteApp: write(deleteApp, (_, appId) => [appId]),
  deleteEnvironment: write(deleteEnvironment, (_, environmentId) => [environmentId]),
  retryVerification: write(domains.retryVerification, (_, domainId) => [domainId]),
  deleteDomain: write(domains.deleteDomain, (_, domainId) => [domainId]),
  // The environment, that it stays.
  moveDomain: write(moveDomain, (domainId, { id }) => [domainId, id]),
  suspendDomain: write(suspendDomain, (_, domainId) => [domainId]),
  resumeDomain: write(resumeDomain, (_, domainId) => [domainId]),
  setWorkspaceSuspension: write(setWorkspaceSuspension, NO_LOCKS),
  restoreDomain: write(restoreDomain, ({ domain, destinationId }) => [
    domain.id,
    // Its names and its quota; that the environment stays; that nobody else is verified for the name; that the destination stays.
    domain.workspaceId,
    domain.environmentId,
    domain.name,
    ...lockOf(destinationId ?? undefined),
  ]),
  // The destination, that its verification does not end meanwhile; both, so that what redirects does not become a destination, nor the other way round.
  setRedirect: write(setRedirect, (_, { domainId, destinationId }) => [domainId, destinationId]),
  removeRedirect: write(removeRedirect, (_, domainId) => [domainId]),
  updateWebhook: write(webhooks.updateWebhook, (_, webhookId) => [webhookId]),
  deleteWebhook: write(webhooks.deleteWebhook, (_, webhookId) => [webhookId]),
  rotateWebhookSecret: write(webhooks.rotateWebhookSecret, (_, webhookId) => [webhookId]),
  addTestDelivery: write(deliveries.addTestDelivery, NO_LOCKS),
  redeliver: write(deliveries.redeliver, NO_LOCKS),
  importCertificate: write(issuance.importCertificate, (_hostname, _issued, _now, domainId) => lockOf(domainId)),
  renewCertificate: write(issuance.renewCertificate, NO_LOCKS),
  replaceRevoked: write(issuance.replaceRevoked, NO_LOCKS),
  resumeCas: write(accounts.resumeCas, NO_LOCKS),
  forgetSecrets: write(forgetSecrets, NO_LOCKS),
} satisfies Record<ChangeMethod, unknown>;

const locksOf = Object.fromEntries(Object.entries(changes).map(([method, { locks }]) => [method, locks])) as Record<
  ChangeMethod,
  (...args: never[]) => string[]
>;

/** The store's writes, but those that each engine does in its own way (`Engine`). */
export const writes = {
  ...changes,
  recorded: write(recordedOf(changes), (_, method, ...args) => locksOf[method](...(args as never[]))),
  pruneAuditEntries: write(pruneAuditEntries, NO_LOCKS, UNSYNCED),
  saveKeyUses: write(access.saveKeyUses, NO_LOCKS, UNSYNCED),
  // Besides, an engine with several writers isolates requests with one id (`postgres/create-once.ts`).
  createOnce: write(createOnceOf(creations), (_, method, ...args) => creations[method].locks(...(args as [never]))),
  pruneSetupLinks: write(pruneSetupLinks, NO_LOCKS, UNSYNCED),
  pruneDeletedDomains: write(pruneDeletedDomains, NO_LOCKS, UNSYNCED),
  saveTransition: write(
    saveTransition,
    ({ before, after, loser }) => {
      // A transition to verified relies on who else has the name verified.
      const name = after.status === 'verified' ? [before.name] : [];
      return [before.id, ...(loser === undefined ? [] : [loser.before.id]), ...name];
    },
    ({ before, after }) => after.status !== before.status,
  ),
  // Nothing but what the domain's own lock isolates: a transition to verified that relies on this domain as its incumbent takes it too.
  saveMonitoring: write(
    saveMonitoring,
    ({ before }) => [before.id],
    ({ before, after }) => after.status !== before.status,
  ),
  pruneEvents: write(pruneEvents, NO_LOCKS, UNSYNCED),
  leaseDelivery: write(leaseDelivery, NO_LOCKS, UNSYNCED),
  saveDelivery: write(saveDelivery, NO_LOCKS, UNSYNCED),
  pruneDeliveries: write(deliveries.pruneDeliveries, NO_LOCKS, UNSYNCED),
  extendLease: write(extendLease, NO_LOCKS, UNSYNCED),
  // The ledger of the issuer, which is counted before an entry is added.
  beginOrder: write(orders.beginOrder, ({ entry }) => [`ledger of ${entry.issuer}`]),
  saveOrderUrl: write(orders.saveOrderUrl, NO_LOCKS),
  // The domain, for its event: it has the domain as the events before it left it.
  saveCertificate: write(issuance.saveCertificate, (_, domainId) => lockOf(domainId)),
  recordExpiring: write(recordExpiring, ({ domainId }) => [domainId], UNSYNCED),
  // The name, as those who add a route of it.
  claimOperatorName: write(claimOperatorName, (hostname) => [hostname]),
  recordIssuing: write(recordIssuing, NO_LOCKS, UNSYNCED),
  recordBackup: write(recordBackup, NO_LOCKS),
  pruneInherited: write(pruneInherited, NO_LOCKS, UNSYNCED),
  putChallenge: write(challenges.putChallenge, NO_LOCKS, UNSYNCED),
  pruneChallenges: write(challenges.pruneChallenges, NO_LOCKS, UNSYNCED),
  createCaAccount: write(accounts.createCaAccount, NO_LOCKS),
  updateCaAccount: write(accounts.updateCaAccount, (issuer) => [`account of ${issuer}`]),
  replaceCaAccount: write(accounts.replaceCaAccount, (_, { issuer }) => [`account of ${issuer}`]),
  pruneLedger: write(pruneLedger, NO_LOCKS, UNSYNCED),
  replaceSecret: write(replaceSecret, NO_LOCKS),
  pruneChanges: write(pruneChanges, NO_LOCKS, UNSYNCED),
  pruneRequests: write(pruneRequests, NO_LOCKS, UNSYNCED),
  pruneIdempotencyKeys: write(pruneIdempotencyKeys, NO_LOCKS, UNSYNCED),
};
