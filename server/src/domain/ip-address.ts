/** IP addresses as numbers, so that different spellings of one address are equal. Pure. */

export interface IpAddress {
  /** Bits of an address of this version. */
  bits: 32 | 128;
  value: bigint;
}

/** Null where the text is not an IP address. */
export function parseIpAddress(text: string): IpAddress | null {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): IpAddress | null {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return null;
  const octets = text.split('.').map(Number);
  if (octets.some((octet) => octet > 255)) return null;
  return { bits: 32, value: octets.reduce((value, octet) => value * 256n + BigInt(octet), 0n) };
}

function parseIpv6(text: string): IpAddress | null {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return null;
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':'));
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...before, ...new Array<string>(missing).fill('0'), ...after];
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return null;
  return { bits: 128, value: groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n) };
}

export function isSameAddress(a: string, b: string): boolean {
  const [one, other] = [parseIpAddress(a), parseIpAddress(b)];
  return one !== null && one.bits === other?.bits && one.value === other.value;
}

export interface IpNetwork {
  bits: IpAddress['bits'];
  /** The first bits of each of its addresses, without the bits that differ. */
  prefix: bigint;
  differing: bigint;
}

/** From an address and the length of the prefix, as in `192.0.2.0/24`; null where the text is none. */
export function parseIpNetwork(text: string): IpNetwork | null {
  const [base = '', length = ''] = text.split('/');
  const address = parseIpAddress(base);
  if (address === null) return null;
  const { bits, value } = address;
  const differing = BigInt(bits - Number(length));
  return { bits, prefix: value >> differing, differing };
}

export function isInNetwork(address: IpAddress, { bits, prefix, differing }: IpNetwork): boolean {
  return address.bits === bits && address.value >> differing === prefix;
}
