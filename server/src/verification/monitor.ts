import { type Claim, createDueLoop, type DueLoop } from '../base/due-loop.ts';
import type { Log } from '../base/log.ts';
import { type CheckResult, digestOf, digestOfMistakes, recordsSeen } from '../domain/check-result.ts';
import type { Domain } from '../domain/domain.ts';
import { findingsOf } from '../domain/findings/findings.ts';
import type { FindingContext } from '../domain/findings/subject.ts';
import {
  isSameMemory,
  type MonitoringMode,
  monitor,
  needsSelfCheck,
  type RecheckOutcome,
} from '../domain/monitoring.ts';
import { followUpAt, MONITORING_INTERVAL_MS } from '../domain/monitoring-schedule.ts';
import type { Observation } from '../domain/observation.ts';
import { readObservation } from '../domain/read-observation.ts';
import { NO_MEMORY } from '../domain/status.ts';
import { mistakesOf } from '../domain/verification-error.ts';
import type { CheckStore, DueRecheck, MonitorStore, TargetStore } from '../store/store.ts';
import type { CheckMetrics } from './check-metrics.ts';
import type { GuardedClock } from './guarded-clock.ts';
import type { Depth } from './observation/observe.ts';
import type { SelfChecker } from './observation/self-check.ts';
import { sharedTargetsIn, tokenOwners } from './observation/token-owners.ts';
import { readAddresses } from './read-addresses.ts';

export interface MonitorOptions {
  store: MonitorStore & Pick<CheckStore & TargetStore, 'findNameByToken' | 'findSharedTarget'>;
  /** Reads the records of a domain (`verification/observation/observe.ts`). Never rejects. */
  observe: (domain: Domain, depth: Depth, signal: AbortSignal) => Promise<Observation>;
  /** Null: this installation cannot check itself. */
  checkSelf: SelfChecker | null;
  mode: MonitoringMode;
  cnameZone: string;
  /** Findings depend on these besides DNS. */
  facts?: Omit<FindingContext, 'now' | 'domainOfToken'>;
  clock: GuardedClock;
  /** Numbers in [0, 1), for the schedule's jitter. */
  random: () => number;
  log: Log;
  metrics: CheckMetrics;
  intervalMs?: number;
  /** Most re-checks in flight. */
  maxInFlight?: number;
  /** Longest time of one re-check, with its self-check. */
  deadlineMs?: number;
  /** How often due re-checks are claimed. */
  pollMs?: number;
}

/** So many are claimed in a second at most, also after a pause: re-checks can wait, and checks cannot. */
const BATCH = 100;
const EVERY_MS = 1000;

/** Sooner in the playground, where a loss is to be told within a short interval. */
function pollEveryMs(intervalMs: number): number {
  return Math.min(EVERY_MS, Math.max(20, intervalMs / 50));
}

/** Re-checks verified domains, in the background and apart from the checks of waiting ones. */
export function createMonitor(options: MonitorOptions): DueLoop {
  const { store, observe, checkSelf, mode, cnameZone, clock, random, log, metrics } = options;
  const {
    intervalMs = MONITORING_INTERVAL_MS,
    facts = { edgeAddresses: [], caNames: [] },
    maxInFlight = 10 * BATCH,
    deadlineMs = 30_000,
    pollMs = pollEveryMs(intervalMs),
  } = options;

  async function complete(due: DueRecheck, { signal, isStale }: Claim): Promise<RecheckOutcome | 'stale' | 'dropped'> {
    const { domain, memory } = due;
    // A loss is told only after every nameserver was asked.
    const isDoubtful = memory.suspected.length > 0 || memory.driftedSince !== null;
    const first = await recheck(due, isDoubtful ? 'thorough' : 'recheck', signal);
    if (isStale()) return 'dropped';
    const isEnough = first.observation.decides || first.next.after === domain;
    const { next, findings, observation, now } = isEnough ? first : await recheck(due, 'deciding', signal);
    if (isStale()) return 'dropped';
    // Its claim has scheduled it as this memory asks for.
    const { after, outcome } = next;
    const result: CheckResult = { findings, observation };
    // Its owner was told of the loss, and is told when there is another mistake.
    const tells = outcome === 'drifted' || outcome === 'still_drifted' || outcome === 'failed';
    const isNew = digestOf(result) !== due.resultDigest;
    if (after === domain && isSameMemory(next.memory, memory) && !(tells && isNew)) return outcome;
    const nextCheckAt = followUpAt(memory, next.memory, now, intervalMs, random());
    const mistakes = tells ? digestOfMistakes(mistakesOf(findings, { reportUnreadable: true })) : undefined;
    const saved = await store.saveMonitoring({
      ...{ before: domain, after, memory: next.memory, attempts: due.attempts, nextCheckAt, now },
      ...{ result: isNew || after !== domain ? result : undefined, mistakes, seen: recordsSeen(observation) },
    });
    if (saved === 'stale') return 'stale';
    tell(after, outcome);
    return outcome;
  }

  async function recheck({ domain, memory }: DueRecheck, depth: Depth, signal: AbortSignal) {
    const observation = await observe(domain, depth, signal);
    const observed = { domain, incumbent: null, memory: NO_MEMORY };
    const records = readObservation(observed, observation);
    const asks = checkSelf !== null && needsSelfCheck(domain, records) && !signal.aborted;
    const addresses = asks
      ? await readAddresses(checkSelf, domain, signal, random, cnameZone)
      : ({ kind: 'unchecked' } as const);
    const domainOfToken = await tokenOwners(store, domain, observation);
    const sharedTargets = await sharedTargetsIn(store, domain, observation);
    const now = clock.now();
    const findings = findingsOf(observed, observation, { ...facts, domainOfToken, sharedTargets, now });
    const next = monitor(domain, memory, { ...records, addresses, findings }, now, mode, clock.isTrusted());
    return { next, findings, observation, now };
  }

  function tell({ id, name, verificationError }: Domain, outcome: RecheckOutcome): void {
    const what = { domainId: id, domain: name };
    if (outcome === 'drifted') log.info({ ...what, verificationError }, 'a verified domain has lost what it needs');
    if (outcome === 'recovered') log.info(what, 'a verified domain has what it needs again');
    if (outcome === 'failed')
      log.warn(what, 'nothing has led from a domain to here for seven days; it is no longer served');
  }

  return createDueLoop({
    ...{
      clock,
      log,
      name: 're-check',
      maxInFlight,
      batch: Math.min(BATCH, Math.ceil(maxInFlight / 10)),
      deadlineMs,
      pollMs,
      restMs: pollMs,
    },
    claim: (now, limit, except) => store.claimMonitored({ now, limit, intervalMs, jitter: random, except }),
    complete,
    workspaceOf: ({ domain }) => domain.workspaceId,
    about: ({ domain }) => ({ domainId: domain.id }),
    onClaimed(due, now) {
      for (const { dueAt } of due) metrics.recheckLatenessSeconds.observe(Math.max(0, now - dueAt) / 1000);
    },
    onInFlight: (count) => metrics.rechecksInFlight.set(count),
    onCompleted: (outcome) => metrics.rechecks.inc({ outcome }),
  });
}
