import { randomBytes } from 'node:crypto';
import { systemClock } from '../../server/src/base/clock.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import type { CheckResult } from '../../server/src/domain/check-result.ts';
import { type Domain, newDomain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import type { Finding } from '../../server/src/domain/finding.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import type {
  App,
  Author,
  Deployment,
  DomainEvent,
  Environment,
  Project,
  RequestCount,
  RootKey,
  SetupLink,
  SigningKey,
  Store,
  Workspace,
} from '../../server/src/store/store.ts';
import { observation } from './observations.ts';

export const newId = idMaker(systemClock);

/** Who changes something. */
export const AUTHOR: Author = {
  kind: 'root_key',
  actor: 'key_1',
  action: 'tests.change',
  from: '192.0.2.1',
  requestId: 'req_1',
};

/** A moment for everything that asks for one and does not care which. */
export const NOW = 1_800_000_000_000;

let serial = 0;

/** A label that nothing else in the process has. */
export function unique(prefix: string): string {
  serial += 1;
  return `${prefix}${serial}`;
}

export function aWorkspace(about: Partial<Workspace> = {}): Workspace {
  return {
    id: newId('ws'),
    name: 'Acme',
    disabledAt: null,
    limits: { rates: {}, domains: null },
    createdAt: NOW,
    ...about,
  };
}

export function aRootKey(about: Partial<RootKey> & Pick<RootKey, 'workspaceId'>): RootKey {
  return {
    id: newId('key'),
    name: 'backend',
    start: 'np_abcd',
    permissions: ['environment.*.read_domain'],
    expiresAt: null,
    disabledAt: null,
    createdAt: NOW,
    ...about,
  };
}

export function aSigningKey(about: Partial<SigningKey> = {}): SigningKey {
  const [publicKey, privateKey] = [new Uint8Array(randomBytes(44)), new Uint8Array(randomBytes(48))];
  return { id: newId('sig'), publicKey, privateKey, createdAt: NOW, retiredAt: null, ...about };
}

/** In place of a key's SHA-256. */
export function aKeyHash(): Uint8Array {
  return new Uint8Array(randomBytes(32));
}

export function aProject(about: Partial<Project> & Pick<Project, 'workspaceId'>): Project {
  return { id: newId('proj'), slug: unique('project'), name: null, createdAt: NOW, ...about };
}

export function anApp(project: Project, about: Partial<App> = {}): App {
  return {
    id: newId('app'),
    workspaceId: project.workspaceId,
    projectId: project.id,
    slug: unique('app'),
    name: null,
    createdAt: NOW,
    ...about,
  };
}

export function anEnvironment(app: App, about: Partial<Environment> = {}): Environment {
  return {
    id: newId('env'),
    workspaceId: app.workspaceId,
    projectId: app.projectId,
    appId: app.id,
    slug: unique('environment'),
    name: null,
    currentDeploymentId: null,
    createdAt: NOW,
    ...about,
  };
}

export function aDeployment(environment: Environment, about: Partial<Deployment> = {}): Deployment {
  return {
    id: newId('dep'),
    workspaceId: environment.workspaceId,
    environmentId: environment.id,
    origin: 'http://127.0.0.1:3000',
    createdAt: NOW,
    ...about,
  };
}

/** A set-up link of a domain; it works for a day. */
export function aSetupLink({ id, workspaceId }: Domain, about: Partial<SetupLink> = {}): SetupLink {
  const { createdAt = NOW } = about;
  return {
    id: newId('link'),
    workspaceId,
    domainId: id,
    purpose: 'setup',
    createdAt,
    createdBy: 'key_1',
    expiresAt: createdAt + 86_400_000,
    revokedAt: null,
    revokedBy: null,
    ...about,
  };
}

/** A domain as it is right after its creation. */
export function aDomain(environment: Environment, about: Partial<Domain> = {}): Domain {
  const id = newId('dom');
  const domain = newDomain({
    id,
    workspaceId: environment.workspaceId,
    projectId: environment.projectId,
    appId: environment.appId,
    environmentId: environment.id,
    name: `${unique('name')}.example.com`,
    kind: 'subdomain',
    service: 'service',
    target: `${id.slice(4)}.cname.nameplate.test`,
    token: `token${id.slice(-19)}`,
    createdAt: about.createdAt ?? NOW,
  });
  return { ...domain, ...about };
}

/**
 * A domain of a workspace that has nothing else: several workspaces may claim one name. `serial` makes its id, target
 * and token unique.
 */
