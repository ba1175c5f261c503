import type { Call } from '../door.ts';
import { dataOf } from '../door.ts';
import { type Site, sslStatusOf, statusOf } from './custom-hostname.ts';
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
  sites: Site[];
  /** Exact, unless there are more than `MOST_COUNTED` behind the page: then at least one page follows. */
  total: number;
}

/** Domains of one call, its maximum. */
const LIMIT = 100;
/** Most calls for one request: those to count, filter or sort, and those to find a page that nobody read up to. */
const MOST_CALLS = 20;
const MOST_SKIPPED = 100;

const NARROW =
  'Filter by hostname, read the pages in order, or call domains.listWorkspaceDomains, which has cursors and filters.';

export async function listHostnames(
  query: ListQuery,
  zone: string,
  call: Call,
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
export async function findSite(identifier: string, zone: string, call: Call): Promise<Site | undefined> {
  const called = await call('domains.getSite', { domain: identifier });
  if (!called.ok && called.problem.code === 'data/domain_not_found') return undefined;
  const site: Site = await dataOf(Promise.resolve(called));
  return site.domain.environmentId === zone ? site : undefined;
}

function found(site: Site | undefined, query: ListQuery): HostnamePage {
  const sites = [site ?? []].flat().filter((each) => matches(each, query));
  return { sites: query.page === 1 ? sites : [], total: sites.length };
}

async function plainPage(query: ListQuery, zone: string, call: Call, starts: PageStarts): Promise<HostnamePage> {
  const { page, perPage } = query;
  const before = (page - 1) * perPage;
  let cursor: string | undefined;
  let total = before;
  if (page > 1) {
    const known = starts.find(zone, perPage, page);
    const start = known ?? (await skip(before, zone, call));
    if (typeof start !== 'string') return { sites: [], total: start.end };
    cursor = start;
  }
  const sites: Site[] = [];
  while (sites.length < perPage) {
    const next = await readSites(call, zone, Math.min(LIMIT, perPage - sites.length), cursor);
    sites.push(...next.sites);
    cursor = next.cursor;
    if (cursor === undefined) return { sites, total: before + sites.length };
  }
  if (cursor !== undefined) starts.note(zone, perPage, page + 1, cursor);
  total += sites.length;
  for (let calls = 0; calls < MOST_CALLS && cursor !== undefined; calls += 1) {
    const next = await readSites(call, zone, LIMIT, cursor);
    total += next.sites.length;
    cursor = next.cursor;
  }
  return { sites, total: cursor === undefined ? total : total + 1 };
}

/** The cursor behind so many domains, or how many there are where there are no more. */
async function skip(count: number, zone: string, call: Call): Promise<string | { end: number }> {
  if (count > MOST_SKIPPED * LIMIT) throw badInput(1434, `Page numbers reach ${MOST_SKIPPED * LIMIT} here. ${NARROW}`);
  let skipped = 0;
  let cursor: string | undefined;
  while (skipped < count) {
    const next = await readSites(call, zone, Math.min(LIMIT, count - skipped), cursor);
    skipped += next.sites.length;
    cursor = next.cursor;
    if (cursor === undefined) return { end: skipped };
  }
  return cursor ?? { end: skipped };
}

async function filteredPage(query: ListQuery, zone: string, call: Call): Promise<HostnamePage> {
  const all: Site[] = [];
  const search = query.contain ?? query.startsWith;
  let cursor: string | undefined;
  for (let calls = 0; ; calls += 1) {
    if (calls === MOST_CALLS) {
      throw badInput(1434, `The zone has too many hostnames to filter or sort them like this. ${NARROW}`);
    }
    const next = await readSites(call, zone, LIMIT, cursor, search);
    all.push(...next.sites.filter((site) => matches(site, query)));
    cursor = next.cursor;
    if (cursor === undefined) break;
  }
  // Stable: those of equal status stay in order of creation.
  if (query.order !== 'created') all.sort((a, b) => compare(sslStatusOf(a), sslStatusOf(b)));
  if (query.direction === 'desc') all.reverse();
  const from = (query.page - 1) * query.perPage;
  return { sites: all.slice(from, from + query.perPage), total: all.length };
}

async function readSites(call: Call, zone: string, limit: number, cursor?: string, search?: string) {
  const called = await call('domains.listWorkspaceDomains', {
    within: { environment: zone },
    limit,
    ...(cursor !== undefined && { cursor }),
    ...(search !== undefined && { search }),
  });
  if (!called.ok) throw called.problem;
  const next = called.pagination?.cursor;
  return { sites: called.data as Site[], ...(next !== undefined && { cursor: next }) };
}

function matches(site: Site, { contain, startsWith, hostnameStatus, sslStatus, ssl, wildcard }: ListQuery): boolean {
  const { domain: name } = site.domain;
  // `search` finds a part of the id, too.
  if (contain !== undefined && !name.includes(contain.toLowerCase())) return false;
  if (startsWith !== undefined && !name.startsWith(startsWith.toLowerCase())) return false;
  if (hostnameStatus !== undefined && statusOf(site) !== hostnameStatus) return false;
  if (sslStatus !== undefined && sslStatusOf(site) !== sslStatus) return false;
  if (ssl !== undefined && (sslStatusOf(site) === 'active') !== ssl) return false;
  return wildcard === undefined || name.startsWith('*.') === wildcard;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
