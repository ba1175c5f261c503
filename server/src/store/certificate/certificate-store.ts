import type {
  CertificateProblem,
  CertificateState,
  ChallengeType,
  RenewalWindow,
  SelfCheck,
} from '../../domain/certificate-state.ts';
import type { Domain } from '../../domain/domain.ts';
import type { Paged } from '../tree/tree-store.ts';

/** In place of the ids of a domain, its workspace and its environment, for a name of the operator's own. */
export const OPERATOR = 'operator';

/** The certificate of one host name: one for each route, created and deleted with it; and one for a name of the operator's own. Contains no secret. */
export interface Certificate {
  hostname: string;
  /** This and the workspace: `OPERATOR` for a name of the operator's own. */
  domainId: string;
  workspaceId: string;
  state: CertificateState;
  problem: CertificateProblem | null;
  /** The result of the last self-check; null before the first, or where the issuer needs none. */
  selfCheck: SelfCheck | null;
  /** Failed attempts in a row. */
  failures: number;
  /** When a CA last failed to validate the name; null: never. */
  authorizationFailedAt: number | null;
  /** The type of challenge of the last order; null: none began, or its CA validates nothing. */
  challenge: ChallengeType | null;
  /** When it is next due: to be ordered, retried or renewed. While leased: when the lease expires. */
  nextTryAt: number;
  /** When its lease expires; null: not leased. */
  leasedUntil: number | null;
  /** The certificate in use. */
  issued: IssuedCertificate | null;
  createdAt: number;
}

export interface IssuedCertificate {
  /** Directory URL of the CA, `internal`, `imported` or `moved`. */
  issuer: string;
  /** PEM: the leaf, then the intermediates. */
  chain: string;
  notBefore: number;
  notAfter: number;
  issuedAt: number;
  renewal: RenewalWindow;
}

/** An order in flight at a CA, with all that resuming it after a crash needs. */
export interface CertificateOrder {
  hostname: string;
  /** Directory URL of the CA, or `internal`. */
  issuer: string;
  /** Null until the CA has returned it. */
  url: string | null;
  /** The key of the new certificate. PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  /** ARI identifier of the certificate that this one replaces (RFC 9773 section 4.1). */
  replaces: string | null;
  startedAt: number;
}

/** A due certificate, leased to the caller that claimed it. */
export interface DueCertificate {
  certificate: Certificate;
  /** Fencing token. A write under a lease that has been stolen resolves to `lost` and changes nothing. */
  lease: number;
  order: CertificateOrder | null;
  /** Target of its domain, after the domain's own label if it is a shared one; null: a name of the operator's own. */
  target: string | null;
}

/** At most `limit` entries of a kind in any `windowMs`. Checked before an order begins. */
export interface CaLimit {
  name: 'orders' | 'failures' | 'certificates' | 'duplicates';
  limit: number;
  windowMs: number;
}

/**
 * An order in the ledger. The limit `orders` counts all orders of the issuer; `failures` those of the name that failed or are in flight;
 * `certificates` those of the registered domain that have not failed; `duplicates` those of the name that have not failed. An `exempt`
 * order (a renewal inside the CA's ARI window) counts for `failures` alone.
 */
export interface LedgerEntry {
  issuer: string;
  /** A wildcard's base name: a CA validates the same name for both, and counts its failures together. */
  hostname: string;
  registeredDomain: string;
  exempt: boolean;
}

/** Our account at a CA, or the internal CA itself. */
export interface CaAccount {
  /** The issuer: directory URL, or `internal`. */
  issuer: string;
  /** Null until the CA has returned it. */
  url: string | null;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  /** `internal`: the CA's own certificate, PEM; null of an account. */
  certificate: string | null;
  /** When the circuit breaker lets requests to the CA through again; null: it is closed. */
  pausedUntil: number | null;
  /** Why the circuit breaker is open; null: the CA has answered since. */
  problem: CertificateProblem | null;
  /** When its key was made. */
  createdAt: number;
}

/** A CA whose circuit breaker is open. */
export interface HeldCa {
  issuer: string;
  pausedUntil: number;
  problem: CertificateProblem;
}

/** The response to an HTTP-01 challenge (RFC 8555 section 8.3), or to a self-check. */
export interface Challenge {
  hostname: string;
  token: string;
  keyAuthorization: string;
  expiresAt: number;
}

/** Moved certificates, by the ids of their domains. */
export type BroughtCertificates = Record<string, IssuedCertificate & { privateKey: Uint8Array }>;

export interface CertificateChanges {
  /**
   * Puts an imported certificate in use. A lease on it is lost, and its order with it. It is due again as its renewal window says;
   * `issued.issuer` is `imported`: then a managed one that it replaces is kept as the fallback. `missing`: no such host name, or it is not of this domain. Event and change as above.
   */
  importCertificate(
    hostname: string,
    issued: IssuedCertificate & { privateKey: Uint8Array },
    now: number,
    domainId?: string,
  ): Promise<'imported' | 'missing'>;

