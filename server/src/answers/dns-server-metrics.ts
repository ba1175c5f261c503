import type { MetricFactory } from '../base/metric-factory.ts';
import { type AnswerCode, RCODES } from './answer-query.ts';
import type { Transport } from './query.ts';

const TRANSPORTS: readonly Transport[] = ['udp', 'tcp'];
const LIMITED = ['truncate', 'drop'] as const;

export type DnsServerMetrics = ReturnType<typeof dnsServerMetrics>;

/** The metrics of the role `dns`. Every label has few values, whatever clients send. */
export function dnsServerMetrics({ counter, gauge }: MetricFactory) {
  const queries = counter('nameplate_dns_server_queries_total', 'DNS queries answered, by transport and RCODE.', [
    'transport',
    'rcode',
  ]);
  const limited = counter(
    'nameplate_dns_server_limited_total',
    'DNS queries over UDP beyond the limit of their network, by what they got: truncate (an empty response), drop (none).',
    ['action'],
    LIMITED,
  );
  const unanswered = counter(
    'nameplate_dns_server_unanswered_total',
    'Messages at the DNS port that get no response, by transport: they are no queries, or could not be received.',
    ['transport'],
    TRANSPORTS,
  );
  const failedSends = counter(
    'nameplate_dns_server_failed_sends_total',
    'DNS responses over UDP that could not be sent.',
  );
  const connections = gauge('nameplate_dns_server_connections', 'Open TCP connections of DNS clients.');
  const challenges = gauge('nameplate_dns_server_challenges', 'Names with open DNS-01 challenges that are answered.');
  // Looking a series up by its labels takes longer than the answer does.
  const codes = Object.keys(RCODES) as AnswerCode[];
  const series = Object.fromEntries(
    TRANSPORTS.map((transport) => [
      transport,
      Object.fromEntries(codes.map((rcode) => [rcode, fromZero(queries.labels(transport, rcode))])),
    ]),
  ) as Record<Transport, Record<AnswerCode, { inc(): void }>>;
  return {
    answered: (transport: Transport, rcode: AnswerCode) => series[transport][rcode].inc(),
    limited: (action: (typeof LIMITED)[number]) => limited.inc({ action }),
    unanswered: (transport: Transport) => unanswered.inc({ transport }),
    failedSend: () => failedSends.inc(),
    connections: (open: number) => connections.set(open),
    challenges: (names: number) => challenges.set(names),
  };
}

/** Alerts need that: Prometheus sees no increase in a series that begins at 1. */
function fromZero<Series extends { inc(by: number): void }>(series: Series): Series {
  series.inc(0);
  return series;
}
