import { memoryLimiter } from '../../access/ratelimit/limiter.ts';
import { clientNetwork } from '../../base/client-network.ts';
import type { Clock } from '../../base/clock.ts';
import type { ThrottledWarn } from '../../base/throttled-log.ts';
import type { Brand } from '../../domain/brand.ts';
import type { TlsVersion } from '../../domain/site-settings.ts';
import { wildcardOf } from '../../domain/wildcard.ts';
import type { AddressRule } from '../../net/addresses.ts';
import { CACHE_BYTES } from '../../store/cache/cache.ts';
import type { ChangeFeed } from '../../store/cache/change-feed.ts';
import type { EdgeStore, Origin, ServedCertificate, Site } from '../../store/store.ts';
import type { EdgeMetrics, HandshakeOutcome, LookupKind } from '../edge-metrics.ts';
import type { ServedLookup } from './edge-cache.ts';
import { originSize, type ServedSite } from './record-served.ts';
import { createStaleCache, type StaleCache, type StaleValue } from './stale-cache.ts';

/**
 * The sites that the edge serves, cached: host name → environment and certificate, environment → origin. A name without a
 * site of its own has that of the wildcard above it.
 */
export interface Sites {
  /** Finds a site on behalf of a client, whose unknown names are limited. Never rejects. */
  find(hostname: string, clientAddress: string): Promise<SiteLookup>;
  /**
   * Finds a site for its certificate, as `find` does. A site without a usable one is read again: the CA's challenge
   * caches it just before the certificate is issued, and a key that is missing may be added, which changes no row.
   */
  findCertified(hostname: string, clientAddress: string): Promise<SiteLookup>;
  /**
   * The certificate for a TLS handshake. Never rejects. One of the domain's own is served when it has expired: browsers
   * explain best what is wrong with it. An inherited one is not.
   */
  certificateFor(serverName: string, clientAddress: string): Promise<CertificateLookup>;
  /** Rejects with `StoreUnavailable` when the store is down and the environment is not cached. */
  findOrigin(environmentId: string): Promise<Origin | null>;
  /** The brand of a workspace for a page, null also while the store is down. Never rejects. */
  findBrand(workspaceId: string): Promise<Brand | null>;
  /** By host name. */
  cache: Pick<StaleCache<CachedSite>, 'load' | 'get'>;
  unknownNames: UnknownNameLimiter;
  /** Cached host names, the most recently served first. */
  recentNames(): string[];
  /** Entries in the caches. */
  counts(): { sites: number; origins: number };
}

/** Its origin is cached by environment, since a new deployment changes it for all names of the environment at once. */
export interface CachedSite extends Omit<Site, 'origin'> {
  /**
   * When the site may be read again (Unix ms), without waiting for a change of it: once it has no usable certificate.
   * Null: it has one of its own.
   */
  recheckAt: number | null;
}

/**
 * `refused`: the client has asked for too many unknown names. `unavailable`: the store is down, and the name is not
 * cached.
 */
export type SiteLookup = { kind: 'site'; site: CachedSite } | { kind: 'unknown' | 'refused' | 'unavailable' };

export type CertificateLookup =
  | ({ kind: 'certificate'; certificate: ServedCertificate; minTlsVersion: TlsVersion } & Pick<
      CachedSite,
      'hostname' | 'domainId'
    >)
  | { kind: 'none'; outcome: Extract<HandshakeOutcome, 'unknown_name' | 'not_certified' | 'unavailable' | 'refused'> };

/** Limits the names and challenges that a client asks for and that do not exist: each costs the store a read. */
export interface UnknownNameLimiter {
  /** Whether the client's limit is reached, for the rest of the minute. */
  isLimited(clientAddress: string): boolean;
  count(clientAddress: string): void;
}

export interface SitesOptions {
  store: Pick<EdgeStore, 'findSite' | 'findOperatorSite' | 'findOrigin' | 'findBrand'>;
  /** The API's own name, which belongs to no domain. */
  apiHostname?: string | undefined;
  /** For names that are not cached while the store is down; none unless given. */
  served?: ServedLookup | null | undefined;
  changes: Pick<ChangeFeed, 'subscribe'>;
  clock: Clock;
  metrics: Pick<EdgeMetrics, 'lookup'>;
  warn: ThrottledWarn;
  /** Whether the client is a proxy, which asks on behalf of everybody and is not limited. */
  isProxy: AddressRule;
  unknownPerMinute: number;
}

