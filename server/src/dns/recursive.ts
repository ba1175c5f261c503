import { type Clock, systemClock } from '../base/clock.ts';
import { decidingClient } from './deciding-client.ts';
import { endLookups } from './end-lookups.ts';
import { recursiveQueries } from './recursive-looks.ts';
import { type RecursorsOptions, recursors } from './recursors.ts';
import type { RecordQueries, Resolver } from './resolver.ts';
import { validator } from './validation.ts';

/**
 * Asks the configured resolvers only, for networks that cannot reach nameservers: each of them plays a nameserver of every zone. Cached answers may be
 * older than the zone.
 */
export function recursiveResolver({ clock = systemClock, ...options }: RecursorsOptions & { clock?: Clock }): Resolver {
  function looksOf(client: RecursorsOptions['client']): RecordQueries {
    const asking = { ...options, client };
    const resolvers = recursors(asking);
    return {
      ...recursiveQueries(resolvers, asking),
      validate: validator({ clock, ...asking, servers: resolvers.servers }),
    };
  }

  const deciding = looksOf(decidingClient(options.client, clock));
  return { ...looksOf(options.client), ...endLookups(deciding.look, { authoritative: false }), deciding };
}
