import { type Dns, startDns as serve } from '../answers/dns.ts';
import { followZones } from '../answers/follow-zones.ts';
import type { ZoneSettings } from '../answers/zones.ts';
import type { Supervisor } from '../base/threads/supervisor.ts';
import type { Config } from '../config/config.ts';
import { selfCheckNameOf } from '../edge/routing/challenges.ts';
import { cannotListen } from '../net/cannot-listen.ts';
import type { InheritedSockets } from '../net/inherited-sockets.ts';
import type { RoleDeps } from './roles.ts';

interface DnsRoleDeps extends Omit<RoleDeps, 'challengePort'> {
  supervisor: Supervisor;
  inherited?: InheritedSockets | undefined;
}

const HTTPS_PORT = 443;

/**
 * Answers DNS queries for the zones of this configuration. It needs no store to begin: until one is read, the addresses
 * are those of the configuration. Rejects with one line that says what to do.
 */
export async function startDns(deps: DnsRoleDeps): Promise<Dns> {
  const { config, store, changes, clock, log, supervisor, inherited } = deps;
  const zones = zonesOf(config);
  const ownAddresses = config.edgeAddresses ?? [];
  const dns = await serve({
    zones,
    listen: config.dnsListen,
    responsesPerSecond: config.dnsResponsesPerSecond,
    data: { challenges: null, addresses: ownAddresses },
    supervisor,
    inherited,
  }).catch((error: unknown) => {
    throw whereRefused(error, config);
  });
  const servesAddresses = zones.cnameZone !== null;
  const { setData: onData } = dns;
  const following = followZones({ store, changes, clock, log, servesAddresses, ownAddresses, onData });
  return {
    ...dns,
    async stop() {
      await following.stop();
      await dns.stop();
    },
  };
}

/** The zones that a node with the role `dns` answers for. */
export function zonesOf(config: Config): ZoneSettings {
  const { challengeZone = null, cnameZone, cnameZoneDelegated, dnsServers = [], caaIssuers = [] } = config;
  return {
    challengeZone,
    cnameZone: cnameZoneDelegated === 'on' ? cnameZone : null,
    servers: dnsServers,
    selfCheckName: selfCheckNameOf(cnameZone),
    caaIssuers,
    announcesHttps: config.httpsRecords === 'on' && config.edgeHttpsPort === HTTPS_PORT,
  };
}

function whereRefused(error: unknown, config: Config): unknown {
  const port = error instanceof Error && 'port' in error ? error.port : undefined;
  const host = error instanceof Error && 'address' in error ? error.address : undefined;
  const onPort = config.dnsListen.filter((each) => each.port === port);
  const endpoint = onPort.find((each) => each.host === host) ?? onPort[0];
  return endpoint === undefined ? error : cannotListen(error, endpoint, 'NAMEPLATE_DNS_LISTEN');
}
