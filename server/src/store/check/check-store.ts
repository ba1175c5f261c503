import type { CheckResult, RecordsSeen } from '../../domain/check-result.ts';
import type { Domain } from '../../domain/domain.ts';
import type { Finding } from '../../domain/finding.ts';
import type { LiveMemory, Looked } from '../../domain/live.ts';
import type { MonitorMemory } from '../../domain/monitoring.ts';
import type { CheckMemory } from '../../domain/status.ts';

/** A domain whose check is due. */
export interface DueCheck {
  domain: Domain;
  /** Another workspace's `verified` domain of the same name, if there is one. */
  incumbent: Domain | null;
  /** Whether it has a route already (`domain/status.isPreparedBy`). */
  isPrepared: boolean;
  memory: CheckMemory;
  /** `domain/check-result.digestOf` the stored result; null: there is none. */
  resultDigest: string | null;
  /** Checks claimed so far, including this one. */
  attempts: number;
  /** When the check became due: `now - dueAt` is how late the schedule is. */
  dueAt: number;
}

/** The last check of a domain, and the next. */
export interface StoredCheck {
  /** The last result that differed from the one before; null: none was saved yet. `checkedAt`: when it was saved. `toldAt`: when an event last had findings. */
  result: (CheckResult & { checkedAt: number; toldAt: number | null }) | null;
  schedule: CheckSchedule;
}

/** The schedule of a waiting domain's checks, or of a verified one's re-checks. A failed domain has none. */
export interface CheckSchedule {
  /** Checks claimed so far: in this window, or since the domain was verified. */
  attempts: number;
  /** When the last check was claimed; null: there was none in this schedule. */
  lastCheckAt: number | null;
  nextCheckAt: number | null;
  /** Null unless the domain waits. */
  windowEndsAt: number | null;
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

  /** Due time of the earliest check, or null. */
  earliestDueAt(): Promise<number | null>;

  /** At most `limit` domains that are `failed` and became so after `after`, other than by a takeover. */
  findFailedAfter(after: number, limit: number): Promise<Pick<Domain, 'id' | 'workspaceId'>[]>;

  /** The `verified` domain of the same name, of another workspace; null: nobody holds it. */
  findIncumbent(domain: Pick<Domain, 'id' | 'name'>): Promise<Domain | null>;

  /** Name of the workspace's domain that has this token; null: none has it. */
  findNameByToken(workspaceId: string, token: string): Promise<string | null>;

  /**
   * Saves the result of a check. `stale`, and nothing is saved, when `before.revision` is no longer the domain's (it was deleted, retried or
   * checked elsewhere), or when `after` is verified and the name's incumbent is not exactly `loser.before` (none, when absent).
   * With `prepares`, where nobody has the name verified (otherwise `stale`): a waiting domain gets its route and a `wanted` certificate, in place of
   * those of another prepared domain; no re-check and no look. Logs the change `route`.
   * To `verified`: in the same step the loser's change, the route, a new `wanted` certificate in place of the loser's, which is
   * inherited (`ServedCertificate`) unless it was imported or has expired; a prepared domain keeps its route and its certificate, and what another one
   * was prepared with is deleted. Also the first re-check at `recheckAt` (an hour after `now`, when absent), the end of
   * the checks, and the events of both; logs the change `route`. To `failed`: the end
   * of the checks, of the route of a prepared domain with its certificate, and the event. Otherwise the check's memory. Each flag that changed is an event `record.seen` or `record.lost` with the values
   * of `seen`. Logs the change `domain` for each that changed. Replaces the stored result where `result` is given: callers give it when its
   * digest is not `DueCheck.resultDigest`, and when the domain changed. Its findings are in the events `record.lost` and `domain.failed`.
   * Where `mistakes` is not what an event told last, the event `diagnosis.changed`: at most one in `DIAGNOSIS_EVERY_MS` after the last
   * event with findings; a later save tells those that came too soon. (unsynced) unless the status changed.
   */
  saveTransition(save: {
    before: Domain;
    after: Domain;
    memory: CheckMemory;
    loser?: { before: Domain; after: Domain } | undefined;
    /** `domain/status.Transition.prepares`. */
    prepares?: boolean | undefined;
    result?: CheckResult | undefined;
    /** `domain/check-result.digestOfMistakes` in `result`; absent: nothing is to be told. */
    mistakes?: string | undefined;
    seen?: RecordsSeen | undefined;
    recheckAt?: number | undefined;
    now: number;
  }): Promise<'saved' | 'stale'>;

  /** Null when there is no such domain in the workspace. The result is kept until the domain is deleted. */
  findCheckResult(workspaceId: string, domainId: string): Promise<StoredCheck | null>;
}

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
   * or cleared), `domain.failed`, and `diagnosis.changed` as in `saveTransition`; `domain.drifted` has the findings too. Logs the change `domain` if it changed. Replaces the stored result where `result` is given, and the time of the
   * next re-check where `nextCheckAt` is. (unsynced) unless the status changed.
   */
  saveMonitoring(save: {
    before: Domain;
    after: Domain;
    memory: MonitorMemory;
    /** `DueRecheck.attempts`. */
    attempts: number;
    result?: CheckResult | undefined;
    /** As in `saveTransition`. */
    mistakes?: string | undefined;
    seen?: RecordsSeen | undefined;
    nextCheckAt?: number | undefined;
    now: number;
  }): Promise<'saved' | 'stale'>;

  /** Verified domains that have drifted. Cheap: it counts them alone. */
  countDrifted(): Promise<number>;
}

/** A verified name that is due to be looked at from outside. */
export interface DueLook {
  domain: Domain;
  memory: LiveMemory;
  /** When the look became due. */
  dueAt: number;
  /** Fencing token. */
  lease: number;
}

/** Looks at verified names from outside. Every route of a verified domain has one schedule, which ends with it. */
export interface LiveStore {
  /**
   * Claims at most `limit` due looks: the most overdue first, then those further ahead than `domain/schedule.furthestDueAt`. A claim
   * reschedules: a look that a crash has lost is due again after `domain/live.CONFIRM_MS`, and no two callers hold the same look. Names of the workspace
   * `except` are skipped, and stay due. (unsynced)
   */
  claimLooks(claim: { now: number; limit: number; except?: string | undefined }): Promise<DueLook[]>;

  /** Makes the look at a name due at `at`, unless it is due earlier; one that is in flight does not count. (unsynced) */
  lookSoon(hostname: string, at: number): Promise<void>;

  /**
   * Saves what a look has found, with its event, which has the findings if there are some. `stale`, and nothing is saved, when the look was claimed again or made due anew since (a certificate was
   * issued, the domain drifted or recovered), or the route has ended. (unsynced) without an event.
   */
  saveLook(
    save: Pick<Looked, 'memory' | 'event'> &
      Pick<DueLook, 'domain' | 'lease'> & { findings?: Finding[]; nextAt: number; now: number },
  ): Promise<'saved' | 'stale'>;
}
