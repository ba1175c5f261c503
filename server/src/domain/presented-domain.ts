import type { Domain, DomainStatus } from './domain.ts';
import { type DnsRecord, dnsRecords } from './records.ts';

/** A domain as `domains.getDomain` and webhooks show it (spec: Domain). */
export interface PresentedDomain {
  id: string;
  domain: string;
  projectId: string;
  appId: string;
  environmentId: string;
  status: DomainStatus;
  verificationError?: string;
  dnsRecords: DnsRecord[];
  createdAt: number;
  updatedAt?: number;
}

/** Absent values are left out, never null. `apexNote` is from `apexRoutingNote`. */
export function presentDomain(domain: Domain, apexNote?: string): PresentedDomain {
  return {
    id: domain.id,
    domain: domain.name,
    projectId: domain.projectId,
    appId: domain.appId,
    environmentId: domain.environmentId,
    status: domain.status,
    ...(domain.verificationError !== null && { verificationError: domain.verificationError }),
    dnsRecords: dnsRecords(domain, apexNote),
    createdAt: domain.createdAt,
    ...(domain.updatedAt !== null && { updatedAt: domain.updatedAt }),
  };
}
