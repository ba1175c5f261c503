/** What a certificate is, and what can be wrong with it. Pure. */

/**
 * `wanted`: nobody has looked at it yet. `waiting_for_routing`: the name would fail at the CA, so the CA was not asked. `ordering`: an order is
 * under way. `issued`: a certificate is in use. `renewing`: one is in use, and its successor is being obtained. `failed`: the CA did not issue;
 * it is asked again.
 */
export type CertificateState = 'wanted' | 'waiting_for_routing' | 'ordering' | 'issued' | 'renewing' | 'failed';

/** Why a certificate is no further. */
export type CertificateReason =
  /** The name has no address. */
  | 'no_address'
  /** The name's records, or its CAA records, could not be read. */
  | 'dns_unreadable'
  /** The name leads to an address that is not on the Internet. */
  | 'address_not_public'
  /** An address of the name does not answer on port 80. */
  | 'unreachable'
  /** Something else answers at an address of the name, or redirects elsewhere. */
  | 'answered_by_another'
  /** A CAA record forbids the CA (RFC 8659). */
  | 'caa_forbids'
  /** Our own budget at the CA is spent (docs/certificates.md). */
  | 'budget_spent'
  /** The CA says that too much was asked of it. */
  | 'ca_rate_limited'
  /** The CA does not answer, or answers with a fault of its own. */
  | 'ca_unavailable'
  /** The CA does not accept our account. */
  | 'ca_account'
  /** The CA could not see our answer to its challenge. */
  | 'authorization_failed'
  /** The CA will not issue for this name. */
  | 'ca_refused';

/** What the owner of a name alone can mend: it does not lead to us, or its owner forbids the CA. Such a certificate may expire. */
export const OWNERS_REASONS: readonly CertificateReason[] = [
  'no_address',
  'address_not_public',
  'unreachable',
  'answered_by_another',
  'caa_forbids',
];

export interface CertificateProblem {
  reason: CertificateReason;
  /** What happened, where, and what to do: words for the customer or the operator, bounded, with nothing secret in them. */
  message: string;
  /** Since when the reason is this one. */
  at: number;
}

/** No look at a certificate is put off for longer, whatever a CA asks for. */
export const LONGEST_WAIT_MS = 8 * 86_400_000;

/** What was spent at CAs is remembered for so long, so no limit may count over a longer time. */
export const LEDGER_RETENTION_MS = 30 * 86_400_000;

/**
 * A certificate that is to be looked at later than this, as of `now`, was put off by a clock that has been set back since, and would be left alone for as
 * long as that was. It counts as due. Clocks of machines that share a store differ by less.
 */
export function furthestTryAt(now: number): number {
  return now + LONGEST_WAIT_MS + 86_400_000;
}

/** What came back at one address of the name when our own challenge path was fetched through it. */
export interface SelfCheckAnswer {
  address: string;
  outcome: 'ours' | 'another' | 'unreachable' | 'not_public';
  /** What was seen instead: status and beginning of the body, where it redirected to, or the error. Bounded, safe to show. */
  seen: string | null;
}

export interface SelfCheck {
  at: number;
  answers: SelfCheckAnswer[];
}

/** One record of a CAA set (RFC 8659 section 4.1). */
export interface CaaRecord {
  /** Whoever does not understand it must not issue. */
  critical: boolean;
  /** `issue`, `issuewild`, …; lower case. */
  tag: string;
  value: string;
}

/** When a certificate is to be renewed. */
export interface RenewalWindow {
  /** Suggested by the CA (RFC 9773), or a third of the lifetime left. */
  source: 'ari' | 'lifetime';
  startsAt: number;
  endsAt: number;
  /** The moment in the window that was drawn for this certificate. */
  renewAt: number;
  /** When the CA is asked again for its window; null: never. */
  askAgainAt: number | null;
  explanationUrl: string | null;
}
