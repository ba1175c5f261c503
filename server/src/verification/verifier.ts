import { type Claim, createDueLoop, type DueLoop } from '../base/due-loop.ts';
import type { Log } from '../base/log.ts';
import type { DnsQueries } from '../dns/resolver.ts';
import { type CheckResult, digestOf, digestOfMistakes, recordsSeen } from '../domain/check-result.ts';
import { type Domain, WINDOW_MS } from '../domain/domain.ts';
import type { Finding } from '../domain/finding.ts';
import { findingsOf } from '../domain/findings/findings.ts';
import type { FindingContext } from '../domain/findings/subject.ts';
import type { Observation } from '../domain/observation.ts';
import { readObservation } from '../domain/read-observation.ts';
import { CHECK_INTERVAL_MS, isThoroughCheck } from '../domain/schedule.ts';
import { countsUnreadable, isDecision, sameMemory, transition, windowEndsAt } from '../domain/status.ts';
import type { CheckStore, DueCheck, TargetStore } from '../store/store.ts';
import type { CheckMetrics } from './check-metrics.ts';
import type { GuardedClock } from './guarded-clock.ts';
import { type Depth, observe } from './observation/observe.ts';
import { sharedTargetsIn, tokenOwners } from './observation/token-owners.ts';

interface VerifierOptions {
  store: CheckStore & Pick<TargetStore, 'findSharedTarget'>;
  resolver: DnsQueries;
  clock: GuardedClock;
  /** Findings depend on these besides DNS. */
  facts?: Omit<FindingContext, 'now' | 'domainOfToken'>;
  /** Numbers in [0, 1), for the schedule's jitter. */
  random: () => number;
  log: Log;
  metrics: CheckMetrics;
  /** The zone for challenges: domains whose challenge record leads there get their certificate before the switch. Null: there is none. */
  challengeZone?: string | null;
  checkIntervalMs?: number;
  windowMs?: number;
  /** Most checks in flight. One that waits for a silent nameserver costs memory only. */
  maxInFlight?: number;
  /** Longest time one check may take. */
  deadlineMs?: number;
  /** How often due checks are claimed. */
  pollMs?: number;
}

/** The background checks of one process. */
export type Verifier = DueLoop;

type CheckOutcome = 'unchanged' | 'changed' | 'verified' | 'failed' | 'stale' | 'dropped';

/** Most checks of one claim. */
const BATCH = 250;

/**
 * Most results being saved at once: a larger burst would delay the API's writes and wait past the store's own timeout.
 * Checks that wait to be saved are in flight, so that fewer are claimed meanwhile.
 */
const CONCURRENT_SAVES = 100;

const NO_FACTS: Omit<FindingContext, 'now' | 'domainOfToken'> = { edgeAddresses: [], caNames: [] };

