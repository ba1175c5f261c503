/** The part of the DNS wire format that verification and our own answers need (RFC 1035 section 4, RFC 4034, RFC 6891, RFC 8914). */

export const TYPES = { A: 1, NS: 2, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, DS: 43, RRSIG: 46, CAA: 257 } as const;
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
export const FLAG_CD = 0x0010;

export type RecordType = keyof typeof TYPES;

export interface Question {
  name: string;
  type: RecordType;
}

/** One record of class IN. */
export interface ResourceRecord {
  /** Owner name, normalized. */
  name: string;
  type: RecordType;
  /** Seconds. */
  ttl: number;
  /**
   * A, AAAA: the address. CNAME, NS: the name. SOA: the name of the primary. TXT: the strings of the record, joined.
   * CAA: flags, tag in lower case, value: `0 issue ca.test`. DS: key tag, algorithm, digest type, digest: `2371 13 2 1f98…`.
   */
  value: string;
}

export type Rcode = 'noerror' | 'formerr' | 'servfail' | 'nxdomain' | 'notimp' | 'refused' | 'other';

export interface DnsMessage {
  rcode: Rcode;
  /** AA: the server is authoritative for the zone. */
  authoritative: boolean;
  /** AD: the resolver has validated the answer; meaningful only from a resolver that we trust. */
  authenticated: boolean;
  answers: ResourceRecord[];
  authorities: ResourceRecord[];
  additionals: ResourceRecord[];
  /** The first Extended DNS Error. */
  error: ExtendedError | null;
  transport: 'udp' | 'tcp';
  /** The response over UDP was truncated, and this one came over TCP. */
  truncated?: true;
}

/** RFC 8914. The text is untrusted, and limited in length. */
export interface ExtendedError {
  code: number;
  text: string;
}

export function viewOf(octets: Uint8Array): DataView {
  return new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
}
