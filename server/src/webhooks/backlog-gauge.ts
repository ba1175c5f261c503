import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { repeat } from '../base/repeat.ts';
import type { DeliveryStore } from '../store/store.ts';
import type { DeliveryMetrics } from './delivery-metrics.ts';

interface BacklogGaugeOptions {
  store: Pick<DeliveryStore, 'deliveryBacklog'>;
  clock: Clock;
  log: Log;
  metrics: Pick<DeliveryMetrics, 'deliveriesWaiting' | 'deliveryWaitSeconds' | 'webhooks'>;
}

const EVERY_MS = 15_000;

/**
 * Every 15 s: counts the deliveries that wait, and the webhooks that fail. `stop` resolves when nothing is in flight.
 */
export function startBacklogGauge({ store, clock, log, metrics }: BacklogGaugeOptions): { stop(): Promise<void> } {
  async function count(): Promise<void> {
    const { waiting, oldestAt, failingWebhooks, disabledWebhooks } = await store.deliveryBacklog();
    metrics.deliveriesWaiting.set(waiting);
    metrics.deliveryWaitSeconds.set(oldestAt === null ? 0 : Math.max(0, clock.now() - oldestAt) / 1000);
    metrics.webhooks.set({ state: 'failing' }, failingWebhooks);
    metrics.webhooks.set({ state: 'disabled' }, disabledWebhooks);
  }
  const message = 'the deliveries that wait could not be counted; trying again in 15 s';
  return repeat(count, { everyMs: EVERY_MS, message, log });
}
