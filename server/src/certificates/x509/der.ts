/** DER (ITU-T X.690), as far as certificates and certificate requests need it. */

export const TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

export function element(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthOctets(content.length)]), content]);
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return [0x80 | octets.length, ...octets];
}

export const sequence = (...contents: Uint8Array[]) => element(TAGS.sequence, ...contents);
export const set = (...contents: Uint8Array[]) => element(TAGS.set, ...contents);
export const octetString = (content: Uint8Array) => element(TAGS.octetString, content);
export const utf8String = (text: string) => element(TAGS.utf8String, Buffer.from(text));
export const TRUE = element(TAGS.boolean, Buffer.from([0xff]));

/** A context-specific tag around other elements. */
export const explicit = (number: number, ...contents: Uint8Array[]) => element(0xa0 | number, ...contents);
/** A context-specific tag that replaces the type's own. */
export const implicit = (number: number, content: Uint8Array) => element(0x80 | number, content);

/** A non-negative integer, big-endian. */
export function integer(octets: readonly number[] | Uint8Array): Buffer {
  const trimmed = Buffer.from(octets);
  let start = 0;
  while (start < trimmed.length - 1 && trimmed[start] === 0) start++;
  const kept = trimmed.subarray(start);
  return element(TAGS.integer, ((kept[0] ?? 0) & 0x80) === 0 ? kept : Buffer.concat([Buffer.from([0]), kept]));
}

export function bitString(octets: Uint8Array, unusedBits = 0): Buffer {
  return element(TAGS.bitString, Buffer.from([unusedBits]), octets);
}

/** An object identifier, from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(TAGS.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const octets = [number & 0x7f];
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) octets.unshift((rest & 0x7f) | 0x80);
  return octets;
}

/** A time in whole seconds: UTCTime until 2049 (RFC 5280 section 4.1.2.5). */
export function time(unixMs: number): Buffer {
  const digits = new Date(unixMs).toISOString().replaceAll(/[-:T]|\..*/g, '');
  const short = Number(digits.slice(0, 4)) < 2050;
  return short
    ? element(TAGS.utcTime, Buffer.from(`${digits.slice(2)}Z`))
    : element(TAGS.generalizedTime, Buffer.from(`${digits}Z`));
}

interface DerElement {
  tag: number;
  content: Buffer;
  /** Encodes an element: tag, length and content. */
  whole: Buffer;
}

/** A sequence of elements. Throws `RangeError` if the octets are anything else. */
export function readElements(octets: Uint8Array): DerElement[] {
  const bytes = Buffer.from(octets);
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { start, length } = readLength(bytes, at + 1);
    const end = start + length;
    if (end > bytes.length) throw new RangeError('a DER element is cut off');
    elements.push({
      tag: bytes.readUInt8(at),
      content: bytes.subarray(start, end),
      whole: bytes.subarray(at, end),
    });
    at = end;
  }
  return elements;
}

function readLength(bytes: Buffer, at: number): { start: number; length: number } {
  const first = bytes.readUInt8(at);
  if (first < 0x80) return { start: at + 1, length: first };
  const octets = first & 0x7f;
  if (octets === 0 || octets > 4) throw new RangeError('a DER length is invalid');
  return { start: at + 1 + octets, length: bytes.readUIntBE(at + 1, octets) };
}

/** The content of the first element, which has to have that tag. Throws `RangeError` otherwise. */
export function readInside(octets: Uint8Array, tag: number = TAGS.sequence): DerElement[] {
  const [first] = readElements(octets);
  if (first?.tag !== tag) throw new RangeError('a DER element is of another type');
  return readElements(first.content);
}
