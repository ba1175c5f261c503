import type { Clock } from '../base/clock.ts';
import { addressRule, networkRule } from '../net/addresses.ts';
import { decidingClient } from './deciding-client.ts';
import { endLookups } from './end-lookups.ts';
import { firstZones } from './first-zone.ts';
import { nameserverLocator } from './nameserver-addresses.ts';
import { nameserverQueries } from './nameserver-queries.ts';
import { recordQueries } from './record-queries.ts';
import { askResolver } from './recursive.ts';
import { type RecursorsOptions, recursors } from './recursors.ts';
import type { QueryLimits, RecordQueries, RecordQuestion, Resolver } from './resolver.ts';
import { silentServers } from './silent-servers.ts';
import type { QueryClient } from './transport/dns-client.ts';
import { queryThrottle, type ThrottleLimits } from './transport/query-throttle.ts';
import { validator } from './validation.ts';
import { zoneFinder } from './zone-finder.ts';

/** `resolvers`: say what public suffixes there are, find nameservers without glue, and validate. */
export interface AuthoritativeOptions extends RecursorsOptions {
  clock: Clock;
  /** Port of nameservers; 53 unless given. */
  nameserverPort?: number;
  /** Networks (CIDR) in which nameservers may be asked although the addresses are special. */
  allowedNetworks?: readonly string[];
  /** For each address of a nameserver. */
  limits?: ThrottleLimits;
}

const NAMESERVER_LIMITS: ThrottleLimits = { inFlight: 100, perSecond: 1000 };
/** For each zone. A zone that does not respond occupies the resolvers longest, and must not occupy them for all others. */
const FALLBACK_LIMITS: ThrottleLimits = { inFlight: 10, perSecond: 100 };

/** Two tries of three silent nameservers leave time for others, within the 10 s of a check. */
const TRIES_MS = [800, 1600] as const;

/**
 * Asks the zone's own nameservers, which its parent names (docs/guides/verification.md, "How DNS is queried"), so that no resolver's cache hides a new record.
 */
export function authoritativeResolver(options: AuthoritativeOptions): Resolver {
  const { clock, nameserverPort = 53, allowedNetworks = [], limits = NAMESERVER_LIMITS } = options;
  const { client, random = Math.random, triesMs = TRIES_MS } = options;
  const sure = decidingClient(client, clock);
  // Their answers about suffixes and nameservers are cached, and may decide something later.
  const resolvers = recursors({ ...options, client: sure });
  const isAllowedNetwork = allowedNetworks.length > 0 ? networkRule(allowedNetworks) : null;
  const locate = nameserverLocator({ recursors: resolvers, mayAsk: addressRule(allowedNetworks), random, clock });
  const first = firstZones({
    recursors: resolvers,
    locate,
    isAllowedNetwork,
    random,
    clock,
    onAnswer: options.onAnswer,
  });
  const shared = { random, throttle: queryThrottle(limits, clock), silent: silentServers(clock) };

  const locateNameservers: RecordQueries['locateNameservers'] = async (names, asking) => {
    const set = { nameservers: names.map((name) => ({ name, glue: [] })), unasked: [], ttl: 0 };
    return (await locate(set, asking)).nameservers;
  };

  function queriesOf(by: QueryClient, decides: boolean): RecordQueries {
    const queries = nameserverQueries({ ...options, ...shared, client: by, port: nameserverPort, triesMs });
    const zones = zoneFinder({ first, locate, queries, decides, clock, random });
    const validate = validator({ ...options, client: by, servers: resolvers.servers });
    return { ...recordQueries(zones, queries), locateNameservers, validate };
  }

  const deciding = queriesOf(sure, true);
  const fallbackThrottle = queryThrottle(FALLBACK_LIMITS, clock);
  /** As the resolver of a CA or a visitor would: nameservers that cannot be reached from here may be reached by others. */
  const fallback = (question: RecordQuestion, zone: string, asking: QueryLimits) =>
    fallbackThrottle.run(zone, asking.signal, () => askResolver(resolvers, question, asking));
  return {
    ...queriesOf(client, false),
    ...endLookups(deciding.query, { authoritative: true, fallback }),
    deciding,
  };
}
