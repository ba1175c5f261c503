import { collectDefaultMetrics } from 'prom-client';
import { dnsServerMetrics } from '../answers/dns-server-metrics.ts';
import { apiMetrics } from '../api/api-metrics.ts';
import { metricFactory } from '../base/metric-factory.ts';
import { threadMetrics } from '../base/threads/thread-metrics.ts';
import { certificateMetrics } from '../certificates/worker/certificate-metrics.ts';
import { answerMetrics } from '../dns/answer-metrics.ts';
import { storeMetrics } from '../store/store-metrics.ts';
import { checkMetrics } from '../verification/check-metrics.ts';
import { deliveryMetrics } from '../webhooks/delivery-metrics.ts';

/** The metrics of one process, or of one of its threads, except those of the edge. */
export type Metrics = ReturnType<typeof createMetrics>;

/** `ofProcess`: with those of Node.js and the operating system. */
export function createMetrics({ ofProcess = true } = {}) {
  const factory = metricFactory();
  const { registry } = factory;
  if (ofProcess) collectDefaultMetrics({ register: registry });
  return {
    registry,
    ...threadMetrics(factory),
    ...storeMetrics(factory),
    ...checkMetrics(factory),
    ...answerMetrics(factory),
    ...certificateMetrics(factory),
    ...deliveryMetrics(factory),
    ...apiMetrics(factory),
    dns: dnsServerMetrics(factory),
  };
}
