import { normalizedOctet } from '../dns/protocol/dns-name.ts';
import {
  FLAG_QR,
  FLAG_RD,
  HEADER_OCTETS,
  MASK_OPCODE,
  MAX_NAME_OCTETS,
  TYPE_OPT,
  viewOf,
} from '../dns/protocol/wire.ts';

/** A query that can be read. */
export interface Query {
  kind: 'query';
  /** Normalized (`dns/protocol/dns-name.ts`). */
  name: string;
  type: number;
  class: number;
  recursionDesired: boolean;
  /** Where the question ends in the message: a response repeats it octet by octet, letter case included. */
  questionEnd: number;
  /** Null: the client does not know EDNS (RFC 6891). */
  edns: Edns | null;
}

export interface Edns {
  version: number;
  /** Largest response over UDP that the client takes. */
  udpOctets: number;
  dnssecOk: boolean;
  /** RFC 7873: 8 octets of the client, then up to 32 of the server. */
  cookie: Uint8Array | null;
}

/** A message that is no query as RFC 1035 has it; `unanswered`: responding would help nobody, and could begin a loop. */
export type NoQuery = { kind: 'unanswered' } | { kind: 'malformed' } | { kind: 'opcode' };

/** How a message came, and its response goes. */
export type Transport = 'udp' | 'tcp';

export const TYPE_IXFR = 251;
export const TYPE_AXFR = 252;

const UNANSWERED: NoQuery = { kind: 'unanswered' };
const MALFORMED: NoQuery = { kind: 'malformed' };
const OTHER_OPCODE: NoQuery = { kind: 'opcode' };

const MAX_LABEL_OCTETS = 63;
const OPTION_COOKIE = 10;
const CLIENT_COOKIE_OCTETS = 8;
const MIN_COOKIE_OCTETS = 16;
const MAX_COOKIE_OCTETS = 40;
const EDNS_FLAG_DO = 0x8000;

/** Reads a message of anybody. It takes a number of steps that its length bounds, and never throws. */
export function readQuery(octets: Uint8Array): Query | NoQuery {
  if (octets.length < HEADER_OCTETS) return UNANSWERED;
  const view = viewOf(octets);
  const flags = view.getUint16(2);
  if ((flags & FLAG_QR) !== 0) return UNANSWERED;
  if ((flags & MASK_OPCODE) !== 0) return OTHER_OPCODE;
  if (view.getUint16(4) !== 1) return MALFORMED;

  const nameEnd = endOfName(octets, HEADER_OCTETS, 'uncompressed');
  if (nameEnd === -1 || nameEnd + 4 > octets.length) return MALFORMED;
  const query: Query = {
    kind: 'query',
    name: nameAt(octets, HEADER_OCTETS),
    type: view.getUint16(nameEnd),
    class: view.getUint16(nameEnd + 2),
    recursionDesired: (flags & FLAG_RD) !== 0,
    questionEnd: nameEnd + 4,
    edns: null,
  };
  // A transfer is refused, whatever else its request has.
  if (query.type === TYPE_AXFR || query.type === TYPE_IXFR) return query;
  if (view.getUint16(6) !== 0 || view.getUint16(8) !== 0) return MALFORMED;
  return readAdditionals(query, octets, view) ? query : MALFORMED;
}

/** Reads the OPT record into `query`, and skips others. False where the section is malformed. */
function readAdditionals(query: Query, octets: Uint8Array, view: DataView): boolean {
  let at = query.questionEnd;
  for (let left = view.getUint16(10); left > 0; left--) {
    const start = endOfName(octets, at, 'compressed');
    if (start === -1 || start + 10 > octets.length) return false;
    const end = start + 10 + view.getUint16(start + 8);
    if (end > octets.length) return false;
    if (view.getUint16(start) === TYPE_OPT) {
      const isRoot = octets[at] === 0;
      const cookie = readCookie(octets, view, start + 10, end);
      if (!isRoot || query.edns !== null || cookie === 'malformed') return false;
      query.edns = {
        udpOctets: view.getUint16(start + 2),
        version: view.getUint8(start + 5),
        dnssecOk: (view.getUint16(start + 6) & EDNS_FLAG_DO) !== 0,
        cookie,
      };
    }
    at = end;
  }
  return at === octets.length;
}

function readCookie(octets: Uint8Array, view: DataView, from: number, end: number): Uint8Array | null | 'malformed' {
  let cookie: Uint8Array | null = null;
  let at = from;
  while (at < end) {
    if (at + 4 > end) return 'malformed';
    const start = at + 4;
    const length = view.getUint16(at + 2);
    if (start + length > end) return 'malformed';
    if (view.getUint16(at) === OPTION_COOKIE) {
      const isWhole = length >= MIN_COOKIE_OCTETS && length <= MAX_COOKIE_OCTETS;
      if (length !== CLIENT_COOKIE_OCTETS && !isWhole) return 'malformed';
      cookie ??= octets.subarray(start, start + length);
    }
    at = start + length;
  }
  return cookie;
}

/** Where the name at `at` ends; -1: it is malformed. A compressed one ends with its first pointer, which is not followed. */
function endOfName(octets: Uint8Array, at: number, form: 'compressed' | 'uncompressed'): number {
  let next = at;
  for (;;) {
    const length = octets[next];
    if (length === undefined) return -1;
    if (length === 0) return next + 1;
    if (length >= 0xc0) return form === 'compressed' && next + 2 <= octets.length ? next + 2 : -1;
    next += 1 + length;
    if (length > MAX_LABEL_OCTETS || next - at >= MAX_NAME_OCTETS) return -1;
  }
}

/** The normalized name at `at`, which `endOfName` has found well-formed and uncompressed. */
function nameAt(octets: Uint8Array, at: number): string {
  let name = '';
  let next = at;
  for (let length = octets[next] ?? 0; length !== 0; length = octets[next] ?? 0) {
    if (name !== '') name += '.';
    const end = next + 1 + length;
    while (++next < end) name += normalizedOctet(octets[next] ?? 0);
  }
  return name === '' ? '.' : name;
}
