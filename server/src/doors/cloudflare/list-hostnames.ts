import type { CallOperation } from '../door.ts';
import { dataOf } from '../door.ts';
import { type ShownSite, sslStatusOf, statusOf } from './custom-hostname.ts';
import { badInput } from './envelope.ts';
import type { PageStarts } from './page-starts.ts';

/** The list of custom hostnames: the vendor has numbered pages, the operation below has cursors. */

export interface ListQuery {
  page: number;
  perPage: number;
  id?: string;
  exact?: string;
  contain?: string;
  startsWith?: string;
  hostnameStatus?: string;
  sslStatus?: string;
  ssl?: boolean;
  wildcard?: boolean;
  order: 'created' | 'ssl' | 'ssl_status';
  direction: 'asc' | 'desc';
}

interface HostnamePage {
  sites: ShownSite[];
  /** Exact, unless there are more than `MOST_CALLS` read behind the page: then at least one page follows. */
  total: number;
}

/** Domains of one call, its maximum. */
const LIMIT = 100;
/** Most calls of one request that counts, filters or sorts. */
const MOST_CALLS = 20;
/** Domains before a page that nobody has read up to. */
const MOST_SKIPPED = 10_000;

const NARROW =
  'Filter by hostname, read the pages in order, or call domains.listWorkspaceDomains, which has cursors and filters.';

export async function listHostnames(
  query: ListQuery,
  zone: string,
  call: CallOperation,
  starts: PageStarts,
): Promise<HostnamePage> {
  const single = query.id ?? query.exact;
  if (single !== undefined) {
    const site = await findSite(single, zone, call);
    // The operation takes ids and names alike.
    const isMeant = (site?.domain.id === single) === (query.id !== undefined);
    return found(isMeant ? site : undefined, query);
  }
  const { contain, startsWith, hostnameStatus, sslStatus, ssl, wildcard, order, direction } = query;
  const filters = [contain, startsWith, hostnameStatus, sslStatus, ssl, wildcard];
  const isPlain = filters.every((each) => each === undefined) && order === 'created' && direction === 'asc';
  return isPlain ? plainPage(query, zone, call, starts) : filteredPage(query, zone, call);
}

/** The site of a domain of the zone; undefined: there is none. */
export async function findSite(identifier: string, zone: string, call: CallOperation): Promise<ShownSite | undefined> {
  const called = await call('domains.getSite', { domain: identifier });
  if (!called.ok && called.problem.code === 'data/domain_not_found') return undefined;
  const site: ShownSite = await dataOf(Promise.resolve(called));
  return site.domain.environmentId === zone ? site : undefined;
}

function found(site: ShownSite | undefined, query: ListQuery): HostnamePage {
  const sites = [site ?? []].flat().filter((each) => matches(each, query));
  return { sites: query.page === 1 ? sites : [], total: sites.length };
}

async function plainPage(
  { page, perPage }: ListQuery,
  zone: string,
  call: CallOperation,
  starts: PageStarts,
): Promise<HostnamePage> {
  const before = (page - 1) * perPage;
  let start = starts.find(zone, perPage, page);
  if (page > 1 && start === undefined) {
    if (before > MOST_SKIPPED) throw badInput(1434, `Page numbers reach ${MOST_SKIPPED} hostnames here. ${NARROW}`);
    const skipped = await read({ zone, count: before }, call);
    if (skipped.cursor === undefined) return { sites: [], total: skipped.sites.length };
    start = skipped.cursor;
  }
  const { sites, cursor } = await read({ zone, count: perPage, cursor: start }, call);
  const total = before + sites.length;
  if (cursor === undefined) return { sites, total };
  starts.note(zone, perPage, page + 1, cursor);
  const rest = await read({ zone, calls: MOST_CALLS, cursor }, call);
  return { sites, total: total + rest.sites.length + (rest.cursor === undefined ? 0 : 1) };
}

async function filteredPage(query: ListQuery, zone: string, call: CallOperation): Promise<HostnamePage> {
  const { page, perPage, order, direction, contain, startsWith } = query;
  const { sites, cursor } = await read({ zone, calls: MOST_CALLS, search: contain ?? startsWith }, call);
  if (cursor !== undefined) {
    throw badInput(1434, `The zone has too many hostnames to filter or sort them like this. ${NARROW}`);
  }
  const all = sites.filter((site) => matches(site, query));
  // Stable: those of equal status stay in order of creation.
  if (order !== 'created') all.sort((a, b) => sslStatusOf(a).localeCompare(sslStatusOf(b)));
  if (direction === 'desc') all.reverse();
  const from = (page - 1) * perPage;
  return { sites: all.slice(from, from + perPage), total: all.length };
}

interface Reading {
  zone: string;
  /** Sites to read. */
  count?: number;
  calls?: number;
  cursor?: string | undefined;
  search?: string | undefined;
}

/** `cursor` of the result: where the next site is; absent after the last one. */
async function read({ zone, count = Infinity, calls = Infinity, cursor, search }: Reading, call: CallOperation) {
  const sites: ShownSite[] = [];
  const within = { environment: zone };
  let next = cursor;
  for (let made = 0; made < calls && sites.length < count; made += 1) {
    const page = { limit: Math.min(LIMIT, count - sites.length), ...(next !== undefined && { cursor: next }) };
    const called = await call('domains.listWorkspaceDomains', { within, ...page, ...(search && { search }) });
    if (!called.ok) throw called.problem;
    sites.push(...called.data);
    next = called.pagination?.cursor;
    if (next === undefined) break;
  }
  return { sites, cursor: next };
}

function matches(
  site: ShownSite,
  { contain, startsWith, hostnameStatus, sslStatus, ssl, wildcard }: ListQuery,
): boolean {
  const { domain: name } = site.domain;
  // `search` finds a part of the id, too.
  if (contain !== undefined && !name.includes(contain.toLowerCase())) return false;
  if (startsWith !== undefined && !name.startsWith(startsWith.toLowerCase())) return false;
  if (hostnameStatus !== undefined && statusOf(site) !== hostnameStatus) return false;
  if (sslStatus !== undefined && sslStatusOf(site) !== sslStatus) return false;
  if (ssl !== undefined && (sslStatusOf(site) === 'active') !== ssl) return false;
  return wildcard === undefined || name.startsWith('*.') === wildcard;
}
