import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { TEST_EVENT_TYPE } from '../domain/webhook-message.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { DeliveryResult, DeliveryStore, DueDelivery, DueWebhook } from '../store/contract/store.ts';
import { createAlarm } from './alarm.ts';
import { type Attempt, attemptDelivery } from './attempt.ts';
import { createDeliveryLog } from './delivery-log.ts';
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
  metrics: Metrics;
  /** Concurrency limit, for all webhooks together. One that waits for a dead receiver costs a socket and its body. */
  maxInFlight?: number;
  /** How long a crash leaves a delivery alone; well above the time limit of an attempt. */
  leaseMs?: number;
  /** How often the worker looks for due deliveries where nobody calls `wake`. */
  pollMs?: number;
}

/** Delivers events to webhooks, in one process. */
export interface DeliveryWorker {
  /** Claims and delivers what is due from now on. */
  start(): void;
  /** Something may be due: looks now. */
  wake(): void;
  /** Delivers all that is due, for tests and tools. Resolves with the number of attempts. */
  runOnce(): Promise<number>;
  /** Claims no more. Resolves when nothing is in flight; what still is after `graceMs` is aborted, and due again at once. */
  stop(graceMs?: number): Promise<void>;
}

/** Between two claims, so that one finds what several changes and results have made due. */
const REST_MS = 5;
/** Between two attempts to save a result. */
const SAVE_AGAIN_MS = 250;

export const MAX_IN_FLIGHT = 500;

/** Claims due deliveries, attempts each, and saves the results. What a crash loses is attempted again when its lease has expired. */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { store, sender, apexNote, clock, random, log, metrics } = options;
  const { maxInFlight = MAX_IN_FLIGHT, leaseMs = 30_000, pollMs = 250 } = options;
  const deliveryLog = createDeliveryLog(log);
  const alarm = createAlarm();
  const inFlight = new Map<Promise<void>, AbortController>();
  const inFlightOf = new Map<string, number>();
  let running: Promise<void> | undefined;
  let failing = false;
  let savingFails = false;
  let stopped = false;

  /** Leases and starts what the chosen webhooks may have in flight. */
  async function claim(): Promise<Promise<void>[]> {
    if (stopped || inFlight.size >= maxInFlight) return [];
    const now = clock.now();
    const chosen = chooseWebhooks(await store.findDueWebhooks(now), inFlightOf, maxInFlight);
    const leases = await Promise.allSettled(chosen.map((each) => leaseOne(each, now)));
    const failed = leases.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return leases.flatMap((lease) => (lease.status === 'fulfilled' && lease.value !== null ? [lease.value.done] : []));
  }

  async function leaseOne(
    { webhookId, dueAt, isFailing }: DueWebhook,
    now: number,
  ): Promise<{ done: Promise<void> } | null> {
    const due = await store.leaseDelivery(webhookId, { now, leaseMs });
    if (due === null) return null;
    // Those of a receiver that fails wait for each other, which says nothing about this process.
    if (!isFailing) metrics.deliveryLatenessSeconds.observe(Math.max(0, now - dueAt) / 1000);
    return { done: start(due, now + leaseMs) };
  }

  function start(due: DueDelivery, leasedUntil: number): Promise<void> {
    const { webhookId } = due;
    const abort = new AbortController();
    inFlightOf.set(webhookId, (inFlightOf.get(webhookId) ?? 0) + 1);
    const done = deliver(due, leasedUntil, abort.signal).finally(() => {
      inFlight.delete(done);
      const left = (inFlightOf.get(webhookId) ?? 1) - 1;
      if (left > 0) inFlightOf.set(webhookId, left);
      else inFlightOf.delete(webhookId);
      metrics.deliveriesInFlight.set(inFlight.size);
      // There is room for another, and the next of its queue is due.
      alarm.ring();
    });
    inFlight.set(done, abort);
    metrics.deliveriesInFlight.set(inFlight.size);
    return done;
  }

  async function deliver(due: DueDelivery, leasedUntil: number, signal: AbortSignal): Promise<void> {
    const at = clock.now();
    const startedAt = performance.now();
    // Of a process that was suspended, the lease may expire during the attempt.
    const isLate = at > leasedUntil - leaseMs / 2;
    const attempt: Attempt = isLate
      ? { kind: 'dropped' }
      : await attemptDelivery(due, { sender, apexNote, at, signal });
    const durationMs = Math.round(performance.now() - startedAt);
    metrics.deliveryAttempts.inc({ outcome: attempt.kind === 'made' ? attempt.sent.outcome : attempt.kind });
    if (attempt.kind === 'made') metrics.deliveryAttemptSeconds.observe(durationMs / 1000);
    const result = resultOf(due, attempt, { at, durationMs });
    await save(due, result, leasedUntil);
    deliveryLog.add(due, attempt, result);
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

  /** Gives up once the lease has expired, since the delivery is attempted again then. Never rejects. */
  async function save(
    { workspaceId, webhookId }: DueDelivery,
    result: DeliveryResult,
    leasedUntil: number,
  ): Promise<void> {
    for (;;) {
      const now = clock.now();
      try {
        const { disabled } = await store.saveDelivery(result, { now, ...failingRule(now) });
        if (savingFails) log.info('results of deliveries can be saved again');
        savingFails = false;
        if (!disabled) return;
        metrics.webhooksDisabled.inc();
        log.warn({ workspaceId, webhookId }, 'a webhook was disabled: nothing has been delivered to it for three days');
        return;
      } catch (error) {
        if (!savingFails)
          log.error({ err: error }, 'results of deliveries cannot be saved; retrying while leases last');
        savingFails = true;
        if (stopped || clock.now() >= leasedUntil) return;
        await delay(SAVE_AGAIN_MS);
      }
    }
  }

  /** Returns the time until the next claim, in ms. */
  async function poll(): Promise<number> {
    try {
      const started = await claim();
      if (failing) log.info('due deliveries can be claimed again');
      failing = false;
      return started.length === 0 ? pollMs : REST_MS;
    } catch (error) {
      if (!failing) log.error({ err: error }, 'due deliveries cannot be claimed; retrying');
      failing = true;
      return pollMs;
    }
  }

  async function run(): Promise<void> {
    while (!stopped) {
      alarm.reset();
      await alarm.wait(await poll(), REST_MS);
    }
  }

  return {
    start() {
      running ??= run();
    },
    wake: alarm.ring,
    async runOnce() {
      for (let count = 0; ; ) {
        const started: Promise<void>[] = [];
        for (let more = await claim(); more.length > 0; more = await claim()) started.push(...more);
        if (started.length === 0) return count;
        count += started.length;
        await Promise.all(started);
      }
    },
    async stop(graceMs = 3000) {
      stopped = true;
      alarm.ring();
      await running;
      const grace = setTimeout(() => {
        for (const one of inFlight.values()) one.abort();
      }, graceMs);
      await Promise.all(inFlight.keys());
      clearTimeout(grace);
      deliveryLog.stop();
    },
  };
}

function retryOrFailed(nextAttemptAt: number | null): DeliveryResult['outcome'] {
  return nextAttemptAt === null ? { kind: 'failed' } : { kind: 'retry', nextAttemptAt };
}
