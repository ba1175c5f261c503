import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { RecordLookups } from '../dns/resolver.ts';
import { WINDOW_MS } from '../domain/domain.ts';
import { CHECK_INTERVAL_MS } from '../domain/schedule.ts';
import { sameMemory, transition } from '../domain/status.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { CheckStore, DueCheck } from '../store/contract/store.ts';
import { adaptiveLimit } from './adaptive-limit.ts';
import { observe } from './observe.ts';
import { semaphore } from './semaphore.ts';

interface VerifierOptions {
  store: CheckStore;
  resolver: RecordLookups;
  clock: Clock;
  /** Numbers in [0, 1), for the schedule's jitter. */
  random: () => number;
  log: Log;
  metrics: Metrics;
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
export interface Verifier {
  /** Claims and completes due checks from now on. */
  start(): void;
  /** Completes all due checks, for tests and tools. Resolves with their number. */
  runOnce(): Promise<number>;
  /** Claims no more. Resolves when the checks in flight are done; those that are not after `graceMs` are dropped. */
  stop(graceMs?: number): Promise<void>;
}

type CheckOutcome = 'unchanged' | 'changed' | 'verified' | 'failed' | 'stale' | 'dropped' | 'error';

/** Most checks of one claim. */
const BATCH = 250;

/** Checks started before the event loop serves requests again. */
const STARTED_AT_ONCE = 25;

/** Until the next claim, after one that the limit cut short. */
const AT_LIMIT_MS = 10;

/**
 * A workspace that has this share of the limit in flight is not claimed for, so that others always can be. At most one
 * workspace can have that much.
 */
const WORKSPACE_SHARE = 0.8;

/**
 * Most results being saved at once: a larger burst would delay the API's writes and wait past the store's own timeout.
 * Checks that wait to be saved are in flight, so that fewer are claimed meanwhile.
 */
const CONCURRENT_SAVES = 100;

/** A process that is only busy is late by less. */
const STALE_AFTER_DEADLINES = 2;

/** Claims due checks and completes each: observe, transition, save. A lost check is due again after a period. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { store, resolver, clock, random, log, metrics } = options;
  const { checkIntervalMs = CHECK_INTERVAL_MS, windowMs = WINDOW_MS } = options;
  const { maxInFlight = 2000, deadlineMs = 10_000, pollMs = 250 } = options;
  // A tenth, so that one claim cannot raise a workspace from its share to the whole limit.
  const batch = Math.min(BATCH, Math.ceil(maxInFlight / 10));
  const inFlight = new Map<Promise<void>, AbortController>();
  const inFlightOf = new Map<string, number>();
  const limitSaves = semaphore(CONCURRENT_SAVES);
  const limit = adaptiveLimit(maxInFlight);
  const controller = new AbortController();
  const stopping = controller.signal;
  let running: Promise<void> | undefined;
  let failing = false;

  /** Claims and starts so many at most. */
  async function claim(count: number): Promise<Promise<void>[]> {
    if (stopping.aborted || count <= 0) return [];
    const now = clock.now();
    const due = await store.claimDue(now, count, checkIntervalMs, random, busiest());
    metrics.claims.inc(due.length);
    const started: Promise<void>[] = [];
    for (const check of due) {
      if (started.length > 0 && started.length % STARTED_AT_ONCE === 0) await setImmediate();
      metrics.scheduleLatenessSeconds.observe(Math.max(0, now - check.dueAt) / 1000);
      started.push(start(check, now));
    }
    return started;
  }

  /** The workspace that has its share in flight. */
  function busiest(): string | undefined {
    if (inFlight.size < WORKSPACE_SHARE * maxInFlight) return undefined;
    for (const [workspaceId, checks] of inFlightOf) if (checks >= WORKSPACE_SHARE * maxInFlight) return workspaceId;
    return undefined;
  }

