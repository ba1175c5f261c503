import { type Clock, systemClock } from '../clock.ts';
import { endLookups } from './end-lookups.ts';
import { type Ask, recordLookups } from './record-lookups.ts';
import { denyingZone, recursiveLooks } from './recursive-looks.ts';
import { type RecursorsOptions, recursors } from './recursors.ts';
import type { Resolver } from './resolver.ts';
import { validator } from './validation.ts';

/**
 * Asks the configured resolvers only, for networks that cannot reach nameservers. Cached answers may be older than the
 * zone. A confirmation comes from another resolver where there is one.
 */
export function recursiveResolver(options: RecursorsOptions & { clock?: Clock }): Resolver {
  const servers = recursors(options);

  const ask: Ask = async (question, options) => {
    const answer = await servers.ask(question, options);
    if (answer.kind === 'failed') return answer;
    const denying = denyingZone(answer.response, question.name);
    if (denying !== null) return { ...answer, zone: denying };
    const found = await servers.findApex(question.name, options);
    return found.kind === 'failed' ? found : { ...answer, zone: found.apex };
  };
  const validate = validator({ clock: systemClock, ...options, servers: servers.servers });
  const looks = recursiveLooks(servers, options);
  return { ...recordLookups(ask), ...looks, ...endLookups(looks.look, { authoritative: false }), validate };
}
