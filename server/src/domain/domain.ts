/** All times are Unix milliseconds; a time or null takes the place of a boolean. */

/** Status of a domain (spec: States and transitions). */
export type DomainStatus = 'pending' | 'verifying' | 'verified' | 'failed';

/** `apex`: the name is its own registrable domain, so it cannot have a CNAME. Any name below one is a `subdomain`. */
export type DomainKind = 'apex' | 'subdomain';

/** One custom domain, as it is stored. */
export interface Domain {
  /** `dom_…` */
  id: string;
  workspaceId: string;
  projectId: string;
  appId: string;
  environmentId: string;
  /** Canonical form: lower-case ASCII (A-labels), no final dot. */
  name: string;
  kind: DomainKind;
  /** Label in `_<service>.` and `<service>-domain-verify=`; kept from creation time, so that the records never change. */
  service: string;
  /** Host that the routing record must name: generated under the CNAME zone, unique for ever, or a shared target. */
  target: string;
  /** JSON of the addresses of a shared target, as the operator names them (`shared-target.ts`); null: the target is the domain's own. */
  sharedAddresses: string | null;
  /** Generated secret-free token of the ownership record. Unique for ever. */
  token: string;
  status: DomainStatus;
  /** Since when the routing record has matched; null when the last readable check did not find it matching. */
  routingVerifiedAt: number | null;
  /** The same for the ownership record. */
  ownershipVerifiedAt: number | null;
  /** The zone that the challenge record of a wildcard leads to, kept from creation time; null: the domain needs no such record. */
  challengeZone: string | null;
  /** The same as `routingVerifiedAt` for the challenge record; null too where nobody looks at it. */
  challengeVerifiedAt: number | null;
  /** Message for the customer, at most 512 characters; null while verification makes normal progress. */
  verificationError: string | null;
  createdAt: number;
  /** Time of the last change that a reader can see; null if there was none. */
  updatedAt: number | null;
  verifiedAt: number | null;
  /** Start of the current 24 h window: `createdAt`, or the last retry from `failed`. */
  windowStartedAt: number;
  /** Incremented by every change and every retry; a result is saved only if it is still what the check read. */
  revision: number;
  /** The platform's own id for it: 1 to 255 characters; null: none. Several domains may have one. */
  externalId: string | null;
  /** The platform's own data: JSON of an object of strings, its keys in order (`own-data.ts`); null: none. */
  metadata: string | null;
}

/** The data of a platform, kept with a domain. */
export type OwnData = Pick<Domain, 'externalId' | 'metadata'>;

const UNCHECKED = {
  status: 'pending',
  routingVerifiedAt: null,
  ownershipVerifiedAt: null,
  challengeVerifiedAt: null,
  verificationError: null,
  updatedAt: null,
  verifiedAt: null,
  revision: 1,
} as const;

type Defaulted = OwnData & Pick<Domain, 'challengeZone' | 'sharedAddresses'>;
type NewDomain = Omit<Domain, keyof typeof UNCHECKED | 'windowStartedAt' | keyof Defaulted> & Partial<Defaulted>;

/** A domain before its first check. */
export function newDomain(created: NewDomain): Domain {
  const { externalId = null, metadata = null, challengeZone = null, sharedAddresses = null } = created;
  const defaulted = { externalId, metadata, challengeZone, sharedAddresses };
  return { ...created, ...UNCHECKED, windowStartedAt: created.createdAt, ...defaulted };
}

/** Length of the verification window (spec: Limits). */
export const WINDOW_MS = 24 * 60 * 60 * 1000;

/** A name that is not attached, as a domain without id, target and token: no record can be taken for its own. */
export function unattachedDomain(about: Pick<Domain, 'workspaceId' | 'name' | 'kind' | 'service'>): Domain {
  const ids = { id: '', projectId: '', appId: '', environmentId: '' };
  return newDomain({ ...ids, ...about, target: '', token: '', createdAt: 0 });
}
