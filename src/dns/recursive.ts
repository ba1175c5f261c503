import { isWithin } from './protocol/dns-name.ts';
import type { DnsMessage } from './protocol/wire.ts';
import { type Ask, recordLookups } from './record-lookups.ts';
import { type RecursorsOptions, recursors } from './recursors.ts';
import type { Resolver } from './resolver.ts';

/**
 * Asks the configured resolvers only, for networks that cannot reach nameservers. Cached answers may be older than the
 * zone. A confirmation comes from another resolver where there is one.
 */
export function recursiveResolver(options: RecursorsOptions): Resolver {
  const servers = recursors(options);

  const ask: Ask = async (question, options) => {
    const answer = await servers.ask(question, options);
    if (answer.kind === 'failed') return answer;
    const denying = denyingZone(answer.response, question.name);
    if (denying !== null) return { ...answer, zone: denying };
    const found = await servers.findApex(question.name, options);
    return found.kind === 'failed' ? found : { ...answer, zone: found.apex };
  };
  return recordLookups(ask);
}

/** The zone of the SOA in a negative answer. */
function denyingZone({ answers, authorities }: DnsMessage, name: string): string | null {
  if (answers.length > 0) return null;
  return authorities.find(({ type, name: owner }) => type === 'SOA' && isWithin(name, owner))?.name ?? null;
}
