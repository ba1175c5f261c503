import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { TEST_EVENT_TYPE } from '../domain/webhook-message.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { DeliveryResult, DeliveryStore, DueDelivery } from '../store/contract/store.ts';
import { createAlarm } from './alarm.ts';
import { type Attempt, attemptDelivery } from './attempt.ts';
import { createDeliveryLog } from './delivery-log.ts';
import { deliveriesInFlight } from './in-flight.ts';
import { isOverloaded } from './policy/attempt-outcome.ts';
import type { Load } from './policy/concurrency.ts';
import { retryOwnFailureAt } from './policy/own-failure.ts';
import { nextAttemptAt } from './policy/retry-schedule.ts';
import { createResultSaver } from './result-saver.ts';
import type { SentRequest, WebhookSender } from './sender.ts';

export interface DeliveryWorkerOptions {
  store: Pick<DeliveryStore, 'claimDeliveries' | 'saveDeliveries'>;
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
  /** How often due deliveries are claimed where nobody calls `wake`. */
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

/** Most deliveries of one claim. */
const BATCH = 250;
/** Started before the event loop does other work. */
const STARTED_AT_ONCE = 25;
/** Between two claims, so that one finds what several changes and results have made due. */
const REST_MS = 5;

export const MAX_IN_FLIGHT = 500;

/** Claims due deliveries, attempts each, and saves the results. What a crash loses is attempted again when its lease has expired. */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { store, sender, apexNote, clock, random, log, metrics } = options;
  const { maxInFlight = MAX_IN_FLIGHT, leaseMs = 30_000, pollMs = 250 } = options;
  const saver = createResultSaver(options);
  const deliveryLog = createDeliveryLog(log);
  const alarm = createAlarm();
  const counted = deliveriesInFlight(maxInFlight);
  const inFlight = new Map<Promise<void>, AbortController>();
  let running: Promise<void> | undefined;
  let failing = false;
  let stopped = false;

  /** Claims and starts what is due. `isAll`: nothing more was due, or may be in flight. */
  async function claim(): Promise<{ started: Promise<void>[]; isAll: boolean }> {
    const room = counted.room(BATCH);
    if (stopped || room.limit <= 0) return { started: [], isAll: true };
    const now = clock.now();
    const claimed = await store.claimDeliveries({ now, leaseMs, ...room });
    const started: Promise<void>[] = [];
    for (const due of claimed) {
      if (started.length > 0 && started.length % STARTED_AT_ONCE === 0) await setImmediate();
      // Those of a slow receiver wait for each other, which says nothing about this process.
      if (!counted.isSlow(due.webhookId)) metrics.deliveryLatenessSeconds.observe(Math.max(0, now - due.dueAt) / 1000);
      started.push(start(due, now + leaseMs));
    }
    return { started, isAll: claimed.length < Math.max(1, Math.min(room.limit, room.beyondFirst)) };
  }

  function start(due: DueDelivery, leasedUntil: number): Promise<void> {
    const abort = new AbortController();
    counted.add(due);
    metrics.deliveriesInFlight.set(counted.size());
    const done = deliver(due, leasedUntil, abort.signal).finally(() => {
      inFlight.delete(done);
      counted.remove();
      metrics.deliveriesInFlight.set(counted.size());
      // The next of its queue is due.
      alarm.ring();
    });
    inFlight.set(done, abort);
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
    counted.answered(due, attempt.kind === 'made' ? loadOf(attempt.sent) : null);
    // There is room for another.
    alarm.ring();
    const durationMs = Math.round(performance.now() - startedAt);
    metrics.deliveryAttempts.inc({ outcome: attempt.kind === 'made' ? attempt.sent.outcome : attempt.kind });
    if (attempt.kind === 'made') metrics.deliveryAttemptSeconds.observe(durationMs / 1000);
    const result = resultOf(due, attempt, { at, durationMs });
    await saver.save(due, result, leasedUntil);
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

  /** Returns the time until the next claim, in ms. */
  async function poll(): Promise<number> {
    try {
      const { isAll } = await claim();
      if (failing) log.info('due deliveries can be claimed again');
      failing = false;
      return isAll ? pollMs : REST_MS;
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
      let count = 0;
      for (let { started } = await claim(); started.length > 0; { started } = await claim()) {
        count += started.length;
        await Promise.all(started);
      }
      return count;
    },
    async stop(graceMs = 3000) {
      stopped = true;
      alarm.ring();
      await running;
      const grace = setTimeout(() => {
        for (const one of inFlight.values()) one.abort();
      }, graceMs);
      saver.stop();
      await Promise.all(inFlight.keys());
      clearTimeout(grace);
      deliveryLog.stop();
    },
  };
}

function loadOf({ status }: SentRequest): Load {
  return isOverloaded(status) ? 'overloaded' : 'answered';
}

function retryOrFailed(nextAttemptAt: number | null): DeliveryResult['outcome'] {
  return nextAttemptAt === null ? { kind: 'failed' } : { kind: 'retry', nextAttemptAt };
}
