import { InvalidRecord, type SimulatedRecord, type SimulatedType } from './simulated-record.ts';

/** An apex and the names of its nameservers. */
export interface SimulatedZone {
  apex: string;
  nameservers: string[];
  /** `delegated`: to other nameservers; a query without RD for a name in it gets a referral. */
  held: 'here' | 'delegated';
}

/** One record of a response; `value` is in the text form of `SimulatedRecord`. */
export interface ZoneRecord {
  name: string;
  type: Exclude<SimulatedType, 'ALIAS'>;
  ttl: number;
  value: string;
}

/** In the order of their numbers (RFC 1035 section 4.1.1). */
export const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'] as const;
export type ResponseCode = (typeof RCODES)[number];

export interface SimulatedResponse {
  rcode: ResponseCode;
  authoritative: boolean;
  answers: ZoneRecord[];
  authorities: ZoneRecord[];
  additionals: ZoneRecord[];
  /** Code of an Extended DNS Error (RFC 8914). */
  error?: number;
}

/** Records, and the responses of a nameserver that has them. No I/O. */
export interface Zones {
  /** Replaces the name's records of that type. Throws `InvalidRecord` for what a DNS provider rejects. */
  set(record: SimulatedRecord): void;
  /** Removes the name's records, of one type or all; the number removed. */
  remove(name: string, type?: SimulatedType): number;
  list(): SimulatedRecord[];
  /** Throws `InvalidRecord` when the apex holds a CNAME. */
  setZone(zone: SimulatedZone): void;
  listZones(): SimulatedZone[];
  /** The apexes of the zones that were made or have records, sorted. */
  apexes(): string[];
  /**
   * `recursive`: responds as a resolver, across delegations; otherwise as a nameserver of every zone that is held here,
   * with referrals to others. Names are canonical.
   */
  answer(name: string, type: string, recursive: boolean): SimulatedResponse;
}

/** The nameserver of every zone without an explicit one. */
export const DEFAULT_NAMESERVER = 'ns1.simulator.test';
const DEFAULT_TTL = 60;
const NEGATIVE_TTL = 5;
const MAX_CHASED = 16;

type Node = Map<SimulatedType, SimulatedRecord>;

