import type { MetricFactory } from '../base/metric-factory.ts';

export type DeliveryMetrics = ReturnType<typeof deliveryMetrics>;

export function deliveryMetrics({ counter, gauge, histogram }: MetricFactory) {
  return {
    deliveryAttempts: counter(
      'nameplate_webhook_attempts_total',
      'Attempts to deliver an event to a webhook, by outcome: delivered, redirect, status (any other), address, scheme, connection, tls, timeout, invalid. These are not the fault of the receiver: secret (it cannot be unsealed), busy (too many connections), error (of the program), dropped (shutdown, or the process was suspended).',
      ['outcome'],
      ['delivered', 'secret', 'error'],
    ),
    deliveries: counter(
      'nameplate_webhook_deliveries_total',
      'Events for webhooks that are finished, without tests, by outcome: delivered, failed (given up after three days).',
      ['outcome'],
      ['delivered', 'failed'],
    ),
    webhooksDisabled: counter(
      'nameplate_webhooks_disabled_total',
      'Webhooks that were disabled because nothing had been delivered to them for three days.',
    ),
    deliveryAttemptSeconds: histogram(
      'nameplate_webhook_attempt_seconds',
      'Duration of an attempt to deliver an event.',
      [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ),
    deliveryLatenessSeconds: histogram(
      'nameplate_webhook_lateness_seconds',
      'Time from when a delivery, or its next attempt, was due until it was claimed. Deliveries to receivers that do not answer are left out: they wait for each other.',
      [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
    ),
    deliveriesInFlight: gauge('nameplate_webhook_deliveries_in_flight', 'Deliveries in flight in this process.'),
    deliveriesWaiting: gauge(
      'nameplate_webhook_deliveries_waiting',
      'Events in the store that wait to be delivered to an enabled webhook, counted up to 10,000.',
    ),
    deliveryWaitSeconds: gauge(
      'nameplate_webhook_oldest_waiting_seconds',
      'The longest time that an event has been waiting to be delivered. 0: none waits.',
    ),
    webhooks: gauge(
      'nameplate_webhooks',
      'Webhooks in the store, by state: failing (the last attempt failed), disabled (by a request, or after three days without any delivery).',
      ['state'],
    ),
  };
}
