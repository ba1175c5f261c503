import type { Domain, DomainStatus } from '../domains/domain.ts';
import type { CheckMemory } from '../domains/status.ts';

/**
 * The store contract: use cases, never a transaction handed out. Every engine passes `test/contract/store.ts`.
 *
 * What callers may rely on, unless a method says otherwise:
 * - Each method is one atomic step: all of it happened or none of it, and a reader never sees half of it.
 * - A write that has resolved is durable: it survives `kill -9` and a power cut. Methods marked (unsynced) survive only `kill -9`.
 * - A read sees every write that had resolved, in this process, before the read began.
 * - Everything a cache may hold is announced in the `changes` log, in the same atomic step as the change.
 * - An expected outcome (lost race, name held) is a value. A rejection means the engine failed (`StoreUnavailable`), and a write that
 *   was rejected may or may not have happened. Any other rejection is a mistake of the program (an id used twice); nothing happened.
 * - All times are Unix milliseconds and come from the caller.
 */
export interface Store extends AccessStore, TreeStore, DomainStore, CheckStore, ChangeStore, RequestStore {
  /** Resolves when the store can be read and written; rejects with the reason otherwise. For `/readyz` and `doctor`. */
  ping(): Promise<void>;
  /** Finishes writes that were asked for, then lets go of everything. Methods called afterwards reject. */
  close(): Promise<void>;
}

/** The engine could not do what was asked (busy, full, away, closed). `cause` is the engine's own error. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

// Access

export interface Workspace {
  /** `ws_…` */
  id: string;
  name: string;
  disabledAt: number | null;
  limits: WorkspaceLimits;
  createdAt: number;
}

/** Overrides of the configured defaults for one workspace. */
export interface WorkspaceLimits {
  /** Requests per window, by operation (`domains.getDomain`) or `*`. `limit: 0` blocks the operation. */
  rates: Record<string, RateLimit>;
  /** Most domains the workspace may hold; null: no limit. */
  domains: number | null;
}

export interface RateLimit {
  limit: number;
  windowMs: number;
}

export interface RootKey {
  /** `key_…` */
  id: string;
  workspaceId: string;
  name: string;
  /** First characters of the key, for telling keys apart; never enough to use one. */
  start: string;
  /** Grants as given, compared exactly. */
  permissions: string[];
  expiresAt: number | null;
  disabledAt: number | null;
  createdAt: number;
}

/** A key pair that signs dashboard tokens (Ed25519). */
export interface SigningKey {
  /** `sig_…`, the `kid` of the tokens it signs. */
  id: string;
  /** SPKI, DER. */
  publicKey: Uint8Array;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  createdAt: number;
  /** When another key took its place; null while it is the one that signs. */
  retiredAt: number | null;
}

/** What authentication needs of a key, in one read. */
export interface StoredPrincipal {
  key: RootKey;
  workspace: Workspace;
}

export interface AccessStore {
  /** The key with this SHA-256 (32 bytes) and its workspace; null when there is none, or it was revoked. */
  findPrincipal(keyHash: Uint8Array): Promise<StoredPrincipal | null>;

  createWorkspace(workspace: Workspace): Promise<void>;
  findWorkspace(workspaceId: string): Promise<Workspace | null>;
  /** In order of creation. */
  listWorkspaces(): Promise<Workspace[]>;
  /** False when there is no such workspace. Announces `workspace`. Disabling twice keeps the first time. */
  setWorkspaceDisabled(workspaceId: string, disabledAt: number | null): Promise<boolean>;
  /** Replaces the workspace's limits. False when there is no such workspace. Announces `workspace`. */
  setWorkspaceLimits(workspaceId: string, limits: WorkspaceLimits): Promise<boolean>;

  /** `workspace_missing` when the workspace does not exist. Announces `root_key`, since "unknown" may be cached too. */
  createRootKey(key: RootKey, keyHash: Uint8Array): Promise<'created' | 'workspace_missing'>;
  /** Keys of one workspace, or all; in order of creation. Revoked keys are gone. */
  listRootKeys(workspaceId?: string): Promise<RootKey[]>;
  /** False when there is no such key. Announces `root_key`. Disabling twice keeps the first time. */
  setRootKeyDisabled(keyId: string, disabledAt: number | null): Promise<boolean>;
  /** Deletes the key for good. False when there is no such key. Announces `root_key`. */
  revokeRootKey(keyId: string): Promise<boolean>;

  findSigningKey(keyId: string): Promise<SigningKey | null>;
  /** The key that signs now; null before the first. */
  findCurrentSigningKey(): Promise<SigningKey | null>;
  /**
   * Makes `after` the key that signs, in place of `before` (null: of none), which retires at `after.createdAt`; keys retired before
   * `forgetRetiredBefore` are deleted. `stale`, and nothing is done, when `before` is not the one that signs. Announces `signing_key`
   * for each of them.
   */
  replaceSigningKey(
    before: string | null,
    after: SigningKey,
    forgetRetiredBefore: number,
  ): Promise<'replaced' | 'stale'>;
}

// Projects, apps, environments, deployments

