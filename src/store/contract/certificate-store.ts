import type { CertificateProblem, CertificateState, RenewalWindow, SelfCheck } from '../../domain/certificate-state.ts';
import type { Paged } from './tree-store.ts';

/** How the certificate of one host name stands: one for each route, made and deleted with it. Nothing secret is in it. */
export interface Certificate {
  hostname: string;
  domainId: string;
  workspaceId: string;
  state: CertificateState;
  problem: CertificateProblem | null;
  /** What the last self-check saw; null before the first, or where the issuer needs none. */
  selfCheck: SelfCheck | null;
  /** Attempts that failed in a row. */
  failures: number;
  /** When it is looked at next: begun, tried again, or renewed. While somebody works on it: when their lease ends. */
  nextTryAt: number;
  /** The end of the lease of whoever works on it; null: nobody does. */
  leasedUntil: number | null;
  /** The certificate in use. */
  issued: IssuedCertificate | null;
  createdAt: number;
}

export interface IssuedCertificate {
  /** Directory URL of the CA, `internal` or `imported`. */
  issuer: string;
  /** PEM: the certificate itself, then those above it. */
  chain: string;
  notBefore: number;
  notAfter: number;
  issuedAt: number;
  renewal: RenewalWindow;
}

/** An order at a CA that is under way, with all that it takes to go on with it after a crash. */
export interface CertificateOrder {
  hostname: string;
  /** Directory URL of the CA, or `internal`. */
  issuer: string;
  /** Null until the CA has said it. */
  url: string | null;
  /** Of the certificate to be. PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  /** The certificate that this one takes the place of, as the CA names it (RFC 9773 section 4.1). */
  replaces: string | null;
  startedAt: number;
}

/** A certificate that is due, leased to whoever claimed it. */
export interface DueCertificate {
  certificate: Certificate;
  /** Number of the lease. Whatever is saved under a lease that somebody else has taken over since is `lost`, and nothing happens. */
  lease: number;
  order: CertificateOrder | null;
}

/** What may be spent at a CA in any period of `windowMs`; counted before an order, and refused there. */
export interface SpendingLimit {
  name: 'orders' | 'failures' | 'certificates' | 'duplicates';
  limit: number;
  windowMs: number;
}

/**
 * An order, for the ledger. `orders` counts all of the issuer; `failures` those of the name that failed or are under way;
 * `certificates` those of the registered domain that did not fail; `duplicates` those of the name that did not fail. What is `exempt`
 * (a renewal that the CA announced) is refused for `failures` alone, and counts for nothing else.
 */
export interface Spending {
  issuer: string;
  hostname: string;
  registeredDomain: string;
  exempt: boolean;
}

/** Our account at a CA, or the internal CA itself. */
export interface CaAccount {
  /** The issuer: directory URL, or `internal`. */
  issuer: string;
  /** Null until the CA has said it. */
  url: string | null;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  /** `internal`: the CA's own certificate, PEM; null of an account. */
  certificate: string | null;
  /** The CA wants nothing of us before; null: it does. */
  pausedUntil: number | null;
  /** In plain words, why it is paused. */
  problem: string | null;
  createdAt: number;
}

/** An answer to an HTTP-01 challenge (RFC 8555 section 8.3), or to a self-check. */
export interface Challenge {
  hostname: string;
  token: string;
  keyAuthorization: string;
  expiresAt: number;
}

export interface CertificateStore {
  findCertificate(hostname: string): Promise<Certificate | null>;

  /** In order of host name; `cursor` is the host name at which the page starts. Of all workspaces. */
  listCertificates(page: {
    limit: number;
    cursor?: string | undefined;
    state?: CertificateState | undefined;
  }): Promise<Paged<Certificate>>;

  /** How many there are in each state; states of which there are none are absent. For metrics. */
  countCertificates(): Promise<Partial<Record<CertificateState, number>>>;

  /** The `limit` certificates in use that expire first, for metrics and `doctor`. */
  listExpiring(limit: number): Promise<Certificate[]>;