export function aClaim(
  workspaceId: string,
  serial: number,
  about: Pick<Domain, 'name' | 'kind' | 'createdAt'>,
): Domain {
  return newDomain({
    ...about,
    id: `dom_${String(serial).padStart(8, '0')}`,
    workspaceId,
    projectId: `proj_${workspaceId}`,
    appId: `app_${workspaceId}`,
    environmentId: `env_${workspaceId}`,
    service: 'service',
    target: `abcdefghijklmnopqrst${serial}.cname.example`,
    token: `token${serial}`,
  });
}

/** One request of a subject that nobody else has, in the window of a minute that has just begun. */
export function aRequestCount(about: Partial<RequestCount> = {}): RequestCount {
  return {
    subject: unique('ws_'),
    operation: 'domains.getDomain',
    windowMs: 60_000,
    windowEndsAt: NOW + 60_000,
    requests: 1,
    ...about,
  };
}

/** A workspace with one project, app and environment. */
export interface Planted {
  workspace: Workspace;
  project: Project;
  app: App;
  environment: Environment;
}

/** Stores a workspace with a tree in it. */
export async function plant(store: Store, about: Partial<Workspace> = {}): Promise<Planted> {
  const workspace = aWorkspace(about);
  const project = aProject({ workspaceId: workspace.id });
  const app = anApp(project);
  const environment = anEnvironment(app);
  await store.createWorkspace(workspace);
  await store.createProject(project);
  await store.createApp(app);
  await store.createEnvironment(environment);
  return { workspace, project, app, environment };
}

/** Stores a new domain, with its check due at its creation and a window of 24 h. */
export async function attach(
  store: Store,
  environment: Environment,
  about: Partial<Domain> = {},
  by?: Author,
): Promise<Domain> {
  const domain = aDomain(environment, about);
  const changes = by === undefined ? store : store.changesBy(by);
  const { kind } = await changes.createDomain(domain, domain.windowStartedAt + WINDOW_MS);
  if (kind !== 'created') throw new Error(`the fixture could not be created: ${kind}`);
  return domain;
}

/** The timeline of a domain, oldest first. */
export async function timelineOf(
  store: Pick<Store, 'listDomainEvents'>,
  { workspaceId, id }: Pick<Domain, 'workspaceId' | 'id'>,
): Promise<DomainEvent[]> {
  const events: DomainEvent[] = [];
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await store.listDomainEvents(workspaceId, id, { limit: 100, cursor });
    events.push(...items);
    if (next === undefined) return events.reverse();
    cursor = next;
  }
}

export function aFinding(about: Partial<Finding> = {}): Finding {
  return {
    code: 'record_missing',
    severity: 'blocking',
    record: 'ownership',
    message: 'There is no TXT record.',
    fix: 'Add it.',
    retryable: true,
    ...about,
  };
}

/** That of a check that found neither record. */
export function aCheckResult(domain: Domain, ...findings: Partial<Finding>[]): CheckResult {
  return { findings: findings.map(aFinding), observation: observation(domain, 'example.com') };
}

/** The domain after a check that found everything. */
export function verifiedAt(domain: Domain, now: number): Domain {
  return {
    ...domain,
    status: 'verified',
    routingVerifiedAt: now,
    ownershipVerifiedAt: now,
    verificationError: null,
    updatedAt: now,
    verifiedAt: now,
    revision: domain.revision + 1,
  };
}

/** The domain after a check that found nothing yet. */
export function verifyingAt(domain: Domain, now: number): Domain {
  return { ...domain, status: 'verifying', updatedAt: now, revision: domain.revision + 1 };
}

/** The domain after a check that found its ownership record and its challenge record. */
export function preparedAt(domain: Domain, now = NOW): Domain {
  return { ...verifyingAt(domain, now), ownershipVerifiedAt: now, challengeVerifiedAt: now };
}

/** Gives a domain its route and its certificate before it is verified. */
export async function prepare(store: Store, before: Domain, now = NOW): Promise<'saved' | 'stale'> {
  return store.saveTransition({ before, after: preparedAt(before, now), memory: NO_MEMORY, prepares: true, now });
}

/** The domain after the last check of the window. */
export function failedAt(domain: Domain, now: number): Domain {
  return {
    ...domain,
    status: 'failed',
    verificationError: 'Not verified within 24 hours.',
    verifiedAt: null,
    updatedAt: now,
    revision: domain.revision + 1,
  };
}
