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