  /**
   * Leases at most `limit` due certificates to the caller until `now + leaseMs`. Workspaces take turns: of each the most overdue, then of
   * each the next. Without `newNames`, only those that have a certificate in use or an order under way. A lease is taken over when it
   * ends, so a crash costs that long, and two callers never hold the same one. What a clock put off that has been set back since is due, too
   * (`domains/certificate.furthestTryAt`). (unsynced)
   */
  claimCertificates(claim: {
    now: number;
    limit: number;
    leaseMs: number;
    newNames: boolean;
  }): Promise<DueCertificate[]>;

  /** Holds a lease for longer. (unsynced) */
  extendLease(hostname: string, lease: number, until: number): Promise<'held' | 'lost'>;

  /**
   * Enters an order in the ledger, keeps it, and moves the certificate to `ordering`, or `renewing` where one is in use. `refused`, and
   * nothing is done, where a limit would be exceeded: by its name, and when there is room again. To be called before the CA is asked;
   * orders of one issuer are counted one after another. Where several limits would be exceeded, the one is named that has room last. An order
   * that is under way already is replaced, and stays in the ledger.
   */
  beginOrder(begin: {
    lease: number;
    order: CertificateOrder;
    spending: Spending;
    limits: SpendingLimit[];
    now: number;
  }): Promise<{ kind: 'begun' | 'lost' } | { kind: 'refused'; by: SpendingLimit['name']; until: number }>;

  /** Keeps the order's URL. */
  noteOrder(hostname: string, lease: number, url: string): Promise<'saved' | 'lost'>;

  /**
   * Saves what became of a leased certificate, and ends the lease. `spent`: what became of the order that is under way, for the ledger; the
   * order and the name's challenges are deleted. Without it the order stays, to be gone on with. `issued` takes the place of the certificate in
   * use; without it that stays as it is, but for `renewal`. Events: `certificate.issued`, or `certificate.renewed` in place of another;
   * `certificate.failed` where the problem's reason was another before. Announces `certificate` with `issued`.
   */
  saveCertificate(save: {
    hostname: string;
    lease: number;
    state: CertificateState;
    problem: CertificateProblem | null;
    selfCheck: SelfCheck | null;
    failures: number;
    nextTryAt: number;
    spent?: 'issued' | 'failed' | undefined;
    issued?: (IssuedCertificate & { privateKey: Uint8Array }) | undefined;
    renewal?: RenewalWindow | undefined;
    now: number;
  }): Promise<'saved' | 'lost'>;

  /**
   * Puts a certificate from elsewhere in use, whatever is under way: that is lost, its order with it. It is looked at again as its renewal
   * window says; `issued.issuer` is `imported`. `missing`: no such host name. Event and announcement as above.
   */
  importCertificate(
    hostname: string,
    issued: IssuedCertificate & { privateKey: Uint8Array },
    now: number,
  ): Promise<'imported' | 'missing'>;

  /**
   * Makes a certificate due at `now`, to be renewed whatever its window says: its `renewAt` is `now`, too. `under_way`: somebody works on it,
   * nothing was done.
   */
  renewCertificate(hostname: string, now: number): Promise<'accepted' | 'under_way' | 'missing'>;

  /** Adds or replaces. Every node sees it when it resolves. (unsynced) */
  putChallenge(challenge: Challenge): Promise<void>;
  /** Forgets challenges that expired before. (unsynced) */
  pruneChallenges(expiredBefore: number): Promise<void>;

  findCaAccount(issuer: string): Promise<CaAccount | null>;
  /** Keeps the account unless there is one of that issuer; resolves with the one that is kept. */
  createCaAccount(account: CaAccount): Promise<CaAccount>;
  /** Whatever is given is changed. False when there is no such account. */
  updateCaAccount(
    issuer: string,
    change: Partial<Pick<CaAccount, 'url' | 'pausedUntil' | 'problem'>>,
  ): Promise<boolean>;
  /** Puts a new account in the place of one that the CA no longer accepts. `stale`, and nothing is done, when its URL is no longer `before`. */
  replaceCaAccount(before: string | null, after: CaAccount): Promise<'replaced' | 'stale'>;

  /** What the ledger holds since, of one issuer, and how much of that is exempt: for `doctor`, metrics and tests. */
  countSpending(
    issuer: string,
    since: number,
  ): Promise<{ orders: number; exempt: number; issued: number; failed: number }>;
  /** Forgets what was ordered before. (unsynced) */
  pruneSpending(orderedBefore: number): Promise<void>;
}