/** `host` is the address of the default nameserver. */
export function createZones(host: string): Zones {
  const nodes = new Map<string, Node>();
  /** For each name, the number of names with records below it: such a name is at least an empty non-terminal. */
  const below = new Map<string, number>();
  const zones = new Map<string, SimulatedZone>();

  function count(name: string, step: 1 | -1): void {
    for (const ancestor of ancestorsOf(name)) {
      const next = (below.get(ancestor) ?? 0) + step;
      if (next === 0) below.delete(ancestor);
      else below.set(ancestor, next);
    }
  }

  function zoneOf(name: string): SimulatedZone {
    for (const apex of [name, ...ancestorsOf(name)]) {
      const zone = zones.get(apex);
      if (zone !== undefined) return zone;
    }
    return { apex: name.split('.').slice(-2).join('.'), nameservers: [DEFAULT_NAMESERVER], held: 'here' };
  }

  /** The records of a name and type, without following CNAMEs. `flattened` counts the ALIASes followed so far. */
  function find(name: string, type: string, flattened = 0): ZoneRecord[] {
    const held = nodeOf(name)?.get(type as SimulatedType);
    if (held !== undefined && held.type !== 'ALIAS') {
      const { type: heldType, ttl } = held;
      return held.values.map((value) => ({ name, type: heldType, ttl, value }));
    }
    const zone = zoneOf(name);
    if (type === 'NS' && name === zone.apex) return nsRecords(zone);
    if (type === 'SOA' && name === zone.apex) return [soaRecord(zone)];
    if (type !== 'A' && type !== 'AAAA') return [];
    if (name === DEFAULT_NAMESERVER && (type === 'AAAA') === host.includes(':')) {
      return [{ name, type, ttl: DEFAULT_TTL, value: host }];
    }
    return flatten(name, type, flattened);
  }

  /** The addresses of an ALIAS's target, as records of the ALIAS's name. */
  function flatten(name: string, type: 'A' | 'AAAA', flattened: number): ZoneRecord[] {
    const alias = nodeOf(name)?.get('ALIAS');
    const [target] = alias?.values ?? [];
    if (alias === undefined || target === undefined || flattened === MAX_CHASED) return [];
    const { answers } = chase(target, type, true, flattened + 1);
    return answers.filter((record) => record.type === type).map((record) => ({ ...record, name, ttl: alias.ttl }));
  }

  /** The records of a name, or of the wildcard that matches it (RFC 4592). */
  function nodeOf(name: string): Node | undefined {
    if (exists(name)) return nodes.get(name);
    const encloser = ancestorsOf(name).find(exists);
    return encloser === undefined ? undefined : nodes.get(`*.${encloser}`);
  }

  function exists(name: string): boolean {
    return nodes.has(name) || below.has(name) || zoneOf(name).apex === name || name === DEFAULT_NAMESERVER;
  }

  /** Follows CNAMEs; `end` is the last name. `left`: a nameserver stops at a name that it is not authoritative for. */
  function chase(name: string, type: string, recursive: boolean, flattened = 0): Chased {
    const answers: ZoneRecord[] = [];
    let end = name;
    for (let hop = 0; hop < MAX_CHASED; hop++) {
      const found = find(end, type, flattened);
      answers.push(...found);
      if (found.length > 0) return { rcode: 'NOERROR', answers, end, left: false };
      const [alias] = find(end, 'CNAME');
      if (alias === undefined) break;
      answers.push(alias);
      const held = recursive || zoneOf(alias.value).apex === zoneOf(end).apex || nodes.has(alias.value);
      end = alias.value;
      if (!held) return { rcode: 'NOERROR', answers, end, left: true };
    }
    const there = exists(end) || nodeOf(end) !== undefined;
    return { rcode: there ? 'NOERROR' : 'NXDOMAIN', answers, end, left: false };
  }

  function refer(zone: SimulatedZone): SimulatedResponse {
    const additionals = addressesOf(zone.nameservers);
    return { rcode: 'NOERROR', authoritative: false, answers: [], authorities: nsRecords(zone), additionals };
  }

  /** Addresses of the nameservers, as far as they are known here. */
  function addressesOf(names: string[]): ZoneRecord[] {
    return names.flatMap((name) => [...find(name, 'A'), ...find(name, 'AAAA')]);
  }

  /** The zone has no such records. */
  function denial({ apex }: SimulatedZone): SimulatedResponse {
    return { rcode: 'NOERROR', authoritative: true, answers: [], authorities: find(apex, 'SOA'), additionals: [] };
  }

  return {
    set(record) {
      const node = nodes.get(record.name) ?? new Map();
      rejectConflict(record, node, zoneOf(record.name).apex);
      if (!nodes.has(record.name)) {
        nodes.set(record.name, node);
        count(record.name, 1);
      }
      node.set(record.type, record);
    },
    remove(name, type) {
      const node = nodes.get(name);
      if (node === undefined) return 0;
      const removed = type === undefined ? node.size : Number(node.delete(type));
      if (type === undefined || node.size === 0) {
        nodes.delete(name);
        count(name, -1);
      }
      return removed;
    },
    list: () => [...nodes.values()].flatMap((node) => [...node.values()]),
    setZone(zone) {
      if (nodes.get(zone.apex)?.has('CNAME')) throw apexConflict(zone.apex);
      zones.set(zone.apex, zone);
    },
    listZones: () => [...zones.values()],
    apexes: () => [...new Set([...zones.keys(), ...[...nodes.keys()].map((name) => zoneOf(name).apex)])].sort(),
    answer(name, type, recursive) {
      // The DS records of a zone are its parent's.
      const zone = zoneOf(type === 'DS' ? parentOf(name) : name);
      if (!recursive && zone.held === 'delegated') return refer(zone);
      if (type === 'DS') return denial(zone);
      const { rcode, answers, end, left } = chase(name, type, recursive);
      const negative = !left && answers.at(-1)?.type !== type;
      const authorities = negative ? find(zoneOf(end).apex, 'SOA') : [];
      const additionals = type === 'NS' ? addressesOf(answers.map(({ value }) => value)) : [];
      return { rcode, authoritative: !recursive, answers, authorities, additionals };
    },
  };
}

interface Chased {
  rcode: SimulatedResponse['rcode'];
  answers: ZoneRecord[];
  end: string;
  left: boolean;
}

function nsRecords({ apex, nameservers }: SimulatedZone): ZoneRecord[] {
  return nameservers.map((value) => ({ name: apex, type: 'NS', ttl: DEFAULT_TTL, value }));
}

function soaRecord({ apex, nameservers }: SimulatedZone): ZoneRecord {
  const value = `${nameservers[0] ?? DEFAULT_NAMESERVER} hostmaster.simulator.test 1 3600 600 86400 ${NEGATIVE_TTL}`;
  return { name: apex, type: 'SOA', ttl: NEGATIVE_TTL, value };
}

/** A CNAME or ALIAS excludes other data at its name (RFC 2181 section 10.1). */
function rejectConflict({ name, type }: SimulatedRecord, node: Node, apex: string): void {
  const others = [...node.keys()].filter((other) => other !== type);
  if (type === 'CNAME' && name === apex) {
    throw apexConflict(name);
  }
  const excluded: SimulatedType[] = type === 'CNAME' ? others : type === 'ALIAS' ? ['A', 'AAAA', 'CNAME'] : ['CNAME'];
  if (type === 'A' || type === 'AAAA') excluded.push('ALIAS');
  const conflict = others.find((other) => excluded.includes(other));
  if (conflict !== undefined) {
    throw new InvalidRecord(`Remove the ${conflict} record of ${name} first: it excludes ${type}.`);
  }
}

function apexConflict(apex: string): InvalidRecord {
  return new InvalidRecord(`${apex} is the apex of its zone, which cannot have a CNAME; set an ALIAS instead.`);
}

function parentOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

/** Every name above, nearest first, without the root. */
function ancestorsOf(name: string): string[] {
  const ancestors: string[] = [];
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) ancestors.push(name.slice(dot + 1));
  return ancestors;
}
