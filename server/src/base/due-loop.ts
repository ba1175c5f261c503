import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { type AdaptiveLimit, adaptiveLimit } from './adaptive-limit.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** A claim that is in flight. */
export interface Claim {
  claimedAt: number;
  /** Aborts at the deadline, and when a shutdown does not wait any longer; with `abortReason`. */
  signal: AbortSignal;
  /** Whether what was seen must be discarded: a shutdown aborted it, or the process was suspended meanwhile. */
  isStale(): boolean;
}

interface DueLoopOptions<Due, Outcome> {
  /** Claims at most `limit`, none of the workspace `except`. */
  claim(now: number, limit: number, except: string | undefined): Promise<Due[]>;
  complete(due: Due, claim: Claim): Promise<Outcome>;
  onClaimed?(due: Due[], now: number): void;
  onInFlight?(count: number): void;
  onCompleted?(outcome: Outcome | 'error', seconds: number): void;
  /** Absent: `claim` is fair by itself. */
  workspaceOf?(due: Due): string;
  /** Fields of the log that identify the item. */
  about(due: Due): object;
  abortReason?(why: 'deadline' | 'stop'): Error;
  clock: Clock;
  log: Log;
  /** The name of one item in the log, and of several. */
  name: string;
  plural?: string;
  /** Most items in flight. An item that waits for a silent nameserver costs memory only. */
  maxInFlight: number;
  /** How many may be in flight now; unless given, fewer while the event loop is late. */
  limit?: AdaptiveLimit;
  /** Most of one claim. A tenth of `maxInFlight` cannot raise a workspace from its share to all of it. */
  batch: number;
  /** Longest time that one item may take. */
  deadlineMs: number;
  /** Time until the next claim, where nothing more is due. */
  pollMs: number;
  /** Time until the next claim after a full batch. */
  restMs: number;
}

/** Claims and completes due items in the background, within bounds. */
export interface DueLoop {
  /** Claims and completes what is due from now on. */
  start(): void;
  /** Completes all that is due, for tests and tools. Resolves with the number. */
  runOnce(): Promise<number>;
  /** Stops claiming. Resolves when nothing is in flight; after `graceMs`, items still in flight are dropped. */
  stop(graceMs?: number): Promise<void>;
}

/** Number of items that are started before the event loop serves requests again. */
const STARTED_AT_ONCE = 25;

/** Time until the next claim, after one that the limit, or the share of a workspace, cut short. */
const AT_LIMIT_MS = 10;

/**
 * A workspace with this share of the limit in flight gets no more. The rest stays for the others, also where the limit
 * has sunk below the number in flight.
 */
const WORKSPACE_SHARE = 0.8;

/** A process that is only busy is late by fewer deadlines. */
const STALE_AFTER_DEADLINES = 2;