/** Claims due checks and completes each: observe, transition, save. A lost check is due again after a period. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { store, resolver, clock, random, log, metrics } = options;
  const { checkIntervalMs = CHECK_INTERVAL_MS, windowMs = WINDOW_MS } = options;
  const { facts = NO_FACTS, challengeZone = null } = options;
  const { maxInFlight = 2000, deadlineMs = 10_000, pollMs = 250 } = options;
  const limitSaves = semaphore(CONCURRENT_SAVES);

  async function complete(due: DueCheck, { signal, isStale, ...claim }: Claim): Promise<CheckOutcome> {
    // The check before has set `dueAt`: a window ends only if its clock agrees.
    const claimedAt = clock.isTrusted() ? Math.min(claim.claimedAt, due.dueAt) : Number.NEGATIVE_INFINITY;
    const isLast = claimedAt >= windowEndsAt(due.domain, windowMs);
    const isThorough = isThoroughCheck(due.attempts) || countsUnreadable(due.memory);
    const depth = isLast ? 'deciding' : isThorough ? 'thorough' : 'routine';
    const first = await check(due, claimedAt, depth, signal);
    if (isStale()) return 'dropped';
    const isEnough = first.observation.decides || !isDecision(due.domain, first.next);
    const checked = isEnough ? first : await check(due, claimedAt, 'deciding', signal);
    return isStale() ? 'dropped' : save(due, checked);
  }

  async function check(due: DueCheck, claimedAt: number, depth: Depth, signal: AbortSignal) {
    const { domain, incumbent, memory, isPrepared } = due;
    const observation = await observe(resolver, domain, incumbent, { depth, memory, signal, random, challengeZone });
    const domainOfToken = observation.unchanged ? undefined : await tokenOwners(store, domain, observation);
    const sharedTargets = observation.unchanged ? [] : await sharedTargetsIn(store, domain, observation);
    const now = clock.now();
    const start = { domain, incumbent, memory, claimedAt, isPrepared };
    const reading = readObservation(start, observation);
    const findings: Finding[] | 'as_before' =
      domainOfToken === undefined
        ? 'as_before'
        : findingsOf(start, observation, { ...facts, domainOfToken, sharedTargets, now });
    const next = transition(start, reading, findings, now, { windowMs, checkIntervalMs });
    return { next, findings, observation, now };
  }

  async function save(due: DueCheck, checked: Awaited<ReturnType<typeof check>>): Promise<CheckOutcome> {
    const { domain, incumbent, memory } = due;
    const { next, findings, observation, now } = checked;
    const remembered = { ...next.memory, fingerprint: observation.fingerprint ?? null };
    const result = newResult(due, next.after, findings, observation);
    if (next.after === domain && sameMemory(remembered, memory) && result === undefined) return 'unchanged';
    const loser = incumbent && next.loser ? { before: incumbent, after: next.loser } : undefined;
    const seen = recordsSeen(observation);
    const mistakes = next.mistakes && digestOfMistakes(next.mistakes);
    const { after, prepares } = next;
    const change = { before: domain, after, memory: remembered, loser, prepares, result, mistakes, seen, now };
    const saved = await limitSaves(() => store.saveTransition(change));
    if (saved === 'stale') return 'stale';
    const { status } = next.after;
    if (status !== domain.status)
      log.info({ domainId: domain.id, domain: domain.name, status }, 'domain changed status');
    if (status === 'verified' || status === 'failed') return status;
    return next.after === domain ? 'unchanged' : 'changed';
  }

  return createDueLoop({
    ...{
      clock,
      log,
      name: 'check',
      maxInFlight,
      batch: Math.min(BATCH, Math.ceil(maxInFlight / 10)),
      deadlineMs,
      pollMs,
      restMs: 0,
    },
    claim: (now, limit, except) => store.claimDue(now, limit, checkIntervalMs, random, except),
    complete,
    workspaceOf: ({ domain }) => domain.workspaceId,
    about: ({ domain }) => ({ domainId: domain.id }),
    onClaimed(due, now) {
      metrics.claims.inc(due.length);
      for (const { dueAt } of due) metrics.scheduleLatenessSeconds.observe(Math.max(0, now - dueAt) / 1000);
    },
    onInFlight: (count) => metrics.checksInFlight.set(count),
    onCompleted(outcome, seconds) {
      metrics.checks.inc({ outcome });
      metrics.checkSeconds.observe(seconds);
    },
  });
}

/** The result of a check, unless it is stored already and no event needs it. */
function newResult(
  { domain, resultDigest }: DueCheck,
  after: Domain,
  findings: Finding[] | 'as_before',
  observation: Observation,
): CheckResult | undefined {
  if (findings === 'as_before') return undefined;
  const result = { findings, observation };
  return after === domain && digestOf(result) === resultDigest ? undefined : result;
}

/** Runs at most `limit` tasks at a time; the others start in order as those end. */
export function semaphore(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let inFlight = 0;

  function release(): void {
    const next = queue.shift();
    // The next task takes the place of this one.
    if (next === undefined) inFlight -= 1;
    else next();
  }

  return async (task) => {
    if (inFlight < limit) inFlight += 1;
    else await new Promise<void>((acquired) => queue.push(acquired));
    try {
      return await task();
    } finally {
      release();
    }
  };
}
