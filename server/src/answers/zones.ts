import packet from 'dns-packet';
import { isWithin, parentOf } from '../dns/protocol/dns-name.ts';
import { TYPES } from '../dns/protocol/wire.ts';

/** The zones that this program answers for. */
export interface ZoneSettings {
  /** It has the open challenges, each at the label of a target; null: not served. */
  challengeZone: string | null;
  /** It has the addresses of the edges at each target; null: the operator's own DNS has it. */
  cnameZone: string | null;
  /** The nameservers of the zones, the first one being the primary in SOA. */
  servers: readonly ZoneServer[];
  /** The name in the CNAME zone by which `doctor` finds the edges. */
  selfCheckName: string;
  /** CAs that may issue for names that lead to a target (RFC 8659); empty: no CAA record. */
  caaIssuers: readonly string[];
  /** Whether targets have an HTTPS record (RFC 9460). */
  announcesHttps: boolean;
}

export interface ZoneServer {
  name: string;
  /** Empty: its name is in a zone of others, which has them. */
  addresses: readonly string[];
}

/** The part of the zones that changes. */
export interface ZoneData {
  /** Values of open challenges, by the label of their target; null: they could not be read yet. */
  challenges: ReadonlyMap<string, readonly string[]> | null;
  /** Addresses of the edges that are alive. */
  addresses: readonly string[];
}

/** Records of one name and type, encoded. */
export interface RecordSet {
  type: number;
  /** Seconds. */
  ttl: number;
  /** RDATA of each record, its length before it. */
  rdata: readonly Buffer[];
}

/** The records of one name, by their type. */
export type Records = ReadonlyMap<number, RecordSet>;

export interface Zone {
  name: string;
  /** Length of its name on the wire. */
  nameOctets: number;
  /** With the TTL of negative answers (RFC 2308 section 5). */
  soa: RecordSet;
  /** Names with records of their own; one without any is an empty non-terminal (RFC 8020). */
  hosts: ReadonlyMap<string, Records>;
  /** The records of each well-formed target, but for its challenges: nobody looks up which targets there are. */
  target: Records;
}

export interface ServedZones {
  /** The most specific first. */
  all: readonly Zone[];
  /** TXT records by the label of a target; null as above. */
  challenges: ReadonlyMap<string, RecordSet> | null;
  /** Addresses of the nameservers whose names are in these zones, each with its name on the wire. */
  glue: readonly { name: Buffer; set: RecordSet }[];
}

/** RFC 9460 section 14.1. */
export const TYPE_HTTPS = 65;
export const TYPE_HINFO = 13;

/** The types of the library do not have its encoders of single values. */
const encoders = packet as unknown as {
  record(type: string): { encode(data: unknown): Buffer };
  name: { encode(name: string): Buffer };
};

const SERVERS_TTL_S = 3600;
const CAA_TTL_S = 300;
/** With the time that it takes to notice, a dead edge is in no cache after 30 s. */
const ADDRESS_TTL_S = 15;
/** A challenge that was asked for too early is found soon after. */
const CHALLENGE_TTL_S = 5;
const NEGATIVE_TTL_S = 5;
/** One string of a TXT record; the value of a challenge has 43 (RFC 8555 section 8.4). */
const MAX_TEXT_OCTETS = 255;
/** Times for secondaries, which there are not: RIPE-203 has the values. */
const SOA_TIMES = { serial: 1, refresh: 86_400, retry: 7200, expire: 3_600_000, minimum: NEGATIVE_TTL_S };

/** SvcPriority 1, TargetName ".", `alpn=h2,http/1.1` (RFC 9460 sections 2.2 and 7.1). */
const HTTPS_RDATA = Buffer.from('000100000100' + '0c' + '026832' + '08687474702f312e31', 'hex');