/** A crash loses no item: its claim has rescheduled it already. */
export function createDueLoop<Due, Outcome>(options: DueLoopOptions<Due, Outcome>): DueLoop & { wake(): void } {
  const { clock, log, name, plural = `${name}s`, maxInFlight, batch, deadlineMs, pollMs, restMs } = options;
  const inFlight = new Map<Promise<void>, AbortController>();
  const inFlightOf = new Map<string, number>();
  const { limit = adaptiveLimit(maxInFlight) } = options;
  const controller = new AbortController();
  const stopping = controller.signal;
  let running: Promise<void> | undefined;
  let failing = false;
  /** Aborts when something may be due: the wait in progress ends, or the next one. */
  let waking = new AbortController();

  /** Claims and starts so many at most, none of the workspace `except`. */
  async function claim(count: number, except: string | undefined): Promise<Promise<void>[]> {
    if (stopping.aborted || count <= 0) return [];
    const now = clock.now();
    const due = await options.claim(now, count, except);
    options.onClaimed?.(due, now);
    const started: Promise<void>[] = [];
    for (const one of due) {
      if (started.length > 0 && started.length % STARTED_AT_ONCE === 0) await setImmediate();
      started.push(start(one, now));
    }
    return started;
  }

  /** The workspace whose share of the limit is used up. */
  function busiest(most: number): string | undefined {
    if (inFlight.size < WORKSPACE_SHARE * most) return undefined;
    for (const [workspaceId, count] of inFlightOf) if (count >= WORKSPACE_SHARE * most) return workspaceId;
    return undefined;
  }

  function leftForOthers(busiest: string | undefined): number {
    if (busiest === undefined) return 0;
    const others = inFlight.size - (inFlightOf.get(busiest) ?? 0);
    return Math.ceil((1 - WORKSPACE_SHARE) * limit.current) - others;
  }

  function countInFlight(due: Due, change: 1 | -1): void {
    options.onInFlight?.(inFlight.size);
    const workspaceId = options.workspaceOf?.(due);
    if (workspaceId === undefined) return;
    const counted = (inFlightOf.get(workspaceId) ?? 0) + change;
    if (counted === 0) inFlightOf.delete(workspaceId);
    else inFlightOf.set(workspaceId, counted);
  }

  function start(due: Due, claimedAt: number): Promise<void> {
    const abort = new AbortController();
    const { signal } = abort;
    const deadline = setTimeout(() => abort.abort(options.abortReason?.('deadline')), deadlineMs);
    const startedAt = performance.now();
    const isStale = () =>
      (stopping.aborted && signal.aborted) || clock.now() - claimedAt > STALE_AFTER_DEADLINES * deadlineMs;
    const done = options
      .complete(due, { claimedAt, signal, isStale })
      .catch((error: unknown) => {
        log.error({ err: error, ...options.about(due) }, `${name} failed; it is repeated when it is due again`);
        return 'error' as const;
      })
      .then((outcome) => {
        clearTimeout(deadline);
        inFlight.delete(done);
        countInFlight(due, -1);
        options.onCompleted?.(outcome, (performance.now() - startedAt) / 1000);
      });
    inFlight.set(done, abort);
    countInFlight(due, 1);
    return done;
  }

  /** Claims what is due. Returns the time until the next claim, in ms. */
  async function poll(): Promise<number> {
    const most = Math.min(batch, Math.ceil(limit.current / 10));
    const except = busiest(limit.current);
    const count = Math.min(most, Math.max(limit.available(inFlight.size), leftForOthers(except)));
    try {
      const { length } = await claim(count, except);
      if (failing) log.info(`due ${plural} can be claimed again`);
      failing = false;
      // The workspace that was left out may have more due items, and room for them soon.
      if (length < count) return except === undefined ? pollMs : Math.max(restMs, AT_LIMIT_MS);
      return count === most ? restMs : Math.max(restMs, AT_LIMIT_MS);
    } catch (error) {
      if (!failing) log.error({ err: error }, `due ${plural} cannot be claimed; retrying`);
      failing = true;
      return pollMs;
    }
  }

  async function run(): Promise<void> {
    while (!stopping.aborted) {
      waking = new AbortController();
      const waitMs = await poll();
      const startedAt = performance.now();
      // Several wakes before a claim cost one claim.
      const leastMs = Math.min(waitMs, restMs);
      await delay(leastMs, undefined, { signal: stopping }).catch(() => {});
      if (leastMs < waitMs) await delay(waitMs - leastMs, undefined, { signal: waking.signal }).catch(() => {});
      limit.adjust(performance.now() - startedAt - waitMs);
    }
  }

  return {
    start() {
      running ??= run();
    },
    async runOnce() {
      const started: Promise<void>[] = [];
      for (let claimed = batch; claimed === batch; ) {
        const next = await claim(Math.min(batch, maxInFlight - inFlight.size), busiest(maxInFlight));
        claimed = next.length;
        started.push(...next);
      }
      await Promise.all(started);
      return started.length;
    },
    /** Something may be due: claims now. */
    wake: () => waking.abort(),
    async stop(graceMs = 3000) {
      controller.abort();
      waking.abort();
      await running;
      const grace = setTimeout(() => {
        for (const one of inFlight.values()) one.abort(options.abortReason?.('stop'));
      }, graceMs);
      await Promise.all(inFlight.keys());
      clearTimeout(grace);
    },
  };
}
