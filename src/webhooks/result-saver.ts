import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { DeliveryResult, DeliveryStore, DueDelivery } from '../store/contract/store.ts';
import { failingRule } from './policy/retry-schedule.ts';

/** Saves the results of deliveries, many in one transaction. */
export interface ResultSaver {
  /** Resolves once the result is saved; or once its lease has expired, since the delivery is attempted again then. Never rejects. */
  save(due: Pick<DueDelivery, 'workspaceId'>, result: DeliveryResult, leasedUntil: number): Promise<void>;
  /** Saves what is queued; gives up where the store fails. */
  stop(): void;
}

interface ResultSaverOptions {
  store: Pick<DeliveryStore, 'saveDeliveries'>;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, 'webhooksDisabled'>;
}

interface QueuedResult {
  workspaceId: string;
  result: DeliveryResult;
  leasedUntil: number;
  resolve(): void;
}

/** Most results of one transaction. */
const BATCH = 250;
const RETRY_MS = 250;

export function createResultSaver({ store, clock, log, metrics }: ResultSaverOptions): ResultSaver {
  let queue: QueuedResult[] = [];
  let saving = false;
  let failing = false;
  let stopped = false;

  async function saveBatch(batch: QueuedResult[]): Promise<void> {
    const now = clock.now();
    const results = batch.map(({ result }) => result);
    const saved = await store.saveDeliveries({ results, now, ...failingRule(now) });
    metrics.webhooksDisabled.inc(saved.disabled.length);
    for (const webhookId of saved.disabled) {
      const workspaceId = batch.find(({ result }) => result.webhookId === webhookId)?.workspaceId;
      log.warn({ workspaceId, webhookId }, 'a webhook was disabled: nothing has been delivered to it for three days');
    }
    for (const { resolve } of batch) resolve();
  }

  async function saveAll(): Promise<void> {
    saving = true;
    // The results of one turn of the event loop are saved together.
    await setImmediate();
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH);
      try {
        await saveBatch(batch);
        if (failing) log.info('results of deliveries can be saved again');
        failing = false;
      } catch (error) {
        if (!failing) log.error({ err: error }, 'results of deliveries cannot be saved; retrying while leases last');
        failing = true;
        keep(batch);
        if (queue.length > 0) await delay(RETRY_MS);
      }
    }
    saving = false;
  }

  /** Queues again what is still leased. Leases make it safe to save a result twice. */
  function keep(batch: QueuedResult[]): void {
    const now = clock.now();
    const isLost = ({ leasedUntil }: QueuedResult) => stopped || leasedUntil <= now;
    for (const { resolve } of batch.filter(isLost)) resolve();
    queue = [...batch.filter((one) => !isLost(one)), ...queue];
  }

  return {
    save({ workspaceId }, result, leasedUntil) {
      return new Promise((resolve) => {
        queue.push({ workspaceId, result, leasedUntil, resolve });
        if (!saving) void saveAll();
      });
    },
    stop() {
      stopped = true;
    },
  };
}