  /**
   * Puts a moved certificate in use: `imported`, as above. `staged`: the domain has no route, so the certificate is kept, and put in use with the route in its
   * transaction, unless it has expired; in place of another that is staged. `missing`: no such domain, or it has failed. A staged one is deleted with
   * its domain, for good, and when the domain fails.
   */
  stageCertificate(
    domain: Pick<Domain, 'id' | 'workspaceId' | 'name'>,
    issued: IssuedCertificate & { privateKey: Uint8Array },
    now: number,
  ): Promise<'imported' | 'staged' | 'missing'>;

  /**
   * Puts the managed certificate in use again in place of an imported or a moved one, or deletes the staged one: `removed`. `ordered`: none is kept, or the one that
   * is expires soon, so one is due at `now`, and that in use stays until it is there. `none`: none of these is there. Event and change as of an import.
   */
  removeCertificate(
    hostname: string,
    now: number,
    domainId?: string,
  ): Promise<'removed' | 'ordered' | 'none' | 'missing'>;

  /** Makes a certificate due at `now`, and moves its `renewAt` there. `leased`: it is being worked on, and nothing was changed. */
  renewCertificate(hostname: string, now: number): Promise<'accepted' | 'leased' | 'missing'>;

  /**
   * After the CA has revoked the certificate with this chain: makes another one due at `now`, and revokes a lease. `withdraw` also takes it out of use, deletes its
   * key, and logs the change `certificate`. `other`: it is no longer the one in use, and nothing was changed.
   */
  replaceRevoked(
    revoked: { hostname: string; chain: string; withdraw: boolean; reason: string | null },
    now: number,
  ): Promise<'replaced' | 'other'>;
  /** Closes every circuit breaker that is open at `now`, and makes the certificates due that wait for the same reason. Resolves with what it closed. */
  resumeCas(now: number): Promise<HeldCa[]>;
  /** Saves the key that is to replace that of the account `of`; its issuer is `successorOf(of)`. `exists`: there is one already, and nothing was changed. */
  addCaSuccessor(of: string, successor: CaAccount): Promise<'added' | 'exists'>;
}

export interface CertificateStore extends CertificateChanges {
  findCertificate(hostname: string): Promise<Certificate | null>;

  /** The managed certificate that is kept behind an imported one, with its key; null: none. */
  findFallback(hostname: string): Promise<(IssuedCertificate & { privateKey: Uint8Array }) | null>;

  /** The certificate that the domain has staged, without its key; null: none. */
  findStaged(domainId: string): Promise<IssuedCertificate | null>;

  /** Lists those of all workspaces, in order of host name; `cursor` is the host name at which the page starts. */
  listCertificates(page: {
    limit: number;
    cursor?: string | undefined;
    state?: CertificateState | undefined;
  }): Promise<Paged<Certificate>>;

  /** Certificates by state; a state without any is absent. For metrics. */
  countCertificates(): Promise<Partial<Record<CertificateState, number>>>;

  /** The `limit` certificates in use that expire first, for metrics and `doctor`. */
  listExpiring(limit: number): Promise<Certificate[]>;

  /**
   * The `limit` oldest certificates that are not in use (`wanted`, `failed`), but for those whose name a CA could not validate. For metrics: its cost does not depend
   * on how many are in use.
   */
  listWaiting(limit: number): Promise<Certificate[]>;

  /**
   * Leases at most `limit` due certificates to the caller until `now + leaseMs`, round robin over workspaces: the most overdue of each,
   * then the next of each. Without `newNames`, only certificates in use or with an order in flight. A lease that has expired can be
   * stolen, so a crash costs `leaseMs`; no two callers hold the same lease. A certificate further ahead than `furthestTryAt` was
   * scheduled by a clock that was wrong, and is due. (unsynced)
   */
  claimCertificates(claim: {
    now: number;
    limit: number;
    leaseMs: number;
    newNames: boolean;
  }): Promise<DueCertificate[]>;

  /**
   * Makes a certificate that is `waiting_for_routing` due at `at`, unless it is leased, an order is in flight, or one has failed: so another attempt
   * begins with the preflight, and no back-off becomes shorter. (unsynced)
   */
  retryBlocked(hostname: string, at: number): Promise<void>;

  /** Extends a lease. (unsynced) */
  extendLease(hostname: string, lease: number, until: number): Promise<'held' | 'lost'>;

