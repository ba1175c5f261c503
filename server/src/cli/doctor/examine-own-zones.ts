import type { Clock } from '../../base/clock.ts';
import type { Config, DnsServer } from '../../config/config.ts';
import { serverVariables as variables } from '../../config/variables.ts';
import { authoritativeResolver } from '../../dns/authoritative.ts';
import { queryBudget } from '../../dns/query-budget.ts';
import { type DnsClient, dnsClient } from '../../dns/transport/dns-client.ts';
import { hostAndPort } from '../../net/cannot-listen.ts';
import { type DoctorResult, fail, ok, warn } from './doctor-result.ts';
import { addressesOf } from './examine-edge.ts';

interface OwnZonesSettings extends Pick<Config, 'dnsServers' | 'challengeZone'> {
  /** Where it is delegated to our servers. */
  cnameZone: string | null;
  /** Whether certificates are ordered from a CA that asks challenges. */
  isOrdering: boolean;
  resolvers: readonly DnsServer[];
  /** Networks of special addresses where nameservers may be queried. */
  allowedNetworks: readonly string[];
  /** 53, except in tests. */
  port: number;
  clock: Clock;
}

const ABOUT = 'DNS server';
const TIMEOUT_MS = 5000;
const TRANSPORTS = ['udp', 'tcp'] as const;

/** Whether the parents delegate our zones, and each server answers for them over both transports, and all alike. */
export async function examineOwnZones(settings: OwnZonesSettings): Promise<DoctorResult[]> {
  const { challengeZone, cnameZone, dnsServers = [] } = settings;
  const zones = [challengeZone, cnameZone].filter((zone) => typeof zone === 'string');
  const [zone] = zones;
  if (zone === undefined) return [];
  const unused = `nothing is ordered over ${zones.join(' or ')}`;
  if (dnsServers.length === 0)
    return [warn(ABOUT, `${unused}: ${variables.dnsServers.name} is not set`, 'Set it alike on every node.')];
  const client = dnsClient();
  try {
    const delegations = await Promise.all(zones.map((zone) => examineDelegation(zone, client, settings)));
    const orders = settings.isOrdering
      ? `orders use ${zone} for each name whose _acme-challenge record leads there`
      : `${unused}: the internal CA asks no challenges`;
    return [...delegations, ...(await examineServers(zones, client, settings)), ok(ABOUT, orders)];
  } finally {
    client.close();
  }
}

async function examineDelegation(zone: string, client: DnsClient, settings: OwnZonesSettings): Promise<DoctorResult> {
  const { port: nameserverPort, dnsServers = [] } = settings;
  const resolver = authoritativeResolver({ ...settings, nameserverPort, client, onAnswer: () => {} });
  const limits = { signal: AbortSignal.timeout(TIMEOUT_MS), budget: queryBudget() };
  const { apex, nameservers, failure } = await resolver.findZone(zone, limits);
  const wanted = dnsServers.map(({ name }) => name).sort();
  const found = nameservers.map(({ name }) => name).sort();
  const advice = `In the zone above ${zone}, publish NS records for ${zone} that name ${wanted.join(' and ')}, and their addresses where their names are in ${zone}.`;
  if (failure !== null) return warn(ABOUT, `the delegation of ${zone} could not be read (${failure.reason})`, advice);
  if (apex !== zone) return fail(ABOUT, `${zone} is not delegated: it is a part of the zone ${apex}`, advice);
  if (found.join() === wanted.join()) return ok(ABOUT, `${zone} is delegated to ${found.join(', ')}`);
  return fail(ABOUT, `${zone} is delegated to ${found.join(', ')}, and ${variables.dnsServers.name} differs`, advice);
}

async function examineServers(
  zones: readonly string[],
  client: DnsClient,
  { dnsServers = [], resolvers, cnameZone, port }: OwnZonesSettings,
): Promise<DoctorResult[]> {
  const servers = await Promise.all(
    dnsServers.map(async ({ name, addresses }) => ({
      name,
      addresses: addresses.length > 0 ? addresses : await addressesOf(name, resolvers),
    })),
  );
  const unknown = servers.filter(({ addresses }) => addresses.length === 0);
  const hosts = servers.flatMap(({ name, addresses }) => addresses.map((address) => ({ name, address })));
  const examined = await Promise.all(hosts.map((host) => examineServer(zones, client, { ...host, port })));
  const answers = await Promise.all(hosts.map(({ address }) => addressesBy(client, { address, port }, cnameZone)));
  const shown = answers.filter((answer) => answer !== null);
  return [
    ...unknown.map(({ name }) =>
      fail(ABOUT, `${name} has no address`, `Publish one, or add it to ${variables.dnsServers.name}.`),
    ),
    ...examined,
    ...(new Set(shown).size > 1
      ? [
          warn(
            ABOUT,
            `the servers answer with different addresses of edges: ${[...new Set(shown)].join(' and ')}`,
            'They agree within seconds of a change. Otherwise see whether all of them can read the database.',
          ),
        ]
      : []),
  ];
}

async function examineServer(
  zones: readonly string[],
  client: DnsClient,
  { name, address, port }: { name: string; address: string; port: number },
): Promise<DoctorResult> {
  const host = `${name} (${hostAndPort({ host: address, port })})`;
  for (const zone of zones)
    for (const over of TRANSPORTS) {
      // One transport must not make up for the other.
      const asking = { recursion: false, signal: AbortSignal.timeout(TIMEOUT_MS), over, mayRepeat: () => false };
      const response = await client.query({ name: zone, type: 'SOA' }, { address, port }, asking);
      const problem = typeof response === 'string' ? response : response.authoritative ? null : response.rcode;
      if (problem === null) continue;
      const advice = `Check that a process with the role dns runs there, and that the firewall lets ${over.toUpperCase()} to port ${port} in.`;
      return fail(ABOUT, `${host} does not answer for ${zone} over ${over.toUpperCase()} (${problem})`, advice);
    }
  return ok(ABOUT, `${host} answers for ${zones.join(' and ')} over UDP and TCP`);
}

/** The addresses of edges as one server answers them; null: it does not. */
async function addressesBy(client: DnsClient, server: DnsServer, cnameZone: string | null): Promise<string | null> {
  if (cnameZone === null) return null;
  const asking = { recursion: false, signal: AbortSignal.timeout(TIMEOUT_MS) };
  const response = await client.query({ name: `doctor.${cnameZone}`, type: 'A' }, server, asking);
  return typeof response === 'string'
    ? null
    : response.answers
        .map(({ value }) => value)
        .sort()
        .join(', ');
}
