/** What changed, and so which caches must invalidate `key`. */
export type ChangeKind =
  | 'workspace'
  | 'root_key'
  | 'signing_key'
  | 'setup_link'
  | 'environment'
  | 'domain'
  | 'route'
  | 'certificate';

/** A row of the change log: caches invalidate what it names. */
export interface Change {
  seq: number;
  kind: ChangeKind;
  /** `workspace`: its id. `root_key`: the SHA-256 of the key in hex. `signing_key`, `setup_link`, `environment`, `domain`: its id. `route`, `certificate`: the host name. */
  key: string;
}

export interface ChangeStore {
  /**
   * Changes after `seq`, oldest first, and the newest `seq`. Where there are several writers, rows may commit out of order: callers read with
   * overlap, and `inFlight` names the transactions in flight, whose changes cannot be read yet and may have any `seq` up to `latest`.
   * `truncated`: changes after `seq` have been pruned; a cache must be cleared.
   */
  changesSince(seq: number): Promise<{ changes: Change[]; latest: number; truncated: boolean; inFlight: string[] }>;

  /** Calls `listener` with the id of each domain that a write of this store may have changed, once the write is done or has failed, and before it resolves or rejects. */
  onDomainWrite(listener: (domainId: string) => void): void;

  /**
   * Deletes changes written before `before`, by the store's clock: from the oldest on, and never the newest, which holds the latest `seq`.
   * (unsynced)
   */
  pruneChanges(before: number): Promise<void>;
}
