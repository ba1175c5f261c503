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

/** Plain characters without dot and backslash, and octets that are none as `\DDD`: as normalized names are written. */
const LABEL = /^(?:[!-\-/-[\]-~]|\\\d{3})+$/;
const MAX_LABEL_OCTETS = 63;

export interface EncodedQuery {
  /** The message; its first two octets are the id. */
  octets: Buffer;
  /** Where the question section ends in `octets`. */
  questionEnd: number;
}

export interface QueryFlags {
  /** RD: asks a resolver to find the answer. */
  recursion: boolean;
  /** Allows responses of more than 512 octets (RFC 6891). Some old servers answer it with FORMERR. */
  edns: boolean;
  /**
   * How a resolver treats DNSSEC. `wanted`: it says with AD whether it has validated the answer (RFC 6840 section 5.7). `unchecked`: it answers with
   * CD whatever the signatures are.
   */
  validation?: 'wanted' | 'unchecked';
}

/** A query with id 0; null when `name` cannot be encoded. */
export function encodeQuery(
  { name, type }: Question,
  { recursion, edns, validation }: QueryFlags,
): EncodedQuery | null {
  const labels = name === '.' ? [] : name.split('.').map(labelOctets);
  if (!labels.every((label) => label !== null)) return null;
  const nameOctets = labels.reduce((sum, label) => sum + 1 + label.length, 1);
  if (nameOctets > MAX_NAME_OCTETS) return null;

  const questionEnd = HEADER_OCTETS + nameOctets + 4;
  const octets = Buffer.alloc(questionEnd + (edns ? OPT_OCTETS : 0));
  const dnssec = validation === 'wanted' ? FLAG_AD : validation === 'unchecked' ? FLAG_CD : 0;
  octets.writeUInt16BE((recursion ? FLAG_RD : 0) | dnssec, 2);
  octets.writeUInt16BE(1, 4);
  octets.writeUInt16BE(edns ? 1 : 0, 10);
  let at = HEADER_OCTETS;
  for (const label of labels) {
    octets[at] = label.length;
    at += 1 + label.copy(octets, at + 1);
  }
  octets.writeUInt16BE(TYPES[type], at + 1);
  octets.writeUInt16BE(CLASS_IN, at + 3);
  if (edns) {
    octets.writeUInt16BE(TYPE_OPT, questionEnd + 1);
    octets.writeUInt16BE(EDNS_OCTETS, questionEnd + 3);
  }
  return { octets, questionEnd };
}

/** Null where it is not a normalized label. */
function labelOctets(label: string): Buffer | null {
  if (!LABEL.test(label)) return null;
  const octets = Buffer.from(
    label.replaceAll(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number(code))),
    'latin1',
  );
  const isOctets = [...label.matchAll(/\\(\d{3})/g)].every(([, code]) => Number(code) <= 255);
  return isOctets && octets.length <= MAX_LABEL_OCTETS ? octets : null;
}

/** Whether `message` is a response with the id and, letter case aside, the question of `query`. */
export function isResponseTo(query: EncodedQuery, message: Uint8Array): boolean {
  const { octets, questionEnd } = query;
  if (message.length < questionEnd) return false;
  const view = viewOf(message);
  const flags = view.getUint16(2);
  if (view.getUint16(0) !== octets.readUInt16BE(0)) return false;
  if ((flags & FLAG_QR) === 0 || (flags & MASK_OPCODE) !== 0 || view.getUint16(4) !== 1) return false;
  const nameEnd = questionEnd - 4;
  for (let at = HEADER_OCTETS; at < nameEnd; at++) {
    if (foldCase(message[at]) !== foldCase(octets[at])) return false;
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
