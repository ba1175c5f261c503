import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { TEST_EVENT_TYPE, webhookBody } from '../domain/webhook-message.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { DeliveryResult, DeliveryStore, DueDelivery } from '../store/contract/store.ts';
import { createAlarm } from './alarm.ts';
import { deliveriesInFlight } from './in-flight.ts';
import { type AttemptOutcome, isOverloaded } from './policy/attempt-outcome.ts';
import type { Load } from './policy/concurrency.ts';
import { nextAttemptAt } from './policy/retry-schedule.ts';
import { createResultSaver } from './result-saver.ts';
import type { SentRequest, WebhookSender } from './sender.ts';
import { signatureFields } from './signature.ts';

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
      metrics.deliveryLatenessSeconds.observe(Math.max(0, now - due.dueAt) / 1000);
      started.push(start(due, now + leaseMs));
    }
    return { started, isAll: claimed.length < room.limit };
  }

  function start(due: DueDelivery, leasedUntil: number): Promise<void> {
    const abort = new AbortController();
    counted.add(due);
    metrics.deliveriesInFlight.set(counted.size());
    const done = deliver(due, leasedUntil, abort.signal)
      .catch((error: unknown) => {
        log.error({ err: error, ...namesOf(due) }, 'a delivery failed; it is repeated when its lease expires');
        metrics.deliveryAttempts.inc({ outcome: 'error' });
      })
      .then(() => {
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
    let sent: Sent | null = null;
    try {
      if (!isLate) sent = await attempt(due, at, signal);
    } finally {
      counted.answered(due, sent && loadOf(sent));
      // There is room for another.
      alarm.ring();
    }
    const durationMs = Math.round(performance.now() - startedAt);
    metrics.deliveryAttempts.inc({ outcome: sent?.outcome ?? 'dropped' });
    if (sent !== null) metrics.deliveryAttemptSeconds.observe(durationMs / 1000);
    const result = resultOf(due, sent, { at, durationMs });
    await saver.save(result, leasedUntil);
    const { kind } = result.outcome;
    const isTest = due.type === TEST_EVENT_TYPE;
    if (!isTest && (kind === 'delivered' || kind === 'failed')) metrics.deliveries.inc({ outcome: kind });
    if (!isTest && kind === 'failed') log.info(namesOf(due), 'a delivery was given up');
  }

  /** Null: aborted. */
  async function attempt(due: DueDelivery, at: number, signal: AbortSignal): Promise<Sent | null> {
    if (due.secrets.length === 0) {
      log.error(namesOf(due), 'the secret of a webhook cannot be unsealed; docs/certificates.md says what to do');
      return { ...NOT_SENT, outcome: 'secret', error: 'The secret of the webhook cannot be read here.' };
    }
    const body = webhookBody(due, apexNote);
    const secrets = due.secrets.map(({ secret }) => Buffer.from(secret).toString());
    const fields = { ...FIELDS, ...signatureFields({ id: due.eventId, body }, secrets, at) };
    return sender.send({ url: due.url, fields, body }, signal).catch((error: unknown) => {
      if (signal.aborted) return null;
      throw error;
    });
  }

  function resultOf(
    due: DueDelivery,
    sent: Sent | null,
    { at, durationMs }: { at: number; durationMs: number },
  ): DeliveryResult {
    const { webhookId, queue, deliveryId, lease } = due;
    const about = { webhookId, queue, deliveryId, lease };
    if (sent === null) return { ...about, outcome: { kind: 'released' }, attempt: null };
    const isDelivered = sent.outcome === 'delivered';
    const { status, error } = sent;
    const made = { at, durationMs, status, error, response: isDelivered ? null : sent.response };
    if (isDelivered) return { ...about, outcome: { kind: 'delivered' }, attempt: made };
    const failed = { createdAt: due.waitingSince, attempts: due.attempts + 1, retryAfterMs: sent.retryAfterMs };
    const next = due.type === TEST_EVENT_TYPE ? null : nextAttemptAt(failed, clock.now(), random());
    const outcome = next === null ? ({ kind: 'failed' } as const) : ({ kind: 'retry', nextAttemptAt: next } as const);
    return { ...about, outcome, attempt: made };
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
    },
  };
}

/** With what keeps a request from being sent at all. */
type Sent = Omit<SentRequest, 'outcome'> & { outcome: AttemptOutcome | 'secret' };

const NOT_SENT = { status: null, response: null, retryAfterMs: null };

const FIELDS = { 'content-type': 'application/json', accept: '*/*', 'user-agent': 'nameplate' };

function loadOf({ outcome, status }: Sent): Load | null {
  if (outcome === 'secret') return null;
  return isOverloaded(status) ? 'overloaded' : 'answered';
}

/** For the log. The URL may hold secrets. */
function namesOf({ webhookId, deliveryId, eventId }: DueDelivery) {
  return { webhookId, deliveryId, eventId };
}
