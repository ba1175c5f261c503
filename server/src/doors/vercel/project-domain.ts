import type { Static } from 'typebox';
import type { SiteSchema } from '../../api/domains/site.ts';
import { registeredDomain } from '../../domain/name.ts';
import { baseName } from '../../domain/wildcard.ts';

/** A site, as `domains.getSite` returns it. */
export type SiteData = Static<typeof SiteSchema>;

/** A challenge of the vendor's API: a record that is still to be found. */
interface Challenge {
  type: 'TXT' | 'CNAME';
  domain: string;
  value: string;
  reason: string;
}

/** A domain of a project, as the vendor's API shows it. Times are Unix milliseconds. */
export interface ProjectDomain {
  name: string;
  apexName: string;
  projectId: string;
  redirect: string | null;
  redirectStatusCode: number | null;
  gitBranch: null;
  customEnvironmentId: null;
  updatedAt: number;
  createdAt: number;
  verified: boolean;
  /** Absent once the domain is verified. */
  verification?: Challenge[];
}

export function presentProjectDomain({ domain, redirect }: Pick<SiteData, 'domain' | 'redirect'>): ProjectDomain {
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
 * The TXT record first: products show the first challenge, or that of type TXT. ALIAS is no type of the DNS, and a
 * routing record of that type verifies nothing.
 */
function challengesOf(records: SiteData['domain']['dnsRecords']): Challenge[] {
  const pending = records.filter(({ verified }) => !verified);
  return (['TXT', 'CNAME'] as const).flatMap((type) =>
    pending
      .filter((record) => record.type === type)
      .map(({ name, value }) => ({ type, domain: name, value, reason: 'pending_domain_verification' })),
  );
}
