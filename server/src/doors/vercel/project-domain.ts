import { registeredDomain } from '../../domain/name.ts';
import { baseName } from '../../domain/wildcard.ts';
import type { ShownSite } from '../shown-sites.ts';

export type ProjectDomain = ReturnType<typeof presentProjectDomain>;

/** A domain of a project, as the vendor's API shows it. Times are Unix milliseconds. */
export function presentProjectDomain({ domain, redirect }: ShownSite) {
  const verified = domain.status === 'verified';
  return {
    name: domain.domain,
    apexName: registeredDomain(baseName(domain.domain)),
    projectId: domain.environmentId,
    redirect: redirect?.to ?? null,
    redirectStatusCode: redirect?.status ?? null,
    gitBranch: null,
    customEnvironmentId: null,
    updatedAt: domain.updatedAt ?? domain.createdAt,
    createdAt: domain.createdAt,
    verified,
    ...(!verified && { verification: challengesOf(domain.dnsRecords) }),
  };
}

/**
 * Records that are still to be found. The TXT record first: products show the first challenge, or that of type TXT.
 * ALIAS is no type of the DNS, and a routing record of that type verifies nothing.
 */
function challengesOf(records: ShownSite['domain']['dnsRecords']) {
  const pending = records.filter(({ verified }) => !verified);
  return ['TXT', 'CNAME'].flatMap((type) =>
    pending
      .filter((record) => record.type === type)
      .map(({ name, value }) => ({ type, domain: name, value, reason: 'pending_domain_verification' })),
  );
}
