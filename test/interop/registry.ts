import type { Host, Nameserver } from './knot.ts';

/** The top-level domains, all served by one nameserver and signed. A name below another here is in that one's zone. */
export const TOP_LEVEL = ['test', 'com', 'net', 'co.uk'] as const;

/** Delegations and negative answers are cached this long. */
const TTL_SECONDS = 3600;

/** The registry: holds the delegations of all registered zones, as their parents answer them. */
export interface Registry {
  /** Delegates the zone at its parent, or changes its delegation; null: the registration ends. */
  delegate(zone: string, delegation: Delegation | null): Promise<void>;
  /** Gives a host an address, in the zone of its top-level domain. */
  addHost(host: Host): Promise<void>;
}

/** A nameserver as a delegation names it; one without an address has none anywhere. */
export interface DelegatedHost {
  host: string;
  address: string | null;
}

export interface Delegation {
  hosts: DelegatedHost[];
  /** DS records, without owner and type. */
  ds?: string[];
}

interface RegistryOptions {
  server: Nameserver;
  /** Every nameserver host that exists. */
  hosts: Host[];
}

/** Serves the top-level domains, and `provider.` below each, in which the hosts are. */
export async function startRegistry({ server, ...options }: RegistryOptions): Promise<Registry> {
  const hosts = [...options.hosts];
  const delegations = new Map<string, Delegation>();
  let serial = 0;
  const publish = (top: string) => {
    serial += 10;
    return server.serve(top, topLevelZone(top, serial), { signed: true });
  };
  const inZone = (zone: string) => hosts.filter(({ host }) => host.endsWith(`.${zone}`));

  function topLevelZone(top: string, number: number): string {
    const registered = [...delegations].filter(([zone]) => topLevelOf(zone) === top);
    const lines = registered.flatMap(([zone, { hosts: at, ds = [] }]) => [
      ...at.map(({ host }) => `${zone}. NS ${host}.`),
      ...ds.map((one) => `${zone}. DS ${one}`),
    ]);
    const glue = registered
      .flatMap(([, delegation]) => delegation.hosts)
      .filter(({ host, address }) => address !== null && host.endsWith(`.${top}`));
    const provider = `provider.${top}. NS ${server.host}.`;
    const addresses = new Set([...inZone(top), ...glue].map(({ host, address }) => `${host}. A ${address}`));
    const own = server.host.endsWith(`.${top}`) ? [`${server.host}. A ${server.address}`] : [];
    return zoneFile(top, [server], number, [provider, ...own, ...addresses, ...lines].join('\n'));
  }

  for (const top of TOP_LEVEL) {
    const addresses = inZone(`provider.${top}`).map(({ host, address }) => `${host}. A ${address}`);
    await server.serve(`provider.${top}`, zoneFile(`provider.${top}`, [server], 1, addresses.join('\n')));
    await publish(top);
  }
  return {
    async addHost(host) {
      hosts.push(host);
      await publish(topLevelOf(host.host));
    },
    async delegate(zone, delegation) {
      if (delegation === null) delegations.delete(zone);
      else delegations.set(zone, delegation);
      await publish(topLevelOf(zone));
    },
  };
}

/** The root zone: delegates the top-level domains securely. */
export async function rootZone(root: Host, registry: Nameserver): Promise<string> {
  const delegations = await Promise.all(
    TOP_LEVEL.map(async (top) => [
      `${top}. NS ${registry.host}.`,
      ...(await registry.readDs(top)).map((ds) => `${top}. DS ${dsData(ds)}`),
    ]),
  );
  const addresses = [root, registry].map(({ host, address }) => `${host}. A ${address}`);
  return zoneFile('.', [root], 1, [...addresses, ...delegations.flat()].join('\n'));
}

/** The data of a DS record as `readDs` has it, after owner and type. */
export function dsData(line: string): string {
  return line.split(' ').slice(2).join(' ');
}

export function topLevelOf(zone: string): string {
  const top = TOP_LEVEL.find((one) => zone.endsWith(`.${one}`));
  if (top === undefined) throw new Error(`${zone} is below no top-level domain of this internet`);
  return top;
}

/** A zone as its own nameservers have it. */
export function zoneFile(zone: string, hosts: DelegatedHost[], serial: number, records: string): string {
  const soa = `@ SOA ${hosts[0]?.host}. hostmaster.provider.test. ${serial} 3600 600 86400 ${TTL_SECONDS}`;
  const ns = hosts.map(({ host }) => `@ NS ${host}.`);
  return [`$ORIGIN ${zone === '.' ? '.' : `${zone}.`}`, `$TTL ${TTL_SECONDS}`, soa, ...ns, records, ''].join('\n');
}
