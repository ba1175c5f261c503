import type { Static } from 'typebox';
import type { SiteSchema } from '../api/domains/site.ts';
import { Problem } from '../api/errors.ts';
import { invalid } from '../api/validation.ts';
import { type Call, unless } from './door.ts';

/** The domains of an environment, whoever's API is translated. */

/** A domain with everything that serves it. */
export type Site = Static<typeof SiteSchema>;

/** Domains that one request reads. */
const MOST_READ = 20_000;

/** Attaches a name and returns the id of its domain. The target is the only shared one of the workspace, if the key may use it. */
export async function attach(call: Call, environment: string, about: { domain: string; metadata?: object }) {
  const shared = await unless(['authorization/insufficient_permissions'], call('targets.listTargets', {}));
  const target = shared?.data.length === 1 ? { target: shared.data[0].host } : {};
  const { data } = await call('domains.createDomain', { environment, ...about, ...target });
  return data.domainId as string;
}

/** A domain of the environment, by its id or name; another one of the workspace is refused as a missing one is. */
export async function siteIn(call: Call, environment: string, domain: string): Promise<Site> {
  const site: Site = (await call('domains.getSite', { domain })).data;
  if (site.domain.environmentId !== environment) throw new Problem('data/domain_not_found');
  return site;
}

/** In order of creation. `filters`: of `domains.listWorkspaceDomains`. */
export async function* sitesIn(call: Call, environment: string, filters: object = {}): AsyncGenerator<Site> {
  let read = 0;
  for (let cursor: string | undefined; ; ) {
    const page = { within: { environment }, ...filters, limit: 100, ...(cursor !== undefined && { cursor }) };
    const { data, pagination } = await call('domains.listWorkspaceDomains', page);
    yield* data as Site[];
    read += data.length;
    cursor = pagination?.cursor;
    if (cursor === undefined) return;
    if (read >= MOST_READ) {
      const fix = 'narrow it, or call domains.listWorkspaceDomains, which has cursors';
      throw invalid('query', `needs more than the first ${MOST_READ} domains: ${fix}`);
    }
  }
}

/** Asks for a check, unless the domain is verified. */
export async function check(call: Call, domain: string): Promise<{ isVerified: boolean }> {
  const asked = await unless(['application/precondition_failed'], call('domains.verifyDomain', { domain }));
  return { isVerified: asked === undefined };
}
