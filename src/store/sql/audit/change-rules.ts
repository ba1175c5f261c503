import type { ChangeArgs, ChangeMethod, ChangeOutcome } from '../../contract/store.ts';
import { listHeldCas } from '../certificates/ca-accounts.ts';
import { findCertificate } from '../certificates/certificate-rows.ts';
import { findDomainById } from '../domains.ts';
import { findWorkspace } from '../root-keys.ts';
import { findSetupLink } from '../setup-links.ts';
import type { Tables, Transaction } from '../statement.ts';
import type { AuditTarget } from './entries.ts';

/** What entries say of a change. */
interface ChangeRule<Method extends ChangeMethod> {
  /** What it is made to, read before it is made: a deletion leaves nothing to read. */
  targets(tx: Transaction, ...args: ChangeArgs<Method>): AuditTarget[] | Promise<AuditTarget[]>;
  /** Whether an outcome is that it was made; of several targets, to each. */
  isMade(outcome: ChangeOutcome<Method>): boolean | boolean[];
}

const isTrue = (outcome: boolean) => outcome;
const isFound = (outcome: object | null) => outcome !== null;
const isOneOf =
  <Outcome extends string>(made: Outcome) =>
  (outcome: Outcome | string) =>
    outcome === made;
const isKind = (made: string) => (outcome: { kind: string }) => outcome.kind === made;

/** The compiler demands a rule for each change. */
export const changeRules: { [Method in ChangeMethod]: ChangeRule<Method> } = {
  createWorkspace: {
    targets: (_, { id, name }) => [{ workspaceId: id, target: id, targetName: name }],
    isMade: () => true,
  },
  setWorkspaceDisabled: { targets: (_, id) => [ofWorkspace(id)], isMade: isTrue },
  setWorkspaceLimits: { targets: (_, id, limits) => [ofWorkspace(id, { limits })], isMade: isTrue },
  deleteWorkspace: {
    async targets(tx, id) {
      const found = await findWorkspace(tx, id);
      return found === null ? [] : [{ ...ofWorkspace(id), targetName: found.name }];
    },
    isMade: isOneOf('deleted'),
  },
  createRootKey: {
    targets: (_, { id, workspaceId, name, permissions, expiresAt }) => [
      { workspaceId, target: id, targetName: name || null, detail: { permissions, expiresAt } },
    ],
    isMade: isOneOf('created'),
  },
  setRootKeyDisabled: { targets: rootKey, isMade: isTrue },
  revokeRootKey: { targets: rootKey, isMade: isTrue },
  replaceSigningKey: {
    targets: (_, before, { id }) => [{ workspaceId: null, target: id, detail: { before } }],
    isMade: isOneOf('replaced'),
  },
  createSetupLink: {
    targets: (_, { id, workspaceId, domainId, expiresAt }) => [
      { workspaceId, target: id, detail: { domainId, expiresAt } },
    ],
    isMade: isOneOf('created'),
  },
  revokeSetupLink: {
    async targets(tx, id) {
      const link = await findSetupLink(tx, id);
      return link === null ? [] : [{ ...link, target: id, detail: { domainId: link.domainId } }];
    },
    isMade: isTrue,
  },
  saveSetupPage: {
    targets: (_, id, change) => [ofWorkspace(id, { changed: Object.keys(change) })],
    isMade: isFound,
  },
  createProject: { targets: (_, project) => [ofTree(project)], isMade: isOneOf('created') },
  deleteProject: {
    targets: (tx, workspaceId, id) => named(workspaceId, id, tx.one(selectProjectSlug, { id })),
    isMade: isOneOf('deleted'),
  },
  createApp: { targets: (_, app) => [ofTree(app)], isMade: isOneOf('created') },
  deleteApp: {
    targets: (tx, workspaceId, id) => named(workspaceId, id, tx.one(selectAppSlug, { id })),
    isMade: isOneOf('deleted'),
  },
  createEnvironment: { targets: (_, environment) => [ofTree(environment)], isMade: isOneOf('created') },
  deleteEnvironment: {
    targets: (tx, workspaceId, id) => named(workspaceId, id, tx.one(selectEnvironmentSlug, { id })),
    isMade: isOneOf('deleted'),
  },
  createDeployment: {
    targets: (_, { id, workspaceId, environmentId, origin }) => [
      { workspaceId, target: id, detail: { environmentId, origin } },
    ],
    isMade: isOneOf('created'),
  },
  createDomain: { targets: (_, domain) => [ofDomain(domain)], isMade: isKind('created') },
  createDomains: {
    targets: (_, domains) => domains.map((domain) => ofDomain(domain)),
    isMade: (outcomes) => outcomes.map(isKind('created')),
  },
  retryVerification: { targets: domain, isMade: isOneOf('accepted') },
  deleteDomain: { targets: domain, isMade: isOneOf('deleted') },
  restoreDomain: { targets: (_, deleted) => [ofDomain(deleted.domain)], isMade: isKind('restored') },
  moveDomain: {
    targets: async (tx, id, to) =>
      (await domain(tx, to.workspaceId, id)).map((target) => ({ ...target, detail: { environmentId: to.id } })),
    isMade: isKind('moved'),
  },
  suspendDomain: {
    targets: async (tx, workspaceId, id, status) =>
      (await domain(tx, workspaceId, id)).map((target) => ({ ...target, detail: { status } })),
    isMade: isKind('changed'),
  },
  resumeDomain: { targets: domain, isMade: isKind('changed') },
  setWorkspaceSuspension: {
    targets: (_, id, suspension, name) => {
      const target = ofWorkspace(id, { status: suspension?.status ?? null });
      return [name === undefined ? target : { ...target, target: name, targetName: name }];
    },
    isMade: isTrue,
  },
  setRedirect: {
    targets: async (tx, workspaceId, { domainId, destinationId, status }) =>
      (await domain(tx, workspaceId, domainId)).map((target) => ({ ...target, detail: { destinationId, status } })),
    isMade: isKind('set'),
  },
  removeRedirect: { targets: domain, isMade: isOneOf('removed') },
  // No URL of a webhook: it may hold a secret.
  createWebhook: {
    targets: (_, { id, workspaceId }) => [{ workspaceId, target: id }],
    isMade: isOneOf('created'),
  },
  updateWebhook: {
    targets: (_, workspaceId, id, change) => [
      { workspaceId, target: id, detail: { changed: Object.entries(change).flatMap(given) } },
    ],
    isMade: isFound,
  },
  deleteWebhook: { targets: webhook, isMade: isOneOf('deleted') },
  rotateWebhookSecret: { targets: webhook, isMade: isOneOf('rotated') },
  addTestDelivery: { targets: webhook, isMade: isKind('added') },
  redeliver: {
    targets: (_, workspaceId, id, deliveryId) => [{ workspaceId, target: id, detail: { deliveryId } }],
    isMade: isKind('added'),
  },
  importCertificate: {
    targets: (tx, name, { notAfter }) => certificate(tx, name, { notAfter }),
    isMade: isOneOf('imported'),
  },
  renewCertificate: { targets: (tx, name) => certificate(tx, name), isMade: isOneOf('accepted') },
  // The CA has revoked it, also where another one is in use by now.
  replaceRevoked: { targets: (tx, { hostname, reason }) => certificate(tx, hostname, { reason }), isMade: () => true },
  resumeCas: {
    targets: async (tx, now) =>
      (await listHeldCas(tx, now)).map(({ issuer }) => ({ workspaceId: null, target: issuer })),
    isMade: () => true,
  },
  // After the format of a sealed secret comes the id of its key.
  forgetSecrets: {
    targets: (_, prefix) => [{ workspaceId: null, target: Buffer.from(prefix).toString('hex', 1) }],
    isMade: (counts) => Object.keys(counts).length > 0,
  },
};

