import { canonicalName } from '../../domain/name.ts';
import type { CallOperation } from '../door.ts';
import { sitesIn } from '../shown-sites.ts';
import { type ProjectDomain, presentProjectDomain } from './project-domain.ts';
import type { Listing } from './project-domain-requests.ts';

/** Domains on a page unless the request says otherwise, as in the vendor's API. */
const PAGE = 20;

/**
 * A page of the domains of an environment. `next`: the `until` of the next page, or its `since` in ascending order.
 * Pages end where a creation time does, so that none is missed between two of them: a page is longer than `limit`
 * where several domains were created in one millisecond.
 */
export async function listProjectDomains(call: CallOperation, project: string, listing: Listing) {
  const { limit = PAGE, since, until, order = 'DESC' } = listing;
  const range = {
    ...(since !== undefined && { createdAfter: since + 1 }),
    ...(until !== undefined && { createdBefore: until }),
  };
  const found: ProjectDomain[] = [];
  for await (const site of sitesIn(call, project, range)) {
    const domain = presentProjectDomain(site);
    if (!isWanted(domain, listing)) continue;
    const last = found[limit - 1];
    found.push(domain);
    if (order === 'ASC' && last !== undefined && last.createdAt !== domain.createdAt) break;
  }
  if (order === 'DESC') found.reverse();
  const domains = found.slice(0, lengthOfPage(found, limit));
  const isLast = domains.length === found.length;
  const isFirst = (order === 'DESC' ? until : since) === undefined;
  const next = isLast ? null : (domains.at(-1)?.createdAt ?? null);
  const prev = isFirst ? null : (domains[0]?.createdAt ?? null);
  return { domains, pagination: { count: domains.length, next, prev } };
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
  return listing.redirect === undefined || (redirect !== null && redirect === canonicalName(listing.redirect));
}
