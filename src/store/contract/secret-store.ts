/**
 * Where a secret is stored. `id`: host name of a certificate (in use, inherited, or of a deleted domain) or order, issuer of an account, id of a signing key, of a webhook's secret or of a
 * result that is kept (`Once`).
 */
export interface SecretPlace {
  kind:
    | 'certificate'
    | 'inherited_certificate'
    | 'deleted_certificate'
    | 'order'
    | 'account'
    | 'signing_key'
    | 'webhook_secret'
    | 'idempotency_key';
  id: string;
}

/** A secret as it is stored: sealed (`store/sealing/keyring.ts`), or plaintext if a release without sealing wrote it. */
export interface StoredSecret extends SecretPlace {
  bytes: Uint8Array;
}

/** Of each kind of which there are any. */
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
