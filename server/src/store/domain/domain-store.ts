import type { BoardCounts } from '../../domain/board.ts';
import type { CertificateProblem, CertificateState } from '../../domain/certificate-state.ts';
import type { Domain, DomainStatus } from '../../domain/domain.ts';
import type { CertificateAfter, Deletion, DomainEventType } from '../../domain/domain-event.ts';
import type { Finding } from '../../domain/finding.ts';
import type { Live, LiveState } from '../../domain/live.ts';
import type { Metadata, OwnDataChange } from '../../domain/own-data.ts';
import type { RedirectChange, RedirectRefusal, RedirectStatus } from '../../domain/redirect.ts';
import type { SiteSettings, SiteSettingsPatch } from '../../domain/site-settings.ts';
import type { Suspension, SuspensionStatus } from '../../domain/suspension.ts';
import type { BroughtCertificates } from '../certificate/certificate-store.ts';
import type { Deployment, Environment, Paged, PageRequest } from '../tree/tree-store.ts';

/**
 * The outcome of a creation. `replaced`: the id of the domain that made room for it. `held`: the workspace has the name already, as this domain in this environment. `quota`: it
 * has as many domains as its limit allows. `target_missing`: the workspace has no such shared target; otherwise the domain has its addresses, as they are now.
 */
export type Creation =
  | { kind: 'created'; replaced?: string }
  | { kind: 'environment_missing' | 'target_missing' }
  | { kind: 'held'; domainId: string; environmentId: string }
  | { kind: 'quota'; limit: number };

/** Domains that may make room for new ones of their names, where `findReplaceable` still finds them, in these environments. They can be restored until `keptUntil`. */
export interface Replacing {
  holders: readonly Pick<Domain, 'id' | 'workspaceId' | 'name' | 'environmentId'>[];
  keptUntil: number;
}

/** `name`: the one that is refused. */
export type PairCreation = Creation & { name: string };

/**
 * A page of the domains of a workspace. The cursor is a lower bound of their names; with `environmentIds`, `externalId` or `metadata`, `next` of the page
 * before.
 */
export interface WorkspacePageRequest extends PageRequest {
  status?: DomainStatus | undefined;
  /** State of the domain's certificate. */
  certificate?: CertificateState | undefined;
  /** The state of the site as it was seen from outside. */
  live?: LiveState | undefined;
  /** Part of an id or name, case-insensitive and literal. */
  search?: string | undefined;
  /** Only domains of these environments. */
  environmentIds?: ReadonlySet<string> | undefined;
  externalId?: string | undefined;
  /** Pairs that a domain has all of, at most `MOST_WANTED_PAIRS`. */
  metadata?: Metadata | undefined;
  /** Only domains created then or later (Unix ms). */
  createdAfter?: number | undefined;
  /** Only domains created before this time. */
  createdBefore?: number | undefined;
  /** Only domains that have, or have not, a certificate in use that is valid at this time (Unix ms). */
  readyAt?: { is: boolean; at: number } | undefined;
}

/**
 * A domain, what a list shows of its certificate (null: there is none yet), where it redirects to (null: it does not), whether it is suspended (null: it is not),
 * the current deployment of its environment (null: before the first), and its settings (null: none is set).
 */
export interface ListedDomain {
  domain: Domain;
  /** Null: no look has counted yet. */
  live: Live | null;
  deployment: Pick<Deployment, 'id' | 'origin'> | null;
  settings: SiteSettings | null;
  redirect: Redirect | null;
  suspension: Suspension | null;
  certificate: {
    state: CertificateState;
    problem: CertificateProblem | null;
    /** End of the validity of the certificate in use; null: none is. */
    notAfter: number | null;
    issuer: string | null;
  } | null;
}

/** The domains of a workspace that a board shows: in these environments, with this pair of metadata, or all. */
export interface Board {
  environmentIds?: ReadonlySet<string> | undefined;
  metadata?: Metadata | undefined;
}

/** `unchanged`: it is in the environment already. `missing`: the workspace has no such domain. `environment_missing`: the environment was deleted meanwhile. */
export type Moved =
  | { kind: 'moved' | 'unchanged'; domain: Domain }
  | { kind: 'missing' | 'environment_missing' | 'own_origin' };

export interface DomainCounts {
  total: number;
  byStatus: Record<DomainStatus, number>;
  /** `none`: not verified, and so without one. */
  byCertificate: Record<'none' | CertificateState, number>;
}

/** `missing`: the workspace has no such domain. `too_large`: the metadata would be, as `own-data.findExcess` says. */
export type DomainUpdate =
  | { kind: 'updated' | 'unchanged'; domain: Domain; settings: SiteSettings | null }
  | { kind: 'missing' | 'too_large' };

