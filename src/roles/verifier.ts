import { authoritativeResolver } from '../dns/authoritative.ts';
import { dnsClient } from '../dns/client.ts';
import { recursiveResolver } from '../dns/recursive.ts';
import { GRACE_MS, type Running } from '../listen.ts';
import { createVerifier } from '../verification/worker.ts';
import type { Parts } from './parts.ts';

/** The background checks of one process. */
export function startVerifier(parts: Parts): Running {
  const { config, clock, metrics, nameserverPort } = parts;
  const client = dnsClient();
  const onAnswer = (kind: string) => metrics.dnsAnswers.inc({ kind });
  const asking = { client, resolvers: config.dnsResolvers, onAnswer };
  const allowedNetworks = config.dnsAllowedNetworks ?? [];
  const resolver =
    config.dnsMode === 'recursive'
      ? recursiveResolver(asking)
      : authoritativeResolver({ ...asking, clock, nameserverPort, allowedNetworks });
  const verifier = createVerifier({ ...parts, resolver, random: Math.random });
  verifier.start();
  return { stop: () => verifier.stop(GRACE_MS).finally(() => client.close()) };
}
