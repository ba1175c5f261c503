import type { Domain } from '../../domain/domain.ts';
import type { Paged, PageRequest } from './tree-store.ts';

export interface DomainStore {
  /** One indexed read, which has all that `domains.getDomain` returns. */
  findDomainByName(workspaceId: string, name: string): Promise<Domain | null>;
  findDomainById(workspaceId: string, domainId: string): Promise<Domain | null>;

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
   * Adds a domain (status `pending`), its first check, due at once, and the event `domain.created`. Otherwise, in this order of precedence:
   * `environment_missing` (deleted meanwhile), `held` (the workspace has the name already), `quota` (the workspace has as many domains as
   * its limit allows). `actor`: who asks (`DomainEvent.actor`).
   */
  createDomain(
    domain: Domain,
    windowEndsAt: number,
    actor?: string | null,
  ): Promise<{ kind: 'created' | 'environment_missing' | 'held' } | { kind: 'quota'; limit: number }>;

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
   * Deletes the domain with its check and what it found, route and certificate; adds the event `domain.deleted`. The name is free at once. Another workspace's
   * domain, route and certificate of the name stay. Logs the change `domain`, and `route` when there was one.
   */
  deleteDomain(
    workspaceId: string,
    domainId: string,
    now: number,
    actor?: string | null,
  ): Promise<'deleted' | 'missing'>;
}
