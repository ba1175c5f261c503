import type { Static } from 'typebox';
import type { SiteSchema } from '../api/domains/site.ts';
import { Problem } from '../api/errors.ts';
import { invalid } from '../api/validation.ts';
import { type CallOperation, unless } from './door.ts';

/** The domains of an environment, whoever's API is translated. */

/** A domain with everything that serves it. */
export type ShownSite = Static<typeof SiteSchema>;

/** Domains of one call, its maximum. */
export const CHUNK = 100;
/** Domains that one request reads. */
const MOST_READ = 20_000;

/** Attaches a name and returns the id of its domain. The target is the only shared one of the workspace, if the key may use it. */
export async function attach(call: CallOperation, environment: string, about: { domain: string; metadata?: object }) {
  const shared = await unless(['authorization/insufficient_permissions'], call('targets.listTargets', {}));
  const target = shared?.data.length === 1 ? { target: shared.data[0].host } : {};
  const { data } = await call('domains.createDomain', { environment, ...about, ...target });
  return data.domainId as string;
}

/** A domain of the environment, by its id or name; another one of the workspace is refused as a missing one is. */
export async function siteIn(call: CallOperation, environment: string, domain: string): Promise<ShownSite> {
  const site: ShownSite = (await call('domains.getSite', { domain })).data;
  if (site.domain.environmentId !== environment) throw new Problem('data/domain_not_found');
  return site;
}

/** Sites of an environment in order of creation, and where those after them begin. `filters`: of `domains.listWorkspaceDomains`. */
export async function* chunksIn(
  call: CallOperation,
  environment: string,
  filters: { cursor?: string | undefined } = {},
) {
  let { cursor } = filters;
  for (let read = 0; ; read += CHUNK) {
    if (read >= MOST_READ) {
      const fix = 'narrow it, or call domains.listWorkspaceDomains, which has cursors';
      throw invalid('query', `needs more than the first ${MOST_READ} domains: ${fix}`);
    }
    const page = { within: { environment }, ...filters, limit: CHUNK, ...(cursor !== undefined && { cursor }) };
    const { data, pagination } = await call('domains.listWorkspaceDomains', page);
    cursor = pagination?.cursor;
    yield { sites: data as ShownSite[], next: cursor };
    if (cursor === undefined) return;
  }
}

/** The same, one by one. */
export async function* sitesIn(
  call: CallOperation,
  environment: string,
  filters: object = {},
): AsyncGenerator<ShownSite> {
  for await (const { sites } of chunksIn(call, environment, filters)) yield* sites;
}

/** Asks for a check, unless the domain is verified. */
export async function check(call: CallOperation, domain: string): Promise<{ isVerified: boolean }> {
  const asked = await unless(['application/precondition_failed'], call('domains.verifyDomain', { domain }));
  return { isVerified: asked === undefined };
}
