/** A domain, as `domains.getDomain` returns it. Absent values are left out. */
export interface CustomDomain {
  /** `dom_…` */
  id: string;
  /** Canonical name: lower case, Punycode. */
  domain: string;
  projectId: string;
  appId: string;
  environmentId: string;
  status: 'pending' | 'verifying' | 'verified' | 'failed';
  /** Why the domain failed, or what keeps it from being verified. */
  verificationError?: string;
  dnsRecords: RequiredRecord[];
  /** Unix ms, as all times. */
  createdAt: number;
  updatedAt?: number;
}

/** A DNS record that the domain needs. */
export interface RequiredRecord {
  /** ALIAS: what DNS providers call ALIAS, ANAME or CNAME flattening. */
  type: 'CNAME' | 'ALIAS' | 'TXT';
  name: string;
  value: string;
  /** Seconds. */
  ttl: number;
  verified: boolean;
  note?: string;
}

/** An environment: ids or slugs. */
export interface EnvironmentPath {
  project: string;
  app: string;
  environment: string;
}

export interface DomainPage {
  items: CustomDomain[];
  /** Where the next page starts; undefined on the last one. */
  cursor: string | undefined;
}
