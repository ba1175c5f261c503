/** The kind of thing that changed, and so which caches must invalidate `key`. */
export type ChangeKind =
  | 'workspace'
  | 'root_key'
  | 'signing_key'
  | 'setup_link'
  | 'dashboard_session'
  | 'environment'
  | 'domain'
  | 'route'
  | 'certificate'
  | 'dns_challenge';

/** A row of the change log: caches invalidate what it names. */
export interface Change {
  seq: number;
  kind: ChangeKind;
  /** `workspace`: its id. `root_key`: the SHA-256 of the key in hex. `signing_key`, `setup_link`, `dashboard_session`, `environment`, `domain`: its id. `route`, `certificate`: the host name. `dns_challenge`: its label. */
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

export interface BackupStore {
  /** Says that there is a backup of the store as it was then. That backup has the time of the one before: whoever restores it has no newer one. */
  recordBackup(at: number): Promise<void>;
  /** The time of the last backup that was recorded; null: none was. */
  findLastBackup(): Promise<number | null>;
}

/**
 * Where a secret is stored. `id`: host name of a certificate (in use, inherited, behind an imported one, of a deleted domain, or staged) or order, issuer of an account, id of a signing key, of a webhook's secret, of the environment of an origin's, or of a
 * result that is kept (`Once`).
 */
export interface SecretPlace {
  kind:
    | 'certificate'
    | 'inherited_certificate'
    | 'fallback_certificate'
    | 'deleted_certificate'
    | 'staged_certificate'
    | 'order'
    | 'account'
    | 'signing_key'
    | 'connect_key'
    | 'webhook_secret'
    | 'origin_secret'
    | 'previous_origin_secret'
    | 'origin_client_key'
    | 'idempotency_key';
  id: string;
}

/** A secret as it is stored: sealed (`store/sealing/keyring.ts`), or plaintext if a release without sealing wrote it. */
export interface StoredSecret extends SecretPlace {
  bytes: Uint8Array;
}

/** The number of each kind that there is. */
export type SecretCounts = Partial<Record<SecretPlace['kind'], number>>;

export interface SecretChanges {
  /**
   * Deletes every secret with this prefix, at once, and returns how many there were. A certificate whose private key or order was among them is due now:
   * `wanted`, or `issued` where one is still in use. Entries of the ledger stay.
   */
  forgetSecrets(prefix: Uint8Array): Promise<SecretCounts>;
}

/** For rotating keys, and for lost ones. These methods return stored bytes, also of a store whose other methods unseal them. */
export interface SecretStore extends SecretChanges {
  /** The first 9 bytes of all secrets, each prefix once. In a sealed secret they name its key. */
  listSecretPrefixes(): Promise<Uint8Array[]>;
  /** Secrets with this prefix of 9 bytes. */
  listSecrets(prefix: Uint8Array, limit: number): Promise<StoredSecret[]>;
  /** `stale`, and nothing was changed, when the secret is no longer `before`. */
  replaceSecret(before: StoredSecret, after: Uint8Array): Promise<'replaced' | 'stale'>;
  countSecrets(prefix: Uint8Array): Promise<SecretCounts>;
}

/** The connections of one store to its database server. */
export interface PoolUsage {
  /** `reads`: once all connections are in use, statements share them. `writes`: each transaction has one to itself. */
  pool: 'reads' | 'writes';
  /** Open, or being opened. */
  connections: number;
  idle: number;
  /** Transactions that have no connection yet; reads that share one, or wait until theirs is open. */
  waiting: number;
  /** How long the one that waits for longest has been waiting for a connection; 0: none waits. */
  longestWaitMs: number;
}
