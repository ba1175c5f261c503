import type { CertificateReason, CertificateState } from '../../domain/certificate-state.ts';
import type { Domain, DomainStatus } from '../../domain/domain.ts';
import type { CheckMemory } from '../../domain/status.ts';

/** One domain whose check is due. */
export interface DueCheck {
  domain: Domain;
  /** Another workspace's domain of the same name that is `verified`, if there is one. */
  incumbent: Domain | null;
  memory: CheckMemory;
  /** Checks claimed so far, this one included. */
  attempts: number;
  /** When the check became due; `now - dueAt` is the lateness of the schedule. */
  dueAt: number;
}

export interface CheckStore {
  /**
   * Claims at most `limit` due checks: the most overdue first, then those that a clock set back since has put out of reach
   * (`domains/schedule.furthestDueAt`). Claiming is rescheduling: each claimed check is moved to `domains/schedule.nextCheckAt` in the
   * same step, so a crash in mid-check costs one period, never a domain, and two callers never hold the same check. (unsynced): a claim
   * lost to a power cut means one early check.
   * `jitter` yields numbers in [0, 1). Checks of the workspace `except` are passed over: they stay due.
   */
  claimDue(
    now: number,
    limit: number,
    checkIntervalMs: number,
    jitter: () => number,
    except?: string | undefined,
  ): Promise<DueCheck[]>;

  /** Due time of the earliest check, or null. For `doctor`, metrics and tests. */
  earliestDueAt(): Promise<number | null>;

  /**
   * Saves the outcome of a check. `stale`, and nothing is saved, when `before.revision` is no longer the domain's (deleted, begun anew,
   * checked elsewhere), or when `after` is verified and the name's incumbent is not exactly `loser.before` (none, when absent).
   * To `verified`: in the same step the loser's change, the route, a newly wanted certificate in place of the loser's, the end of the
   * checks, and the events of both sides; announces `route`. To `failed`: the end of the checks and the event. Otherwise the check's memory, and an event if a reader can see
   * the change. Announces `domain` for each that changed. (unsynced) unless the status changed.
   */
  saveTransition(save: {
    before: Domain;
    after: Domain;
    memory: CheckMemory;
    loser?: { before: Domain; after: Domain } | undefined;
    now: number;
  }): Promise<'saved' | 'stale'>;

  /** Timeline of one domain, oldest first; it outlives the domain. */
  listEvents(domainId: string): Promise<DomainEvent[]>;
}

/** One entry of a domain's timeline; rows are changes, never mere attempts. */
export interface DomainEvent {
  /** `evt_…` */
  id: string;
  domainId: string;
  workspaceId: string;
  type: DomainEventType;
  /** What the domain looks like after the change. */
  data: DomainEventData;
  createdAt: number;
}

export interface DomainEventData {
  name: string;
  environmentId: string;
  status: DomainStatus;
  routingVerified: boolean;
  ownershipVerified: boolean;
  verificationError: string | null;
  /** In events of its certificate: how that stands. */
  certificate?: {
    state: CertificateState;
    reason: CertificateReason | null;
    message: string | null;
    issuer: string | null;
    notAfter: number | null;
  };
}

export type DomainEventType =
  | 'domain.created'
  | 'domain.retried'
  | 'domain.updated'
  | 'domain.verified'
  | 'domain.failed'
  | 'domain.superseded'
  | 'domain.deleted'
  | 'certificate.issued'
  | 'certificate.renewed'
  | 'certificate.failed';
