import { invalid } from '../../api/validation.ts';
import { canonicalName } from '../../domain/name.ts';
import type { CallOperation } from '../door.ts';
import { type ProjectDomain, presentProjectDomain, type SiteData } from './project-domain.ts';
import type { Listing } from './project-domain-requests.ts';

/** Domains on a page unless the request says otherwise, as in the vendor's API. */
const PAGE = 20;
/** Domains that one request reads: the newest first needs all of them. */
const MOST_READ = 20_000;

/** A page of the vendor's API. `next`: the `until` of the next page, or its `since` in ascending order. */
interface Page {
  domains: ProjectDomain[];
  pagination: { count: number; next: number | null; prev: number | null };
}

/**
 * Lists the domains of an environment. Pages end where a creation time does, so that none is missed between two of
 * them: a page is longer than `limit` where several domains were created in one millisecond.
 */
export async function listProjectDomains(call: CallOperation, project: string, listing: Listing): Promise<Page> {
  const { limit = PAGE, since, until, order = 'DESC' } = listing;
  const found: ProjectDomain[] = [];
  for await (const site of sitesOf(call, project, listing)) {
    const domain = presentProjectDomain(site);
    if (!isWanted(domain, listing)) continue;
    found.push(domain);
    if (order === 'ASC' && lengthOfPage(found, limit) < found.length) break;
  }
  if (order === 'DESC') found.reverse();
  const domains = found.slice(0, lengthOfPage(found, limit));
  const isLast = domains.length === found.length;
  const isFirst = (order === 'DESC' ? until : since) === undefined;
  const next = isLast ? null : (domains.at(-1)?.createdAt ?? null);
  const prev = isFirst ? null : (domains[0]?.createdAt ?? null);
  return { domains, pagination: { count: domains.length, next, prev } };
}

/** The domains of an environment in order of creation: those created after `since` and before `until`. */
export async function* sitesOf(
  call: CallOperation,
  project: string,
  { since, until }: Listing,
): AsyncGenerator<SiteData> {
  const range = {
    within: { environment: project },
    ...(since !== undefined && { createdAfter: since + 1 }),
    ...(until !== undefined && { createdBefore: until }),
  };
  let read = 0;
  for (let cursor: string | undefined; ; ) {
    const request = { ...range, limit: 100, ...(cursor !== undefined && { cursor }) };
    const page = await call('domains.listWorkspaceDomains', request);
    if (!page.ok) throw page.problem;
    yield* page.data as SiteData[];
    read += page.data.length;
    cursor = page.pagination?.cursor;
    if (cursor === undefined) return;
    if (read >= MOST_READ) {
      throw invalid('order', `must be ASC, or \`since\` given: the project has more than ${MOST_READ} domains`);
    }
  }
}

function lengthOfPage(found: readonly ProjectDomain[], limit: number): number {
  const last = found[limit - 1];
  if (last === undefined) return found.length;
  const end = found.findIndex((domain, at) => at >= limit && domain.createdAt !== last.createdAt);
  return end === -1 ? found.length : end;
}

function isWanted({ verified, redirect }: ProjectDomain, listing: Listing): boolean {
  // Every domain is one of production, and of no branch.
  if (listing.target === 'preview' || listing.gitBranch || listing.customEnvironmentId) return false;
  if (listing.verified !== undefined && verified !== (listing.verified === 'true')) return false;
  if (listing.redirects === 'false' && redirect !== null) return false;
  return listing.redirect === undefined || redirect === canonicalName(listing.redirect);
}