export function createSites(options: SitesOptions): Sites {
  const { store, apiHostname, served, changes, clock, metrics, warn } = options;
  const unknownNames = createUnknownNameLimiter(options);

  async function read<T>(kind: LookupKind, find: () => Promise<T>, key: string): Promise<T> {
    metrics.lookup(kind);
    try {
      return await find();
    } catch (error) {
      warn(`the ${kind} could not be read from the store`, { about: key, err: error });
      throw error;
    }
  }

  const origins = createStaleCache<Origin>({
    changes,
    clock,
    capacity: ORIGINS,
    sizeOf: originSize,
    read: (environmentId) => read('origin', () => store.findOrigin(environmentId), environmentId),
    fallback: served?.findOrigin,
    keyOf: ({ kind, key }) => (kind === 'environment' ? key : undefined),
  });
  // No page waits longer for its brand than for a stale entry.
  const brands = createStaleCache<Brand>({
    changes,
    clock,
    capacity: BRAND_BYTES,
    sizeOf: ({ logo = '' }) => 500 + logo.length,
    timeoutMs: BRAND_TIMEOUT_MS,
    read: (workspaceId) => read('brand', () => store.findBrand(workspaceId), workspaceId),
    keyOf: ({ kind, key }) => (kind === 'workspace' ? key : undefined),
  });
  const cache = createStaleCache<CachedSite>({
    changes,
    clock,
    capacity: CACHE_BYTES,
    sizeOf: bytesOf,
    read: readSite,
    // Random names below a wildcard share its entry, and cost neither memory nor reads.
    parents: { parentOf: wildcardAbove, keyOfValue: ({ hostname }) => hostname, covers: isServedByWildcard },
    fallback: served == null ? undefined : (hostname) => findServed(served, hostname),
    keyOf({ kind, key }) {
      if (kind === 'workspace') return ({ workspaceId }) => workspaceId === key;
      return kind === 'certificate' || kind === 'route' ? key : undefined;
    },
  });

  /** The API's own name is nobody else's, whatever wildcard is above it. */
  function wildcardAbove(hostname: string): string | null {
    return hostname === apiHostname ? null : wildcardOf(hostname);
  }

  async function findServed(from: ServedLookup, hostname: string): Promise<StaleValue<CachedSite> | undefined> {
    const own = servedSite(await from.findSite(hostname));
    const wildcard = wildcardAbove(hostname);
    if (own !== undefined || wildcard === null) return own;
    const above = servedSite(await from.findSite(wildcard));
    return above?.value != null && isServedByWildcard(above.value, hostname) ? above : undefined;
  }

  /** One round trip brings the origin too. */
  async function readSite(hostname: string): Promise<CachedSite | null> {
    const addOrigin = origins.preload();
    const findSite = hostname === apiHostname ? store.findOperatorSite : store.findSite;
    const found = await read('site', () => findSite(hostname), hostname);
    if (found === null) return null;
    const { origin, ...site } = found;
    addOrigin(site.environmentId, origin);
    if (!(site.certificate instanceof Error)) return { ...site, recheckAt: recheckAtOf(site.certificate) };
    warn('a certificate cannot be used', { domain: site.hostname, err: site.certificate });
    const before = cache.peek(site.hostname);
    const certificate = before?.domainId === site.domainId ? before.certificate : site.certificate;
    return { ...site, certificate, recheckAt: 0 };
  }

  function lookupOf(site: CachedSite | null): SiteLookup {
    if (site === null) return { kind: 'unknown' };
    return { kind: 'site', site: isOver(site.certificate, clock.now()) ? { ...site, certificate: null } : site };
  }

  async function find(hostname: string, clientAddress: string): Promise<SiteLookup> {
    const cached = cache.get(hostname);
    if (cached !== undefined) return lookupOf(cached);
    if (cache.peek(hostname) === undefined && unknownNames.isLimited(clientAddress)) return { kind: 'refused' };
    try {
      const site = await cache.load(hostname);
      if (site === null || !isCovered(site, hostname)) unknownNames.count(clientAddress);
      return lookupOf(site);
    } catch {
      return { kind: 'unavailable' };
    }
  }

  async function findCertified(hostname: string, clientAddress: string): Promise<SiteLookup> {
    const cached = cache.get(hostname);
    if (cached?.recheckAt == null || cached.recheckAt > clock.now()) return find(hostname, clientAddress);
    const site = await cache.reload(cached.hostname).catch(() => cached);
    for (const seen of [cached, site]) if (seen?.recheckAt != null) seen.recheckAt = clock.now() + RECHECK_MS;
    return lookupOf(site);
  }

  return {
    find,
    findCertified,
    async certificateFor(serverName, clientAddress) {
      const found = await findCertified(serverName, clientAddress);
      if (found.kind !== 'site')
        return { kind: 'none', outcome: found.kind === 'unknown' ? 'unknown_name' : found.kind };
      const { hostname, certificate, domainId, settings } = found.site;
      if (certificate === null) return { kind: 'none', outcome: 'not_certified' };
      if (certificate instanceof Error) return { kind: 'none', outcome: 'unavailable' };
      return { kind: 'certificate', hostname, certificate, domainId, minTlsVersion: settings?.minTlsVersion ?? '1.2' };
    },
    findOrigin: origins.load,
    findBrand: (workspaceId) => brands.load(workspaceId).catch(() => null),
    cache,
    unknownNames,
    recentNames: cache.keys,
    counts: () => ({ sites: cache.size(), origins: origins.size() }),
  };
}

