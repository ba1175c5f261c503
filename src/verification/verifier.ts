import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { RecordLookups } from '../dns/resolver.ts';
import { WINDOW_MS } from '../domain/domain.ts';
import { CHECK_INTERVAL_MS } from '../domain/schedule.ts';
import { transition } from '../domain/status.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { CheckStore, DueCheck } from '../store/contract/store.ts';
import { createRoom } from './adaptive-limit.ts';
import { observe } from './observe.ts';
import { turns } from './semaphore.ts';

export interface VerifierOptions {
  store: CheckStore;
  resolver: RecordLookups;
  clock: Clock;
  /** Numbers in [0, 1), for the schedule's jitter. */
  random: () => number;
  log: Log;
  metrics: Metrics;
  checkIntervalMs?: number;
  windowMs?: number;
  /** Most checks under way at once. One that waits for a silent nameserver costs memory only. */
  capacity?: number;
  /** Longest time one check may take. */
  deadlineMs?: number;
  /** How often due checks are looked for. */
  pollMs?: number;
}

/** The background checks of one process. */
export interface Verifier {
  /** Looks for due checks from now on. */
  start(): void;
  /** Claims all that is due and completes it, for tests and tools. Resolves with the number of checks. */
  runOnce(): Promise<number>;
  /** Claims no more; resolves when the checks under way are done, or `graceMs` later, when the rest has been dropped. */
  stop(graceMs?: number): Promise<void>;
}

type Outcome = 'unchanged' | 'changed' | 'verified' | 'failed' | 'stale' | 'dropped' | 'error';

/** Most checks claimed in one go. */
const BATCH = 250;

/** Checks that are begun before requests have their turn. */
const BEGUN_AT_ONCE = 25;

/** When there is no room, it is looked for again. */
const NO_ROOM_MS = 10;

/**
 * The part of the capacity from which on a workspace's further checks stay due, so that those of others always find room. At most one
 * workspace can have that much.
 */
const WORKSPACE_SHARE = 0.8;

/**
 * Most results that are being saved at once. A burst of them would stand in front of the API's writes, and wait for the store for longer than
 * that lets anybody wait; those that wait here count as under way, so that less is claimed meanwhile.
 */
const SAVES = 100;

/** In deadlines. A process that merely has much to do is late by less. */
const STALE_AFTER = 2;