export interface DomainChange extends OwnDataChange {
  settings?: SiteSettingsPatch;
  /** `missing` unless the domain is in this environment: the caller may deploy there, for an own origin. */
  deploysIn?: string;
}

export interface DomainChanges {
  /**
   * Adds a domain (status `pending`), its first check, due at once, and the event `domain.created`. Otherwise, in this order of precedence:
   * `environment_missing` (deleted meanwhile), `target_missing`, `held`, `quota`. A domain of `replacing` is deleted as by `deleteDomain`, in place of `held`; it leaves its place in the quota.
   */
  createDomain(domain: Domain, windowEndsAt: number, replacing?: Replacing): Promise<Creation>;

  /**
   * The same for many domains of one environment, in one transaction: each as if it were created after those before it. `environment_missing`
   * is the outcome of all or none. A new domain has its certificate of `brought` staged in the same transaction (`CertificateChanges.stageCertificate`).
   */
  createDomains(
    domains: readonly Domain[],
    windowEndsAt: number,
    replacing?: Replacing,
    brought?: BroughtCertificates,
  ): Promise<Creation[]>;

  /**
   * Adds two domains of one environment as `createDomain` does, or neither, and the redirect from the second to the first, with its event. The quota
   * has to have room for both.
   */
  createDomainWithWww(domain: Domain, second: Domain, windowEndsAt: number): Promise<PairCreation>;

  /**
   * Makes a check due at `now`; keeps the check's memory, and the result of a check in flight still counts. From `failed` it also begins a
   * new window (`domain/status.retry`) with a new schedule, adds the event `domain.retried` and logs the change `domain`. `verified`: nothing
   * was changed. `missing`: no such domain in the workspace.
   */
  retryVerification(
    workspaceId: string,
    domainId: string,
    now: number,
    windowMs: number,
  ): Promise<'accepted' | 'verified' | 'missing'>;

  /**
   * Moves a domain to another environment of its workspace, with its route: nothing else of it changes. Adds the event `domain.moved`, and logs the changes `domain`, and
   * `route` when there is one. In the same environment nothing changes. A result of a check in flight is stale. `own_origin`: it has one, and `mayDeploy` is false.
   */
  moveDomain(
    domainId: string,
    target: Pick<Environment, 'id' | 'workspaceId' | 'projectId' | 'appId'>,
    now: number,
    mayDeploy?: boolean,
  ): Promise<Moved>;

  /**
   * Changes what the platform keeps with a domain: undefined leaves a value as it is, null removes it. Nothing else of the domain changes but `updatedAt`. Logs the
   * changes `domain`, and `route` if the domain is `verifying` or verified and its external id or its settings change. A result of a check in flight is stale. A change of its
   * settings alone leaves the domain as it is: only `route` is logged.
   */
  updateDomain(workspaceId: string, domainId: string, change: DomainChange, now: number): Promise<DomainUpdate>;

  /**
   * Deletes the domain with its check and what it found, route, certificate and redirect; adds the event `domain.deleted`. The name is free at once. Another workspace's
   * domain, route and certificate of the name stay. Logs the change `domain`, and `route` when there was one. Until `keptUntil` it can be restored (`DeletedStore`); by
   * default not at all, and nothing of it is kept.
   */
  deleteDomain(workspaceId: string, domainId: string, now: number, keptUntil?: number): Promise<'deleted' | 'missing'>;
}

export interface DomainStore extends DomainChanges {
  /** One indexed read, which has all that `domains.getDomain` returns. */
  findDomainByName(workspaceId: string, name: string): Promise<Domain | null>;
  findDomainById(workspaceId: string, domainId: string): Promise<Domain | null>;
  /** The domain of the workspace that holds the name, if it may be replaced (`domain/status.isReplaceable`) and its timeline knows of no time when it was verified. */
  findReplaceable(workspaceId: string, name: string): Promise<Domain | null>;
  /** The CNAME target of some domain, of any workspace, that is its own and not in this zone; null when there is none. For `doctor`: it scans the index of targets, 0.3 s for a million domains. */
  findTargetOutside(zone: string): Promise<string | null>;

  /**
   * Domains of all workspaces by status. For metrics: it reads an index from end to end, in steps of some milliseconds. A domain that changes meanwhile may be
   * counted twice, or not at all.
   */
  countDomains(): Promise<Record<DomainStatus, number>>;

  /** The same of one workspace, by status and by state of the certificate. */
  countWorkspaceDomains(workspaceId: string): Promise<DomainCounts>;

  /** Counts what a board shows at `now`. It reads all of its domains, in steps of some milliseconds; one that changes meanwhile counts as before or after. */
  countSites(workspaceId: string, board: Board, now: number): Promise<BoardCounts>;

