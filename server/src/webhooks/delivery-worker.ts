import { setTimeout as delay } from 'node:timers/promises';
import { fixedLimit } from '../base/adaptive-limit.ts';
import type { Clock } from '../base/clock.ts';
import { type Claim, createDueLoop, type DueLoop } from '../base/due-loop.ts';
import type { Log } from '../base/log.ts';
import { throttledWarn } from '../base/throttled-log.ts';
import { TEST_EVENT_TYPE } from '../domain/webhook-message.ts';
import type { DeliveryResult, DeliveryStore, DueDelivery, DueWebhook } from '../store/store.ts';
import { type Attempt, attemptDelivery } from './attempt.ts';
import { createDeliveryLog } from './delivery-log.ts';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import { chooseWebhooks } from './policy/concurrency.ts';
import { retryOwnFailureAt } from './policy/own-failure.ts';
import { failingRule, nextAttemptAt } from './policy/retry-schedule.ts';
import type { WebhookSender } from './sender.ts';

export interface DeliveryWorkerOptions {
  store: Pick<DeliveryStore, 'findDueWebhooks' | 'leaseDelivery' | 'saveDelivery'>;
  sender: Pick<WebhookSender, 'send'>;
  /** A note on records of apex domains, as in `domains.getDomain`. */
  apexNote?: string | undefined;
  clock: Clock;
  /** Numbers in [0, 1), for the jitter of retries. */
  random: () => number;
  log: Log;
  metrics: DeliveryMetrics;
  /** Concurrency limit, for all webhooks together. One that waits for a dead receiver costs a socket and its body. */
  maxInFlight?: number;
  /** How long a crash leaves a delivery alone; well above the time limit of an attempt. */
  leaseMs?: number;
  /** How often the worker looks for due deliveries where nobody calls `wake`. */
  pollMs?: number;
}

/** Delivers events to webhooks, in one process. A delivery that a stop aborts is due again at once. */
export interface DeliveryWorker extends DueLoop {
  /** Looks for due deliveries now. */
  wake(): void;
}

/** Time between two claims, so that one finds the deliveries of several changes and results. */
const REST_MS = 5;
/** Between two attempts to save a result. */
const SAVE_AGAIN_MS = 250;

export const MAX_IN_FLIGHT = 500;