  /**
   * Adds an order to the ledger, saves it, and moves the certificate to `ordering`, or to `renewing` if one is in use. Call it before
   * asking the CA; begins of one issuer are serialised. `limit_reached`: a limit forbids the order until then, and it has not begun;
   * of several such limits, the one that blocks longest. An order in flight is replaced. Its entry stays in the ledger: as one that may have either outcome, or, without a URL, as one that failed. `shown` replaces the problem
   * and the self-check that are shown while the order is in flight.
   */
  beginOrder(begin: {
    lease: number;
    order: CertificateOrder;
    entry: LedgerEntry;
    limits: CaLimit[];
    /** Saved with the certificate. */
    challenge?: ChallengeType | null;
    shown?: Pick<Certificate, 'problem' | 'selfCheck'> | undefined;
    now: number;
  }): Promise<{ kind: 'begun' | 'lost' } | { kind: 'limit_reached'; limit: CaLimit['name']; until: number }>;

  /** Saves the URL that the CA gave the order. */
  saveOrderUrl(hostname: string, lease: number, url: string): Promise<'saved' | 'lost'>;

  /**
   * Saves the result of an attempt, and releases the lease. `orderOutcome` ends the order in flight: it is settled in the ledger and
   * deleted, with the name's challenges; without it the order stays, to be resumed. `issued` replaces the certificate in use; without it
   * only `renewal` of that changes. Events: `certificate.issued`, or `certificate.renewed` if one was in use; `certificate.failed` if the
   * problem's reason changed; `site.ready_to_switch` with the first one of a domain that is not verified. Logs the change `certificate` with `issued`, which also deletes an inherited certificate.
   */
  saveCertificate(save: {
    hostname: string;
    lease: number;
    state: CertificateState;
    problem: CertificateProblem | null;
    selfCheck: SelfCheck | null;
    failures: number;
    /** Absent: none failed since. */
    authorizationFailedAt?: number | undefined;
    /** Absent: that of the last order. */
    challenge?: ChallengeType | undefined;
    nextTryAt: number;
    orderOutcome?: 'issued' | 'failed' | undefined;
    issued?: (IssuedCertificate & { privateKey: Uint8Array }) | undefined;
    renewal?: RenewalWindow | undefined;
    now: number;
  }): Promise<'saved' | 'lost'>;

  /**
   * Adds the event `certificate.expiring`, once for each certificate in use, from `domain/certificate-state.announcedAt` on. Looks at `limit`
   * of them at most, and resolves with their number. (unsynced)
   */
  recordExpiring(now: number, limit: number): Promise<number>;

  /**
   * Makes `hostname` the one name of the operator's own: adds its certificate, `wanted`, unless it has one, and deletes that of any other such
   * name. `held`: a domain has the name, whatever its status, and nothing was changed. Logs the change `route` of each name that it adds or deletes.
   */
  claimOperatorName(
    hostname: string,
    now: number,
  ): Promise<{ kind: 'claimed' } | { kind: 'held'; domainId: string; workspaceId: string }>;

  /** Says that there is a process that orders certificates at `now`. (unsynced) */
  recordIssuing(now: number): Promise<void>;
  /** When there last was one; null: never. */
  findLastIssuing(): Promise<number | null>;

  /** Deletes inherited certificates, fallbacks and staged ones that have expired at `now`, with their keys. Logs the change `certificate` of each inherited one. (unsynced) */
  pruneInheritedCertificates(now: number): Promise<void>;

  /** Adds or replaces. Every node sees it once this resolves. (unsynced) */
  putChallenge(challenge: Challenge): Promise<void>;
  /** Deletes challenges that expired earlier, those for DNS too. (unsynced) */
  pruneChallenges(expiredBefore: number): Promise<void>;

  findCaAccount(issuer: string): Promise<CaAccount | null>;
  /** Saves the account unless its issuer has one; resolves with the saved one. */
  createCaAccount(account: CaAccount): Promise<CaAccount>;
  /** Changes the given fields. False when there is no such account. */
  updateCaAccount(
    issuer: string,
    change: Partial<Pick<CaAccount, 'url' | 'pausedUntil' | 'problem'>>,
  ): Promise<boolean>;
  /** Replaces an account that the CA no longer accepts, or its key, and deletes its successor. `stale`, and nothing was changed, when its URL is no longer `before`, or its key is newer: a rotation has ended meanwhile. */
  replaceCaAccount(before: string | null, after: CaAccount): Promise<'replaced' | 'stale'>;

  /** The issuers of accounts that are registered. */
  listCaAccounts(): Promise<string[]>;
  /** The CAs at which nothing is ordered at `now`. */
  listHeldCas(now: number): Promise<HeldCa[]>;

  /** Orders of one issuer in the ledger since then: all, and those exempt, issued, failed. For `doctor`, metrics and tests. */
  countLedgerEntries(
    issuer: string,
    since: number,
  ): Promise<{ orders: number; exempt: number; issued: number; failed: number }>;
  /** Deletes the entries of earlier orders. (unsynced) */
  pruneLedger(orderedBefore: number): Promise<void>;
}
