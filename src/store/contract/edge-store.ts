/** What the edge reads. Every answer may be remembered until the change that is announced for it. */
export interface EdgeStore {
  /** Announced as `route`. */
  findRoute(hostname: string): Promise<Route | null>;
  /** Where the traffic of an environment goes: its current deployment; null before the first. Announced as `environment`. */
  findOrigin(environmentId: string): Promise<Origin | null>;
  /**
   * The certificate in use, with its key. Announced as `certificate`, and as `route` when it goes. Rejects with `SealingProblem` where the key cannot
   * be opened, which says nothing about other names.
   */
  findServedCertificate(hostname: string): Promise<ServedCertificate | null>;
  /** The key authorization to answer with; null: no such challenge, or it expired before `now`. Not to be remembered. */
  findChallenge(hostname: string, token: string, now: number): Promise<string | null>;
}

export interface Route {
  hostname: string;
  domainId: string;
  environmentId: string;
}

export interface Origin {
  deploymentId: string;
  /** `http://host[:port]` or `https://host[:port]`. */
  origin: string;
}

export interface ServedCertificate {
  /** PEM: the certificate itself, then those above it. */
  chain: string;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  notAfter: number;
}