/**
 * Claims due deliveries, attempts each, and saves the results. What a crash loses is attempted again when its lease has
 * expired.
 */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { store, sender, apexNote, clock, random, log, metrics } = options;
  const { maxInFlight = MAX_IN_FLIGHT, leaseMs = 30_000, pollMs = 250 } = options;
  const logDelivery = createDeliveryLog(log, clock);
  const error = throttledWarn(log, clock, undefined, 'error');
  const inFlightOf = new Map<string, number>();

  function countInFlight(webhookId: string, change: 1 | -1): void {
    const count = (inFlightOf.get(webhookId) ?? 0) + change;
    if (count > 0) inFlightOf.set(webhookId, count);
    else inFlightOf.delete(webhookId);
  }

  /** Leases as many deliveries as the chosen webhooks may have in flight. */
  async function claim(now: number, limit: number): Promise<DueDelivery[]> {
    const chosen = chooseWebhooks(await store.findDueWebhooks(now), inFlightOf, maxInFlight).slice(0, limit);
    const leases = await Promise.allSettled(chosen.map((each) => leaseOne(each, now)));
    const leased = leases.flatMap((lease) =>
      lease.status === 'fulfilled' && lease.value !== null ? [lease.value] : [],
    );
    const failed = leases.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') {
      if (leased.length === 0) throw failed.reason;
      error('some due deliveries cannot be claimed; retrying', { err: failed.reason });
    }
    return leased;
  }

  async function leaseOne({ webhookId, dueAt, isFailing }: DueWebhook, now: number): Promise<DueDelivery | null> {
    const due = await store.leaseDelivery(webhookId, { now, leaseMs });
    if (due === null) return null;
    // Deliveries to a failing receiver wait for each other, which says nothing about this process.
    if (!isFailing) metrics.deliveryLatenessSeconds.observe(Math.max(0, now - dueAt) / 1000);
    countInFlight(webhookId, 1);
    return due;
  }

  async function deliver(due: DueDelivery, { claimedAt, signal }: Claim): Promise<void> {
    const at = clock.now();
    const startedAt = performance.now();
    // The lease of a process that was suspended may expire during the attempt.
    const isLate = at > claimedAt + leaseMs / 2;
    const attempt: Attempt = isLate
      ? { kind: 'dropped' }
      : await attemptDelivery(due, { sender, apexNote, at, signal });
    const durationMs = Math.round(performance.now() - startedAt);
    metrics.deliveryAttempts.inc({ outcome: attempt.kind === 'made' ? attempt.sent.outcome : attempt.kind });
    if (attempt.kind === 'made') metrics.deliveryAttemptSeconds.observe(durationMs / 1000);
    const result = resultOf(due, attempt, { at, durationMs });
    await save(due, result, { leasedUntil: claimedAt + leaseMs, signal });
    logDelivery(due, attempt, result);
    const { kind } = result.outcome;
    const isFinished = kind === 'delivered' || kind === 'failed';
    if (isFinished && due.type !== TEST_EVENT_TYPE) metrics.deliveries.inc({ outcome: kind });
  }

  function resultOf(
    due: DueDelivery,
    attempt: Attempt,
    { at, durationMs }: { at: number; durationMs: number },
  ): DeliveryResult {
    const { webhookId, queue, deliveryId, lease, type, waitingSince } = due;
    const about = { webhookId, queue, deliveryId, lease, type };
    if (attempt.kind === 'dropped') return { ...about, outcome: { kind: 'released' }, attempt: null };
    if (attempt.kind !== 'made') {
      const next = retryOwnFailureAt(attempt.kind, waitingSince, clock.now(), random());
      return { ...about, outcome: retryOrFailed(next), attempt: null };
    }
    const { outcome, status, error, response, retryAfterMs } = attempt.sent;
    const made = { at, durationMs, status, error };
    if (outcome === 'delivered')
      return { ...about, outcome: { kind: 'delivered' }, attempt: { ...made, response: null } };
    const failed = { createdAt: waitingSince, attempts: due.attempts + 1, retryAfterMs };
    const next = due.type === TEST_EVENT_TYPE ? null : nextAttemptAt(failed, clock.now(), random());
    return { ...about, outcome: retryOrFailed(next), attempt: { ...made, response } };
  }

  /**
   * Gives up once the lease has expired, since the delivery is attempted again then, and when the process stops. Never
   * rejects.
   */
  async function save(
    { workspaceId, webhookId }: DueDelivery,
    result: DeliveryResult,
    { leasedUntil, signal }: { leasedUntil: number; signal: AbortSignal },
  ): Promise<void> {
    for (;;) {
      const now = clock.now();
      try {
        const { disabled } = await store.saveDelivery(result, { now, ...failingRule(now) });
        if (!disabled) return;
        metrics.webhooksDisabled.inc();
        log.warn({ workspaceId, webhookId }, 'a webhook was disabled: nothing has been delivered to it for three days');
        return;
      } catch (err) {
        error('results of deliveries cannot be saved; retrying while leases last', { err });
        if (signal.aborted || clock.now() >= leasedUntil) return;
        await delay(SAVE_AGAIN_MS);
      }
    }
  }

  const loop = createDueLoop<DueDelivery, void>({
    ...{ clock, log, name: 'delivery', plural: 'deliveries', maxInFlight, pollMs, restMs: REST_MS },
    // A receiver that does not answer may hold its share for ten seconds: with a limit that sinks, that would be all places.
    limit: fixedLimit(maxInFlight),
    batch: maxInFlight,
    deadlineMs: leaseMs,
    claim,
    complete: (due, claimed) => deliver(due, claimed).finally(() => countInFlight(due.webhookId, -1)),
    about: ({ webhookId, deliveryId }) => ({ webhookId, deliveryId }),
    onInFlight: (count) => metrics.deliveriesInFlight.set(count),
    // There is room for another delivery, and the next of its queue is due.
    onCompleted: () => loop.wake(),
  });
  return {
    ...loop,
    async runOnce() {
      let count = 0;
      for (let last = await loop.runOnce(); last > 0; last = await loop.runOnce()) count += last;
      return count;
    },
  };
}

function retryOrFailed(nextAttemptAt: number | null): DeliveryResult['outcome'] {
  return nextAttemptAt === null ? { kind: 'failed' } : { kind: 'retry', nextAttemptAt };
}