function given([name, value]: [string, unknown]): string[] {
  return value === undefined ? [] : [name];
}

function ofWorkspace(id: string, detail: Record<string, unknown> = {}): AuditTarget {
  return { workspaceId: id, target: id, detail };
}

function ofTree({ id, workspaceId, slug }: { id: string; workspaceId: string; slug: string }): AuditTarget {
  return { workspaceId, target: id, targetName: slug };
}

function ofDomain({ id, workspaceId, name }: { id: string; workspaceId: string; name: string }): AuditTarget {
  return { workspaceId, target: id, targetName: name };
}

function webhook(_: Transaction, workspaceId: string, id: string): AuditTarget[] {
  return [{ workspaceId, target: id }];
}

async function domain(tx: Transaction, workspaceId: string, id: string): Promise<AuditTarget[]> {
  const found = await findDomainById(tx, workspaceId, id);
  return found === null ? [] : [ofDomain(found)];
}

async function rootKey(tx: Transaction, id: string): Promise<AuditTarget[]> {
  const found = await tx.one(selectRootKey, { id });
  return found === null ? [] : [{ ...found, target: id, targetName: found.name || null }];
}

async function certificate(tx: Transaction, name: string, detail: Record<string, unknown> = {}) {
  const found = await findCertificate(tx, name);
  if (found === null) return [];
  // None: it is a name of the operator.
  const owner = await tx.one(selectOwner, { id: found.domainId });
  return [{ workspaceId: owner?.workspaceId ?? null, target: name, targetName: name, detail }];
}

type Found = { slug: string } | null;

async function named(workspaceId: string, id: string, finding: Found | Promise<Found>): Promise<AuditTarget[]> {
  const found = await finding;
  return found === null ? [] : [{ workspaceId, target: id, targetName: found.slug }];
}

function selectProjectSlug(db: Tables, p: { id: string }) {
  return db.selectFrom('projects').where('id', '=', p.id).select('slug');
}

function selectAppSlug(db: Tables, p: { id: string }) {
  return db.selectFrom('apps').where('id', '=', p.id).select('slug');
}

function selectEnvironmentSlug(db: Tables, p: { id: string }) {
  return db.selectFrom('environments').where('id', '=', p.id).select('slug');
}

function selectRootKey(db: Tables, p: { id: string }) {
  return db.selectFrom('root_keys').where('id', '=', p.id).select(['workspace_id as workspaceId', 'name']);
}

function selectOwner(db: Tables, p: { id: string }) {
  return db.selectFrom('domains').where('id', '=', p.id).select('workspace_id as workspaceId');
}
