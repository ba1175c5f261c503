import { SocketAddress } from 'node:net';
import { normalizedOctet } from './dns-name.ts';
import {
  CLASS_IN,
  type DnsMessage,
  type ExtendedError,
  FLAG_AA,
  FLAG_AD,
  HEADER_OCTETS,
  MAX_NAME_OCTETS,
  type Rcode,
  type RecordType,
  type ResourceRecord,
  TYPE_OPT,
  TYPES,
  viewOf,
} from './wire.ts';

/** A message with more records is malformed. */
const MAX_RECORDS = 1000;
/** Most pointers in one name: more than labels make no sense. */
const MAX_POINTERS = 127;

/** RFC 8914 section 2. */
const OPTION_EXTENDED_ERROR = 15;
const MAX_ERROR_OCTETS = 200;

const RCODES: readonly Rcode[] = ['noerror', 'formerr', 'servfail', 'nxdomain', 'notimp', 'refused'];

const TYPE_NAMES = new Map((Object.keys(TYPES) as RecordType[]).map((type) => [TYPES[type] as number, type]));

/**
 * Reads a response that matches its query; null when it is malformed. The octets are untrusted: reading them takes a
 * limited number of steps and never throws.
 *
 * dns-packet is not safe for this, because different names read alike: a dot inside a label reads like two labels, and a
 * label is decoded as UTF-8, where U+212A lower-cases to `k`.
 */
export function decodeMessage(octets: Uint8Array, transport: DnsMessage['transport'] = 'udp'): DnsMessage | null {
  try {
    return { ...readMessage(octets, viewOf(octets)), transport };
  } catch (error) {
    if (error instanceof Malformed || error instanceof RangeError) return null;
    throw error;
  }
}

class Malformed extends Error {}

function readMessage(octets: Uint8Array, view: DataView): Omit<DnsMessage, 'transport'> {
  const flags = view.getUint16(2);
  const counts = [view.getUint16(6), view.getUint16(8), view.getUint16(10)] as const;
  if (counts[0] + counts[1] + counts[2] > MAX_RECORDS) throw new Malformed();

  const reader: Reader = { octets, view, at: HEADER_OCTETS, extendedRcode: 0, error: null };
  for (let questions = view.getUint16(4); questions > 0; questions--) {
    readName(reader);
    reader.at += 4;
  }
  const answers = readSection(reader, counts[0]);
  const authorities = readSection(reader, counts[1]);
  const additionals = readSection(reader, counts[2]);
  return {
    rcode: RCODES[(reader.extendedRcode << 4) | (flags & 0x0f)] ?? 'other',
    authoritative: (flags & FLAG_AA) !== 0,
    authenticated: (flags & FLAG_AD) !== 0,
    answers,
    authorities,
    additionals,
    error: reader.error,
  };
}

interface Reader {
  octets: Uint8Array;
  view: DataView;
  at: number;
  /** Upper eight bits of the RCODE, from the OPT record (RFC 6891 section 6.1.3). */
  extendedRcode: number;
  /** From the OPT record. */
  error: ExtendedError | null;
}

/** Reads `count` records and leaves out those of other types and classes. */
function readSection(reader: Reader, count: number): ResourceRecord[] {
  const records: ResourceRecord[] = [];
  for (let read = 0; read < count; read++) {
    const record = readRecord(reader);
    if (record !== null) records.push(record);
  }
  return records;
}

function readRecord(reader: Reader): ResourceRecord | null {
  const { view } = reader;
  const name = readName(reader);
  const typeNumber = view.getUint16(reader.at);
  const classNumber = view.getUint16(reader.at + 2);
  const ttl = view.getUint32(reader.at + 4);
  const length = view.getUint16(reader.at + 8);
  reader.at += 10;
  const end = reader.at + length;
  if (end > view.byteLength) throw new Malformed();

  const type = TYPE_NAMES.get(typeNumber);
  let record: ResourceRecord | null = null;
  if (typeNumber === TYPE_OPT) {
    reader.extendedRcode = ttl >>> 24;
    reader.error ??= readExtendedError(reader, end);
  } else if (type !== undefined && classNumber === CLASS_IN) {
    // A TTL with the highest bit set counts as zero (RFC 2181 section 8).
    record = { name, type, ttl: ttl > 0x7fffffff ? 0 : ttl, value: readValue(reader, type, end) };
  }
  reader.at = end;
  return record;
}

