import { network } from '../../access/failure-limit.ts';
import { CACHE_BYTES } from '../../cache/cache.ts';
import type { ChangeFeed } from '../../cache/change-feed.ts';
import { createStaleCache, type StaleCache } from '../../cache/stale-cache.ts';
import type { Clock } from '../../clock.ts';
import type { AddressRule } from '../../net/addresses.ts';
import { memoryLimiter } from '../../ratelimit/limiter.ts';
import type { EdgeStore, Origin, Route, ServedCertificate } from '../../store/contract/store.ts';
import type { LookupKind, Tally } from '../shared-counters.ts';
import type { Report } from '../throttled-log.ts';

/** What the edge knows of names, environments and certificates: host → route → environment → origin. */
export interface Routes {
  /** On behalf of a client, which may ask for few names that are not ours. Never rejects. */
  findRoute(hostname: string, clientAddress: string): Promise<Found>;
  /** These reject when the store did, which has been reported. */
  routes: StaleCache<Route>;
  origins: StaleCache<Origin>;
  certificates: StaleCache<ServedCertificate>;
  /** Counts what a client asked for in vain, as names that are not ours are counted. */
  strangers: Strangers;
  /** Tells how much is remembered. */
  measure(): void;
}

export type Found = { kind: 'route'; route: Route } | { kind: 'unknown' | 'refused' | 'unavailable' };

/** Clients that ask for what is not there. Each such question costs the store a read. */
export interface Strangers {
  /** Whether the store is not asked for new names on behalf of the client, for the rest of the minute. */
  isBlocked(clientAddress: string): boolean;
  failed(clientAddress: string): void;
}

export interface RoutesOptions {
  store: Pick<EdgeStore, 'findRoute' | 'findOrigin' | 'findServedCertificate'>;
  changes: Pick<ChangeFeed, 'subscribe'>;
  clock: Clock;
  tally: Pick<Tally, 'lookup' | 'measure'>;
  report: Report;
  /** Those ask on behalf of everybody, and are not counted. */
  isProxy: AddressRule;
  unknownPerMinute: number;
  /** Most names in the caches of routes and origins, about 350 bytes each. Certificates are bounded by bytes. */
  capacity?: number;
}

export function createRoutes(options: RoutesOptions): Routes {
  const { store, changes, clock, tally, report, capacity = 20_000 } = options;
  const strangers = countStrangers(options);
  const common = { changes, clock };

  /** Counts what is asked, and reports what fails. */
  function asking<Thing>(kind: LookupKind, read: (name: string) => Promise<Thing>) {
    return async (name: string) => {
      tally.lookup(kind);
      try {
        return await read(name);
      } catch (error) {
        report(`the ${kind} could not be read from the store`, { about: name, err: error });
        throw error;
      }
    };
  }

  const routes = createStaleCache<Route>({
    ...common,
    capacity,
    read: asking('route', (hostname) => store.findRoute(hostname)),
    keyOf: ({ kind, key }) => (kind === 'route' ? key : undefined),
  });
  const origins = createStaleCache<Origin>({
    ...common,
    capacity,
    read: asking('origin', (environmentId) => store.findOrigin(environmentId)),
    keyOf: ({ kind, key }) => (kind === 'environment' ? key : undefined),
  });
  const certificates = createStaleCache<ServedCertificate>({
    ...common,
    capacity: CACHE_BYTES,
    sizeOf: ({ chain, privateKey }, hostname) => 450 + chain.length + privateKey.length + hostname.length,
    read: asking('certificate', (hostname) => store.findServedCertificate(hostname)),
    // Announced as a route when it goes.
    keyOf: ({ kind, key }) => (kind === 'certificate' || kind === 'route' ? key : undefined),
    // A TLS context was made from it. Another key is another certificate.
    isSame: (before, after) => before.chain === after.chain,
  });

  async function findRoute(hostname: string, clientAddress: string): Promise<Found> {
    const cached = routes.get(hostname);
    if (cached !== undefined) return found(cached);
    if (!routes.has(hostname) && strangers.isBlocked(clientAddress)) return { kind: 'refused' };
    try {
      const route = await routes.load(hostname);
      if (route === null) strangers.failed(clientAddress);
      return found(route);
    } catch {
      return { kind: 'unavailable' };
    }
  }

  return {
    findRoute,
    routes,
    origins,
    certificates,
    strangers,
    measure() {
      tally.measure('routes', routes.size());
      tally.measure('origins', origins.size());
      tally.measure('certificates', certificates.size());
    },
  };
}

function found(route: Route | null): Found {
  return route === null ? { kind: 'unknown' } : { kind: 'route', route };
}

const OPERATION = 'unknown';
/** Addresses counted at once: an attacker who has more than these has others to begin anew with anyway. */
const STRANGERS = 20_000;

function countStrangers({ clock, isProxy, unknownPerMinute }: RoutesOptions): Strangers {
  const limiter = memoryLimiter(clock, STRANGERS);
  const limit = { limit: unknownPerMinute, windowMs: 60_000 };
  return {
    isBlocked: (address) => !isProxy(address) && !limiter.peek(network(address), OPERATION, limit).allowed,
    failed(address) {
      if (!isProxy(address)) limiter.take(network(address), OPERATION, limit);
    },
  };
}
