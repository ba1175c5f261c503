import type { Clock } from '../../base/clock.ts';
import type { ThrottledWarn } from '../../base/throttled-log.ts';
import type { Brand } from '../../domain/brand.ts';
import type { RedirectStatus } from '../../domain/redirect.ts';
import { hstsField } from '../../domain/site-settings.ts';
import type { SuspensionStatus } from '../../domain/suspension.ts';
import { isWildcard, wildcardOf } from '../../domain/wildcard.ts';
import type { AddressRule } from '../../net/addresses.ts';
import type { Origin, SiteRedirect } from '../../store/store.ts';
import type { CachedSite, Sites } from '../cache/site-cache.ts';
import { readDestination } from '../http/authority.ts';
import { type Client, readSender } from '../http/edge-client.ts';
import { HSTS } from '../http/hsts.ts';
import type { ClientExchange, RoutingInfo } from '../http/http-exchange.ts';
import type { PageName } from '../http/pages.ts';
import { isLooping } from '../http/via.ts';
import { secretFor } from '../proxy/origin-target.ts';
import { CHALLENGE_PATH, type Challenges } from './challenges.ts';

/** The edge's response to a request: its origin's, or one of its own. */
export type RoutingDecision = (
  | { kind: 'proxy'; routing: RoutingInfo }
  | { kind: 'redirect'; status: RedirectStatus; headers: Record<string, string> }
  | { kind: 'challenge'; keyAuthorization: string }
  | { kind: 'page'; page: PageName; hostname: string | null; brand: Brand | null; hsts: string | null }
) & {
  /** Whose usage it is, as `Site.usageNumber`; absent: nobody's. */
  usageNumber?: number;
};

/** In place of the id of a deployment, in the log: the domain has an origin of its own. */
const OWN_ORIGIN = 'domain';

const SUSPENDED = { 451: 'suspended_legally', 503: 'suspended' } as const satisfies Record<SuspensionStatus, PageName>;

/** Never rejects. */
export type RouteRequest = (
  client: Client,
  request: ClientExchange['request'],
  requestId: string,
) => Promise<RoutingDecision>;

/** The API of this process, and its name. */
export interface OwnApi {
  hostname: string;
  /** `http://host:port` */
  origin: string;
  /** Addresses at which it listens: no other is connected to. */
  networks: readonly string[];
  /** See `FORWARDED_BY_EDGE`. */
  secret: string;
}

interface Asked {
  hostname: string;
  sender: ReturnType<typeof readSender>;
  path: string;
  requestId: string;
}

interface RequestRouterOptions {
  /** Null: it has no name of its own here. */
  api: OwnApi | null;
  sites: Pick<Sites, 'find' | 'findOrigin' | 'findBrand'>;
  clock: Clock;
  challenges: Pick<Challenges, 'find'>;
  isTrusted: AddressRule;
  /** For `Via` (`viaPseudonym`). */
  installation: string;
  /** The public port of HTTPS. */
  httpsPort: number;
  warn: ThrottledWarn;
  /**
   * Whether HTTPS is served here, and not by a proxy in front: then only names with a certificate are redirected to it.
   */
  servesHttps: boolean;
}

