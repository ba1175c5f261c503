import { queryBudget } from '../../dns/query-budget.ts';
import type { RecordQueries, RecordQuestion } from '../../dns/resolver.ts';
import type { Domain } from '../../domain/domain.ts';
import type { Observation, Probe, RecordObservation } from '../../domain/observation.ts';
import { otherNameservers } from '../../domain/providers.ts';
import { answerMatches } from '../../domain/read-observation.ts';

/** Nameservers that only the zone itself names, and that are asked. */
const MAX_OWN = 2;
/** All queries together, with those for the addresses of the nameservers. */
const MAX_QUERIES = 24;
const TIMEOUT_MS = 1500;

/**
 * Looks for a record where nobody else does, because the parent names other nameservers: at those that the zone itself names, and at those of
 * well-known providers. Returns only what has the record.
 */
export async function askOtherServers(
  dns: RecordQueries,
  { target, ...domain }: Domain,
  { ownership, routing }: Observation,
  signal: AbortSignal,
): Promise<Probe[]> {
  const [role, seen] = domain.kind === 'apex' ? (['ownership', ownership] as const) : (['routing', routing] as const);
  const { zone, name } = seen;
  if (zone.source !== 'parent' || zone.failure !== null || !isNowhere(seen)) return [];
  const limits = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(2 * TIMEOUT_MS)]),
    budget: queryBudget(MAX_QUERIES),
  };
  const named = zone.nameservers.map((nameserver) => nameserver.name);
  const own = (zone.ownNameservers ?? []).filter((server) => !named.includes(server)).slice(0, MAX_OWN);
  const servers = await dns.locateNameservers([...own, ...otherNameservers([...named, ...own])], limits);
  const type = role === 'ownership' ? 'TXT' : 'A';
  const question: RecordQuestion = { name, type, ...(role === 'routing' && { stopAt: target }) };
  const asked = servers
    .filter(({ addresses }) => addresses.length > 0)
    .map(async (server): Promise<Probe[]> => {
      const { answers } = await dns.askNameserver(zone, server, question, { ...limits, timeoutMs: TIMEOUT_MS });
      const [answer] = answers;
      if (!answerMatches({ ...domain, target }, role, answer)) return [];
      return [{ purpose: 'other_server', record: role, name, type, answer, server: server.name }];
    });
  return (await Promise.all(asked)).flat();
}

/** Whether no nameserver has anything at the name, as far as they know the zone at all. */
function isNowhere({ nameservers }: RecordObservation): boolean {
  return nameservers.every(({ answers: [{ kind, chain, ...answer }] }) => {
    if (chain.length > 0 || kind === 'found') return false;
    return kind === 'absent' || ('reason' in answer && ['refused', 'lame', 'servfail'].includes(answer.reason));
  });
}
