import { isIPv4, isIPv6 } from 'node:net';

/**
 * `ALIAS` is not a DNS type: responses for the name contain the addresses of the value, as DNS providers flatten it.
 */
const SIMULATED_TYPES = ['A', 'AAAA', 'ALIAS', 'CAA', 'CNAME', 'MX', 'NS', 'SOA', 'TXT'] as const;

/** Types of which a name has one record. */
export const SINGLE_TYPES: readonly string[] = ['ALIAS', 'CNAME', 'SOA'];

export type SimulatedType = (typeof SIMULATED_TYPES)[number];

/** The records of one name and type. */
export interface SimulatedRecord {
  /** Lower case, no final dot; may begin with `*.`. */
  name: string;
  type: SimulatedType;
  /** One value for each record. */
  values: string[];
  /** Seconds. */
  ttl: number;
}

/** A record or command that the simulator does not accept. The message says why. */
export class InvalidRecord extends Error {
  override name = 'InvalidRecord';
}

const DEFAULT_TTL = 60;
const MAX_TTL = 0x7fffffff;
const MAX_VALUES = 1000;
/** A TXT record of this size fits into a DNS message. */
const MAX_TEXT_OCTETS = 60_000;

/** Validates records and returns their canonical form. Throws `InvalidRecord`. */
export function parseRecord(name: string, type: string, values: readonly string[], ttl = DEFAULT_TTL): SimulatedRecord {
  const parsedType = parseType(type);
  if (values.length === 0) throw new InvalidRecord(`${parsedType} needs a value.`);
  if (values.length > MAX_VALUES) throw new InvalidRecord(`${parsedType} takes at most ${MAX_VALUES} values.`);
  if (values.length > 1 && SINGLE_TYPES.includes(parsedType)) {
    throw new InvalidRecord(`${parsedType} takes one value, not ${values.length}.`);
  }
  if (!Number.isInteger(ttl) || ttl < 0 || ttl > MAX_TTL) {
    throw new InvalidRecord(`The TTL must be 0 to ${MAX_TTL} seconds, not ${ttl}.`);
  }
  return {
    name: parseName(name),
    type: parsedType,
    values: values.map((value) => parseValue(parsedType, value)),
    ttl,
  };
}

/** Throws `InvalidRecord`. */
export function parseType(type: string): SimulatedType {
  const upper = type.toUpperCase();
  const found = SIMULATED_TYPES.find((each) => each === upper);
  if (found !== undefined) return found;
  throw new InvalidRecord(`The simulator does not support type "${type}", only ${SIMULATED_TYPES.join(', ')}.`);
}

/** A name in canonical form: lower case, no final dot, a wildcard only as the first label. Throws `InvalidRecord`. */
export function parseName(name: string): string {
  const canonical = name.toLowerCase().replace(/\.$/, '');
  const labels = canonical.split('.');
  if (canonical.length > 253) throw new InvalidRecord(`"${name.slice(0, 40)}…" is longer than 253 characters.`);
  const [first = '', ...others] = labels;
  const wellFormed = (first === '*' && others.length > 0 ? others : labels).every((label) =>
    /^[a-z0-9_-]{1,63}$/.test(label),
  );
  if (!wellFormed) {
    throw new InvalidRecord(
      `"${name}" is not a domain name: labels of 1 to 63 letters, digits, "-" or "_", joined with dots (write Unicode names as xn--…).`,
    );
  }
  return canonical;
}

function parseValue(type: SimulatedType, value: string): string {
  switch (type) {
    case 'A':
      if (!isIPv4(value)) throw new InvalidRecord(`"${value}" is not an IPv4 address.`);
      return value;
    case 'AAAA':
      if (!isIPv6(value) || value.includes('%')) throw new InvalidRecord(`"${value}" is not an IPv6 address.`);
      return value.toLowerCase();
    case 'CNAME':
      return parseCnameValue(value);
    case 'ALIAS':
    case 'NS':
      return parseName(value);
    case 'CAA':
      parseCaa(value);
      return value;
    case 'MX': {
      const { preference, exchange } = parseMx(value);
      return `${preference} ${exchange}`;
    }
    case 'SOA':
      parseSoa(value);
      return value;
    case 'TXT':
      if (Buffer.byteLength(value) > MAX_TEXT_OCTETS)
        throw new InvalidRecord(`A TXT value can have at most ${MAX_TEXT_OCTETS} octets.`);
      return value;
    default:
      return type satisfies never;
  }
}

/**
 * Accepts what DNS panels accept: a URL, a port or the text of the TXT record too, so that these mistakes can be tried.
 */
function parseCnameValue(value: string): string {
  const canonical = value.toLowerCase().replace(/\.$/, '');
  const labels = canonical.split('.');
  if (canonical.length <= 253 && labels.every((label) => /^[!-[\]-~]{1,63}$/.test(label))) return canonical;
  return parseName(value);
}

/** `10 mail.acme.com` */
export function parseMx(value: string): { preference: number; exchange: string } {
  const match = /^(\d{1,5}) +(\S+)$/.exec(value);
  const preference = Number(match?.[1]);
  if (match?.[2] === undefined || preference > 0xffff) {
    throw new InvalidRecord(`"${value}" is not an MX value, such as "10 mail.acme.com".`);
  }
  return { preference, exchange: parseName(match[2]) };
}

/** `0 issue "letsencrypt.org"` */
export function parseCaa(value: string): { flags: number; tag: string; value: string } {
  const match = /^(\d{1,3}) +([a-z0-9]{1,15}) +(?:"([^"]{0,255})"|([^" ]{1,255}))$/.exec(value);
  const flags = Number(match?.[1]);
  if (match === null || flags > 255) {
    throw new InvalidRecord(`"${value}" is not a CAA value, such as 0 issue "letsencrypt.org".`);
  }
  return { flags, tag: match[2] ?? '', value: match[3] ?? match[4] ?? '' };
}

interface Soa {
  mname: string;
  rname: string;
  serial: number;
  refresh: number;
  retry: number;
  expire: number;
  minimum: number;
}

/** `ns1.acme.com hostmaster.acme.com 1 3600 600 86400 60` */
export function parseSoa(value: string): Soa {
  const [mname = '', rname = '', ...numbers] = value.split(/ +/);
  const [serial = -1, refresh = -1, retry = -1, expire = -1, minimum = -1] = numbers.map((number) =>
    /^\d{1,10}$/.test(number) ? Number(number) : -1,
  );
  const all = [serial, refresh, retry, expire, minimum];
  if (numbers.length !== 5 || all.some((number) => number < 0 || number > 0xffffffff)) {
    throw new InvalidRecord(
      `"${value}" is not an SOA value, such as "ns1.acme.com hostmaster.acme.com 1 3600 600 86400 60".`,
    );
  }
  return { mname: parseName(mname), rname: parseName(rname), serial, refresh, retry, expire, minimum };
}
