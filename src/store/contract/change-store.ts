/** What kind of thing changed, and so which caches must forget `key`. */
export type ChangeKind = 'workspace' | 'root_key' | 'signing_key' | 'environment' | 'domain' | 'route' | 'certificate';

export interface Change {
  seq: number;
  kind: ChangeKind;
  /** `workspace`: its id. `root_key`: the SHA-256 of the key in hex. `signing_key`, `environment`, `domain`: its id. `route`, `certificate`: the host name. */
  key: string;
}

export interface ChangeStore {
  /**
   * Changes after `seq`, oldest first, and the newest `seq`. Rows may commit out of order on engines with several writers: callers read with
   * overlap, and `underWay` names the writes of that moment whose changes are not to be seen yet, and may have any number up to `latest`.
   * `truncated`: changes after `seq` have been pruned; a cache must forget everything.
   */
  changesSince(seq: number): Promise<{ changes: Change[]; latest: number; truncated: boolean; underWay: string[] }>;

  /**
   * Removes changes announced before `before`, by the store's clock: from the oldest on, and never the newest, by which the number of the
   * latest change is known. (unsynced)
   */
  pruneChanges(before: number): Promise<void>;
}
