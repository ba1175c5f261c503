import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { networkInterfaces } from 'node:os';
import { PRESETS } from '../../../words/presets.ts';
import { parseRateLimits, parseWindow } from '../access/ratelimit/parse-rate-limits.ts';
import type { LogLevel } from '../base/log.ts';
import type { RateLimit } from '../store/store.ts';
import { type DatabaseUrl, InvalidDatabaseUrl, parseDatabaseUrl } from '../store/url.ts';

/**
 * Parsers of single values. Each returns the value or throws an `Invalid` whose message completes the sentence
 * "NAMEPLATE_X is <given>, <message>".
 */
export class Invalid extends Error {
  override name = 'Invalid';
}

/** Where to listen. */
export interface Endpoint {
  /** An IP address, or `localhost`. */
  host: string;
  port: number;
}

export const ROLES = ['api', 'verifier', 'certificates', 'edge', 'dns'] as const;
/** `dns` needs a zone of its own, and so is none of the default. */
export const DEFAULT_ROLES = ['api', 'verifier', 'certificates', 'edge'] as const satisfies readonly Role[];
export type Role = (typeof ROLES)[number];
export type DnsMode = 'authoritative' | 'recursive';

/** Every item of a comma-separated list, read by `parse`; no item twice. */
export function listOf<T>(parse: (text: string) => T): (text: string) => T[] {
  return (text) => {
    const items = text.split(',').map((item) => item.trim());
    if (items.includes('')) throw new Invalid('which has an empty item; separate items with single commas');
    return [...new Set(items)].map(parse);
  };
}

/** One word of a list. */
export function oneOf<const T extends string>(...words: T[]): (text: string) => T {
  return (text) => {
    const word = words.find((each) => each === text);
    if (word === undefined) throw new Invalid(`which is not one of ${words.join(', ')}`);
    return word;
  };
}

/** `host:port`, `[v6]:port`; port 0 is any free port, `*` every address of the machine. */
export function listenAddress(text: string): Endpoint {
  const { host, port } = splitAddress(text);
  if (port === undefined) throw new Invalid('which is not ADDRESS:PORT, or [ADDRESS]:PORT for IPv6');
  if (host === '*') return { host: anyAddress(), port };
  if (host !== 'localhost' && isIP(host) === 0)
    throw new Invalid('whose host is neither an IP address nor localhost, nor * for every address');
  return { host, port };
}

/**
 * The address that stands for all of a machine: `::`, which takes IPv4 too, unless it has no IPv6 and may be unable to
 * listen there.
 */
export function anyAddress(interfaces: NodeJS.Dict<{ family: string }[]> = networkInterfaces()): string {
  const hasIpv6 = Object.values(interfaces).some((addresses) => addresses?.some(({ family }) => family === 'IPv6'));
  return hasIpv6 ? '::' : '0.0.0.0';
}

export function listenAddressOrOff(text: string): Endpoint | null {
  return text === 'off' ? null : listenAddress(text);
}

/** A loopback address, which only programs on this machine can reach. */
export function loopbackAddressOrOff(text: string): Endpoint | null {
  const endpoint = listenAddressOrOff(text);
  if (endpoint !== null && !/^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(endpoint.host))
    throw new Invalid('which is not a loopback address; this listener returns private keys');
  return endpoint;
}

/** A whole number between two others. */
export function count(least: number, most: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < least || Number(text) > most)
      throw new Invalid(`which is not a whole number between ${least} and ${most}`);
    return Number(text);
  };
}

/** A whole number of seconds between two others, in ms. */
export function seconds(least: number, most: number): (text: string) => number {
  return (text) => count(least, most)(text) * 1000;
}

/** A whole number of seconds between two others, in ms, or null for `auto`. */
export function countOrAuto(least: number, most: number): (text: string) => number | null {
  return (text) => (text === 'auto' ? null : count(least, most)(text));
}

/** Between 0 and 1; 0 for `off`. */
export function fractionOrOff(text: string): number {
  if (text === 'off') return 0;
  if (!/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(text))
    throw new Invalid('which is neither off nor a number between 0 and 1');
  return Number(text);
}

/** A length of time between two others, such as `24h`, in ms. */
export function lengthOfTime(least: string, most: string): (text: string) => number {
  return (text) => {
    const ms = parseWindow(text);
    if (ms === null) throw new Invalid('which is not a length of time such as 90s, 30m, 12h or 7d');
    if (ms < (parseWindow(least) ?? 0) || ms > (parseWindow(most) ?? 0))
      throw new Invalid(`which is not between ${least} and ${most}`);
    return ms;
  };
}