  function countInFlight({ domain: { workspaceId } }: DueCheck, change: 1 | -1): void {
    const counted = (inFlightOf.get(workspaceId) ?? 0) + change;
    if (counted === 0) inFlightOf.delete(workspaceId);
    else inFlightOf.set(workspaceId, counted);
    metrics.checksInFlight.set(inFlight.size);
  }

  function start(due: DueCheck, claimedAt: number): Promise<void> {
    const check = new AbortController();
    const deadline = setTimeout(() => check.abort(), deadlineMs);
    const startedAt = performance.now();
    const done = complete(due, claimedAt, check.signal)
      .catch((error: unknown): CheckOutcome => {
        log.error({ err: error, domainId: due.domain.id }, 'check failed; it is repeated in about a minute');
        return 'error';
      })
      .then((outcome) => {
        clearTimeout(deadline);
        inFlight.delete(done);
        countInFlight(due, -1);
        metrics.checks.inc({ outcome });
        metrics.checkSeconds.observe((performance.now() - startedAt) / 1000);
      });
    inFlight.set(done, check);
    countInFlight(due, 1);
    return done;
  }

  async function complete(due: DueCheck, claimedAt: number, signal: AbortSignal): Promise<CheckOutcome> {
    const { domain, incumbent, memory } = due;
    const observation = await observe(resolver, domain, incumbent, signal);
    // Aborted by our shutdown, so not an observation of the domain.
    if (stopping.aborted && signal.aborted) return 'dropped';
    const now = clock.now();
    // The process was suspended meanwhile: the observation is old, and the window may have ended since.
    if (now - claimedAt > STALE_AFTER_DEADLINES * deadlineMs) return 'dropped';
    const next = transition({ domain, incumbent, memory, claimedAt }, observation, now, { windowMs, checkIntervalMs });
    if (next.after === domain && sameMemory(next.memory, memory)) return 'unchanged';
    const loser = incumbent && next.loser ? { before: incumbent, after: next.loser } : undefined;
    const save = { before: domain, after: next.after, memory: next.memory, loser, now };
    const saved = await limitSaves(() => store.saveTransition(save));
    if (saved === 'stale') return 'stale';
    const { status } = next.after;
    if (status !== domain.status)
      log.info({ domainId: domain.id, domain: domain.name, status }, 'domain changed status');
    if (status === 'verified' || status === 'failed') return status;
    return next.after === domain ? 'unchanged' : 'changed';
  }

  /** Claims due checks. Returns the time until the next claim, in ms. */
  async function poll(): Promise<number> {
    const count = Math.min(batch, limit.available(inFlight.size));
    try {
      const { length } = await claim(count);
      if (failing) log.info('due checks can be claimed again');
      failing = false;
      if (length < count) return pollMs;
      return count === batch ? 0 : AT_LIMIT_MS;
    } catch (error) {
      if (!failing) log.error({ err: error }, 'due checks cannot be claimed; retrying');
      failing = true;
      return pollMs;
    }
  }

  async function run(): Promise<void> {
    while (!stopping.aborted) {
      const waitMs = await poll();
      const startedAt = performance.now();
      await delay(waitMs, undefined, { signal: stopping }).catch(() => {});
      limit.adjust(performance.now() - startedAt - waitMs);
    }
  }

  return {
    start() {
      running ??= run();
    },
    async runOnce() {
      const checks: Promise<void>[] = [];
      for (let claimed = batch; claimed === batch; ) {
        const started = await claim(Math.min(batch, maxInFlight - inFlight.size));
        claimed = started.length;
        checks.push(...started);
      }
      await Promise.all(checks);
      return checks.length;
    },
    async stop(graceMs = 3000) {
      controller.abort();
      await running;
      const grace = setTimeout(() => {
        for (const check of inFlight.values()) check.abort();
      }, graceMs);
      await Promise.all(inFlight.keys());
      clearTimeout(grace);
    },
  };
}
