import { authoritativeResolver } from '../dns/authoritative.ts';
import { recursiveResolver } from '../dns/recursive.ts';
import type { Resolver } from '../dns/resolver.ts';
import { dnsClient } from '../dns/transport/dns-client.ts';
import type { RoleDeps } from './roles.ts';

/** What a role asks DNS with, until it is closed. */
export function openResolver({ config, clock, metrics, nameserverPort }: RoleDeps): {
  resolver: Resolver;
  close(): void;
} {
  const client = dnsClient();
  const onAnswer = (kind: string) => metrics.dnsAnswers.inc({ kind });
  const asking = { client, resolvers: config.dnsResolvers, onAnswer };
  const allowedNetworks = config.dnsAllowedNetworks ?? [];
  const resolver =
    config.dnsMode === 'recursive'
      ? recursiveResolver(asking)
      : authoritativeResolver({ ...asking, clock, nameserverPort, allowedNetworks });
  return { resolver, close: () => client.close() };
}
