import { registryDelegation } from '../domain/name.ts';
import type { Answer, ZoneNameserver, ZoneObservation } from '../domain/observation.ts';
import { askServer, isSilent, type NamedServer, shuffled } from './ask-server.ts';
import { unresolvedZone } from './first-zone.ts';
import { isWithin, normalizeName } from './protocol/dns-name.ts';
import type { DnsMessage, RecordType } from './protocol/wire.ts';
import { type Chase, readAnswer, startChase } from './record-answer.ts';
import type { Recursors, RecursorsOptions } from './recursors.ts';
import type { AskNameserverOptions, Look, QueryLimits, RecordQueries, RecordQuestion } from './resolver.ts';

/** For a resolver, which may have to ask others first. */
const LOOK_MS = 3000;

/** Looks at records through the resolvers: each of them plays a nameserver of every zone. */
export function recursiveQueries(
  recursors: Recursors,
  { client, random = Math.random }: RecursorsOptions,
): Omit<RecordQueries, 'validate'> {
  const nameservers: ZoneNameserver[] = recursors.servers.map(({ address }) => ({
    name: address,
    addresses: [address],
  }));

  function zoneOf(apex: string): ZoneObservation {
    return { apex, source: 'resolvers', nameservers, ownNameservers: null, failure: null };
  }

  async function findZone(name: string, options: QueryLimits): Promise<ZoneObservation> {
    const normalized = normalizeName(name);
    const found = await recursors.findApex(normalized, options);
    if (found.kind === 'apex') return zoneOf(found.apex);
    const { reason, server } = found;
    // A resolver that works answers SERVFAIL where a zone is broken.
    if (isSilent(reason) || reason === 'refused')
      return unresolvedZone(registryDelegation(normalized)?.domain ?? normalized);
    const failure = { kind: 'unreadable', reason, ...(server === undefined ? {} : { server }) } as const;
    return { ...zoneOf('.'), failure };
  }

  /** `apex`: of the zone, where the answer says it. */
  async function ask(
    server: NamedServer,
    question: RecordQuestion,
    { signal, budget, timeoutMs = LOOK_MS, second = false }: AskNameserverOptions,
  ): Promise<{ look: Look; apex: string | null }> {
    const name = normalizeName(question.name);
    const look = { server: server.name, address: server.address };
    let read: { answer: Answer; apex: string | null } | null = null;
    for (const type of typesOf(question, second)) {
      if (!budget.take()) return { look: { ...look, answer: unreadable('too_many_queries') }, apex: null };
      const sent = { recursion: true, signal, timeoutsMs: [timeoutMs], second, mayRepeat: budget.take } as const;
      const result = await askServer(client, { name, type }, server, sent);
      if (result.kind === 'failed') return { look: { ...look, answer: unreadable(result.reason) }, apex: null };
      const { response } = result;
      const answer = readResponse(response, startChase(name, type, question.stopAt));
      if (read === null || answer.kind !== 'absent') read = { answer, apex: denyingZone(response, name) };
      if (answer.kind !== 'absent' || answer.reason === 'nxdomain' || answer.chain.length > 0) break;
    }
    return { look: { ...look, answer: read?.answer ?? unreadable('malformed') }, apex: read?.apex ?? null };
  }

  return {
    findZone,
    async look(question, options) {
      const looks: Look[] = [];
      for (const server of shuffled(recursors.servers, random)) {
        const { look, apex } = await ask(server, question, options);
        looks.push(look);
        if (look.answer.kind === 'unreadable' && look.answer.chain.length === 0) continue;
        return { zone: apex === null ? await findZone(question.name, options) : zoneOf(apex), looks };
      }
      return { zone: zoneOf(normalizeName(question.name)), looks };
    },
    async askNameserver(_zone, nameserver, question, options) {
      const server = recursors.servers.find(({ name }) => name === nameserver.name);
      if (server === undefined) return { server: nameserver.name, address: null, answer: unreadable('no_nameserver') };
      return (await ask(server, question, options)).look;
    },
    ownNameservers: async () => null,
  };
}

/** One look through the resolvers, at whichever of them answers. */
export async function askResolver(
  recursors: Recursors,
  { name, type, stopAt }: RecordQuestion,
  options: QueryLimits,
): Promise<Look | null> {
  const recordType = type === 'ADDRESS' ? 'A' : type;
  const result = await recursors.ask({ name: normalizeName(name), type: recordType }, options);
  if (result.kind === 'failed') return null;
  const { server, address } = result.by;
  return { server, address, answer: readResponse(result.response, startChase(name, recordType, stopAt)) };
}

/** Where a resolver has not followed a chain to its end, its end is missing. */
function readResponse(response: DnsMessage, chase: Chase): Answer {
  const reason = response.rcode === 'nxdomain' ? 'nxdomain' : 'nodata';
  return readAnswer(response, chase, null) ?? { kind: 'absent', reason, chain: chase.chain };
}

/** The zone of the SOA in a negative answer. */
export function denyingZone({ answers, authorities }: DnsMessage, name: string): string | null {
  if (answers.length > 0) return null;
  return authorities.find(({ type, name: owner }) => type === 'SOA' && isWithin(name, owner))?.name ?? null;
}

function typesOf({ type }: RecordQuestion, second: boolean): readonly RecordType[] {
  if (type !== 'ADDRESS') return [type];
  return second ? ['AAAA', 'A'] : ['A', 'AAAA'];
}

function unreadable(reason: Extract<Answer, { kind: 'unreadable' }>['reason']): Answer {
  return { kind: 'unreadable', reason, chain: [] };
}
