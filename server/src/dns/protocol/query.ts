import { randomInt } from 'node:crypto';
import {
  CLASS_IN,
  FLAG_AD,
  FLAG_CD,
  FLAG_QR,
  FLAG_RD,
  FLAG_TC,
  HEADER_OCTETS,
  MASK_OPCODE,
  MAX_NAME_OCTETS,
  type Question,
  TYPE_OPT,
  TYPES,
  viewOf,
} from './wire.ts';

/** Largest UDP response: fits into one packet on every common path (RFC 9715 section 3.1). */
const EDNS_OCTETS = 1232;
const OPT_OCTETS = 11;
/** RFC 3225 section 3. */
const EDNS_FLAG_DO = 0x8000;

/** Plain characters, and octets that are none as `\DDD`: as normalized names are written. */
const NAME = /^(?:[!-[\]-~]|\\(?:[01]\d\d|2[0-4]\d|25[0-5]))+$/;
const DOT = 0x2e;
const BACKSLASH = 0x5c;
const MAX_LABEL_OCTETS = 63;

export interface EncodedQuery {
  /** The message; its first two octets are the id. */
  octets: Buffer;
  /** Where the question section ends in `octets`. */
  questionEnd: number;
  /** A response must have the same letter case. */
  mixedCase: boolean;
}

export interface ServerAddress {
  /** IPv6 addresses in canonical text form. */
  address: string;
  port: number;
}

/** One query to one server. */
export interface QueryAttempt {
  query: EncodedQuery;
  server: ServerAddress;
  timeoutMs: number;
  /** Ends the attempt as `timeout`. */
  signal: AbortSignal;
}

export interface QueryFlags {
  /** RD: asks a resolver to find the answer. */
  recursion: boolean;
  /** Allows responses of more than 512 octets (RFC 6891). Some old servers answer it with FORMERR. */
  edns: boolean;
  /**
   * How a resolver treats DNSSEC. `wanted`: it says with AD whether it has validated the answer (RFC 6840 section 5.7). `unchecked`: it answers with
   * CD whatever the signatures are. `signatures`: with DO it also sends them (RFC 4035 section 3.2.1).
   */
  validation?: 'wanted' | 'unchecked' | 'signatures';
  /** Writes each letter of the name in random case, which servers repeat and a forger has to guess ("0x20"). */
  mixedCase?: boolean;
}

/** A query with id 0; null when `name` cannot be encoded. */
export function encodeQuery(
  { name, type }: Question,
  { recursion, edns, validation, mixedCase = false }: QueryFlags,
): EncodedQuery | null {
  const encoded = encodeName(name);
  if (encoded === null) return null;
  if (mixedCase) mixCase(encoded);

  const questionEnd = HEADER_OCTETS + encoded.length + 4;
  const octets = Buffer.alloc(questionEnd + (edns ? OPT_OCTETS : 0));
  const dnssec = validation === 'wanted' ? FLAG_AD : validation === 'unchecked' ? FLAG_CD : 0;
  octets.writeUInt16BE((recursion ? FLAG_RD : 0) | dnssec, 2);
  octets.writeUInt16BE(1, 4);
  octets.writeUInt16BE(edns ? 1 : 0, 10);
  encoded.copy(octets, HEADER_OCTETS);
  octets.writeUInt16BE(TYPES[type], questionEnd - 4);
  octets.writeUInt16BE(CLASS_IN, questionEnd - 2);
  if (edns) {
    octets.writeUInt16BE(TYPE_OPT, questionEnd + 1);
    octets.writeUInt16BE(EDNS_OCTETS, questionEnd + 3);
    if (validation === 'signatures') octets.writeUInt16BE(EDNS_FLAG_DO, questionEnd + 7);
  }
  return { octets, questionEnd, mixedCase };
}

/** The octets of lengths are no letters: they are below `A`. */
function mixCase(name: Buffer): void {
  for (const [at, octet] of name.entries()) {
    if (isLetter(octet) && randomInt(2) === 1) name[at] = octet ^ 0x20;
  }
}

/** Null where it is not a normalized name. */
function encodeName(name: string): Buffer | null {
  if (name === '.') return Buffer.of(0);
  if (!NAME.test(name) || name.length > 4 * MAX_NAME_OCTETS) return null;
  const octets = Buffer.alloc(name.length + 2);
  let label = 0;
  let at = 1;
  for (let i = 0; i <= name.length; i++) {
    const character = name.charCodeAt(i);
    if (character === DOT || i === name.length) {
      const length = at - label - 1;
      if (length === 0 || length > MAX_LABEL_OCTETS) return null;
      octets[label] = length;
      label = at++;
    } else if (character === BACKSLASH) {
      octets[at++] = Number(name.slice(i + 1, i + 4));
      i += 3;
    } else {
      octets[at++] = character;
    }
  }
  return at > MAX_NAME_OCTETS ? null : octets.subarray(0, at);
}

/** Whether `message` is a response with the id and the question of `query`, letter case aside unless that is mixed. */
export function isResponseTo(query: EncodedQuery, message: Uint8Array): boolean {
  const { octets, questionEnd, mixedCase } = query;
  if (message.length < questionEnd) return false;
  const view = viewOf(message);
  const flags = view.getUint16(2);
  if (view.getUint16(0) !== octets.readUInt16BE(0)) return false;
  if ((flags & FLAG_QR) === 0 || (flags & MASK_OPCODE) !== 0 || view.getUint16(4) !== 1) return false;
  const nameEnd = questionEnd - 4;
  for (let at = HEADER_OCTETS; at < nameEnd; at++) {
    if (message[at] !== octets[at] && (mixedCase || foldCase(message[at]) !== foldCase(octets[at]))) return false;
  }
  return view.getUint32(nameEnd) === octets.readUInt32BE(nameEnd);
}

/** TC: the response did not fit, so the query has to be repeated over TCP. */
export function isTruncated(message: Uint8Array): boolean {
  return (viewOf(message).getUint16(2) & FLAG_TC) !== 0;
}

/** Only ASCII letters have a case in DNS (RFC 4343). Length octets are below `A`, so folding leaves them alone. */
function foldCase(octet = 0): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet;
}

function isLetter(octet: number): boolean {
  const folded = foldCase(octet);
  return folded >= 0x61 && folded <= 0x7a;
}
