import { isIPv4, isIPv6 } from 'node:net';
import { canonicalAddress } from './addresses.ts';

/**
 * Reads the header of the PROXY protocol, version 1 or 2, by which a load balancer says who is connected to it
 * (https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt). It is the first thing on a connection, before TLS.
 * Pure.
 */
export type ProxyHeader =
  /**
   * `source`: address of the client, IPv6 in its canonical text form; null where the connection is the sender's own
   * (LOCAL) or the sender does not know (UNKNOWN, or another protocol than TCP). `length`: bytes of the header; what
   * follows is the client's.
   */
  | { kind: 'complete'; source: string | null; length: number }
  /** More bytes are needed. */
  | { kind: 'partial' }
  /** No header, or one that the specification forbids, or longer than `MAX_PROXY_HEADER_BYTES`. */
  | { kind: 'malformed' };

/** Addresses take 232 bytes at most. What follows them, such as a client's certificate, is skipped. */
export const MAX_PROXY_HEADER_BYTES = 4096;

/** Section 2.1, with CR and LF. */
const MAX_LINE_BYTES = 107;
const LINE_START = Buffer.from('PROXY ');
const LINE =
  /^PROXY (?<family>TCP[46]) (?<source>[\dA-Fa-f.:]+) (?<destination>[\dA-Fa-f.:]+) (?<ports>(?:0|[1-9]\d{0,4}) (?:0|[1-9]\d{0,4}))$/;
const UNKNOWN_LINE = /^PROXY UNKNOWN(?: [^\r\n]*)?$/;

/** Section 2.2. */
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const FIXED_BYTES = 16;
const VERSION = 2;
const COMMANDS = { local: 0, proxy: 1 };
const FAMILIES = { inet: 1, inet6: 2, unix: 3 };
/** Length of the source and destination addresses with their ports, by family. */
const ADDRESS_BYTES = [0, 12, 36, 216];
const PROTOCOLS = { stream: 1, datagram: 2 };

const PARTIAL: ProxyHeader = { kind: 'partial' };
const MALFORMED: ProxyHeader = { kind: 'malformed' };

/** `bytes`: all that has arrived on the connection. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  const start = bytes[0] === SIGNATURE[0] ? SIGNATURE : LINE_START;
  const arrived = Math.min(bytes.length, start.length);
  if (bytes.compare(start, 0, arrived, 0, arrived) !== 0) return MALFORMED;
  if (bytes.length < start.length) return PARTIAL;
  return start === SIGNATURE ? readBinary(bytes) : readLine(bytes);
}

function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, MAX_LINE_BYTES).indexOf('\r\n');
  if (end === -1) return bytes.length < MAX_LINE_BYTES ? PARTIAL : MALFORMED;
  const line = bytes.toString('latin1', 0, end);
  const length = end + 2;
  if (UNKNOWN_LINE.test(line)) return { kind: 'complete', source: null, length };
  const { family, source = '', destination = '', ports = '' } = LINE.exec(line)?.groups ?? {};
  const isAddress = family === 'TCP4' ? isIPv4 : isIPv6;
  const isValid =
    isAddress(source) && isAddress(destination) && ports.split(' ').every((port) => Number(port) <= 65_535);
  return isValid ? { kind: 'complete', source: canonicalAddress(source), length } : MALFORMED;
}

function readBinary(bytes: Buffer): ProxyHeader {
  if (bytes.length < FIXED_BYTES) return PARTIAL;
  const [versionAndCommand, familyAndProtocol] = [bytes.readUInt8(12), bytes.readUInt8(13)];
  const command = versionAndCommand & 15;
  const length = FIXED_BYTES + bytes.readUInt16BE(14);
  if (versionAndCommand >> 4 !== VERSION || command > COMMANDS.proxy || length > MAX_PROXY_HEADER_BYTES)
    return MALFORMED;
  if (bytes.length < length) return PARTIAL;
  // The length counts whatever the family is (section 2.2).
  if (command === COMMANDS.local) return { kind: 'complete', source: null, length };
  const family = familyAndProtocol >> 4;
  const protocol = familyAndProtocol & 15;
  const addressBytes = ADDRESS_BYTES[family];
  if (addressBytes === undefined || protocol > PROTOCOLS.datagram || length < FIXED_BYTES + addressBytes)
    return MALFORMED;
  return { kind: 'complete', source: protocol === PROTOCOLS.stream ? sourceOf(bytes, family) : null, length };
}

/** Null for Unix sockets, which have no address. */
function sourceOf(bytes: Buffer, family: number): string | null {
  if (family === FAMILIES.inet) return [...bytes.subarray(FIXED_BYTES, FIXED_BYTES + 4)].join('.');
  if (family !== FAMILIES.inet6) return null;
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(FIXED_BYTES + 2 * i).toString(16));
  return canonicalAddress(groups.join(':'));
}