function readValue(reader: Reader, type: RecordType, end: number): string {
  switch (type) {
    case 'A':
      if (end - reader.at !== 4) throw new Malformed();
      return reader.octets.subarray(reader.at, end).join('.');
    case 'AAAA':
      return readIpv6(reader, end);
    case 'CNAME':
    case 'NS': {
      const name = readName(reader);
      if (reader.at !== end) throw new Malformed();
      return name;
    }
    case 'SOA': {
      const primary = readName(reader);
      if (reader.at > end) throw new Malformed();
      return primary;
    }
    case 'TXT':
      return readText(reader, end);
    case 'CAA':
      return readCaa(reader, end);
    case 'DS':
      return readDs(reader, end);
    case 'RRSIG':
      return readRrsig(reader, end);
    default:
      return type satisfies never;
  }
}

function readIpv6({ view, at }: Reader, end: number): string {
  if (end - at !== 16) throw new Malformed();
  const groups: string[] = [];
  for (let group = at; group < end; group += 2) groups.push(view.getUint16(group).toString(16));
  return new SocketAddress({ family: 'ipv6', address: groups.join(':') }).address;
}

/**
 * The strings of a TXT record, joined. Octets that are not UTF-8 become U+FFFD, so different octets may read alike, but
 * ASCII text comes from these very octets only.
 */
function readText({ octets, at }: Reader, end: number): string {
  const strings: Uint8Array[] = [];
  let next = at;
  while (next < end) {
    const start = next + 1;
    next = start + (octets[next] ?? 0);
    if (next > end) throw new Malformed();
    strings.push(octets.subarray(start, next));
  }
  return Buffer.concat(strings).toString('utf8');
}

/**
 * RFC 8659 section 4.1: flags, a tag of letters and digits, and the value, which has no length of its own.
 */
function readCaa({ octets, view, at }: Reader, end: number): string {
  const start = at + 2;
  const valueStart = start + view.getUint8(at + 1);
  const tag = Buffer.from(octets.subarray(start, valueStart)).toString('latin1');
  if (valueStart > end || !/^[A-Za-z0-9]+$/.test(tag)) throw new Malformed();
  const value = Buffer.from(octets.subarray(valueStart, end)).toString('utf8');
  return `${view.getUint8(at)} ${tag.toLowerCase()} ${value}`;
}

/** RFC 4034 section 5.1. */
function readDs({ octets, view, at }: Reader, end: number): string {
  if (end - at < 5) throw new Malformed();
  const digest = Buffer.from(octets.subarray(at + 4, end)).toString('hex');
  return `${view.getUint16(at)} ${view.getUint8(at + 2)} ${view.getUint8(at + 3)} ${digest}`;
}

/** RFC 4034 section 3.1: the number of the type that is signed, and from when to when the signature is valid, in Unix seconds. */
function readRrsig({ view, at }: Reader, end: number): string {
  if (end - at < 18) throw new Malformed();
  return `${view.getUint16(at)} ${view.getUint32(at + 12)} ${view.getUint32(at + 8)}`;
}

/** The first Extended DNS Error among the options of an OPT record. Options that do not fit are ignored: the answer counts without them. */
function readExtendedError({ octets, view, at }: Reader, end: number): ExtendedError | null {
  let next = at;
  while (next + 4 <= end) {
    const code = view.getUint16(next);
    const start = next + 4;
    next = start + view.getUint16(next + 2);
    if (next > end) return null;
    if (code !== OPTION_EXTENDED_ERROR || next < start + 2) continue;
    const text = Buffer.from(octets.subarray(start + 2, Math.min(next, start + 2 + MAX_ERROR_OCTETS)));
    return { code: view.getUint16(start), text: text.toString('utf8').replace(/\0+$/, '') };
  }
  return null;
}

/**
 * Reads a name, following compression pointers (RFC 1035 section 4.1.4), each of which must point further back than the last.
 */
function readName(reader: Reader): string {
  const { octets, view } = reader;
  let at = reader.at;
  let earliest = at;
  let end = -1;
  let pointers = 0;
  let nameOctets = 1;
  let name = '';
  for (;;) {
    const length = view.getUint8(at);
    if (length === 0) break;
    if (length >= 0xc0) {
      if (end === -1) end = at + 2;
      at = view.getUint16(at) & 0x3fff;
      if (at >= earliest || ++pointers > MAX_POINTERS) throw new Malformed();
      earliest = at;
      continue;
    }
    const next = at + 1 + length;
    nameOctets += 1 + length;
    if (length > 63 || next > octets.length || nameOctets > MAX_NAME_OCTETS) throw new Malformed();
    if (name !== '') name += '.';
    while (++at < next) name += normalizedOctet(view.getUint8(at));
  }
  reader.at = end === -1 ? at + 1 : end;
  return name === '' ? '.' : name;
}
