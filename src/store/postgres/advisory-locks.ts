import { createHash } from 'node:crypto';
import type { Store } from '../contract/store.ts';
import type { writes } from '../sql/use-cases.ts';

type Write = keyof typeof writes;

/**
 * What each use case must have to itself, so that it runs as if it ran alone: two that name the same thing come one after the other. A use
 * case names whatever it first reads and then relies on. What a single statement, a key or a constraint of the schema settles needs no name;
 * nor does what happens to one certificate, whose row each such use case changes before anything else.
 */
const exclusive: { [Name in Write]: (...args: Parameters<Store[Name]>) => string[] } = {
  createWorkspace: () => [],
  setWorkspaceDisabled: () => [],
  setWorkspaceLimits: () => [],
  createRootKey: () => [],
  setRootKeyDisabled: (keyId) => [keyId],
  revokeRootKey: (keyId) => [keyId],
  replaceSigningKey: () => ['signing keys'],
  createProject: () => [],
  deleteProject: (_, projectId) => [projectId],
  createApp: ({ projectId }) => [projectId],
  deleteApp: (_, appId) => [appId],
  createEnvironment: ({ appId }) => [appId],
  deleteEnvironment: (_, environmentId) => [environmentId],
  createDeployment: ({ environmentId }) => [environmentId],
  // The workspace, for its names and its quota.
  createDomain: ({ workspaceId, environmentId }) => [workspaceId, environmentId],
  retryVerification: (_, domainId) => [domainId],
  deleteDomain: (_, domainId) => [domainId],
  saveTransition({ before, after, loser }) {
    // Whoever verifies a name relies on who else has.
    const name = after.status === 'verified' ? [before.name] : [];
    return [before.id, ...(loser === undefined ? [] : [loser.before.id]), ...name];
  },
  extendLease: () => [],
  // The ledger of the issuer, which is counted before a line is added.
  beginOrder: ({ entry }) => [`ledger of ${entry.issuer}`],
  saveOrderUrl: () => [],
  saveCertificate: () => [],
  importCertificate: () => [],
  renewCertificate: () => [],
  putChallenge: () => [],
  pruneChallenges: () => [],
  createCaAccount: () => [],
  updateCaAccount: (issuer) => [`account of ${issuer}`],
  replaceCaAccount: (_, { issuer }) => [`account of ${issuer}`],
  pruneLedger: () => [],
  replaceSecret: () => [],
  pruneChanges: () => [],
  pruneRequests: () => [],
};

/** The keys of the advisory locks that a write takes at its start, in the order in which everybody takes them. */
export function locksOf(name: Write, args: unknown[]): bigint[] {
  const names = (exclusive[name] as (...args: unknown[]) => string[])(...args);
  return [...new Set(names.map(lockKey))].sort((a, b) => (a < b ? -1 : 1));
}

/** A number for a name, as likely as not free of what other programs lock in the same database. */
export function lockKey(name: string): bigint {
  return createHash('sha256').update(`nameplate ${name}`).digest().readBigInt64BE();
}