/** A length of time between two others, in ms; `off` is 0. */
export function lengthOfTimeOrOff(least: string, most: string): (text: string) => number {
  return (text) => (text === 'off' ? 0 : lengthOfTime(least, most)(text));
}

/** The path of a Unix socket; `auto` and `off` stay as they are. */
export function socketPath(text: string): string {
  if (text === 'auto' || text === 'off') return text;
  const path = filePath(text);
  if (!path.startsWith('/') || Buffer.byteLength(path) > MAX_SOCKET_PATH)
    throw new Invalid(`which is not auto, off, or an absolute path of at most ${MAX_SOCKET_PATH} characters`);
  return path;
}

/** Linux takes 107 bytes; a new socket has a longer name for a moment. */
const MAX_SOCKET_PATH = 100;

/** The path of a file, which is not read here. */
export function filePath(text: string): string {
  if (text.includes('\0') || text.endsWith('/')) throw new Invalid('which is not a file path');
  return text;
}

/** The path of a file, or null for `off`. */
export function filePathOrOff(text: string): string | null {
  return text === 'off' ? null : filePath(text);
}

/** A DNS server. */
export interface DnsServer {
  /** IPv6 in its canonical text form. */
  address: string;
  port: number;
}

/** An IP address with an optional port, 53 by default. */
export function resolverAddress(text: string): DnsServer {
  const { host, port = 53 } = splitAddress(text);
  if (isIP(host) === 0 || host.includes('%')) {
    throw new Invalid(`where "${text}" is not an IP address`);
  }
  if (port === 0) throw new Invalid(`where "${text}" has port 0`);
  return { address: isIPv4(host) ? host : new SocketAddress({ family: 'ipv6', address: host }).address, port };
}

function splitAddress(text: string): { host: string; port?: number } {
  if (isIPv6(text)) return { host: text };
  const match = /^(?:\[(?<v6>[^\]]*)\]|(?<name>[^:[\]]*))(?::(?<port>\d+))?$/.exec(text);
  const host = match?.groups?.v6 ?? match?.groups?.name;
  if (!host) throw new Invalid('which is not an address; write an IPv6 address with a port as [ADDRESS]:PORT');
  const digits = match?.groups?.port;
  if (digits === undefined) return { host };
  if (Number(digits) > 65_535) throw new Invalid('whose port is above 65535');
  return { host, port: Number(digits) };
}

/** `192.168.0.0/16`, `fd00::/8`, or one address. */
export function network(text: string): string {
  const [address = '', bits, ...rest] = text.split('/');
  const widest = isIPv4(address) ? 32 : 128;
  if (isIP(address) === 0 || rest.length > 0) throw new Invalid(`where "${text}" is not a network`);
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > widest)) {
    throw new Invalid(`where the prefix length of "${text}" is not between 0 and ${widest}`);
  }
  return bits === undefined ? `${address}/${widest}` : text;
}

/** A reverse proxy that signs people in to the dashboard: `networks=… header=… workspace=… preset=…`. */
export function dashboardProxy(text: string) {
  const words = text.trim().split(/\s+/);
  const values = new Map(words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));
  const { networks = '', header = '', workspace = '', preset = '' } = Object.fromEntries(values);
  if (values.size !== 4 || words.length !== 4)
    throw new Invalid('which is not "networks=… header=… workspace=… preset=…"');
  if (!/^[a-z0-9-]{1,64}$/i.test(header)) throw new Invalid(`where "${header}" is not the name of a header field`);
  if (!/^ws_[0-9a-z]{26}$/.test(workspace)) throw new Invalid(`where "${workspace}" is not the id of a workspace`);
  const grants = Object.entries(PRESETS).find(([name]) => name === preset)?.[1];
  if (grants === undefined) throw new Invalid(`where "${preset}" is not one of ${Object.keys(PRESETS).join(', ')}`);
  return {
    networks: listOf(network)(networks),
    header: header.toLowerCase(),
    workspaceId: workspace,
    permissions: grants,
  };
}

/** Address ranges that no A or AAAA record can use: unspecified, multicast, reserved, link-local, IPv4-mapped. */
const UNPUBLISHABLE = /^(0\.|22[4-9]\.|2[3-5]\d\.|169\.254\.|::$|::ffff:|ff|fe[89ab])/;
const MAX_PUBLISHED_ADDRESSES = 16;