/** Claims due checks and completes each: observe, transition, save. A check that is lost comes round again with the next period. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { store, resolver, clock, random, log, metrics } = options;
  const { checkIntervalMs = CHECK_INTERVAL_MS, windowMs = WINDOW_MS } = options;
  const { capacity = 2000, deadlineMs = 10_000, pollMs = 250 } = options;
  // A tenth, so that what is claimed at once cannot carry a workspace from its share to the whole.
  const batch = Math.min(BATCH, Math.ceil(capacity / 10));
  const inFlight = new Map<Promise<void>, AbortController>();
  const inFlightOf = new Map<string, number>();
  const inTurn = turns(SAVES);
  const room = createRoom(capacity);
  let timer: NodeJS.Timeout | undefined;
  let claiming: Promise<unknown> = Promise.resolve();
  let failing = false;
  let stopped = false;

  /** Claims and begins so many at most. */
  async function claim(limit: number): Promise<Promise<void>[]> {
    if (stopped || limit <= 0) return [];
    const now = clock.now();
    const due = await store.claimDue(now, limit, checkIntervalMs, random, busiest());
    metrics.claims.inc(due.length);
    const begun: Promise<void>[] = [];
    for (const check of due) {
      if (begun.length > 0 && begun.length % BEGUN_AT_ONCE === 0) await setImmediate();
      metrics.scheduleLatenessSeconds.observe(Math.max(0, now - check.dueAt) / 1000);
      begun.push(begin(check, now));
    }
    return begun;
  }

  /** The workspace that has its share under way already. */
  function busiest(): string | undefined {
    if (inFlight.size < WORKSPACE_SHARE * capacity) return undefined;
    for (const [workspaceId, checks] of inFlightOf) if (checks >= WORKSPACE_SHARE * capacity) return workspaceId;
    return undefined;
  }

  function count({ domain: { workspaceId } }: DueCheck, change: 1 | -1): void {
    const counted = (inFlightOf.get(workspaceId) ?? 0) + change;
    if (counted === 0) inFlightOf.delete(workspaceId);
    else inFlightOf.set(workspaceId, counted);
    metrics.checksInFlight.set(inFlight.size);
  }

  function begin(due: DueCheck, claimedAt: number): Promise<void> {
    const controller = new AbortController();
    const deadline = setTimeout(() => controller.abort(), deadlineMs);
    const began = performance.now();
    const done = complete(due, claimedAt, controller.signal)
      .catch((error: unknown): Outcome => {
        log.error({ err: error, domainId: due.domain.id }, 'a check could not be completed; it comes round again');
        return 'error';
      })
      .then((outcome) => {
        clearTimeout(deadline);
        inFlight.delete(done);
        count(due, -1);
        metrics.checks.inc({ outcome });
        metrics.checkSeconds.observe((performance.now() - began) / 1000);
      });
    inFlight.set(done, controller);
    count(due, 1);
    return done;
  }

  async function complete(due: DueCheck, claimedAt: number, signal: AbortSignal): Promise<Outcome> {
    const { domain, incumbent, memory } = due;
    const seen = await observe(resolver, domain, incumbent, signal);
    // A look that our own shutdown cut short says nothing about the domain.
    if (stopped && signal.aborted) return 'dropped';
    const now = clock.now();
    // Nor does one in which this process stood still: it may be as old as that was long, and its window has ended since.
    if (now - claimedAt > STALE_AFTER * deadlineMs) return 'dropped';
    const next = transition({ domain, incumbent, memory, claimedAt }, seen, now, { windowMs, checkIntervalMs });
    const remembered =
      next.memory.unreadableInARow === memory.unreadableInARow && next.memory.provenSince === memory.provenSince;
    if (next.after === domain && remembered) return 'unchanged';
    const loser = incumbent && next.loser ? { before: incumbent, after: next.loser } : undefined;
    const save = { before: domain, after: next.after, memory: next.memory, loser, now };
    const saved = await inTurn(() => store.saveTransition(save));
    if (saved === 'stale') return 'stale';
    const { status } = next.after;
    if (status !== domain.status)
      log.info({ domainId: domain.id, domain: domain.name, status }, 'domain changed status');
    if (status === 'verified' || status === 'failed') return status;
    return next.after === domain ? 'unchanged' : 'changed';
  }

  function poll(): void {
    timer = undefined;
    const limit = Math.min(batch, room.left(inFlight.size));
    claiming = claim(limit)
      .then((checks) => {
        if (failing) log.info('due checks can be claimed again');
        failing = false;
        if (checks.length < limit) return pollMs;
        return limit === batch ? 0 : NO_ROOM_MS;
      })
      .catch((error: unknown) => {
        if (!failing) log.error({ err: error }, 'due checks cannot be claimed; trying again until they can');
        failing = true;
        return pollMs;
      })
      .then((waitMs) => {
        const began = performance.now();
        const next = () => {
          room.learn(performance.now() - began - waitMs);
          poll();
        };
        if (!stopped) timer = setTimeout(next, waitMs);
      });
  }

  return {
    start() {
      if (timer === undefined && !stopped) poll();
    },
    async runOnce() {
      const checks: Promise<void>[] = [];
      for (let claimed = batch; claimed === batch; ) {
        const begun = await claim(Math.min(batch, capacity - inFlight.size));
        claimed = begun.length;
        checks.push(...begun);
      }
      await Promise.all(checks);
      return checks.length;
    },
    async stop(graceMs = 3000) {
      stopped = true;
      clearTimeout(timer);
      await claiming;
      const grace = setTimeout(() => {
        for (const controller of inFlight.values()) controller.abort();
      }, graceMs);
      await Promise.all(inFlight.keys());
      clearTimeout(grace);
    },
  };
}
