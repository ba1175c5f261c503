import type { CertificateReason, CertificateState } from '../../domain/certificate-state.ts';
import type { Domain, DomainStatus } from '../../domain/domain.ts';
import type { CheckMemory } from '../../domain/status.ts';

/** A domain whose check is due. */
export interface DueCheck {
  domain: Domain;
  /** Another workspace's `verified` domain of the same name, if there is one. */
  incumbent: Domain | null;
  memory: CheckMemory;
  /** Checks claimed so far, including this one. */
  attempts: number;
  /** When the check became due: `now - dueAt` is how late the schedule is. */
  dueAt: number;
}

export interface CheckStore {
  /**
   * Claims at most `limit` due checks: the most overdue first, then those further ahead than `domain/schedule.furthestDueAt`, which a clock
   * that was wrong has scheduled. A claim reschedules: it moves the check to `domain/schedule.nextCheckAt` in the same step, so a crash during
   * a check costs one period, never a domain, and no two callers hold the same check. (unsynced): a claim lost in a power cut means one
   * early check.
   * `jitter` returns numbers in [0, 1). Checks of the workspace `except` are skipped, and stay due.
   */
  claimDue(
    now: number,
    limit: number,
    checkIntervalMs: number,
    jitter: () => number,
    except?: string | undefined,
  ): Promise<DueCheck[]>;

  /** Due time of the earliest check, or null. For tests. */
  earliestDueAt(): Promise<number | null>;

  /** The `verified` domain of the same name, of another workspace; null: nobody holds it. */
  findIncumbent(domain: Pick<Domain, 'id' | 'name'>): Promise<Domain | null>;

  /**
   * Saves the result of a check. `stale`, and nothing is saved, when `before.revision` is no longer the domain's (it was deleted, retried or
   * checked elsewhere), or when `after` is verified and the name's incumbent is not exactly `loser.before` (none, when absent).
   * To `verified`: in the same step the loser's change, the route, a new `wanted` certificate in place of the loser's, the end of the checks,
   * and the events of both; logs the change `route`. To `failed`: the end of the checks and the event. Otherwise the check's memory, and an
   * event if the API shows the change. Logs the change `domain` for each that changed. (unsynced) unless the status changed.
   */
  saveTransition(save: {
    before: Domain;
    after: Domain;
    memory: CheckMemory;
    loser?: { before: Domain; after: Domain } | undefined;
    now: number;
  }): Promise<'saved' | 'stale'>;

  /** Timeline of one domain, oldest first. It outlives the domain. */
  listEvents(domainId: string): Promise<DomainEvent[]>;
}

/** An entry of a domain's timeline: a change, never an attempt that changed nothing. */
export interface DomainEvent {
  /** `evt_…` */
  id: string;
  domainId: string;
  workspaceId: string;
  type: DomainEventType;
  /** The domain after the change. */
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
  /** The certificate after the change, in events of type `certificate.*`. */
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
