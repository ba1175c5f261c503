import { queryBudget } from '../../dns/query-budget.ts';
import type { RecordQueries, RecordQuestion } from '../../dns/resolver.ts';
import type { Domain } from '../../domain/domain.ts';
import type { NameserverAnswers, Probe, RecordObservation } from '../../domain/observation.ts';
import { otherNameservers } from '../../domain/providers.ts';
import { answerMatches } from '../../domain/read-observation.ts';
import type { RecordRole } from '../../domain/reading.ts';

/** Nameservers that only the zone itself names, and that are asked. */
const MAX_OWN = 2;
/** All queries together, with those for the addresses of the nameservers. */
const MAX_QUERIES = 24;
const TIMEOUT_MS = 1500;

/**
 * Looks for a record that is nowhere at nameservers that the parent does not name: those that the zone itself names, and those of well-known providers.
 * Returns where it is.
 */
export async function askOtherServers(
  dns: RecordQueries,
  { domain, role, question }: { domain: Domain; role: RecordRole; question: RecordQuestion },
  { zone, nameservers }: RecordObservation,
  signal: AbortSignal,
): Promise<Probe[]> {
  if (zone.source !== 'parent' || zone.failure !== null || !nameservers.every(isWithout)) return [];
  const limits = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(2 * TIMEOUT_MS)]),
    budget: queryBudget(MAX_QUERIES),
  };
  const named = zone.nameservers.map(({ name }) => name);
  const own = (zone.ownNameservers ?? []).filter((server) => !named.includes(server)).slice(0, MAX_OWN);
  const servers = await dns.locateNameservers([...own, ...otherNameservers([...named, ...own])], limits);
  const asked = servers
    .filter(({ addresses }) => addresses.length > 0)
    .map((server) => dns.askNameserver(zone, server, question, { ...limits, timeoutMs: TIMEOUT_MS }));
  const probe = {
    purpose: 'other_server',
    record: role,
    name: question.name,
    type: role === 'routing' ? 'A' : 'TXT',
  } as const;
  return (await Promise.all(asked)).flatMap(({ server, answers: [answer] }) =>
    answerMatches(domain, role, answer) ? [{ ...probe, answer, server }] : [],
  );
}

/** Whether a nameserver has nothing at the name, or does not know the zone. */
function isWithout({ answers: [answer] }: NameserverAnswers): boolean {
  if (answer.chain.length > 0 || answer.kind === 'found') return false;
  return answer.kind === 'absent' || ['refused', 'lame', 'servfail'].includes(answer.reason);
}
