import type { Clock } from '../clock.ts';
import { addressRule, networkRule } from '../net/addresses.ts';
import { endLookups } from './end-lookups.ts';
import { nameserverQueries } from './nameserver-queries.ts';
import { recordLooks } from './record-looks.ts';
import { askResolver } from './recursive-looks.ts';
import { type RecursorsOptions, recursors } from './recursors.ts';
import type { LookOptions, LookQuestion, Resolver } from './resolver.ts';
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
 * Asks the zone's own nameservers, which its parent names (docs/verification.md, "How DNS is queried"), so that no resolver's cache hides a new record.
 */
export function authoritativeResolver(options: AuthoritativeOptions): Resolver {
  const { clock, nameserverPort = 53, allowedNetworks = [], limits = NAMESERVER_LIMITS } = options;
  const { random = Math.random, triesMs = TRIES_MS } = options;
  const resolvers = recursors(options);
  const queries = nameserverQueries({ ...options, port: nameserverPort, random, limits, triesMs });
  const zones = zoneFinder({
    recursors: resolvers,
    queries,
    mayAsk: addressRule(allowedNetworks),
    isAllowedNetwork: allowedNetworks.length > 0 ? networkRule(allowedNetworks) : null,
    clock,
    random,
    onAnswer: options.onAnswer,
  });
  const looks = recordLooks(zones, queries);
  const fallbackThrottle = queryThrottle(FALLBACK_LIMITS, clock);
  /** As the resolver of a CA or a visitor would: nameservers that cannot be reached from here may be reached by others. */
  const fallback = (question: LookQuestion, zone: string, asking: LookOptions) =>
    fallbackThrottle.run(zone, asking.signal, () => askResolver(resolvers, question, asking));
  return {
    ...looks,
    ...endLookups(looks.look, { authoritative: true, fallback }),
    validate: validator({ ...options, servers: resolvers.servers }),
  };
}