export function createRequestRouter(options: RequestRouterOptions): RouteRequest {
  const { api, sites, clock, challenges, isTrusted, installation, httpsPort, servesHttps, warn } = options;
  const port = httpsPort === 443 ? '' : `:${httpsPort}`;

  async function route(
    client: Client,
    request: ClientExchange['request'],
    requestId: string,
  ): Promise<RoutingDecision> {
    const destination = readDestination(request);
    if (destination === null) return page('bad_request', null);
    const { hostname, path } = destination;
    // Holds whatever address the origin uses to lead back here.
    const sender = readSender(client, request.headers, isTrusted);
    if (hostname !== null && isLooping(request.rawHeaders, installation, hostname)) return loop(hostname, sender);
    // A TLS connection is for one site only (RFC 9110 section 7.4).
    if (client.serverName !== null && client.serverName !== hostname && !(await isForSite(client, hostname, sender)))
      return page('misdirected', hostname);
    if (path.startsWith(CHALLENGE_PATH)) {
      const token = path.slice(CHALLENGE_PATH.length);
      const keyAuthorization = await challenges.find(hostname, token, sender.clientAddress);
      if (keyAuthorization === 'unavailable') return page('unavailable', hostname);
      return keyAuthorization === null ? page('no_challenge', hostname) : { kind: 'challenge', keyAuthorization };
    }
    if (hostname === null) return page('unknown_host', null);
    const found = await sites.find(hostname, sender.clientAddress);
    if (found.kind !== 'site') return page(found.kind === 'unknown' ? 'unknown_host' : 'unavailable', hostname);
    const decision = await serve(found.site, { hostname, sender, path, requestId });
    decision.usageNumber = found.site.usageNumber;
    return decision;
  }

  /**
   * Browsers use a connection for further names of its certificate (RFC 9113 section 9.1.1): those that the same wildcard
   * serves. A name with a site of its own gets 421, and browsers open another connection.
   */
  async function isForSite(
    { siteName }: Client,
    hostname: string | null,
    { clientAddress }: Asked['sender'],
  ): Promise<boolean> {
    if (hostname === null || siteName === null || !isWildcard(siteName) || wildcardOf(hostname) !== siteName)
      return false;
    const found = await sites.find(hostname, clientAddress);
    return found.kind === 'site' && found.site.hostname === siteName;
  }

  async function serve(site: CachedSite, { hostname, sender, path, requestId }: Asked): Promise<RoutingDecision> {
    const { redirect: wanted, suspendedStatus, settings, workspaceId } = site;
    const hsts = hstsFor(site, sender);
    if (suspendedStatus !== null) return branded(SUSPENDED[suspendedStatus], hostname, site, hsts);
    const redirected = wanted && (await redirectTo(wanted, path, sender.clientAddress, hsts));
    if (redirected) return redirected;
    if (sender.scheme === 'http' && settings?.redirectToHttps !== false) return toHttps(hostname, site, path);
    const { domainId, environmentId, usageNumber, externalId } = site;
    const ids = { workspaceId, domainId, environmentId, usageNumber };
    if (hostname === api?.hostname) {
      const own = { origin: api.origin, deploymentId: 'api', apiSecret: api.secret, settings: null, edgeSecret: null };
      return { kind: 'proxy', routing: { ...sender, ...own, ...ids, hostname, path, requestId, hsts } };
    }
    const environment = await sites.findOrigin(environmentId);
    const deployment = deploymentOf(site, environment);
    if (deployment === null) return branded('not_deployed', hostname, site, hsts);
    const asked = environment?.settings ?? null;
    const target = {
      origin: deployment.origin,
      deploymentId: deployment.id,
      settings: asked,
      edgeSecret: secretFor(asked, clock.now()),
      ...(asked?.sendsExternalId && externalId !== undefined && { externalId }),
    };
    return { kind: 'proxy', routing: { ...sender, ...target, ...ids, hostname, path, requestId, hsts } };
  }

  /** The page for a loop, which is logged with the origin that makes it. */
  async function loop(
    hostname: string,
    sender: Pick<RoutingInfo, 'scheme' | 'clientAddress'>,
  ): Promise<RoutingDecision> {
    const found = await sites.find(hostname, sender.clientAddress);
    const site = found.kind === 'site' ? found.site : null;
    const environment = site && (await sites.findOrigin(site.environmentId).catch(() => null));
    const origin = site && deploymentOf(site, environment)?.origin;
    warn(
      'an origin leads back to this edge: deploy the address of the server itself, not a name that leads here',
      { domain: hostname, environmentId: site?.environmentId, origin },
      `loop ${hostname}`,
    );
    return site === null
      ? page('origin_loop', hostname)
      : branded('origin_loop', hostname, site, hstsFor(site, sender));
  }

  async function branded(
    name: PageName,
    hostname: string,
    { workspaceId }: CachedSite,
    hsts: string | null = null,
  ): Promise<RoutingDecision> {
    return { kind: 'page', page: name, hostname, brand: await sites.findBrand(workspaceId), hsts };
  }

  async function toHttps(hostname: string, site: CachedSite, path: string): Promise<RoutingDecision> {
    return (await withoutHttps(hostname, site)) ?? redirect(308, hostname, path);
  }

  /** Null where the redirect is about to be removed, because its destination is no longer that domain. */
  async function redirectTo(
    { hostname, domainId, status }: SiteRedirect,
    path: string,
    clientAddress: string,
    hsts: string | null,
  ): Promise<RoutingDecision | null> {
    const found = await sites.find(hostname, clientAddress);
    if (found.kind === 'unknown') return null;
    if (found.kind === 'site') {
      if (found.site.domainId !== domainId) return null;
      const page = await withoutHttps(hostname, found.site, hsts);
      if (page !== null) return page;
    }
    // Browsers would cache a permanent redirect for good. It would outlive its removal, and loop with a redirect the
    // other way.
    const field = hsts === null ? {} : { [HSTS]: hsts };
    return redirect(status, hostname, path, { 'cache-control': 'no-cache', ...field });
  }

  /** The destination cannot be redirected to: it is not served over HTTPS yet. */
  async function withoutHttps(
    hostname: string,
    site: CachedSite,
    hsts: string | null = null,
  ): Promise<RoutingDecision | null> {
    if (servesHttps && site.certificate === null) return branded('not_certified', hostname, site, hsts);
    if (servesHttps && site.certificate instanceof Error) return branded('unavailable', hostname, site, hsts);
    return null;
  }

  function redirect(status: RedirectStatus, hostname: string, path: string, headers = {}): RoutingDecision {
    const location = `https://${hostname}${port}${path === '*' ? '/' : path}`;
    return { kind: 'redirect', status, headers: { location, ...headers } };
  }

  return async (client, request, requestId) => {
    try {
      return await route(client, request, requestId);
    } catch {
      // The store is down, as the log says.
      return page('unavailable', null);
    }
  };
}

/** Browsers ignore the policy over HTTP (RFC 6797 section 7.2). */
function hstsFor({ settings }: CachedSite, { scheme }: Pick<RoutingInfo, 'scheme'>): string | null {
  return scheme === 'https' && settings?.hsts ? hstsField(settings.hsts) : null;
}

/** Where the requests for a site go: its own origin, or else its environment's deployment. */
function deploymentOf({ settings }: CachedSite, environment: Origin | null): Origin['deployment'] {
  return settings?.origin === undefined
    ? (environment?.deployment ?? null)
    : { id: OWN_ORIGIN, origin: settings.origin };
}

function page(name: PageName, hostname: string | null): RoutingDecision {
  return { kind: 'page', page: name, hostname, brand: null, hsts: null };
}
