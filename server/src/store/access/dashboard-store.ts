/** Somebody who signed in to the dashboard, or may with a link that was not opened yet. */
export interface DashboardSession {
  /** `ses_…` */
  id: string;
  workspaceId: string;
  /** The person, as timelines and the audit log name them. */
  subject: string;
  /** Grants, as of a root key. */
  permissions: string[];
  createdAt: number;
  /** When its link was opened; null: not yet. */
  openedAt: number | null;
  /** When the link expires, and once it is opened the session. */
  expiresAt: number;
}

export interface DashboardChanges {
  /** Adds a session that opens with the secret of this SHA-256 (32 bytes). */
  createDashboardSession(session: DashboardSession, linkHash: Uint8Array): Promise<'created' | 'workspace_missing'>;
  /**
   * Opens the session of a link, which works no more: from now on it is found by `secretHash`. Null: there is none with this hash that is not opened and has not
   * expired at `openedAt`.
   */
  openDashboardSession(
    linkHash: Uint8Array,
    opened: { secretHash: Uint8Array; openedAt: number; expiresAt: number },
  ): Promise<DashboardSession | null>;
  /** Deletes a session. False when there is none. Logs the change `dashboard_session`. */
  endDashboardSession(sessionId: string): Promise<boolean>;
  /** Deletes all sessions of a person in a workspace, or of everybody, and resolves with their number. Logs the change `dashboard_session` of each. */
  endDashboardSessions(workspaceId: string, subject: string | null): Promise<number>;
}

export interface DashboardStore extends DashboardChanges {
  /** Also one that is not opened, or has expired. */
  findDashboardSession(sessionId: string): Promise<DashboardSession | null>;
  /** By the SHA-256 of its secret, or of its link while that was not opened. Also one that has expired. */
  findDashboardSessionByHash(hash: Uint8Array): Promise<DashboardSession | null>;
  /** Deletes those that expired earlier. (unsynced) */
  pruneDashboardSessions(expiredBefore: number, limit: number): Promise<number>;
}