function isServedByWildcard({ exceptions }: CachedSite, hostname: string): boolean {
  return exceptions != null && !exceptions.has(hostname);
}

/** Whether another new name of the site costs no read of the store. */
function isCovered(site: CachedSite, hostname: string): boolean {
  return site.hostname === hostname || site.exceptions !== null;
}

/** Its origin is looked up in the same way. */
function servedSite(found: StaleValue<ServedSite> | undefined): StaleValue<CachedSite> | undefined {
  if (found?.value == null) return undefined;
  return { until: found.until, value: { ...found.value, recheckAt: recheckAtOf(found.value.certificate) } };
}

function isUsable(certificate: Site['certificate']): certificate is ServedCertificate {
  return certificate !== null && !(certificate instanceof Error);
}

function recheckAtOf(certificate: Site['certificate']): number | null {
  if (!isUsable(certificate)) return 0;
  return certificate.inherited ? certificate.notAfter : null;
}

/** Whether it was served for another domain until now, and has expired. */
function isOver(certificate: Site['certificate'], now: number): boolean {
  return isUsable(certificate) && certificate.inherited && certificate.notAfter <= now;
}

/** A site without a usable certificate is read again at the first handshake for it, then after this time. */
const RECHECK_MS = 10_000;

/** Origins cached that have no certificates, about 350 bytes each. */
const ORIGINS = 20_000;
/** Some hundred brands with the largest logo. */
const BRAND_BYTES = 16 * 1024 * 1024;
const BRAND_TIMEOUT_MS = 250;

function bytesOf({ hostname, certificate, externalId = '', exceptions }: CachedSite): number {
  const texts = hostname.length + 2 * externalId.length + 100 * (exceptions?.size ?? 0);
  return 800 + texts + (isUsable(certificate) ? certificate.chain.length + certificate.privateKey.length : 0);
}

const OPERATION = 'unknown';
/** Addresses counted at once: an attacker who has more could start over with new ones anyway. */
const ADDRESSES = 20_000;

function createUnknownNameLimiter({ clock, isProxy, unknownPerMinute }: SitesOptions): UnknownNameLimiter {
  const limiter = memoryLimiter(clock, ADDRESSES);
  const limit = { limit: unknownPerMinute, windowMs: 60_000 };
  return {
    isLimited: (address) => !isProxy(address) && !limiter.peek(clientNetwork(address), OPERATION, limit).allowed,
    count(address) {
      if (!isProxy(address)) limiter.take(clientNetwork(address), OPERATION, limit);
    },
  };
}
