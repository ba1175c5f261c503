import { type Clock, systemClock } from '../clock.ts';
import { endLookups } from './end-lookups.ts';
import { recursiveLooks } from './recursive-looks.ts';
import { type RecursorsOptions, recursors } from './recursors.ts';
import type { Resolver } from './resolver.ts';
import { validator } from './validation.ts';

/**
 * Asks the configured resolvers only, for networks that cannot reach nameservers: each of them plays a nameserver of every zone. Cached answers may be
 * older than the zone.
 */
export function recursiveResolver(options: RecursorsOptions & { clock?: Clock }): Resolver {
  const resolvers = recursors(options);
  const looks = recursiveLooks(resolvers, options);
  return {
    ...looks,
    ...endLookups(looks.look, { authoritative: false }),
    validate: validator({ clock: systemClock, ...options, servers: resolvers.servers }),
  };
}
