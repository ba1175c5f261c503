/** Whoever issues certificates: a CA that speaks ACME (`acme`), or our own (`internal`). */
export interface Issuer {
  /** Directory URL, or `internal`: what certificates, orders, the ledger and the account are kept under. */
  readonly id: string;
  /** Whether the CA looks at the name from the Internet (HTTP-01), so that routing has to be there first. */
  readonly usesHttp01: boolean;
  /** Names by which CAA records allow this CA (RFC 8659 section 4.2); none: CAA is not looked at. Rejects with `CaProblem`. */
  caaNames(): Promise<readonly string[]>;
  /**
   * Obtains a certificate, from wherever the order is: begun, resumed by its URL, or found to be finished. Rejects with `CaProblem`, or with
   * whatever a step rejects with; with `ReplacesRefused` where the CA may take the order without `replaces`.
   */
  issue(task: IssueTask): Promise<{ chain: string }>;
  /** When the CA wants the certificate renewed; null where it does not say (RFC 9773). Rejects with `CaProblem`. */
  renewalInfo(leaf: string): Promise<SuggestedRenewal | null>;
  /** How a successor names this certificate (RFC 9773 section 4.1); null where the CA does not speak ARI. Rejects with `CaProblem`. */
  renewalId(leaf: string): Promise<string | null>;
}

export interface IssueTask {
  hostname: string;
  /** PKCS #8, DER. */
  privateKey: Uint8Array;
  /** Null: there is no order yet, or its URL was lost. */
  orderUrl: string | null;
  replaces: string | null;
  signal: AbortSignal;
  /** Keeps the order's URL, before anything else is asked of the CA. */
  onOrder(url: string): Promise<void>;
  /** Makes every node answer with `keyAuthorization`, before the CA looks. */
  present(token: string, keyAuthorization: string): Promise<void>;
  /** Called between the steps, several times a minute: rejects when the lease was lost, and the order is somebody else's. */
  alive(): Promise<void>;
}

/** What the CA suggests (RFC 9773 section 4.2). Times are Unix milliseconds. */
export interface SuggestedRenewal {
  startsAt: number;
  endsAt: number;
  explanationUrl: string | null;
  /** When to ask again, from now on. */
  retryAfterMs: number;
}

/**
 * `rate_limited`: too much was asked. `unavailable`: no answer, or a fault of the CA's own. `account`: our account is not accepted.
 * `authorization_failed`: the CA looked at the name and did not see our answer. `refused`: it will not issue for this name.
 * `order_gone`: it no longer knows the order, another may be begun.
 */
export type CaProblemKind =
  | 'rate_limited'
  | 'unavailable'
  | 'account'
  | 'authorization_failed'
  | 'refused'
  | 'order_gone';

/** The CA did not do what was asked. The message is in plain words, bounded, and has nothing secret in it. */
export class CaProblem extends Error {
  override name = 'CaProblem';
  readonly kind: CaProblemKind;
  /** The CA asked for so much patience (`Retry-After`). */
  readonly retryAfterMs: number | null;
  /** Of the problem document (RFC 8555 section 6.7), such as `urn:ietf:params:acme:error:caa`; null without one. */
  readonly type: string | null;

  constructor(
    kind: CaProblemKind,
    message: string,
    about: { retryAfterMs?: number | null; type?: string | null; cause?: unknown } = {},
  ) {
    super(message, { cause: about.cause });
    this.kind = kind;
    this.retryAfterMs = about.retryAfterMs ?? null;
    this.type = about.type ?? null;
  }
}

/** The CA takes no order that replaces the certificate which was named (RFC 9773 section 5), and has none: one that replaces nothing may be begun. */
export class ReplacesRefused extends CaProblem {
  override name = 'ReplacesRefused';
}
