import type { CheckResult, RecordsSeen } from '../../domain/check-result.ts';
import type { Domain } from '../../domain/domain.ts';
import type { MonitorMemory } from '../../domain/monitoring.ts';

/** A verified domain whose re-check is due. */
export interface DueRecheck {
  domain: Domain;
  memory: MonitorMemory;
  /** `domain/check-result.digestOf` the stored result; null: there is none. */
  resultDigest: string | null;
  /** Re-checks claimed so far since the domain was verified, including this one. */
  attempts: number;
  /** When the re-check became due. */
  dueAt: number;
}

export interface MonitorClaim {
  now: number;
  limit: number;
  /** Period of the re-checks of a healthy domain; others are due earlier (`domain/monitoring-schedule.followUpAt`). */
  intervalMs: number;
  /** Returns numbers in [0, 1). */
  jitter: () => number;
  /** Domains of this workspace are skipped, and stay due. */
  except?: string | undefined;
}

/** The re-checks of verified domains. Every verified domain has one schedule, from the transaction that verifies it until it is `verified` no more. */
export interface MonitorStore {
  /**
   * Claims at most `limit` due re-checks: the most overdue first, then those further ahead than `domain/schedule.furthestDueAt`. A claim
   * reschedules, as `claimDue` does; its rows are those of another table, so neither waits for the other. (unsynced)
   */
  claimMonitored(claim: MonitorClaim): Promise<DueRecheck[]>;

  /**
   * Saves the result of a re-check that changed anything. `stale`, and nothing is saved, when `before.revision` is no longer the domain's, or the
   * re-check was claimed again since (`attempts`). `after` is `verified`, or `failed`: then, in the same step, the route, the certificate and the
   * schedule end; logs the change `route`. Events: each flag that changed, `domain.drifted` and `domain.recovered` (`memory.driftedSince` was set
   * or cleared), `domain.failed`. Logs the change `domain` if it changed. Replaces the stored result where `result` is given, and the time of the
   * next re-check where `nextCheckAt` is. (unsynced) unless the status changed.
   */
  saveMonitoring(save: {
    before: Domain;
    after: Domain;
    memory: MonitorMemory;
    /** `DueRecheck.attempts`. */
    attempts: number;
    result?: CheckResult | undefined;
    seen?: RecordsSeen | undefined;
    nextCheckAt?: number | undefined;
    now: number;
  }): Promise<'saved' | 'stale'>;

  /** Verified domains that have drifted. Cheap: it counts them alone. */
  countDrifted(): Promise<number>;
}
