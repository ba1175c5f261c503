import type { LRUCache } from 'lru-cache';
import { canonicalName } from '../../domain/name.ts';
import { type CallOperation, unless } from '../door.ts';
import { CHUNK, chunksIn, siteIn, sitesIn } from '../shown-sites.ts';
import { customHostname, type Hostname } from './custom-hostname.ts';
import { badInput, enveloped } from './envelope.ts';

/** The list of custom hostnames: the vendor has numbered pages, the operation below has cursors. */

type Parameters = Record<string, string | undefined>;

/** The values that a parameter may have, in the words of its refusal; any other is refused with 1434. */
const VALUES = new Map<string, [values: RegExp, words: string]>(
  Object.entries({
    page: [/^[1-9]\d{0,5}$/, 'a whole number from 1 to 999999'],
    per_page: [/^([5-9]|[1-9]\d\d?|1000)$/, 'a whole number from 5 to 1000'],
    order: [/^ssl(_status)?$/, 'ssl or ssl_status'],
    direction: [/^(asc|desc)$/, 'asc or desc'],
    ssl: [/^[01]$/, '0 or 1'],
    wildcard: [/^(true|false)$/, 'true or false'],
    certificate_authority: [/^$/, 'left out: this filter is not supported here'],
    custom_origin_server: [/^$/, 'left out: this filter is not supported here'],
  }),
);

/** One of these at most. */
const NAMES = ['id', 'hostname', 'hostname.exact', 'hostname.contain', 'hostname.startsWith'];
const NAME = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

const FILTERS: Record<string, (hostname: Hostname, wanted: string) => boolean> = {
  id: ({ id }, wanted) => id === wanted,
  hostname: ({ hostname }, wanted) => hostname === canonicalName(wanted),
  'hostname.exact': ({ hostname }, wanted) => hostname === canonicalName(wanted),
  'hostname.contain': ({ hostname }, wanted) => hostname.includes(wanted.toLowerCase()),
  'hostname.startsWith': ({ hostname }, wanted) => hostname.startsWith(wanted.toLowerCase()),
  hostname_status: ({ status }, wanted) => status === wanted,
  ssl_status: ({ ssl }, wanted) => ssl.status === wanted,
  ssl: ({ ssl }, wanted) => (ssl.status === 'active') === (wanted === '1'),
  wildcard: ({ ssl }, wanted) => String(ssl.wildcard) === wanted,
};

/** Where a chunk of a zone starts: a cursor, by the zone, the number of its hostnames, and that of those before the chunk. */
export type Starts = LRUCache<string, string>;

interface Wanted {
  call: CallOperation;
  zone: string;
  /** Hostnames before the page. */
  from: number;
  perPage: number;
}

export async function listHostnames(call: CallOperation, zone: string, query: Record<string, unknown>, starts: Starts) {
  const given = parametersOf(query);
  const { page, per_page } = { page: Number(given.page ?? 1), per_page: Number(given.per_page ?? 50) };
  const wanted = { call, zone, from: (page - 1) * per_page, perPage: per_page };
  const isWhole = Object.keys(FILTERS).every((name) => given[name] === undefined) && !isSorted(given);
  const { result, total_count } = await (isWhole ? pageOfAll(wanted, starts) : filteredPage(wanted, given));
  const total_pages = Math.ceil(total_count / per_page);
  return { ...enveloped(result), result_info: { page, per_page, count: result.length, total_count, total_pages } };
}

const isSorted = ({ order, direction }: Parameters) => order !== undefined || direction === 'desc';

async function pageOfAll({ call, zone, from, perPage }: Wanted, starts: Starts) {
  const total_count: number = (await call('domains.countSites', { within: { environment: zone } })).data.total;
  const keyOf = (before: number) => `${zone} ${total_count} ${before}`;
  const before = from - (from % CHUNK);
  const cursor = starts.get(keyOf(before));
  const result: Hostname[] = [];
  let at = cursor === undefined ? 0 : before;
  for await (const { sites, next } of chunksIn(call, zone, { cursor })) {
    const skipped = Math.max(0, from - at);
    result.push(...sites.slice(skipped, skipped + perPage - result.length).map(customHostname));
    at += sites.length;
    if (next !== undefined) starts.set(keyOf(at), next);
    if (result.length === perPage) break;
  }
  return { result, total_count };
}

async function filteredPage({ call, zone, from, perPage }: Wanted, given: Parameters) {
  const filters = Object.entries(FILTERS).filter(([name]) => given[name] !== undefined);
  const found: Hostname[] = [];
  for await (const site of candidates(call, zone, given)) {
    const hostname = customHostname(site);
    if (filters.every(([name, isWanted]) => isWanted(hostname, given[name] ?? ''))) found.push(hostname);
  }
  // Stable: those of equal status stay in order of creation.
  if (given.order !== undefined) found.sort((a, b) => a.ssl.status.localeCompare(b.ssl.status));
  if (given.direction === 'desc') found.reverse();
  return { result: found.slice(from, from + perPage), total_count: found.length };
}

async function* candidates(call: CallOperation, zone: string, given: Parameters) {
  const single = given.id ?? given.hostname ?? given['hostname.exact'];
  const search = given['hostname.contain'] ?? given['hostname.startsWith'];
  if (single === undefined) return yield* sitesIn(call, zone, search === undefined ? {} : { search });
  const site = await unless(['data/domain_not_found'], siteIn(call, zone, single));
  if (site !== undefined) yield site;
}

/** Throws a `Problem` for values that the vendor refuses, and for filters that are not here. */
function parametersOf(query: Record<string, unknown>): Parameters {
  const given: Parameters = Object.create(null);
  for (const [written, value] of Object.entries(query)) {
    // Clients write `hostname.contain` or `hostname[contain]`.
    const name = written.replace(/^hostname\[(\w+)\]$/, 'hostname.$1');
    if (typeof value !== 'string' || name in given) throw badInput(1434, `${name.slice(0, 40)} must be sent once.`);
    const [values, words] = VALUES.get(name) ?? [];
    if (values?.test(value) === false) throw badInput(1434, `${name} must be ${words}.`);
    if (NAMES.includes(name) && !NAME.test(value))
      throw badInput(1437, `Invalid ${name} query parameter. It has 1 to 255 characters, none of them a control.`);
    given[name] = value;
  }
  const named = NAMES.filter((name) => name in given);
  if (named.length > 1) throw badInput(1438, `Only one of ${named.join(', ')} must be specified.`);
  return given;
}
