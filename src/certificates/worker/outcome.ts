import {
  type CertificateProblem,
  type CertificateReason,
  type CertificateState,
  OWNER_FIXABLE,
} from '../../domain/certificate-state.ts';
import type { Certificate, CertificateStore } from '../../store/contract/store.ts';
import { explain, type Obstacle } from '../policy/explain.ts';

/** What is saved of an attempt. */
export interface Outcome
  extends Omit<Parameters<CertificateStore['saveCertificate']>[0], 'hostname' | 'lease' | 'now'> {
  /** No CA takes an order for a new name before. */
  fullUntil?: number;
}

/** Reasons for which no CA was asked. */
const ROUTING: readonly CertificateReason[] = [...OWNER_FIXABLE, 'dns_unreadable'];

/** How a certificate stands with something in the way. One that is in use stays so, whatever becomes of its successor. */
export function stateWith(reason: CertificateReason, { issued }: Certificate, now: number): CertificateState {
  if (issued !== null && now < issued.notAfter) return 'renewing';
  return ROUTING.includes(reason) ? 'waiting_for_routing' : 'failed';
}

/** How it stands with an order under way. */
export function stateOrdering({ issued }: Certificate, now: number): CertificateState {
  return issued !== null && now < issued.notAfter ? 'renewing' : 'ordering';
}

/** What is told of an obstacle. Its time is that of its first sight; one that lies ahead is that of a clock that has been set back. */
export function problemWith(obstacle: Obstacle, { hostname, problem }: Certificate, now: number): CertificateProblem {
  const since = problem?.reason === obstacle.reason ? Math.min(problem.at, now) : now;
  return { reason: obstacle.reason, message: explain(hostname, obstacle), at: since };
}

/** As it was, to be gone on with soon. */
export function unchanged({ problem, selfCheck, failures, state }: Certificate, nextTryAt: number): Outcome {
  return { state, problem, selfCheck, failures, nextTryAt };
}
