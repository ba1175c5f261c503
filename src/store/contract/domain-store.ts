import type { CertificateProblem, CertificateState } from '../../domain/certificate-state.ts';
import type { Domain, DomainStatus } from '../../domain/domain.ts';
import type { Suspension } from '../../domain/suspension.ts';
import type { Redirect } from './redirect-store.ts';
import type { Environment, Paged, PageRequest } from './tree-store.ts';

/**
 * What becomes of a domain that is to be created. `held`: the workspace has the name already, as this domain in this environment. `quota`: it
 * has as many domains as its limit allows.
 */
export type Creation =
  | { kind: 'created' }
  | { kind: 'environment_missing' }
  | { kind: 'held'; domainId: string; environmentId: string }
  | { kind: 'quota'; limit: number };

/** A page of the domains of a workspace. The cursor is a lower bound of their names; with `environmentIds`, `next` of the page before. */
export interface WorkspacePageRequest extends PageRequest {
  status?: DomainStatus | undefined;
  /** State of the domain's certificate. */
  certificate?: CertificateState | undefined;
  /** Part of an id or name, case-insensitive and literal. */
  search?: string | undefined;
  /** Only domains of these environments. */
  environmentIds?: ReadonlySet<string> | undefined;
}

/** A domain, what a list shows of its certificate (null: there is none yet), where it redirects to (null: it does not), and whether it is suspended (null: it is not). */
export interface ListedDomain {
  domain: Domain;
  redirect: Redirect | null;
  suspension: Suspension | null;
  certificate: { state: CertificateState; problem: CertificateProblem | null; notAfter: number | null } | null;
}

/** `unchanged`: it is in the environment already. `missing`: the workspace has no such domain. `environment_missing`: the environment was deleted meanwhile. */
export type Moved = { kind: 'moved' | 'unchanged'; domain: Domain } | { kind: 'missing' | 'environment_missing' };

export interface DomainChanges {
  /**
   * Adds a domain (status `pending`), its first check, due at once, and the event `domain.created`. Otherwise, in this order of precedence:
   * `environment_missing` (deleted meanwhile), `held`, `quota`. `actor`: who asks (`DomainEvent.actor`).
   */
  createDomain(domain: Domain, windowEndsAt: number, actor?: string | null): Promise<Creation>;

  /**
   * The same for many domains of one environment, in one transaction: each as if it were created after those before it. `environment_missing`
   * is the outcome of all or none.
   */
  createDomains(domains: readonly Domain[], windowEndsAt: number, actor?: string | null): Promise<Creation[]>;

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
    actor?: string | null,
  ): Promise<'accepted' | 'verified' | 'missing'>;

  /**
   * Moves a domain to another environment of its workspace, with its route: nothing else of it changes. Adds the event `domain.moved`, and logs the changes `domain`, and
   * `route` when there is one. In the same environment nothing changes. A result of a check in flight is stale.
   */
  moveDomain(
    domainId: string,
    target: Pick<Environment, 'id' | 'workspaceId' | 'projectId' | 'appId'>,
    now: number,
    actor?: string | null,
  ): Promise<Moved>;

  /**
   * Deletes the domain with its check and what it found, route, certificate and redirect; adds the event `domain.deleted`. The name is free at once. Another workspace's
   * domain, route and certificate of the name stay. Logs the change `domain`, and `route` when there was one. Until `keptUntil` it can be restored (`DeletedStore`); by
   * default not at all, and nothing of it is kept.
   */
  deleteDomain(
    workspaceId: string,
    domainId: string,
    now: number,
    actor?: string | null,
    keptUntil?: number,
  ): Promise<'deleted' | 'missing'>;
}

export interface DomainStore extends DomainChanges {
  /** One indexed read, which has all that `domains.getDomain` returns. */
  findDomainByName(workspaceId: string, name: string): Promise<Domain | null>;
  findDomainById(workspaceId: string, domainId: string): Promise<Domain | null>;
  /** The CNAME target of some domain, of any workspace, that is not in this zone; null when there is none. For `doctor`: it scans the index of targets, 0.3 s for a million domains. */
  findTargetOutside(zone: string): Promise<string | null>;

  /**
   * Domains of all workspaces by status. For metrics: it reads an index from end to end, in steps of some milliseconds. A domain that changes meanwhile may be
   * counted twice, or not at all.
   */
  countDomains(): Promise<Record<DomainStatus, number>>;

  /**
   * Domains of one environment. `search` is part of an id or name, case-insensitive and literal. It scans in several statements: a change
   * between them may or may not be seen.
   */
  listDomains(
    workspaceId: string,
    environmentId: string,
    page: PageRequest & { search?: string | undefined },
  ): Promise<Paged<Domain>>;

  /**
   * Domains of one workspace, in order of their names, by one indexed read whose cost does not depend on how many there are. With `environmentIds`, one environment
   * after the other, each in order of creation. With `search` or `environmentIds` it scans several statements' worth, but never more than a fixed number of domains, and with
   * `environmentIds` none of other environments: the page may then have fewer items than its limit, or none, and still a next page. A change between the statements
   * may or may not be seen.
   */
  listWorkspaceDomains(workspaceId: string, page: WorkspacePageRequest): Promise<Paged<ListedDomain>>;
}
