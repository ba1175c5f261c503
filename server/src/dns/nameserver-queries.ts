import type { ZoneObservation } from '../domain/observation.ts';
import { type AnswerKind, answerCounter } from './answer-metrics.ts';
import {
  askServer,
  askServers,
  failed,
  isSilent,
  moveToEnd,
  type NamedServer,
  type ServerResponse,
  shuffled,
} from './ask-server.ts';
import type { Question } from './protocol/wire.ts';
import { isLame } from './referral.ts';
import type { QueryLimits } from './resolver.ts';
import type { SilentServers } from './silent-servers.ts';
import type { QueryClient } from './transport/dns-client.ts';
import type { QueryThrottle } from './transport/query-throttle.ts';

/** Asks the nameservers of zones. Never rejects. */
export interface NameserverQueries {
  /** Sends one query to one address of a nameserver of the zone. */
  ask(question: Question, server: NamedServer, zone: ZoneObservation, options: AskOptions): Promise<ServerResponse>;
  /** Asks one nameserver of the zone after the other until one answers, three at most, and those that timed out once more. */
  askZone(zone: ZoneObservation, question: Question, options: AskZoneOptions): Promise<ServerResponse>;
  /** The addresses of one nameserver in the order in which they are worth asking. */
  inOrder(addresses: readonly string[]): string[];
  port: number;
}

export interface AskOptions extends QueryLimits {
  timeoutMs: number;
  /** The nameserver is a registry's. */
  registry?: boolean;
  second?: boolean;
}

export interface AskZoneOptions extends QueryLimits {
  registry?: boolean;
  /** The address of a server that is asked after all others. */
  last?: string | undefined;
}

interface NameserverQueriesOptions {
  client: QueryClient;
  /** Port of nameservers. */
  port: number;
  /** Yields numbers in [0, 1). */
  random: () => number;
  /** Limits queries to each address of a nameserver. */
  throttle: QueryThrottle;
  silent: SilentServers;
  /** The timeout of each try. */
  triesMs: readonly number[];
  /** Called with the kind of each answer, for counting. */
  onAnswer?: ((kind: AnswerKind) => void) | undefined;
}

export function nameserverQueries(options: NameserverQueriesOptions): NameserverQueries {
  const { client, port, random, throttle, silent, triesMs } = options;
  const count = answerCounter(options.onAnswer);

  async function ask(
    question: Question,
    server: NamedServer,
    zone: ZoneObservation,
    { signal, budget, timeoutMs, registry = false, second = false }: AskOptions,
  ): Promise<ServerResponse> {
    if (!budget.take()) return failed('too_many_queries', null, zone);
    const sent = {
      recursion: false,
      signal,
      timeoutsMs: [timeoutMs],
      registry,
      second,
      mayRepeat: budget.take,
    } as const;
    const answer = await throttle.run(server.address, signal, () => askServer(client, question, server, zone, sent));
    if (answer === null) return failed('overloaded', server, zone);
    const answered = answer.kind === 'answer' || !isSilent(answer.reason);
    if (answered || !signal.aborted) silent.note(server.address, answered);
    const lame = answer.kind === 'answer' && isLame(answer.message, zone.apex, question.name);
    const result = lame ? failed('lame', server, zone) : answer;
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
    askZone(zone, question, options) {
      const servers = moveToEnd(serversOf(zone), ({ address }) => address === options.last);
      const askOne = (server: NamedServer, timeoutMs: number) => ask(question, server, zone, { ...options, timeoutMs });
      // One try is enough for a server that has been silent before.
      return askServers(zone, servers, triesMs, askOne, ({ address }) => !silent.has(address));
    },
    inOrder: (addresses) => [
      ...addresses.filter((address) => !silent.has(address)),
      ...addresses.filter((address) => silent.has(address)),
    ],
    port,
  };
}