export interface Project {
  /** `proj_…` */
  id: string;
  workspaceId: string;
  /** Unique in the workspace. */
  slug: string;
  name: string | null;
  createdAt: number;
}

export interface App {
  /** `app_…` */
  id: string;
  workspaceId: string;
  projectId: string;
  /** Unique in the project. */
  slug: string;
  name: string | null;
  createdAt: number;
}

export interface Environment {
  /** `env_…` */
  id: string;
  workspaceId: string;
  projectId: string;
  appId: string;
  /** Unique in the app. */
  slug: string;
  name: string | null;
  /** The deployment that takes the traffic; null before the first. */
  currentDeploymentId: string | null;
  createdAt: number;
}

export interface Deployment {
  /** `dep_…` */
  id: string;
  workspaceId: string;
  environmentId: string;
  /** `http://host[:port]` or `https://host[:port]`. */
  origin: string;
  createdAt: number;
}

export interface Page {
  /** 1 to 100. */
  limit: number;
  /** Id at which the page starts; an id that does not exist is a lower bound. Absent: the beginning. */
  cursor?: string | undefined;
}

/** Items in order of creation. `next` is the id at which the next page starts; absent on the last page. */
export interface Paged<T> {
  items: T[];
  next?: string;
}

/** Each of `project`, `app`, `environment` is an id or a slug; slugs never look like ids (ids have an underscore). */
export interface TreeStore {
  /** `slug_taken` when the workspace has a project of that slug. */
  createProject(project: Project): Promise<'created' | 'slug_taken'>;
  findProject(workspaceId: string, project: string): Promise<Project | null>;
  listProjects(workspaceId: string, page: Page): Promise<Paged<Project>>;
  /** `not_empty` while it has apps. */
  deleteProject(workspaceId: string, projectId: string): Promise<'deleted' | 'not_empty' | 'missing'>;

  /** `parent_missing` when the project was deleted meanwhile. */
  createApp(app: App): Promise<'created' | 'slug_taken' | 'parent_missing'>;
  findApp(workspaceId: string, path: { project: string; app: string }): Promise<App | null>;
  listApps(workspaceId: string, projectId: string, page: Page): Promise<Paged<App>>;
  /** `not_empty` while it has environments. */
  deleteApp(workspaceId: string, appId: string): Promise<'deleted' | 'not_empty' | 'missing'>;

  createEnvironment(environment: Environment): Promise<'created' | 'slug_taken' | 'parent_missing'>;
  findEnvironment(
    workspaceId: string,
    path: { project: string; app: string; environment: string },
  ): Promise<Environment | null>;
  listEnvironments(workspaceId: string, appId: string, page: Page): Promise<Paged<Environment>>;
  /** `not_empty` while it has domains; its deployments go with it. */
  deleteEnvironment(workspaceId: string, environmentId: string): Promise<'deleted' | 'not_empty' | 'missing'>;

  /** The new deployment becomes the environment's current one. Announces `environment`. */
  createDeployment(deployment: Deployment): Promise<'created' | 'parent_missing'>;
  listDeployments(workspaceId: string, environmentId: string, page: Page): Promise<Paged<Deployment>>;
}

// Domains

export interface DomainStore {
  /** One indexed row that holds all that `domains.getDomain` shows. */
  findDomainByName(workspaceId: string, name: string): Promise<Domain | null>;
  findDomainById(workspaceId: string, domainId: string): Promise<Domain | null>;

  /**
   * Domains of one environment. `search` is part of an id or name, in any case and taken literally; it looks at many domains in several
   * steps, and what changes between them may or may not be seen.
   */
  listDomains(
    workspaceId: string,
    environmentId: string,
    page: Page & { search?: string | undefined },
  ): Promise<Paged<Domain>>;

  /**
   * Stores a new domain (status `pending`), its first check, due at once, and the event `domain.created`.
   * Answers, in this order of precedence: `environment_missing` (deleted meanwhile), `held` (the workspace has the name already),
   * `quota` (the workspace holds as many domains as its limit allows).
   */
  createDomain(
    domain: Domain,
    windowEndsAt: number,
  ): Promise<{ kind: 'created' | 'environment_missing' | 'held' } | { kind: 'quota'; limit: number }>;

  /**
   * Makes a check due at `now`; what checks remember stays, and what a check in flight sees still counts. From `failed` also begins a new
   * window (`domains/status.retry`) with a fresh schedule, writes the event `domain.retried` and announces `domain`. `verified`: nothing was done. `missing`:
   * no such domain in the workspace.
   */
  retryVerification(
    workspaceId: string,
    domainId: string,
    now: number,
    windowMs: number,
  ): Promise<'accepted' | 'verified' | 'missing'>;

  /**
   * Deletes the domain with its check, route and certificate; writes the event `domain.deleted`. The name is free at once. What another
   * workspace holds under the name stays. Announces `domain`, and `route` when there was one.
   */
  deleteDomain(workspaceId: string, domainId: string, now: number): Promise<'deleted' | 'missing'>;
}

// Checks

