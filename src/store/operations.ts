import * as access from './access.ts';
import * as checks from './checks.ts';
import * as domains from './domains.ts';
import { listEvents } from './events.ts';
import { changesSince, pruneChanges } from './news.ts';
import type { Reading, Writing } from './query.ts';
import { findCertificate, findRoute } from './routes.ts';
import { earliestDueAt } from './schedule.ts';
import type { Store } from './store.ts';
import * as tree from './tree.ts';

/** The contract's reads: what to do once an engine says how a statement runs. One statement each, so that each sees one moment. */
export const reads = {
  findPrincipal: access.findPrincipal,
  listWorkspaces: access.listWorkspaces,
  listRootKeys: access.listRootKeys,
  findProject: tree.findProject,
  listProjects: tree.listProjects,
  findApp: tree.findApp,
  listApps: tree.listApps,
  findEnvironment: tree.findEnvironment,
  listEnvironments: tree.listEnvironments,
  listDeployments: tree.listDeployments,
  findDomainByName: domains.findDomainByName,
  findDomainById: domains.findDomainById,
  listDomains: domains.listDomains,
  earliestDueAt,
  findRoute,
  findCertificate,
  listEvents,
  changesSince,
} satisfies Operations<Reading>;

/** The contract's writes, all but `claimDue`, whose randomness stays where it was passed in. */
export const writes = {
  createWorkspace: access.createWorkspace,
  setWorkspaceDisabled: access.setWorkspaceDisabled,
  setWorkspaceLimits: access.setWorkspaceLimits,
  createRootKey: access.createRootKey,
  setRootKeyDisabled: access.setRootKeyDisabled,
  revokeRootKey: access.revokeRootKey,
  createProject: tree.createProject,
  deleteProject: tree.deleteProject,
  createApp: tree.createApp,
  deleteApp: tree.deleteApp,
  createEnvironment: tree.createEnvironment,
  deleteEnvironment: tree.deleteEnvironment,
  createDeployment: tree.createDeployment,
  createDomain: domains.createDomain,
  retryVerification: domains.retryVerification,
  deleteDomain: domains.deleteDomain,
  saveTransition: checks.saveTransition,
  pruneChanges,
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
