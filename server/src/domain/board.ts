import type { CertificateProblem, CertificateReason, CertificateState } from './certificate-state.ts';
import type { Domain } from './domain.ts';
import type { LiveState } from './live.ts';

/** The board of a move: whether each name is ready to switch, and why not. Pure. */

/** A domain as the board needs it. Null in place of a certificate: none is wanted yet. */
export interface BoardRow {
  domain: Pick<Domain, 'name' | 'status' | 'verificationError' | 'windowStartedAt' | 'verifiedAt' | 'updatedAt'>;
  certificate: { state: CertificateState; problem: CertificateProblem | null; notAfter: number | null } | null;
  live: { state: LiveState } | null;
}

/** Reasons beside those of certificates. */
export const BOARD_REASONS = [
  /** No check has completed. */
  'not_checked',
  /** Its records are not in place yet. */
  'not_verified',
  /** The window has ended, or another workspace has proved the name. */
  'verification_failed',
  /** The certificate is about to be ordered. */
  'not_ordered',
  /** The order at the CA is in progress. */
  'ordering',
] as const;
export type BoardReason = (typeof BOARD_REASONS)[number] | CertificateReason;

/** Why a name is not ready to switch. `message`: for people; null while it makes normal progress. `since`: Unix ms. */
export interface BoardBlocker {
  reason: BoardReason;
  message: string | null;
  since: number;
}

/** Whether our edge has a valid certificate in use for the name. Only verified and prepared domains have any. */
export function isReadyToSwitch({ certificate }: Pick<BoardRow, 'certificate'>, now: number): boolean {
  return (certificate?.notAfter ?? 0) > now;
}

/** Null: it is ready to switch. */
export function boardBlocker(row: Omit<BoardRow, 'live'>, now: number): BoardBlocker | null {
  if (isReadyToSwitch(row, now)) return null;
  const { domain, certificate } = row;
  const since = sinceOf(domain);
  if (certificate === null) return { reason: UNVERIFIED[domain.status], message: domain.verificationError, since };
  const { state, problem } = certificate;
  if (problem !== null) return { reason: problem.reason, message: problem.message, since: problem.at };
  return { reason: state === 'wanted' ? 'not_ordered' : 'ordering', message: null, since };
}

const UNVERIFIED: Record<Domain['status'], BoardReason> = {
  pending: 'not_checked',
  verifying: 'not_verified',
  // Its certificate is added in the same transaction.
  verified: 'not_ordered',
  failed: 'verification_failed',
};

/** Since when a domain has been in its status, as far as it says so (Unix ms). */
function sinceOf({ status, verifiedAt, updatedAt, windowStartedAt }: BoardRow['domain']): number {
  const at = { pending: null, verifying: null, verified: verifiedAt, failed: updatedAt }[status];
  return at ?? windowStartedAt;
}

/** Names that share a reason, and the one that has had it for longest. */
export interface BoardGroup {
  reason: BoardReason;
  count: number;
  oldest: { domain: string; message: string | null; since: number };
}

/** Reasons of names whose certificate is ordered as soon as the CA's limits allow it. */
const PACED: readonly BoardReason[] = ['not_ordered', 'budget_spent', 'ca_rate_limited'];

/** How many wait for an order, and for nothing that their owner has to do. */
export function waitingOf({ blockers }: Pick<BoardCounts, 'blockers'>): number {
  return blockers.reduce((sum, { reason, count }) => sum + (PACED.includes(reason) ? count : 0), 0);
}

export interface BoardCounts {
  total: number;
  readyToSwitch: number;
  /** Names that visitors reached here at the last look. */
  live: number;
  /** The others, the largest group first. */
  blockers: BoardGroup[];
}

/** Counts the rows that are added. */
export function boardCounter(now: number): { add(row: BoardRow): void; counts(): BoardCounts } {
  const groups = new Map<BoardReason, BoardGroup>();
  const sums = { total: 0, readyToSwitch: 0, live: 0 };
  return {
    add(row) {
      sums.total += 1;
      if (row.live?.state === 'live') sums.live += 1;
      const blocker = boardBlocker(row, now);
      if (blocker === null) {
        sums.readyToSwitch += 1;
        return;
      }
      const { reason, ...why } = blocker;
      const { count, oldest } = groups.get(reason) ?? { count: 0, oldest: null };
      const isOldest = oldest === null || why.since < oldest.since;
      groups.set(reason, { reason, count: count + 1, oldest: isOldest ? { domain: row.domain.name, ...why } : oldest });
    },
    counts: () => ({ ...sums, blockers: [...groups.values()].sort((a, b) => b.count - a.count) }),
  };
}
