import { OWNER_FIXABLE } from '../../../../words/reasons.ts';
import type { CertificateProblem, CertificateState } from '../../domain/certificate-state.ts';
import type { Certificate, CertificateStore } from '../../store/store.ts';
import { type Blocker, describeCertificateBlocker } from '../policy/blocker.ts';

/** The result that an attempt saves. */
export interface AttemptResult
  extends Omit<Parameters<CertificateStore['saveCertificate']>[0], 'hostname' | 'lease' | 'now'> {
  /** Until then, no CA accepts an order for any new name. */
  newNamesBlockedUntil?: number;
}

/** Why a CA is not asked for a certificate, and until when. */
export interface Blocked {
  blocker: Blocker;
  until: number;
  /** The reason blocks every new name, not this one alone. */
  allNames: boolean;
}

/** The state and the problem of a blocked certificate. One that is still valid stays in use. */
export function blockedBy(blocker: Blocker, certificate: Certificate, now: number) {
  const { reason } = blocker;
  const isRouting = ['dns_unreadable', 'challenge_not_seen'].includes(reason) || OWNER_FIXABLE.has(reason);
  const state: CertificateState = isValid(certificate, now) ? 'renewing' : isRouting ? 'waiting_for_routing' : 'failed';
  const message = describeCertificateBlocker(certificate.hostname, blocker);
  const problem: CertificateProblem = { reason, message, at: blockedSince(reason, certificate, now) };
  return { state, problem };
}

/** Since when the reason has been this one. A time ahead of now was written by a clock that has been set back. */
export function blockedSince(reason: Blocker['reason'], { problem }: Certificate, now: number): number {
  return problem?.reason === reason ? Math.min(problem.at, now) : now;
}

/** The state with an order in flight. */
export function orderingState(certificate: Certificate, now: number): CertificateState {
  return isValid(certificate, now) ? 'renewing' : 'ordering';
}

function isValid({ issued }: Certificate, now: number): boolean {
  return issued !== null && now < issued.notAfter;
}

/** Saves the certificate unchanged, to be continued at that time. */
export function unchanged({ problem, selfCheck, failures, state }: Certificate, nextTryAt: number): AttemptResult {
  return { state, problem, selfCheck, failures, nextTryAt };
}
