import type { Brand } from '../../domain/brand.ts';
import type { RedirectStatus } from '../../domain/redirect.ts';
import type { SiteSettings } from '../../domain/site-settings.ts';
import type { SuspensionStatus } from '../../domain/suspension.ts';
import type { Deployment } from '../tree/tree-store.ts';

/** Reads of the edge. Results may be cached until the change that is logged for them. */
export interface EdgeStore {
  /**
   * All that is needed to serve a host name, in one read: the site of exactly this name, or else of the wildcard domain above it, as its `hostname`
   * says. Verified domains come before prepared ones. Null: neither is verified or prepared. Logged as the changes `route` and `certificate` with the name of either, a new deployment as `environment`,
   * and for all sites of a workspace as `workspace`. A wildcard changes with the route of each name below it, too.
   */
  findSite(hostname: string): Promise<Site | null>;
  /**
   * The same for a name of the operator's own, which belongs to no domain and has no origin; null: it was not claimed (`claimOperatorName`). Logged
   * as above.
   */
  findOperatorSite(hostname: string): Promise<Site | null>;
  /** Where the traffic of an environment goes; null: nothing was deployed to it, and it has set nothing. Logged as the change `environment`. */
  findOrigin(environmentId: string): Promise<Origin | null>;
  /** The brand of a workspace, for pages; null: it has none. Logged as the change `workspace`. */
  findBrand(workspaceId: string): Promise<Brand | null>;
  /** The key authorization to respond with; null: no such challenge, or it expired before `now`. Not to be cached. */
  findChallenge(hostname: string, token: string, now: number): Promise<string | null>;
}

export interface Site {
  /** `*.shop.example.com` for a wildcard domain, whatever name below it was asked for. */
  hostname: string;
  /** Names below a wildcard that have routes of their own: it does not serve them. Null: more than `MOST_EXCEPTIONS`. Absent: it is no wildcard. */
  exceptions?: ReadonlySet<string> | null;
  /** These three are `OPERATOR` for a name of the operator's own. */
  workspaceId: string;
  domainId: string;
  environmentId: string;
  /** The number by which its usage is counted (`UsageWrite`); 0: it is not counted. */
  usageNumber: number;
  /** As `findOrigin` has it. */
  origin: Origin | null;
  /** The certificate in use, an inherited one, or that of the wildcard domain above; null: none of them; an error where its key cannot be unsealed. */
  certificate: ServedCertificate | Error | null;
  /** Null: its requests go to the origin. */
  redirect: SiteRedirect | null;
  /** The domain's external id; absent: it has none. */
  externalId?: string;
  /** Its domain is not verified: it has its certificate before the switch. Absent: it is verified. */
  isPrepared?: true;
  /** Status of the page that visitors get in place of the site, whatever else it has; null: it is not suspended. */
  suspendedStatus: SuspensionStatus | null;
  /** Null: the domain has none. */
  settings: SiteSettings | null;
}

/** Where all requests for a site are redirected to. */
export interface SiteRedirect {
  hostname: string;
  /** That has this name, and no other that may have it later. */
  domainId: string;
  status: RedirectStatus;
}

/** Where the traffic of an environment goes. */
export interface Origin {
  /** The current one; null before the first. */
  deployment: Pick<Deployment, 'id' | 'origin'> | null;
  /** How the environment has its origins asked; null: it has set nothing. */
  settings: OriginSettings | null;
}

/** An environment says this of its origins: those of its deployments, and those that its domains have of their own. */
export interface OriginSettings {
  /** `Host` of requests to the origin: `visitor`, `origin`, or a name. */
  hostHeader: string;
  /** PEM. Only certificates below it are accepted; null: those of public CAs. */
  caCertificate: string | null;
  /** The edge shows it to an https origin; null: nothing. */
  clientCertificate: OriginClientCertificate | null;
  /** Proves to the origin that a request came through the edge. Null: nothing is sent. */
  secret: OriginSecret | null;
  /** Whether origins get the external ids of domains. */
  sendsExternalId: boolean;
}

export interface OriginClientCertificate {
  /** PEM: the certificate, then those above it. */
  chain: string;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
}

/** Text in ASCII. */
export interface OriginSecret {
  current: Uint8Array;
  /** The one before, which is sent too until `previousExpiresAt`; null: there is none. */
  previous: Uint8Array | null;
  previousExpiresAt: number | null;
}

export interface ServedCertificate {
  /** PEM: the certificate itself, then those above it. */
  chain: string;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  notAfter: number;
  /**
   * It was issued for the domain that held the name before a takeover, or for the wildcard domain above, which served the name until then. It is served until the
   * domain has its own, and never after `notAfter`.
   */
  inherited: boolean;
  /** The wildcard that it was issued for; absent: the name itself. */
  wildcard?: string;
}
