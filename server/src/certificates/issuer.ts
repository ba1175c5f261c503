import type { ChallengeType } from '../domain/certificate-state.ts';

/** A CA: an ACME CA (`acme`), or our own (`internal`). */
export interface Issuer {
  /** Directory URL, or `internal`. Certificates, orders, ledger and account refer to it. */
  readonly id: string;
  /** Whether it is an ACME CA, which validates names: the challenge, CAA and limits have to be checked first. */
  readonly validatesNames: boolean;
  /**
   * The CA's issuer domain names for CAA (RFC 8659 section 4.2); none: CAA is not checked. Rejects with `CaProblem`.
   */
  caaNames(): Promise<readonly string[]>;
  /**
   * Obtains a certificate, from whatever state the order is in: new, resumed by its URL, or finished. Rejects with
   * `CaProblem`, or with the error of a callback; with `ReplacesRefused` if the CA may accept the order without
   * `replaces`; with `ChallengeNotOffered` if the same order may go on with another type of challenge.
   */
  issue(task: IssueTask): Promise<{ chain: string }>;
  /** When the CA wants the certificate renewed (RFC 9773); null: it gives no suggestion. Rejects with `CaProblem`. */
  renewalInfo(leaf: string): Promise<SuggestedRenewal | null>;
  /**
   * ARI identifier of a certificate (RFC 9773 section 4.1); null: the CA does not support ARI. Rejects with
   * `CaProblem`.
   */
  renewalId(leaf: string): Promise<string | null>;
}

export interface IssueTask {
  hostname: string;
  /** PKCS #8, DER. */
  privateKey: Uint8Array;
  /** Null: there is no order yet, or its URL was lost. */
  orderUrl: string | null;
  replaces: string | null;
  /** The type by which the name is to be validated; the internal CA validates nothing. */
  challenge: ChallengeType;
  signal: AbortSignal;
  /** Saves the order's URL, before the next request to the CA. */
  onOrder(url: string): Promise<void>;
  /** Publishes a challenge response on every node, and resolves once the CA may look at it. */
  present(challenge: { type: ChallengeType; token: string; keyAuthorization: string }): Promise<void>;
  /** Called between the steps, several times a minute. Rejects if the lease was lost. */
  ensureLease(): Promise<void>;
}

/** A suggested renewal window (RFC 9773 section 4.2). Times are Unix milliseconds. */
export interface SuggestedRenewal {
  startsAt: number;
  endsAt: number;
  explanationUrl: string | null;
  /** When to ask again, from now. */
  retryAfterMs: number;
}

/**
 * `rate_limited`: too many requests or orders. `unavailable`: no response, or a server error. `account`: our account is
 * not accepted. `authorization_failed`: the CA validated the name and did not get our challenge response. `refused`: it
 * does not issue for this name. `order_gone`: it no longer has the order; a new one may be begun.
 */
export const CA_PROBLEM_KINDS = [
  'rate_limited',
  'unavailable',
  'account',
  'authorization_failed',
  'refused',
  'order_gone',
] as const;

export type CaProblemKind = (typeof CA_PROBLEM_KINDS)[number];

/** A request to the CA did not succeed. The message is for people, bounded, and contains no secret. */
export class CaProblem extends Error {
  override name = 'CaProblem';
  readonly kind: CaProblemKind;
  /** The CA's `Retry-After`. */
  readonly retryAfterMs: number | null;
  /**
   * Type of the problem document (RFC 8555 section 6.7), such as `urn:ietf:params:acme:error:caa`; null without one.
   */
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

/** The CA did not accept an order with `replaces` (RFC 9773 section 5), and created none. One without may be begun. */
export class ReplacesRefused extends CaProblem {
  override name = 'ReplacesRefused';
}

/** The CA offers no challenge of the wanted type for the name. The order is as it was. */
export class ChallengeNotOffered extends CaProblem {
  override name = 'ChallengeNotOffered';
}

/** Reasons for a revocation that subscribers may give (RFC 5280 section 5.3.1). */
export const REVOCATION_REASONS = { keyCompromise: 1, affiliationChanged: 3, superseded: 4, cessationOfOperation: 5 };
export type RevocationReason = keyof typeof REVOCATION_REASONS;

/** Host of the CA's directory, or `internal`. */
export function caHost({ id }: Pick<Issuer, 'id'>): string {
  return URL.parse(id)?.host || id;
}
