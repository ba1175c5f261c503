/** Where a secret lies. `id`: host name of a certificate or order, issuer of an account, id of a signing key. */
export interface SecretPlace {
  kind: 'certificate' | 'order' | 'account' | 'signing_key';
  id: string;
}

/** A secret as it lies in the store: sealed (`src/store/sealing/keyring.ts`), or in clear where it was written before there was sealing. */
export interface StoredSecret extends SecretPlace {
  bytes: Uint8Array;
}

/** For sealing all secrets under another key. These see the bytes as they lie there, also where the rest of the store opens them. */
export interface SecretStore {
  /** What secrets begin with: their first 9 bytes, each once. A sealed one tells by them which key it is sealed under. */
  listSecretPrefixes(): Promise<Uint8Array[]>;
  /** Secrets whose first 9 bytes these are. */
  listSecrets(prefix: Uint8Array, limit: number): Promise<StoredSecret[]>;
  /** `stale`, and nothing is done, when the secret is no longer `before`. */
  replaceSecret(before: StoredSecret, after: Uint8Array): Promise<'replaced' | 'stale'>;
}
