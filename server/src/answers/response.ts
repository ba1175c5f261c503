import {
  CLASS_IN,
  FLAG_AA,
  FLAG_QR,
  FLAG_RD,
  FLAG_TC,
  HEADER_OCTETS,
  MASK_OPCODE,
  TYPE_OPT,
} from '../dns/protocol/wire.ts';
import { RCODES, type ZoneAnswer } from './answer-query.ts';
import type { Query } from './query.ts';
import type { RecordSet, ServedZones } from './zones.ts';

/** Largest response over UDP: fits into one packet on every common path (RFC 9715 section 3.1). */
export const EDNS_OCTETS = 1232;

const POINTER = 0xc000;
const POINTER_OCTETS = 2;
/** Type, class and TTL, which come between a record's name and its RDATA. */
const FIXED_OCTETS = 8;
const OPT_OCTETS = 11;
const OPTION_COOKIE = 10;
const EDNS_FLAG_DO = 0x8000;

export interface ResponseOptions {
  /** Largest response; a longer one is truncated. */
  limit: number;
  /** Leaves all records out, so that the client asks again over TCP. */
  truncated?: boolean;
  /** Client's and server's cookie together; null: the client sent none. */
  cookie: Uint8Array | null;
}

/** The response to a query, whose question it repeats as it was. */
export function writeResponse(
  request: Uint8Array,
  query: Query,
  answer: ZoneAnswer,
  { glue }: Pick<ServedZones, 'glue'>,
  { limit, truncated = false, cookie }: ResponseOptions,
): Buffer {
  const optOctets = query.edns === null ? 0 : OPT_OCTETS + (cookie === null ? 0 : 4 + cookie.length);
  const base = query.questionEnd + optOctets;
  const glueOctets = answer.withGlue ? glue.reduce((sum, { name, set }) => sum + octetsOf(set, name.length), 0) : 0;
  const authority = answer.isNegative && answer.zone !== null ? answer.zone.soa : null;
  const recordOctets = octetsOf(answer.answers, POINTER_OCTETS) + octetsOf(authority, POINTER_OCTETS);
  const fits = !truncated && base + recordOctets <= limit;
  // Glue may be left out (RFC 9471 is about referrals).
  const hasGlue = fits && answer.withGlue && base + recordOctets + glueOctets <= limit;

  const octets = Buffer.allocUnsafe(base + (fits ? recordOctets : 0) + (hasGlue ? glueOctets : 0));
  octets.set(request.subarray(0, query.questionEnd));
  const rcode = RCODES[answer.rcode];
  const flags =
    FLAG_QR |
    (answer.zone === null ? 0 : FLAG_AA) |
    (fits ? 0 : FLAG_TC) |
    (query.recursionDesired ? FLAG_RD : 0) |
    (rcode & 0x0f);
  octets.writeUInt16BE(flags, 2);
  octets.writeUInt16BE(fits ? (answer.answers?.rdata.length ?? 0) : 0, 6);
  octets.writeUInt16BE(fits && authority !== null ? 1 : 0, 8);
  const glueCount = hasGlue ? glue.reduce((sum, { set }) => sum + set.rdata.length, 0) : 0;
  octets.writeUInt16BE(glueCount + (query.edns === null ? 0 : 1), 10);

  let at = query.questionEnd;
  if (fits && answer.answers !== null) at = writeSet(octets, at, pointer(HEADER_OCTETS), answer.answers);
  if (fits && authority !== null && answer.zone !== null) {
    // The zone's name is the end of the name that was asked for, which ends before its type and class.
    const apexAt = query.questionEnd - 4 - answer.zone.nameOctets;
    at = writeSet(octets, at, pointer(apexAt), authority);
  }
  if (hasGlue) for (const { name, set } of glue) at = writeSet(octets, at, name, set);
  if (query.edns !== null) writeOpt(octets, at, rcode, query.edns.dnssecOk, cookie);
  return octets;
}

/** The response to a message that cannot be read: its header alone. */
export function writeHeader(request: Uint8Array, rcode: 'formerr' | 'notimp'): Buffer {
  const octets = Buffer.alloc(HEADER_OCTETS);
  octets.set(request.subarray(0, 4));
  const kept = octets.readUInt16BE(2) & (MASK_OPCODE | FLAG_RD);
  octets.writeUInt16BE(FLAG_QR | kept | RCODES[rcode], 2);
  return octets;
}

function octetsOf(set: RecordSet | null, nameOctets: number): number {
  if (set === null) return 0;
  let octets = 0;
  for (const rdata of set.rdata) octets += nameOctets + FIXED_OCTETS + rdata.length;
  return octets;
}

function pointer(to: number): Buffer {
  return Buffer.of((POINTER | to) >> 8, to & 0xff);
}

function writeSet(octets: Buffer, from: number, name: Uint8Array, set: RecordSet): number {
  let at = from;
  for (const rdata of set.rdata) {
    octets.set(name, at);
    at += name.length;
    octets.writeUInt16BE(set.type, at);
    octets.writeUInt16BE(CLASS_IN, at + 2);
    octets.writeUInt32BE(set.ttl, at + 4);
    octets.set(rdata, at + FIXED_OCTETS);
    at += FIXED_OCTETS + rdata.length;
  }
  return at;
}

/** RFC 6891 section 6.1.2. */
function writeOpt(octets: Buffer, at: number, rcode: number, dnssecOk: boolean, cookie: Uint8Array | null): void {
  octets.fill(0, at, at + OPT_OCTETS);
  octets.writeUInt16BE(TYPE_OPT, at + 1);
  octets.writeUInt16BE(EDNS_OCTETS, at + 3);
  octets.writeUInt8(rcode >> 4, at + 5);
  if (dnssecOk) octets.writeUInt16BE(EDNS_FLAG_DO, at + 7);
  if (cookie === null) return;
  octets.writeUInt16BE(4 + cookie.length, at + 9);
  octets.writeUInt16BE(OPTION_COOKIE, at + 11);
  octets.writeUInt16BE(cookie.length, at + 13);
  octets.set(cookie, at + 15);
}
