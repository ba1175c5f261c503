/** Requests of one subject to one operation that a rate limit allowed in one window. */
export interface RequestCount {
  /** Id of a workspace. */
  subject: string;
  operation: string;
  windowMs: number;
  windowEndsAt: number;
  requests: number;
}

export interface RequestStore {
  /**
   * Adds to the counts of all nodes. Resolves with the totals, in the order of `counts`, which has each subject, operation and window once.
   * (unsynced)
   */
  addRequests(counts: RequestCount[]): Promise<number[]>;

  /** Deletes the counts of windows that ended earlier. (unsynced) */
  pruneRequests(endedBefore: number): Promise<void>;
}
