import type { Clock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { authoritativeResolver } from '../dns/authoritative.ts';
import { recursiveResolver } from '../dns/recursive.ts';
import type { Resolver } from '../dns/resolver.ts';
import { dnsClient } from '../dns/transport/dns-client.ts';
import type { Metrics } from '../metrics.ts';

/** What says where and how DNS is asked. */
export interface ResolverDeps {
  config: Pick<Config, 'dnsMode' | 'dnsResolvers' | 'dnsAllowedNetworks'>;
  clock: Clock;
  /** Port of nameservers. */
  nameserverPort: number;
  /** Called with the kind of each answer, for counting. */
  onAnswer: (kind: string) => void;
}

/** What a role asks DNS with, until it is closed. */
export function openResolver({ config, clock, nameserverPort, onAnswer }: ResolverDeps): {
  resolver: Resolver;
  close(): void;
} {
  const client = dnsClient();
  const asking = { client, resolvers: config.dnsResolvers, onAnswer };
  const allowedNetworks = config.dnsAllowedNetworks ?? [];
  const resolver =
    config.dnsMode === 'recursive'
      ? recursiveResolver(asking)
      : authoritativeResolver({ ...asking, clock, nameserverPort, allowedNetworks });
  return { resolver, close: () => client.close() };
}

/** Counts the answers of one role. */
export function countAnswers({ dnsAnswers }: Pick<Metrics, 'dnsAnswers'>): ResolverDeps['onAnswer'] {
  return (kind) => dnsAnswers.inc({ kind });
}
