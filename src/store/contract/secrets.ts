/** Where a secret lies. `id`: host name of a certificate or order, issuer of an account, id of a signing key. */
export interface SecretPlace {
  kind: 'certificate' | 'order' | 'account' | 'signing_key';
  id: string;
}

/** A secret as it lies in the store: sealed (`src/sealing.ts`), or in clear where it was written before there was sealing. */
export interface StoredSecret extends SecretPlace {
  bytes: Uint8Array;
}

/** For sealing all secrets under another key. These two see the bytes as they lie there, also where the rest of the store opens them. */
export interface SecretStore {
  /** Secrets whose bytes do not begin with `prefix`. */
  listSecrets(prefix: Uint8Array, limit: number): Promise<StoredSecret[]>;
  /** `stale`, and nothing is done, when the secret is no longer `before`. */
  replaceSecret(before: StoredSecret, after: Uint8Array): Promise<'replaced' | 'stale'>;
}
