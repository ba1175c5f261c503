import { type Clock, systemClock } from '../base/clock.ts';
import type { ZoneObservation } from '../domain/observation.ts';
import { canonicalAddress } from '../net/addresses.ts';
import { type AnswerKind, answerCounter } from './answer-metrics.ts';
import {
  askServer,
  askServers,
  type FailedResponse,
  failed,
  isSilent,
  moveToEnd,
  type NamedServer,
  type ServerResponse,
  shuffled,
} from './ask-server.ts';
import { isWithin, parentOf } from './protocol/dns-name.ts';
import type { ServerAddress } from './protocol/query.ts';
import type { Question } from './protocol/wire.ts';
import type { QueryLimits } from './resolver.ts';
import { silentServers } from './silent-servers.ts';
import type { QueryClient } from './transport/dns-client.ts';

/**
 * The configured recursive resolvers. They are trusted: their own addresses may be special, and their answers are not
 * limited to a bailiwick.
 */
export interface Recursors {
  /** Asks them in random order until one answers. */
  ask(question: Question, options: QueryLimits): Promise<ServerResponse>;
  /**
   * Finds the apex of the zone that holds a name: of the zone that denies a CNAME there. For any other type a resolver
   * follows the CNAME at the name, and a failure at its target would hide the zone.
   */
  findApex(name: string, options: QueryLimits): Promise<{ kind: 'apex'; apex: string } | FailedResponse>;
  readonly servers: readonly NamedServer[];
  /** The root zone, each of whose nameservers is one of them. */
  readonly zone: ZoneObservation;
}

export interface RecursorsOptions {
  client: QueryClient;
  /** The addresses of recursive resolvers. */
  resolvers: readonly ServerAddress[];
  /** Yields numbers in [0, 1): which server is asked. */
  random?: () => number;
  /** The timeout of each try. */
  triesMs?: readonly number[];
  /** Called with the kind of each answer, for counting. */
  onAnswer?: (kind: AnswerKind) => void;
  clock?: Clock;
}

/** Timeouts of the tries: a resolver may have to ask others first. */
const TRIES_MS = [1500, 3000] as const;
/** Most steps towards the root when resolvers do not include the SOA in a negative answer. */
const MAX_STEPS = 10;

/** Throws when `resolvers` contains an address that is not an IP address. */
export function recursors(options: RecursorsOptions): Recursors {
  const { client, resolvers, random = Math.random, triesMs = TRIES_MS, onAnswer, clock = systemClock } = options;
  const count = answerCounter(onAnswer);
  const servers = resolvers.map(toServer);
  const silent = silentServers(clock);
  const nameservers = servers.map(({ address }) => ({ name: address, addresses: [address] }));
  const zone: ZoneObservation = { apex: '.', source: 'resolvers', nameservers, ownNameservers: null, failure: null };

  async function ask(question: Question, { signal, budget }: QueryLimits): Promise<ServerResponse> {
    const order = moveToEnd(shuffled(servers, random), ({ address }) => silent.has(address));
    return askServers(zone, order, triesMs, async (server, timeoutMs) => {
      if (!budget.take()) return failed('too_many_queries', null, zone);
      const options = { recursion: true, signal, timeoutsMs: [timeoutMs], mayRepeat: budget.take };
      const result = await askServer(client, question, server, zone, options);
      count(result);
      const answered = result.kind === 'answer' || !isSilent(result.reason);
      if (answered || !signal.aborted) silent.note(server.address, answered);
      return result;
    });
  }

  return {
    servers,
    zone,
    ask,
    async findApex(name, options) {
      let current = name;
      for (let step = 0; step < MAX_STEPS; step++) {
        const result = await ask({ name: current, type: 'CNAME' }, options);
        if (result.kind === 'failed') return result;
        const { answers, authorities } = result.message;
        // A name with a CNAME is no apex.
        const aliased = answers.some(({ type, name: owner }) => type === 'CNAME' && owner === current);
        const soa = authorities.find(({ type, name: owner }) => type === 'SOA' && isWithin(current, owner));
        if (!aliased && soa !== undefined) return { kind: 'apex', apex: soa.name };
        if (!aliased) {
          // Some resolvers leave the SOA out of negative answers; an apex has one itself.
          const own = await ask({ name: current, type: 'SOA' }, options);
          if (own.kind === 'failed') return own;
          if (own.message.answers.some(({ type, name: owner }) => type === 'SOA' && owner === current))
            return { kind: 'apex', apex: current };
        }
        if (current === '.') break;
        current = parentOf(current);
      }
      return failed('no_nameserver', null, zone);
    },
  };
}

function toServer({ address, port }: ServerAddress): NamedServer {
  const canonical = canonicalAddress(address);
  if (canonical === null) throw new Error(`"${address}" is not the address of a resolver.`);
  return { name: canonical, address: canonical, port };
}
