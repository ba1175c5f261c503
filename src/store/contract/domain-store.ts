import type { Domain } from '../../domain/domain.ts';
import type { Page, Paged } from './tree-store.ts';

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
