import type { Domain } from '../../domain/domain.ts';

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
 * What became of a restoration. `missing`: no such domain is kept. `environment_missing`: its environment was deleted. `held`: the workspace has another domain
 * of the name. `superseded`: another workspace has been verified for the name since, or is now. `quota`: as in `Creation`.
 */
export type Restoration =
  | { kind: 'restored'; domain: Domain }
  | { kind: 'missing' | 'environment_missing' | 'superseded' }
  | { kind: 'held'; domainId: string; environmentId: string }
  | { kind: 'quota'; limit: number };

export interface DeletedChanges {
  /**
   * Brings a deleted domain back in one transaction, with `id`, `createdAt`, target and token, and makes a check due at `now`. A verified one keeps `verifiedAt` and
   * has its route, its certificate unless that has expired, and its redirect where that may still be set; the redirects of other domains to it stay removed. Any other
   * begins a new window of `windowMs`, from `failed` as `pending`. Adds the event `domain.restored`, and logs the changes `domain` and `route`.
   */
  restoreDomain(deleted: DeletedDomain, now: number, windowMs: number, actor?: string | null): Promise<Restoration>;
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
