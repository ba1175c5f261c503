import { network } from '../../access/failure-limit.ts';
import type { News } from '../../cache/change-feed.ts';
import { createKnown, type Known } from '../../cache/stale-cache.ts';
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
  routes: Known<Route>;
  origins: Known<Origin>;
  certificates: Known<ServedCertificate>;
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
  changes: Pick<News, 'onChange'>;
  clock: Clock;
  tally: Pick<Tally, 'lookup' | 'measure'>;
  report: Report;
  /** Those ask on behalf of everybody, and are not counted. */
  isProxy: AddressRule;
  unknownPerMinute: number;
  /** Most names that are remembered, each with its certificate: about 5 KB. */
  capacity?: number;
}

export function createRoutes(options: RoutesOptions): Routes {
  const { store, changes: news, clock, tally, report, capacity = 20_000 } = options;
  const strangers = countStrangers(options);
  const common = { news, clock, capacity };

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

  const routes = createKnown<Route>({
    ...common,
    read: asking('route', (hostname) => store.findRoute(hostname)),
    concerns: ({ kind, key }) => (kind === 'route' ? key : undefined),
  });
  const origins = createKnown<Origin>({
    ...common,
    read: asking('origin', (environmentId) => store.findOrigin(environmentId)),
    concerns: ({ kind, key }) => (kind === 'environment' ? key : undefined),
  });
  const certificates = createKnown<ServedCertificate>({
    ...common,
    read: asking('certificate', (hostname) => store.findServedCertificate(hostname)),
    // Announced as a route when it goes.
    concerns: ({ kind, key }) => (kind === 'certificate' || kind === 'route' ? key : undefined),
    // A TLS context was made from it. Another key is another certificate.
    same: (before, after) => before.chain === after.chain,
  });

  async function findRoute(hostname: string, clientAddress: string): Promise<Found> {
    const remembered = routes.remembered(hostname);
    if (remembered !== undefined) return found(remembered);
    if (!routes.isKnown(hostname) && strangers.isBlocked(clientAddress)) return { kind: 'refused' };
    try {
      const route = await routes.find(hostname);
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
