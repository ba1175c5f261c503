/** A host of a platform's own that the operator lets one workspace have as the target of many domains. */
export interface SharedTarget {
  /** Canonical name. */
  host: string;
  workspaceId: string;
  /** Addresses that lead to the platform, and that it moves here: a name that has no others matches as a CNAME to the host does. */
  addresses: string[];
  createdAt: number;
}

/**
 * `domains`: how many have new addresses. `busy`: domains were added meanwhile, so try again. `taken`: another workspace, `by`, has `what` already: this host, one above or below it, one of the
 * addresses, or a verified domain.
 */
export type TargetAddition =
  | { kind: 'added'; domains: number }
  | { kind: 'workspace_missing' | 'busy' }
  | { kind: 'taken'; by: string; what: string };

export type TargetRemoval = { kind: 'removed' | 'missing' } | { kind: 'in_use'; domains: number };

export interface TargetChanges {
  /** Adds the target, or replaces its addresses, also those of its domains. */
  addSharedTarget(target: SharedTarget): Promise<TargetAddition>;
  /** `in_use`: so many domains have it as their target. `missing`: the workspace has none with this host. */
  removeSharedTarget(host: string, workspaceId: string): Promise<TargetRemoval>;
}

export interface TargetStore extends TargetChanges {
  /** Those of one workspace, or all; in order of their hosts. */
  listSharedTargets(workspaceId?: string): Promise<SharedTarget[]>;
  /** Null where the workspace has none with this host. */
  findSharedTarget(workspaceId: string, host: string): Promise<SharedTarget | null>;
}
