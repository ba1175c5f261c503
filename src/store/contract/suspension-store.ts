import type { Suspension, SuspensionStatus } from '../../domain/suspension.ts';

/**
 * `missing`: the workspace has no such domain. `unchanged`: it was so already. `suspension`: what is in effect afterwards; null: the domain is
 * not suspended.
 */
export type SuspensionChange = { kind: 'missing' } | { kind: 'changed' | 'unchanged'; suspension: Suspension | null };

export interface SuspensionChanges {
  /**
   * Suspends a domain, of whatever status, or changes the status of its page; adds the event `domain.suspended`. Where it is so already, nothing changes. Logs the change
   * `route` if the domain is verified.
   */
  suspendDomain(
    workspaceId: string,
    domainId: string,
    status: SuspensionStatus,
    now: number,
    actor?: string | null,
  ): Promise<SuspensionChange>;
  /** Lifts what the workspace has suspended, and adds the event `domain.resumed`; otherwise nothing changes. Logs the change as above. */
  resumeDomain(workspaceId: string, domainId: string, now: number, actor?: string | null): Promise<SuspensionChange>;

  /**
   * Suspends all sites of a workspace, those too that it adds later; null lifts it. False when there is no such workspace. Logs the change `workspace`. With `name`
   * it suspends that name alone, whichever domain of the workspace has it, now or later. False when none has it now, or there is nothing to lift. Logs the change
   * `route` if the domain is verified.
   */
  setWorkspaceSuspension(workspaceId: string, suspension: WorkspaceSuspension | null, name?: string): Promise<boolean>;
}

/**
 * A workspace suspends domains; the operator suspends whole workspaces, or names in them. Each suspension is set and lifted by itself. The operator's is in effect where
 * there are both. A suspended domain is checked, verified and certified as any other: the edge alone serves a page in place of its site (`Site.suspension`).
 */
export interface SuspensionStore extends SuspensionChanges {
  /** What is in effect. Null: the domain is not suspended, or the workspace has no such domain. */
  findSuspension(workspaceId: string, domainId: string): Promise<Suspension | null>;
  /** Null: the operator has not suspended it, or there is no such workspace. */
  findWorkspaceSuspension(workspaceId: string): Promise<WorkspaceSuspension | null>;
}

export type WorkspaceSuspension = Pick<Suspension, 'status' | 'suspendedAt'>;
