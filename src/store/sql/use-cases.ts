import type { Store } from '../contract/store.ts';
import * as apps from './apps.ts';
import * as accounts from './certificates/ca-accounts.ts';
import * as certificates from './certificates/certificate-rows.ts';
import * as challenges from './certificates/challenge-rows.ts';
import * as issuance from './certificates/issuance.ts';
import * as leases from './certificates/leases.ts';
import * as ledger from './certificates/ledger.ts';
import * as orders from './certificates/orders.ts';
import { changesSince, pruneChanges } from './change-log.ts';
import { earliestDueAt } from './check-schedule.ts';
import * as checks from './checks.ts';
import * as deployments from './deployments.ts';
import * as domains from './domains.ts';
import * as environments from './environments.ts';
import { listEvents } from './events.ts';
import * as projects from './projects.ts';
import type { Reading, Writing } from './query.ts';
import { pruneRequests } from './request-counts.ts';
import * as access from './root-keys.ts';
import { findRoute } from './routes.ts';
import * as secrets from './sealed-values.ts';
import * as edge from './served.ts';
import * as signing from './signing-keys.ts';

/** The contract's reads: what to do once an engine says how a statement runs. One statement each, so that each sees one moment; but for those that look at many rows. */
export const reads = {
  findPrincipal: access.findPrincipal,
  findWorkspace: access.findWorkspace,
  listWorkspaces: access.listWorkspaces,
  listRootKeys: access.listRootKeys,
  findSigningKey: signing.findSigningKey,
  findCurrentSigningKey: signing.findCurrentSigningKey,
  findProject: projects.findProject,
  listProjects: projects.listProjects,
  findApp: apps.findApp,
  listApps: apps.listApps,
  findEnvironment: environments.findEnvironment,
  listEnvironments: environments.listEnvironments,
  listDeployments: deployments.listDeployments,
  findDomainByName: domains.findDomainByName,
  findDomainById: domains.findDomainById,
  listDomains: domains.listDomains,
  earliestDueAt,
  listEvents,
  findCertificate: certificates.findCertificate,
  listCertificates: certificates.listCertificates,
  countCertificates: certificates.countCertificates,
  listExpiring: certificates.listExpiring,
  findCaAccount: accounts.findCaAccount,
  countLedgerEntries: ledger.countLedgerEntries,
  findRoute,
  findOrigin: edge.findOrigin,
  findServedCertificate: edge.findServedCertificate,
  findChallenge: challenges.findChallenge,
  listSecretPrefixes: secrets.listSecretPrefixes,
  listSecrets: secrets.listSecrets,
  changesSince,
} satisfies Operations<Reading>;

/**
 * The contract's writes, all but three: the randomness of `claimDue` stays where it was passed in, `claimCertificates` remembers whose turn it
 * was, and `addRequests` is one statement where it can be.
 */
export const writes = {
  createWorkspace: access.createWorkspace,
  setWorkspaceDisabled: access.setWorkspaceDisabled,
  setWorkspaceLimits: access.setWorkspaceLimits,
  createRootKey: access.createRootKey,
  setRootKeyDisabled: access.setRootKeyDisabled,
  revokeRootKey: access.revokeRootKey,
  replaceSigningKey: signing.replaceSigningKey,
  createProject: projects.createProject,
  deleteProject: projects.deleteProject,
  createApp: apps.createApp,
  deleteApp: apps.deleteApp,
  createEnvironment: environments.createEnvironment,
  deleteEnvironment: environments.deleteEnvironment,
  createDeployment: deployments.createDeployment,
  createDomain: domains.createDomain,
  retryVerification: domains.retryVerification,
  deleteDomain: domains.deleteDomain,
  saveTransition: checks.saveTransition,
  extendLease: leases.extendLease,
  beginOrder: orders.beginOrder,
  saveOrderUrl: orders.saveOrderUrl,
  saveCertificate: issuance.saveCertificate,
  importCertificate: issuance.importCertificate,
  renewCertificate: issuance.renewCertificate,
  putChallenge: challenges.putChallenge,
  pruneChallenges: challenges.pruneChallenges,
  createCaAccount: accounts.createCaAccount,
  updateCaAccount: accounts.updateCaAccount,
  replaceCaAccount: accounts.replaceCaAccount,
  pruneLedger: ledger.pruneLedger,
  replaceSecret: secrets.replaceSecret,
  pruneChanges,
  pruneRequests,
} satisfies Operations<Writing>;

type Operations<Run> = {
  [Name in keyof Store]?: (run: Run, ...args: Parameters<Store[Name]>) => ReturnType<Store[Name]>;
};

/** Operations as methods: without their first argument. */
export type Bound<T> = {
  [Name in keyof T]: T[Name] extends (run: never, ...args: infer Args) => infer Outcome
    ? (...args: Args) => Outcome
    : never;
};

/** The same operations, each called through `call`. */
export function bind<T extends object>(
  operations: T,
  call: (name: keyof T & string, args: unknown[]) => Promise<unknown>,
): Bound<T> {
  const names = Object.keys(operations) as (keyof T & string)[];
  return Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => call(name, args)])) as Bound<T>;
}
