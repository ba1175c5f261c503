import { createApp, deleteApp } from './apps.ts';
import * as accounts from './certificates/ca-accounts.ts';
import * as challenges from './certificates/challenge-rows.ts';
import * as issuance from './certificates/issuance.ts';
import { extendLease } from './certificates/leases.ts';
import { pruneLedger } from './certificates/ledger.ts';
import * as orders from './certificates/orders.ts';
import { pruneChanges } from './change-log.ts';
import { saveTransition } from './checks.ts';
import { createDeployment } from './deployments.ts';
import * as domains from './domains.ts';
import { createEnvironment, deleteEnvironment } from './environments.ts';
import { createProject, deleteProject } from './projects.ts';
import { pruneRequests } from './request-counts.ts';
import * as access from './root-keys.ts';
import { replaceSecret } from './sealed-values.ts';
import { replaceSigningKey } from './signing-keys.ts';
import type { Transaction } from './statement.ts';

/** A use case that writes, and how its transaction has to be run. */
export interface WriteUseCase<Args extends unknown[], T> {
  /** The name of `perform`: a function cannot be posted to SQLite's writer thread, so its name is (`sqlite/commit-batch.ts`). */
  name: string;
  perform(tx: Transaction, ...args: Args): Promise<T>;
  locks(...args: Args): string[];
  synced(...args: Args): boolean;
}

interface TransactionOptions<Args extends unknown[]> {
  /**
   * Names of the advisory locks that isolate it where there are several writers: two transactions that take the same lock run one after the
   * other. A use case locks what it reads first and then relies on. What a single statement, a key or a constraint settles needs no lock; nor
   * does what happens to one certificate, whose row each such use case updates before anything else.
   */
  locks?: (...args: Args) => string[];
  /** Whether it must survive a power cut, so that its commit waits for the disk: all writes but those the contract marks (unsynced). */
  synced?: (...args: Args) => boolean;
}

export function write<Args extends unknown[], T>(
  perform: (tx: Transaction, ...args: Args) => Promise<T>,
  { locks = () => [], synced = () => true }: TransactionOptions<Args> = {},
): WriteUseCase<Args, T> {
  return { name: perform.name, perform, locks, synced };
}

export const UNSYNCED = { synced: () => false };

/** The store's writes, but those that each engine does in its own way (`Engine`). */
export const writes = {
  createWorkspace: write(access.createWorkspace),
  setWorkspaceDisabled: write(access.setWorkspaceDisabled),
  setWorkspaceLimits: write(access.setWorkspaceLimits),
  createRootKey: write(access.createRootKey),
  setRootKeyDisabled: write(access.setRootKeyDisabled, { locks: (keyId) => [keyId] }),
  revokeRootKey: write(access.revokeRootKey, { locks: (keyId) => [keyId] }),
  replaceSigningKey: write(replaceSigningKey, { locks: () => ['signing keys'] }),
  createProject: write(createProject),
  deleteProject: write(deleteProject, { locks: (_, projectId) => [projectId] }),
  createApp: write(createApp, { locks: ({ projectId }) => [projectId] }),
  deleteApp: write(deleteApp, { locks: (_, appId) => [appId] }),
  createEnvironment: write(createEnvironment, { locks: ({ appId }) => [appId] }),
  deleteEnvironment: write(deleteEnvironment, { locks: (_, environmentId) => [environmentId] }),
  createDeployment: write(createDeployment, { locks: ({ environmentId }) => [environmentId] }),
  // The workspace, for its names and its quota.
  createDomain: write(domains.createDomain, {
    locks: ({ workspaceId, environmentId }) => [workspaceId, environmentId],
  }),
  retryVerification: write(domains.retryVerification, { locks: (_, domainId) => [domainId] }),
  deleteDomain: write(domains.deleteDomain, { locks: (_, domainId) => [domainId] }),
  saveTransition: write(saveTransition, {
    locks({ before, after, loser }) {
      // A transition to verified relies on who else has the name verified.
      const name = after.status === 'verified' ? [before.name] : [];
      return [before.id, ...(loser === undefined ? [] : [loser.before.id]), ...name];
    },
    synced: ({ before, after }) => after.status !== before.status,
  }),
  extendLease: write(extendLease, UNSYNCED),
  // The ledger of the issuer, which is counted before an entry is added.
  beginOrder: write(orders.beginOrder, { locks: ({ entry }) => [`ledger of ${entry.issuer}`] }),
  saveOrderUrl: write(orders.saveOrderUrl),
  saveCertificate: write(issuance.saveCertificate),
  importCertificate: write(issuance.importCertificate),
  renewCertificate: write(issuance.renewCertificate),
  putChallenge: write(challenges.putChallenge, UNSYNCED),
  pruneChallenges: write(challenges.pruneChallenges, UNSYNCED),
  createCaAccount: write(accounts.createCaAccount),
  updateCaAccount: write(accounts.updateCaAccount, { locks: (issuer) => [`account of ${issuer}`] }),
  replaceCaAccount: write(accounts.replaceCaAccount, { locks: (_, { issuer }) => [`account of ${issuer}`] }),
  pruneLedger: write(pruneLedger, UNSYNCED),
  replaceSecret: write(replaceSecret),
  pruneChanges: write(pruneChanges, UNSYNCED),
  pruneRequests: write(pruneRequests, UNSYNCED),
};
