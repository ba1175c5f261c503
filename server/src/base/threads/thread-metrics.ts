import type { MetricFactory } from '../metric-factory.ts';

export type ThreadMetrics = ReturnType<typeof threadMetrics>;

export function threadMetrics({ counter }: MetricFactory) {
  return {
    threadDeaths: counter(
      'nameplate_thread_deaths_total',
      'Threads that crashed or hung, by kind: api, background (checks, certificates and deliveries), diagnosis, dns, edge, writer.',
      ['kind'],
    ),
  };
}
