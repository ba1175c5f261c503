/** What DNS messages are made of (RFC 1035 section 4, RFC 6891): the part of it that verification needs. */

export const TYPES = { A: 1, NS: 2, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, CAA: 257 } as const;
export const TYPE_OPT = 41;
export const CLASS_IN = 1;

export const HEADER_OCTETS = 12;
export const MAX_NAME_OCTETS = 255;

export const FLAG_QR = 0x8000;
export const MASK_OPCODE = 0x7800;
export const FLAG_AA = 0x0400;
export const FLAG_TC = 0x0200;
export const FLAG_RD = 0x0100;
export const FLAG_AD = 0x0020;

export type RecordType = keyof typeof TYPES;

export interface Question {
  name: string;
  type: RecordType;
}

/** One record of class IN. */
export interface Resource {
  /** Canonical owner name. */
  name: string;
  type: RecordType;
  /** Seconds. */
  ttl: number;
  /**
   * A, AAAA: the address. CNAME, NS: the canonical name. SOA: the name of the primary. TXT: the strings of the record,
   * joined. CAA: flags, tag and value with a space between each, the tag in lower case: `0 issue ca.test`.
   */
  value: string;
}

export type Rcode = 'noerror' | 'formerr' | 'servfail' | 'nxdomain' | 'notimp' | 'refused' | 'other';

export interface Message {
  rcode: Rcode;
  /** The server speaks for the zone (AA). */
  authoritative: boolean;
  /** The answer did not fit (TC). */
  truncated: boolean;
  /** The resolver has validated the answer (AD). */
  authenticated: boolean;
  answers: Resource[];
  authorities: Resource[];
  additionals: Resource[];
}

export function viewOf(octets: Uint8Array): DataView {
  return new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
}