/** Addresses for A and AAAA records, IPv6 in its canonical text form; none twice. */
export function publishedAddresses(text: string): string[] {
  const addresses = [...new Set(listOf(publishedAddress)(text))];
  if (addresses.length > MAX_PUBLISHED_ADDRESSES)
    throw new Invalid(`which has more than ${MAX_PUBLISHED_ADDRESSES} addresses`);
  return addresses;
}

function publishedAddress(text: string): string {
  if (isIP(text) === 0 || text.includes('%')) throw new Invalid(`where "${text}" is not an IP address`);
  const address = isIPv4(text) ? text : new SocketAddress({ family: 'ipv6', address: text }).address;
  if (UNPUBLISHABLE.test(address)) throw new Invalid(`where "${text}" is not an address that a DNS record can lead to`);
  return address;
}

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** A host name in lower case; a final dot is dropped. */
export function hostName(text: string): string {
  const name = text.toLowerCase().replace(/\.$/, '');
  if (!name.split('.').every((label) => LABEL.test(label))) {
    throw new Invalid(`where "${text}" is not a host name (labels of letters, digits and hyphens, at most 63 each)`);
  }
  if (name.length > 253) throw new Invalid('where a name has more than 253 characters');
  return name;
}

/** A host name of two labels or more. */
export function publicHostName(text: string): string {
  const name = hostName(text);
  if (!name.includes('.')) throw new Invalid('which has only one label; use a name in a zone that you own');
  return name;
}

/** A zone short enough for generated hosts in it to fit into 253 characters. */
export function zone(text: string): string {
  const name = hostName(text);
  if (!name.includes('.')) throw new Invalid('which has only one label; use a zone that you own');
  if (name.length > 200)
    throw new Invalid('which has more than 200 characters, so generated hosts in it would be too long');
  return name;
}

/** A nameserver of our own zones. */
export interface OwnServer {
  name: string;
  /** Empty where its name is in a zone of others. */
  addresses: string[];
}

const MAX_SERVERS = 13;

/** `NAME` or `NAME=ADDRESS`, separated by commas; a name with several addresses is repeated. */
export function dnsServers(text: string): OwnServer[] {
  const servers = new Map<string, string[]>();
  for (const [given, address] of listOf((item) => item.split('='))(text)) {
    const name = publicHostName(given?.trim() ?? '');
    const addresses = servers.get(name) ?? [];
    servers.set(name, address === undefined ? addresses : [...addresses, publishedAddress(address.trim())]);
  }
  if (servers.size > MAX_SERVERS) throw new Invalid(`which has more than ${MAX_SERVERS} nameservers`);
  return [...servers].map(([name, addresses]) => ({ name, addresses }));
}

/** Becomes the DNS label `_word`, so it must be one octet shorter than a label. */
export function serviceWord(text: string): string {
  if (text.length > 62 || !LABEL.test(text)) {
    throw new Invalid('which is not a DNS label (lower-case letters, digits and inner hyphens, at most 62)');
  }
  return text;
}

/** Safe to show anywhere. */
export function nodeName(text: string): string {
  if (!/^[A-Za-z0-9._-]{1,63}$/.test(text))
    throw new Invalid('which is not 1 to 63 letters, digits, dots, hyphens and underscores');
  return text;
}

/** An http(s) URL, without a final slash. */
export function webUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Invalid('which is not an http or https URL');
  if (url.search !== '' || url.hash !== '') throw new Invalid('which has a query or a fragment');
  return url.href.replace(/\/+$/, '');
}

/** The origin of a web site, without a path: https, or http on loopback. */
export function publicOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Invalid('which is not an https URL');
  if (url.protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname))
    throw new Invalid('which is http on a host that is not this machine: anybody on the way could read the links');
  if (url.username !== '' || url.password !== '') throw new Invalid('which has a user or a password');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new Invalid('which has more than a host and a port');
  return url.origin;
}

/** `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. */
export function databaseUrl(text: string): DatabaseUrl {
  try {
    return parseDatabaseUrl(text);
  } catch (error) {
    throw error instanceof InvalidDatabaseUrl ? new Invalid(error.message) : error;
  }
}

export const logLevel: (text: string) => LogLevel = oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent');

/** Any text without white space. */
export function secret(text: string): string {
  if (/\s/.test(text)) throw new Invalid('which contains white space');
  return text;
}

/** `OPERATION=N/WINDOW`, separated by commas. */
export function rateLimits(text: string): Record<string, RateLimit> {
  const parsed = parseRateLimits(text);
  if (!parsed.ok) throw new Invalid(`where ${parsed.message}`);
  return parsed.limits;
}