  /**
   * Domains of one environment. `search` is part of an id or name, case-insensitive and literal. It scans in several statements: a change
   * between them may or may not be seen.
   */
  listDomains(
    workspaceId: string,
    environmentId: string,
    page: PageRequest & { search?: string | undefined },
  ): Promise<Paged<Domain>>;

  /** A domain as `listWorkspaceDomains` lists it, by one indexed read. */
  findListedDomain(workspaceId: string, domainId: string): Promise<ListedDomain | null>;

  /**
   * Domains of one workspace, in order of their names, by two indexed reads whose cost does not depend on how many there are: one for the ids, and one for their
   * domains. With `environmentIds`, `externalId` or `metadata`, one environment after the other, each in order of creation. With `environmentIds` or several filters, or with `search` or a time of creation, it
   * looks at them in several statements, but never more than a fixed number of domains, and with `environmentIds` none of other environments: the page may then have fewer
   * items than its limit, or none, and still a next page. A change between the statements may or may not be seen.
   */
  listWorkspaceDomains(workspaceId: string, page: WorkspacePageRequest): Promise<Paged<ListedDomain>>;
}

/** A domain that was deleted and can still be restored. */
export interface DeletedDomain {
  /** As it was deleted. */
  domain: Domain;
  deletedAt: number;
  /** From then on it cannot be restored, and is deleted for good. */
  keptUntil: number;
  /** The domain that it redirected to; null: none. */
  destinationId: string | null;
}

/**
 * The outcome of a restoration. `missing`: no such domain is kept. `environment_missing`: its environment was deleted. `held`: the workspace has another domain
 * of the name. `superseded`: another workspace has been verified for the name since, or is now. `quota`: as in `Creation`.
 */
export type Restoration =
  | { kind: 'restored'; domain: Domain }
  | { kind: 'missing' | 'environment_missing' | 'superseded' | 'target_missing' }
  | { kind: 'held'; domainId: string; environmentId: string }
  | { kind: 'quota'; limit: number };

export interface DeletedChanges {
  /**
   * Brings a deleted domain back in one transaction, with `id`, `createdAt`, target and token, and makes a check due at `now`. A verified one keeps `verifiedAt` and
   * has its route, its certificate unless that has expired, and its redirect where that may still be set; the redirects of other domains to it stay removed. Any other
   * begins a new window of `windowMs`, from `failed` as `pending`. Adds the event `domain.restored`, and logs the changes `domain` and `route`.
   */
  restoreDomain(deleted: DeletedDomain, now: number, windowMs: number): Promise<Restoration>;
}

/**
 * Domains that were deleted, until `keptUntil`. They are no domains: nothing else of this contract finds, lists, counts or checks them, and their tokens prove nothing.
 * A domain that another workspace verifies for the name (`saveTransition`) ends in the same transaction what is kept for it: the certificate is deleted, and the
 * domain cannot be restored any more.
 */
export interface DeletedStore extends DeletedChanges {
  /** The newest that has this id or name. Null where nothing is kept at `now`. */
  findDeletedDomain(workspaceId: string, idOrName: string, now: number): Promise<DeletedDomain | null>;

  /** Names of those in an environment that can be restored at `now`, in order: the first thousand. */
  listRestorable(workspaceId: string, environmentId: string, now: number): Promise<string[]>;

  /** Deletes those that are no longer kept at `now`, with their certificates, at most `limit`. Resolves with their number. (unsynced) */
  pruneDeletedDomains(now: number, limit: number): Promise<number>;
}

/** A domain redirects to another one of its workspace. It takes effect while both are verified. */
export interface Redirect {
  domainId: string;
  destinationId: string;
  /** Name of the destination. */
  to: string;
  status: RedirectStatus;
  /** When this value was set. */
  setAt: number;
}

/** `by`, of `destination_redirects`: where the destination redirects to; of `is_destination`: a domain that redirects to this one. */
export type SetRedirect =
  | { kind: 'set'; redirect: Redirect }
  | { kind: 'missing' | 'destination_missing' }
  | { kind: 'refused'; refusal: RedirectRefusal; by: Domain | null };

export interface RedirectChanges {
  /**
   * Sets or replaces the redirect of a domain, and adds the event `redirect.set`; where it is that already, nothing changes. `missing`,
   * `destination_missing`: the workspace has no such domain. `refused`: `domain/redirect.refuseRedirect` says why.
   */
  setRedirect(
    workspaceId: string,
    redirect: Pick<Redirect, 'domainId' | 'destinationId' | 'status'>,
    now: number,
  ): Promise<SetRedirect>;
  /** Adds the event `redirect.removed`. `none`: the domain does not redirect. */
  removeRedirect(workspaceId: string, domainId: string, now: number): Promise<'removed' | 'none' | 'missing'>;
}