/** One domain whose check is due. */
export interface DueCheck {
  domain: Domain;
  /** Another workspace's domain of the same name that is `verified`, if there is one. */
  incumbent: Domain | null;
  memory: CheckMemory;
  /** Checks claimed so far, this one included. */
  attempts: number;
  /** When the check became due; `now - dueAt` is the lateness of the schedule. */
  dueAt: number;
}

export interface CheckStore {
  /**
   * Claims at most `limit` due checks: the most overdue first, then those that a clock set back since has put out of reach
   * (`domains/schedule.furthestDueAt`). Claiming is rescheduling: each claimed check is moved to `domains/schedule.nextCheckAt` in the
   * same step, so a crash in mid-check costs one period, never a domain, and two callers never hold the same check. (unsynced): a claim
   * lost to a power cut means one early check.
   * `jitter` yields numbers in [0, 1). Checks of the workspace `except` are passed over: they stay due.
   */
  claimDue(
    now: number,
    limit: number,
    checkIntervalMs: number,
    jitter: () => number,
    except?: string | undefined,
  ): Promise<DueCheck[]>;

  /** Due time of the earliest check, or null. For `doctor`, metrics and tests. */
  earliestDueAt(): Promise<number | null>;

  /**
   * Saves the outcome of a check. `stale`, and nothing is saved, when `before.revision` is no longer the domain's (deleted, begun anew,
   * checked elsewhere), or when `after` is verified and the name's incumbent is not exactly `loser.before` (none, when absent).
   * To `verified`: in the same step the loser's change, the route, a newly wanted certificate in place of the loser's, the end of the
   * checks, and the events of both sides; announces `route`. To `failed`: the end of the checks and the event. Otherwise the check's memory, and an event if a reader can see
   * the change. Announces `domain` for each that changed. (unsynced) unless the status changed.
   */
  saveTransition(save: {
    before: Domain;
    after: Domain;
    memory: CheckMemory;
    loser?: { before: Domain; after: Domain } | undefined;
    now: number;
  }): Promise<'saved' | 'stale'>;

  /** Routes, as the edge will read them. */
  findRoute(hostname: string): Promise<Route | null>;
  /** The certificate asked for, as the certificates role will read it. */
  findCertificate(hostname: string): Promise<WantedCertificate | null>;
  /** Timeline of one domain, oldest first; it outlives the domain. */
  listEvents(domainId: string): Promise<DomainEvent[]>;
}

export interface Route {
  hostname: string;
  domainId: string;
  environmentId: string;
}

export interface WantedCertificate {
  hostname: string;
  state: 'wanted';
  createdAt: number;
}

/** One entry of a domain's timeline; rows are changes, never mere attempts. */
export interface DomainEvent {
  /** `evt_…` */
  id: string;
  domainId: string;
  workspaceId: string;
  type: DomainEventType;
  /** What the domain looks like after the change. */
  data: DomainEventData;
  createdAt: number;
}

export interface DomainEventData {
  name: string;
  environmentId: string;
  status: DomainStatus;
  routingVerified: boolean;
  ownershipVerified: boolean;
  verificationError: string | null;
}

export type DomainEventType =
  | 'domain.created'
  | 'domain.retried'
  | 'domain.updated'
  | 'domain.verified'
  | 'domain.failed'
  | 'domain.superseded'
  | 'domain.deleted';

// Changes

/** What kind of thing changed, and so which caches must forget `key`. */
export type ChangeKind = 'workspace' | 'root_key' | 'signing_key' | 'environment' | 'domain' | 'route';

export interface Change {
  seq: number;
  kind: ChangeKind;
  /** `workspace`: its id. `root_key`: the SHA-256 of the key in hex. `signing_key`, `environment`, `domain`: its id. `route`: the host name. */
  key: string;
}

export interface ChangeStore {
  /**
   * Changes after `seq`, oldest first, and the newest `seq`. Rows may commit out of order on engines with several writers: callers read with
   * overlap, and `underWay` names the writes of that moment whose changes are not to be seen yet, and may have any number up to `latest`.
   * `truncated`: changes after `seq` have been pruned; a cache must forget everything.
   */
  changesSince(seq: number): Promise<{ changes: Change[]; latest: number; truncated: boolean; underWay: string[] }>;

  /**
   * Removes changes announced before `before`, by the store's clock: from the oldest on, and never the newest, by which the number of the
   * latest change is known. (unsynced)
   */
  pruneChanges(before: number): Promise<void>;
}

// Rate limits

/** Requests of one subject to one operation that were let through in one window. */
export interface RequestCount {
  /** Whoever is limited: a workspace. */
  subject: string;
  operation: string;
  windowMs: number;
  windowEndsAt: number;
  requests: number;
}

export interface RequestStore {
  /**
   * Adds requests to what was counted so far, by this caller and all others. Resolves with the totals, in the order of `counts`, which name
   * each subject, operation and window once. (unsynced)
   */
  addRequests(counts: RequestCount[]): Promise<number[]>;

  /** Forgets the counts of windows that ended before `endedBefore`. (unsynced) */
  pruneRequests(endedBefore: number): Promise<void>;
}
