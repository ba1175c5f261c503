import { type HostileRecord, startHostileServer } from '../interop/hostile-server.ts';
import type { Internet, Zone } from '../interop/internet.ts';
import type { Host, Nameserver } from '../interop/knot.ts';

/** A record as a customer enters it: the panel makes the record of the zone out of it. */
export interface Entry {
  type: 'A' | 'ALIAS' | 'CAA' | 'CNAME' | 'NS' | 'TXT';
  name: string;
  /** For a CAA record: flags, tag and value. */
  value: string;
}

/** The differences between the panels of DNS providers. */
export interface Provider {
  /** As the page should call it; absent: it does not know it. */
  name?: string;
  /** One of its nameservers. */
  nameserver?: string;
  /** The panel takes a value without a final dot for a name in the zone. */
  appendsZoneToValues?: true;
  /** The panel's type of record that leads the apex to a host; it answers with addresses. */
  apexRecord?: 'ALIAS' | 'CNAME';
}

export const PROVIDERS = {
  cloudflare: { name: 'Cloudflare', nameserver: 'kip.ns.cloudflare.com', apexRecord: 'CNAME' },
  godaddy: { name: 'GoDaddy', nameserver: 'ns01.domaincontrol.com' },
  hetzner: { name: 'Hetzner', nameserver: 'hydrogen.ns.hetzner.com', appendsZoneToValues: true },
  namecheap: { name: 'Namecheap', nameserver: 'dns1.registrar-servers.com', apexRecord: 'ALIAS' },
  route53: { name: 'Amazon Route 53', nameserver: 'ns-1.awsdns-01.com' },
  unknown: {},
} as const satisfies Record<string, Provider>;

/** The panel in which a customer edits a zone: whatever is entered is published as it stands, mistakes and all. */
export interface DnsPanel {
  /** Apex of the zone. */
  zone: string;
  entries: readonly Entry[];
  /** Whether it offers records that lead an apex to a host. */
  hasAlias: boolean;
  /** The name of a record in the DNS, from what was entered as its name. */
  fullName(entered: string): string;
  /** Puts these records in place of all that were there. */
  save(entries: readonly Entry[]): Promise<void>;
  /** One of the nameservers, by its place among them, has none of the records any more. */
  leaveBehind(nameserver: number): Promise<void>;
  /** Sets the DS records at the registrar, which resolvers notice. */
  setDs(ds: string[]): Promise<void>;
  close(): Promise<void>;
}

export interface DnsPanelOptions {
  internet: Internet;
  provider: Provider;
  /** Its nameservers; one that is not Knot has what zone files may not contain. */
  servers: Nameserver[];
  lenient?: boolean;
  /** Where targets lead. */
  edgeAddress: string;
}

/** A new zone of a customer, delegated to the nameservers of the provider. */
export async function openDnsPanel(label: string, options: DnsPanelOptions): Promise<DnsPanel> {
  const { internet, provider, servers, lenient = false, edgeAddress } = options;
  const hosts = await Promise.all(lenient ? [rename(internet.spareHost())] : servers.map(rename));
  const zone = await internet.register(label, hosts);
  let entries: readonly Entry[] = [];
  let records: ZoneRecord[] = [];
  const lenientServer = lenient
    ? await startHostileServer(only(hosts), {
        port: internet.port,
        zone: zone.name,
        records: asHostile,
        // All that leads somewhere, whatever the rules say.
        respond: ({ name, type }, ordinary) => {
          const leads = asHostile().filter((one) => one.name === name && (one.type === 'CNAME' || one.type === type));
          return type === 'A' && leads.length > 0 ? { ...ordinary, answers: leads } : ordinary;
        },
      })
    : null;

  return {
    zone: zone.name,
    get entries() {
      return entries;
    },
    hasAlias: provider.apexRecord !== undefined,
    fullName,
    async save(next) {
      entries = next;
      records = entries.map(toRecord);
      if (!lenient) await publish(zone, servers, records);
    },
    leaveBehind: (nameserver) => publish(zone, servers.slice(nameserver, nameserver + 1), []),
    async setDs(ds) {
      await zone.delegate(hosts, ds);
      await internet.resolver.forget(zone.name);
    },
    close: async () => lenientServer?.close(),
  };

  /** The first nameserver is known by the provider's own name. */
  async function rename(host: Host, number = 0): Promise<Host> {
    const name = provider.nameserver;
    return name === undefined || number > 0 ? host : internet.nameHost(name, host.address);
  }

  function fullName(entered: string): string {
    return entered === '' || entered === '@' ? zone.name : `${entered}.${zone.name}`;
  }

  function toRecord({ type, name, value }: Entry): ZoneRecord {
    if (type === 'ALIAS' && provider.apexRecord === undefined) throw new Error('this provider has no ALIAS records');
    const owner = fullName(name);
    const isFlattened = owner === zone.name && type === provider.apexRecord && !lenient;
    if (type === 'ALIAS' || isFlattened) return { name: owner, type: 'A', data: edgeAddress };
    return { name: owner, type, data: type === 'CNAME' || type === 'NS' ? hostOf(value) : value };
  }

  function hostOf(value: string): string {
    if (value.endsWith('.')) return value.slice(0, -1);
    return provider.appendsZoneToValues ? `${value}.${zone.name}` : value;
  }

  function asHostile(): HostileRecord[] {
    return records.flatMap(({ type, ...record }) => (type === 'CAA' ? [] : [{ type, ...record }]));
  }
}

/** Without final dots. */
interface ZoneRecord {
  name: string;
  type: Exclude<Entry['type'], 'ALIAS'>;
  data: string;
}

function only<T>([first]: readonly T[]): T {
  if (first === undefined) throw new Error('a zone has a nameserver');
  return first;
}

function publish(zone: Zone, servers: Nameserver[], records: readonly ZoneRecord[]): Promise<void> {
  return zone.publish(records.map(lineOf).join('\n'), servers);
}

/** In the notation of zone files. */
export function lineOf({ name, type, data }: ZoneRecord): string {
  const text = { A: data, CAA: data, CNAME: `${escaped(data)}.`, NS: `${data}.`, TXT: `"${quotable(data)}"` };
  return `${escaped(name)}. ${type} ${text[type]}`;
}

function escaped(name: string): string {
  return name.replaceAll(/[^\w.*-]/g, decimal);
}

function quotable(text: string): string {
  return text.replaceAll(/["\\]|[^ -~]/g, decimal);
}

/** Each octet as zone files escape it. */
function decimal(character: string): string {
  return [...Buffer.from(character)].map((octet) => `\\${String(octet).padStart(3, '0')}`).join('');
}
