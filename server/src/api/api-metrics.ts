import type { MetricFactory } from '../base/metric-factory.ts';

export type ApiMetrics = ReturnType<typeof apiMetrics>;

export function apiMetrics({ counter, gauge, histogram }: MetricFactory) {
  return {
    requests: counter(
      'nameplate_requests_total',
      'API requests, by operation and HTTP status. A stream counts when it ends.',
      ['operation', 'status'],
    ),
    requestSeconds: histogram(
      'nameplate_request_seconds',
      'Time from the header of an API request to the end of its response, by operation. Without streams.',
      [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      ['operation'],
    ),
    requestsShed: counter('nameplate_requests_shed_total', 'API requests refused by load shedding.'),
    connections: gauge('nameplate_connections', 'Open connections to the API.'),
    watchers: gauge('nameplate_watchers', 'Open streams of domains.watchDomain.'),
    watchersEnded: counter(
      'nameplate_watchers_ended_total',
      'Streams of domains.watchDomain that ended, by reason: client, domain_gone, access_ended, server_stopping, stalled (the client did not read).',
      ['reason'],
    ),
  };
}
