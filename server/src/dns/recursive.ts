import { type Clock, systemClock } from '../base/clock.ts';
import { registeredDomain } from '../domain/name.ts';
import type { Answer, NameserverAnswers, ZoneObservation } from '../domain/observation.ts';
import type { Failure } from '../domain/reading.ts';
import { askServer, failureOf, isSilent, type NamedServer, shuffled } from './ask-server.ts';
import { decidingClient } from './deciding-client.ts';
import { endLookups } from './end-lookups.ts';
import { unresolvedZone } from './first-zone.ts';
import { isWithin, normalizeName } from './protocol/dns-name.ts';
import type { DnsMessage } from './protocol/wire.ts';
import { readResolved, startChase, typesOf } from './record-answer.ts';
import { type Recursors, type RecursorsOptions, recursors } from './recursors.ts';
import type { AskNameserverOptions, QueryLimits, RecordQueries, RecordQuestion, Resolver } from './resolver.ts';
import { validator } from './validation.ts';

/** For a resolver, which may have to ask others first. */
const RESOLVER_MS = 3000;

/**
 * Asks the configured resolvers only, for networks that cannot reach nameservers: each of them plays a nameserver of every zone. Cached answers may be
 * older than the zone.
 */
export function recursiveResolver({ clock = systemClock, ...options }: RecursorsOptions & { clock?: Clock }): Resolver {
  function queriesOf(client: RecursorsOptions['client']): RecordQueries {
    const asking = { ...options, client };
    const resolvers = recursors(asking);
    return {
      ...recursiveQueries(resolvers, asking),
      validate: validator({ clock, ...asking, servers: resolvers.servers }),
    };
  }

  const deciding = queriesOf(decidingClient(options.client, clock));
  return { ...queriesOf(options.client), ...endLookups(deciding.query, { authoritative: false }), deciding };
}

function recursiveQueries(
  recursors: Recursors,
  { client, random = Math.random }: RecursorsOptions,
): Omit<RecordQueries, 'validate'> {
  const zoneOf = (apex: string): ZoneObservation => ({ ...recursors.zone, apex });

  async function findZone(name: string, options: QueryLimits): Promise<ZoneObservation> {
    const normalized = normalizeName(name);
    const found = await recursors.findApex(normalized, options);
    if (found.kind === 'apex') return zoneOf(found.apex);
    // A resolver that works answers SERVFAIL where a zone is broken.
    if (isSilent(found.reason) || found.reason === 'refused') return unresolvedZone(registeredDomain(normalized));
    return { ...recursors.zone, failure: failureOf(found) };
  }

  /** `apex`: of the zone, where the answer says it. */
  async function ask(
    server: NamedServer,
    question: RecordQuestion,
    { signal, budget, timeoutMs = RESOLVER_MS, second = false }: AskNameserverOptions,
  ): Promise<{ asked: NameserverAnswers; apex: string | null }> {
    const name = normalizeName(question.name);
    const said = (answer: Answer, apex: string | null = null) => ({
      asked: { server: server.name, address: server.address, answers: [answer] } satisfies NameserverAnswers,
      apex,
    });
    let read: ReturnType<typeof said> | null = null;
    for (const type of typesOf(question, second)) {
      if (!budget.take()) return said(unreadable('too_many_queries'));
      const sent = { recursion: true, signal, timeoutsMs: [timeoutMs], second, mayRepeat: budget.take } as const;
      const response = await askServer(client, { name, type }, server, recursors.zone, sent);
      if (response.kind === 'failed') return said(unreadable(response.reason));
      const { message } = response;
      const answer = readResolved(message, startChase(name, type, question.stopAt));
      if (read === null || answer.kind !== 'absent') read = said(answer, denyingZone(message, name));
      if (answer.kind !== 'absent' || answer.reason === 'nxdomain' || answer.chain.length > 0) break;
    }
    return read ?? said(unreadable('malformed'));
  }

  return {
    findZone,
    async query(question, options) {
      const name = normalizeName(question.name);
      const nameservers: NameserverAnswers[] = [];
      for (const server of shuffled(recursors.servers, random)) {
        const { asked, apex } = await ask(server, question, options);
        nameservers.push(asked);
        const [answer] = asked.answers;
        if (answer.kind === 'unreadable' && answer.chain.length === 0) continue;
        const zone = apex === null ? await findZone(name, options) : zoneOf(apex);
        return { name, zone, nameservers, validation: null };
      }
      return { name, zone: zoneOf(name), nameservers, validation: null };
    },
    async askNameserver(_zone, nameserver, question, options) {
      const server = recursors.servers.find(({ name }) => name === nameserver.name);
      if (server === undefined)
        return { server: nameserver.name, address: null, answers: [unreadable('no_nameserver')] };
      return (await ask(server, question, options)).asked;
    },
    ownNameservers: async () => null,
    locateNameservers: async () => [],
  };
}

/** Asks the resolvers for a record, whichever of them answers. */
export async function askResolver(
  recursors: Recursors,
  { name, type, stopAt }: RecordQuestion,
  options: QueryLimits,
): Promise<NameserverAnswers | null> {
  const recordType = type === 'ADDRESS' ? 'A' : type;
  const response = await recursors.ask({ name: normalizeName(name), type: recordType }, options);
  if (response.kind === 'failed') return null;
  const { server, message } = response;
  const answer = readResolved(message, startChase(name, recordType, stopAt));
  return { server: server.name, address: server.address, answers: [answer] };
}

/** The zone of the SOA in a negative answer. */
export function denyingZone({ answers, authorities }: DnsMessage, name: string): string | null {
  if (answers.length > 0) return null;
  return authorities.find(({ type, name: owner }) => type === 'SOA' && isWithin(name, owner))?.name ?? null;
}

function unreadable(reason: Failure): Answer {
  return { kind: 'unreadable', reason, chain: [] };
}