/**
 * Redirects from domain to domain. At most one for each domain, of whatever status. The transaction
 * that ends the verification of a destination removes the redirects to it (`redirect.removed`). Each change is logged as the change `route` with the name
 * of the domain that redirects, if that is `verifying` or verified.
 */
export interface RedirectStore extends RedirectChanges {
  /** Null: the domain does not redirect, or there is no such domain in the workspace. */
  findRedirect(workspaceId: string, domainId: string): Promise<Redirect | null>;
}

/**
 * `missing`: the workspace has no such domain. `unchanged`: it was so already. `suspension`: what is in effect afterwards; null: the domain is
 * not suspended.
 */
export type SuspensionChange = { kind: 'missing' } | { kind: 'changed' | 'unchanged'; suspension: Suspension | null };

export interface SuspensionChanges {
  /**
   * Suspends a domain, of whatever status, or changes the status of its page; adds the event `domain.suspended`. Where it is so already, nothing changes. Logs the change
   * `route` if the domain is `verifying` or verified.
   */
  suspendDomain(
    workspaceId: string,
    domainId: string,
    status: SuspensionStatus,
    now: number,
  ): Promise<SuspensionChange>;
  /** Lifts what the workspace has suspended, and adds the event `domain.resumed`; otherwise nothing changes. Logs the change as above. */
  resumeDomain(workspaceId: string, domainId: string, now: number): Promise<SuspensionChange>;

  /**
   * Suspends all sites of a workspace, those too that it adds later; null lifts it. False when there is no such workspace. Logs the change `workspace`. With `name`
   * it suspends that name alone, whichever domain of the workspace has it, now or later. False when none has it now, or there is nothing to lift. Logs the change
   * `route` if the domain is `verifying` or verified.
   */
  setWorkspaceSuspension(workspaceId: string, suspension: WorkspaceSuspension | null, name?: string): Promise<boolean>;
}

/**
 * A workspace suspends domains; the operator suspends whole workspaces, or names in them. Each suspension is set and lifted by itself. The operator's is in effect where
 * there are both. A suspended domain is checked, verified and certified as any other: the edge alone serves a page in place of its site (`Site.suspension`).
 */
export interface SuspensionStore extends SuspensionChanges {
  /** The suspension in effect. Null: the domain is not suspended, or the workspace has no such domain. */
  findSuspension(workspaceId: string, domainId: string): Promise<Suspension | null>;
  /** Null: the operator has not suspended it, or there is no such workspace. */
  findWorkspaceSuspension(workspaceId: string): Promise<WorkspaceSuspension | null>;
}

export type WorkspaceSuspension = Pick<Suspension, 'status' | 'suspendedAt'>;

/** An entry of a domain's timeline: a change, never an attempt that changed nothing. Written in the transaction of the change. */
export interface DomainEvent {
  /** `evt_…` */
  id: string;
  domainId: string;
  workspaceId: string;
  type: DomainEventType;
  data: DomainEventData;
  /** Who asked for it: id of a root key or of a set-up link, subject of a dashboard token, or name of a command; null: nobody did. */
  actor: string | null;
  createdAt: number;
}

/** The domain after the change, and what changed. */
export interface DomainEventData {
  name: string;
  environmentId: string;
  status: DomainStatus;
  routingVerified: boolean;
  ownershipVerified: boolean;
  verificationError: string | null;
  /** In `record.seen` and `record.lost`. */
  record?: 'ownership' | 'routing';
  /** In the same: the values of the record, as far as they are known; text from the DNS, bounded. */
  seen?: string[];
  /** The findings of the check: in `diagnosis.changed`, `domain.failed` and `domain.drifted`; in `record.lost` about this record. At most 8 KiB of JSON. */
  findings?: Finding[] | undefined;
  /** The certificate after the change, in events of type `certificate.*` and `site.ready_to_switch`. */
  certificate?: CertificateAfter;
  /** In events of type `redirect.*`. */
  redirect?: RedirectChange;
  /** In `domain.moved`: ids of the environments. */
  move?: { from: string; to: string };
  /** In `domain.deleted`, if another domain of its name took its place. */
  deletion?: Deletion;
  /** In `domain.suspended`; in `domain.resumed` what it was. */
  suspension?: { status: SuspensionStatus };
  /** In `site.live` and `site.unreachable`. */
  live?: Live;
}

export interface EventStore {
  /**
   * Timeline of one domain, newest first. `next` is the cursor of the following page; a page does not change when events are added. It outlives
   * the domain.
   */
  listDomainEvents(
    workspaceId: string,
    domainId: string,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Paged<DomainEvent>>;

  /** Deletes the oldest events written before `before` (Unix ms), at most `limit`. Resolves with their number. (unsynced) */
  pruneEvents(before: number, limit: number): Promise<number>;
}