/** The zones as they are answered until the data change. */
export function makeZones(settings: ZoneSettings, { challenges, addresses }: ZoneData): ServedZones {
  const { challengeZone, cnameZone, servers, selfCheckName } = settings;
  const edges = addressRecords(addresses, ADDRESS_TTL_S);
  const all: Zone[] = [];
  if (challengeZone !== null) all.push(makeZone(challengeZone, servers, new Map(), new Map()));
  if (cnameZone !== null) {
    const target = new Map([...edges, ...targetRecords(settings, addresses)]);
    all.push(makeZone(cnameZone, servers, target, new Map([[selfCheckName, edges]])));
  }
  all.sort((one, other) => other.name.length - one.name.length);
  const own = servers.filter(({ name }) => all.some((zone) => isWithin(name, zone.name)));
  const glue = own.flatMap(({ name, addresses }) =>
    [...addressRecords(addresses, SERVERS_TTL_S).values()].map((set) => ({ name: encodeName(name), set })),
  );
  return { all, challenges: challenges && challengeSets(challenges), glue };
}

function makeZone(name: string, servers: readonly ZoneServer[], target: Records, others: Map<string, Records>): Zone {
  const primary = servers[0]?.name ?? name;
  const soa = {
    type: TYPES.SOA,
    rdata: [encode('SOA', { mname: primary, rname: `hostmaster.${name}`, ...SOA_TIMES })],
  };
  const ns = { type: TYPES.NS, ttl: SERVERS_TTL_S, rdata: servers.map((server) => encode('NS', server.name)) };
  const apex: Records = new Map<number, RecordSet>([
    [TYPES.SOA, { ...soa, ttl: SERVERS_TTL_S }],
    [TYPES.NS, ns],
  ]);
  const hosts = new Map<string, Records>(others);
  for (const server of servers) {
    if (!isWithin(server.name, name)) continue;
    hosts.set(server.name, addressRecords(server.addresses, SERVERS_TTL_S));
    for (let above = parentOf(server.name); isWithin(above, name); above = parentOf(above))
      if (!hosts.has(above)) hosts.set(above, new Map());
  }
  hosts.set(name, new Map([...(hosts.get(name) ?? []), ...apex]));
  return { name, nameOctets: name.length + 2, soa: { ...soa, ttl: NEGATIVE_TTL_S }, hosts, target };
}

function addressRecords(addresses: readonly string[], ttl: number): Map<number, RecordSet> {
  const records = new Map<number, RecordSet>();
  for (const type of ['A', 'AAAA'] as const) {
    const own = addresses.filter((address) => address.includes(':') === (type === 'AAAA'));
    if (own.length > 0)
      records.set(TYPES[type], { type: TYPES[type], ttl, rdata: own.map((address) => encode(type, address)) });
  }
  return records;
}

function targetRecords({ caaIssuers, announcesHttps }: ZoneSettings, addresses: readonly string[]) {
  const records: [number, RecordSet][] = [];
  if (caaIssuers.length > 0) {
    const rdata = caaIssuers.map((value) => encode('CAA', { flags: 0, tag: 'issue', value }));
    records.push([TYPES.CAA, { type: TYPES.CAA, ttl: CAA_TTL_S, rdata }]);
  }
  if (announcesHttps && addresses.length > 0)
    records.push([TYPE_HTTPS, { type: TYPE_HTTPS, ttl: CAA_TTL_S, rdata: [encode('UNKNOWN_65', HTTPS_RDATA)] }]);
  return records;
}

function challengeSets(challenges: ReadonlyMap<string, readonly string[]>): Map<string, RecordSet> {
  const setOf = (values: readonly string[]): RecordSet => ({
    type: TYPES.TXT,
    ttl: CHALLENGE_TTL_S,
    rdata: values.filter((value) => Buffer.byteLength(value) <= MAX_TEXT_OCTETS).map((value) => encode('TXT', value)),
  });
  return new Map([...challenges].map(([label, values]) => [label, setOf(values)]));
}

/** Answers a query of any type with little (RFC 8482 section 4.2). */
export const ANY_SET: RecordSet = {
  type: TYPE_HINFO,
  ttl: SERVERS_TTL_S,
  rdata: [encode('HINFO', { cpu: 'RFC8482', os: '' })],
};

/** RDATA with its length. */
function encode(type: string, data: unknown): Buffer {
  return encoders.record(type).encode(data);
}

function encodeName(name: string): Buffer {
  return encoders.name.encode(name);
}
