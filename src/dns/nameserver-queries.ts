import type { Clock } from '../clock.ts';
import type { ZoneObservation } from '../domain/observation.ts';
import { type AnswerKind, answerCounter } from './answer-metrics.ts';
import {
  askServer,
  type DnsAnswer,
  type FailedQuery,
  failed,
  moveToEnd,
  type NamedServer,
  shuffled,
} from './ask-server.ts';
import type { Question } from './protocol/wire.ts';
import { isLame } from './referral.ts';
import type { LookOptions } from './resolver.ts';
import { silentServers } from './silent-servers.ts';
import type { DnsClient } from './transport/dns-client.ts';
import { queryThrottle, type ThrottleLimits } from './transport/query-throttle.ts';

/** Asks the nameservers of zones. Never rejects. */
export interface NameserverQueries {
  /** Sends one query to one address of a nameserver of the zone. */
  ask(question: Question, server: NamedServer, apex: string, options: AskOptions): Promise<DnsAnswer | FailedQuery>;
  /** Asks one nameserver of the zone after the other until one answers, three at most, and those that timed out once more. */
  askZone(zone: ZoneObservation, question: Question, options: AskZoneOptions): Promise<ZoneResult>;
  /** The addresses of one nameserver in the order in which they are worth asking. */
  inOrder(addresses: readonly string[]): string[];
  port: number;
}

export interface AskOptions extends LookOptions {
  timeoutMs: number;
  newPort?: boolean;
}

export interface AskZoneOptions extends LookOptions {
  /** The address of a server that is asked after all others. */
  last?: string | undefined;
}

/** `failures`: of the servers that were asked before; of all, where `answer` is null. */
export interface ZoneResult {
  answer: DnsAnswer | null;
  failures: ServerFailure[];
}

export interface ServerFailure {
  server: NamedServer;
  reason: FailedQuery['reason'];
}

interface NameserverQueriesOptions {
  client: DnsClient;
  clock: Clock;
  /** Port of nameservers. */
  port: number;
  /** Yields numbers in [0, 1). */
  random: () => number;
  /** For each address of a nameserver. */
  limits: ThrottleLimits;
  /** The timeout of each try. */
  triesMs: readonly number[];
  /** Called with the kind of each answer, for counting. */
  onAnswer?: ((kind: AnswerKind) => void) | undefined;
}

/** Most servers of a zone that are asked one question, not counting unreachable ones. */
const MAX_ASKED = 3;

export function nameserverQueries(options: NameserverQueriesOptions): NameserverQueries {
  const { client, clock, port, random, limits, triesMs } = options;
  const throttle = queryThrottle(limits, clock);
  const silent = silentServers(clock);
  const count = answerCounter(options.onAnswer);

  async function ask(
    question: Question,
    server: NamedServer,
    apex: string,
    { signal, budget, timeoutMs, newPort = false }: AskOptions,
  ): Promise<DnsAnswer | FailedQuery> {
    if (!budget.take()) return { kind: 'failed', reason: 'too_many_queries' };
    const sent = { recursion: false, signal, timeoutsMs: [timeoutMs], newPort };
    const answer = await throttle.run(server.address, signal, () => askServer(client, question, server, sent));
    if (answer === null) return failed('overloaded', server);
    const answered = answer.kind === 'answer' || (answer.reason !== 'timeout' && answer.reason !== 'unreachable');
    if (answered || !signal.aborted) silent.note(server.address, answered);
    const lame = answer.kind === 'answer' && isLame(answer.response, apex, question.name);
    const result = lame ? failed('lame', server) : answer;
    count(result);
    return result;
  }

  /** In random order, one address of each nameserver first. Full servers come later, and silent ones last. */
  function serversOf({ nameservers }: ZoneObservation): NamedServer[] {
    const lists = shuffled(nameservers, random).map(({ name, addresses }) =>
      shuffled(addresses, random).map((address) => ({ name, address, port })),
    );
    const longest = Math.max(0, ...lists.map((list) => list.length));
    const servers = Array.from({ length: longest }, (_, round) => lists.flatMap((list) => list[round] ?? [])).flat();
    const fullLast = moveToEnd(servers, ({ address }) => throttle.isFull(address));
    return moveToEnd(fullLast, ({ address }) => silent.has(address));
  }

  return {
    ask,
    async askZone(zone, question, options) {
      const failures = new Map<string, ServerFailure>();
      const wereSilent = new Set<string>();
      let candidates = moveToEnd(serversOf(zone), ({ address }) => address === options.last);
      for (const timeoutMs of triesMs) {
        const again: NamedServer[] = [];
        let asked = 0;
        for (const server of candidates) {
          if (asked === MAX_ASKED) break;
          // One try is enough for a server that has been silent before.
          if (silent.has(server.address)) wereSilent.add(server.address);
          const result = await ask(question, server, zone.apex, { ...options, timeoutMs });
          if (result.kind === 'answer') {
            failures.delete(server.address);
            return { answer: result, failures: [...failures.values()] };
          }
          failures.set(server.address, { server, reason: result.reason });
          if (result.reason === 'too_many_queries') return { answer: null, failures: [...failures.values()] };
          if (result.reason !== 'unreachable') asked++;
          if (result.reason === 'timeout' && !wereSilent.has(server.address)) again.push(server);
        }
        candidates = again;
      }
      return { answer: null, failures: [...failures.values()] };
    },
    inOrder: (addresses) => [
      ...addresses.filter((address) => !silent.has(address)),
      ...addresses.filter((address) => silent.has(address)),
    ],
    port,
  };
}

/** The failure that says most: a response rather than a timeout, then the first server by name, in whichever order they were asked. */
export function worstFailure(failures: readonly ServerFailure[]): ServerFailure | null {
  const rank = ({ reason, server }: ServerFailure) =>
    `${['timeout', 'unreachable', 'too_many_queries'].indexOf(reason) + 1} ${server.name}`;
  return failures.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))[0] ?? null;
}
