import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { throttledWarn } from '../base/throttled-log.ts';
import type { Config } from '../config/config.ts';
import type { AnswerMetrics } from '../dns/answer-metrics.ts';
import { authoritativeResolver } from '../dns/authoritative.ts';
import { recursiveResolver } from '../dns/recursive.ts';
import type { Resolver } from '../dns/resolver.ts';
import { type DnsClient, dnsClient } from '../dns/transport/dns-client.ts';

/** Where and how DNS is asked. */
export interface ResolverDeps {
  config: Pick<Config, 'dnsMode' | 'dnsResolvers' | 'dnsAllowedNetworks'>;
  clock: Clock;
  /** Port of nameservers. */
  nameserverPort: number;
  metrics: AnswerMetrics;
  /** Absent in the thread of diagnoses. */
  log?: Log;
}

const FORGERY = 'DNS responses that fit no query: somebody forges those of this server, or it is broken';
const FORGERIES_LOGGED_MS = 60_000;

/** Opens a role's resolver. `close` ends it. */
export function openResolver({ config, clock, nameserverPort, metrics, log }: ResolverDeps): {
  resolver: Resolver;
  client: DnsClient;
  close(): void;
} {
  const warn = log && throttledWarn(log, clock, FORGERIES_LOGGED_MS);
  const client = dnsClient({
    onForgery(server) {
      metrics.dnsForgeries.inc();
      warn?.(FORGERY, { server });
    },
  });
  const onAnswer = (kind: string) => metrics.dnsAnswers.inc({ kind });
  const asking = { client, resolvers: config.dnsResolvers, onAnswer };
  const allowedNetworks = config.dnsAllowedNetworks ?? [];
  const resolver =
    config.dnsMode === 'recursive'
      ? recursiveResolver(asking)
      : authoritativeResolver({ ...asking, clock, nameserverPort, allowedNetworks });
  return { resolver, client, close: () => client.close() };
}
