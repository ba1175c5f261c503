import type { Clock } from '../clock.ts';
import { addressRule, networkRule } from '../net/addresses.ts';
import { answerCounter } from './answer-metrics.ts';
import {
  askServer,
  askServers,
  type DnsAnswer,
  type FailedQuery,
  failed,
  isSilent,
  moveToEnd,
  type NamedServer,
  shuffled,
} from './ask-server.ts';
import { type Delegation, delegations, type Nameserver } from './delegation.ts';
import { endLookups } from './end-lookups.ts';
import { nameserverQueries } from './nameserver-queries.ts';
import { isBelow, isWithin } from './protocol/dns-name.ts';
import type { DnsMessage, Question } from './protocol/wire.ts';
import { recordLooks } from './record-looks.ts';
import { recordLookups, type ZoneAnswer } from './record-lookups.ts';
import { askResolver } from './recursive-looks.ts';
import { type RecursorsOptions, recursors } from './recursors.ts';
import type { AnsweredBy, LookOptions, LookQuestion, LookupOptions, Resolver } from './resolver.ts';
import { queryThrottle, type ThrottleLimits } from './transport/query-throttle.ts';
import { validator } from './validation.ts';
import { zoneFinder } from './zone-finder.ts';

/** `resolvers`: find the nameservers of a zone. */
export interface AuthoritativeOptions extends RecursorsOptions {
  clock: Clock;
  /** Port of nameservers; 53 unless given. */
  nameserverPort?: number;
  /** Networks (CIDR) in which nameservers may be asked although the addresses are special. */
  allowedNetworks?: readonly string[];
  /** For each address of a nameserver. */
  limits?: ThrottleLimits;
}

const NAMESERVER_LIMITS: ThrottleLimits = { inFlight: 100, perSecond: 1000 };
/** For each zone. A zone that does not respond occupies the resolvers longest, and must not occupy them for all others. */
const FALLBACK_LIMITS: ThrottleLimits = { inFlight: 10, perSecond: 100 };

/** Two tries of three silent nameservers leave time for the resolvers, within the 10 s of a check. */
const TRIES_MS = [800, 1600] as const;
/** Most zone cuts between the closest cached zone and that of a name. */
const MAX_CUTS = 5;

/**
 * Asks the zone's own nameservers (docs/verification.md, "How DNS is queried"), so that no resolver's cache hides a new
 * record. Resolvers are asked only when none of the nameservers responds.
 */
export function authoritativeResolver(options: AuthoritativeOptions): Resolver {
  const { client, clock, nameserverPort = 53, allowedNetworks = [], limits = NAMESERVER_LIMITS } = options;
  const { random = Math.random, triesMs = TRIES_MS } = options;
  const count = answerCounter(options.onAnswer);
  const resolvers = recursors(options);
  const zones = delegations({ recursors: resolvers, mayAsk: addressRule(allowedNetworks), clock, random });
  const throttle = queryThrottle(limits, clock);
  const fallbackThrottle = queryThrottle(FALLBACK_LIMITS, clock);

  async function ask(question: Question, options: LookupOptions): Promise<ZoneAnswer | FailedQuery> {
    const { signal } = options;
    const fresh = options.confirming !== undefined;
    let delegation = await zones.closest(question.name, { signal, fresh });
    for (let cut = 0; cut < MAX_CUTS; cut++) {
      // Without the name of our resolver, which means nothing to the customer.
      if (delegation.kind === 'failed') return { kind: 'failed', reason: delegation.reason };
      const { zone } = delegation;
      const answer = await askZone(delegation, question, options);
      if (answer.kind === 'failed') {
        zones.expireSoon(zone);
        const recursed = isSilent(answer) ? await askResolvers(zone, question, options) : null;
        return recursed ?? answer;
      }
      const lower = lowerZone(answer.response, zone, question.name);
      if (lower === null) return { ...answer, zone };
      delegation = await zones.at(lower, { signal, fresh });
    }
    return { kind: 'failed', reason: 'lame' };
  }

  function askZone(
    { zone, nameservers }: Delegation,
    question: Question,
    { signal, confirming }: LookupOptions,
  ): Promise<DnsAnswer | FailedQuery> {
    const newPort = confirming !== undefined;
    return askServers(inOrder(nameservers, confirming), triesMs, async (server, timeoutMs) => {
      const options = { recursion: false, signal, timeoutsMs: [timeoutMs], newPort };
      const answer = await throttle.run(server.address, signal, () => askServer(client, question, server, options));
      const lame = answer?.kind === 'answer' && isLame(answer.response, zone, question.name);
      const result = lame ? failed('lame', server) : (answer ?? failed('overloaded', server));
      count(result);
      return result;
    });
  }

  /** Null when the resolvers fail too, or when they must not answer because it is a nameserver that needs confirming. */
  async function askResolvers(zone: string, question: Question, options: LookupOptions): Promise<ZoneAnswer | null> {
    if (options.confirming?.every(({ address }) => resolvers.has(address)) === false) return null;
    const answer = await fallbackThrottle.run(zone, options.signal, () => resolvers.ask(question, options));
    return answer?.kind === 'answer' ? { ...answer, zone } : null;
  }

  /**
   * In random order, one address of each nameserver first. Full servers come later, and those that are being confirmed
   * last.
   */
  function inOrder(nameservers: Nameserver[], confirming: readonly AnsweredBy[] = []): NamedServer[] {
    const lists = shuffled(nameservers, random).map(({ name, addresses }) =>
      shuffled(addresses, random).map((address) => ({ name, address, port: nameserverPort })),
    );
    const longest = Math.max(...lists.map((list) => list.length));
    const servers = Array.from({ length: longest }, (_, round) => lists.flatMap((list) => list[round] ?? [])).flat();
    const fullLast = moveToEnd(servers, ({ address }) => throttle.isFull(address));
    const confirmedLast = moveToEnd(fullLast, ({ name }) => confirming.some(({ server }) => server === name));
    return moveToEnd(confirmedLast, ({ address }) => confirming.some((by) => by.address === address));
  }

  const queries = nameserverQueries({
    client,
    clock,
    port: nameserverPort,
    random,
    limits,
    triesMs,
    onAnswer: options.onAnswer,
  });
  const isAllowedNetwork = allowedNetworks.length > 0 ? networkRule(allowedNetworks) : null;
  const mayAsk = addressRule(allowedNetworks);
  const finder = zoneFinder({ recursors: resolvers, queries, mayAsk, isAllowedNetwork, clock, random });
  const validate = validator({ ...options, servers: resolvers.servers });
  const looks = recordLooks(finder, queries);
  /** As the CA's own resolver would: a name whose nameservers cannot be reached from here may be reached by others. */
  const fallback = (question: LookQuestion, zone: string, options: LookOptions) =>
    fallbackThrottle.run(zone, options.signal, () => askResolver(resolvers, question, options));
  const ends = endLookups(looks.look, { authoritative: true, fallback });
  return { ...recordLookups(ask), ...looks, ...ends, validate };
}

/** Neither authoritative nor a referral further down: the server does not serve the zone. */
function isLame(message: DnsMessage, zone: string, name: string): boolean {
  return !message.authoritative && lowerZone(message, zone, name) === null;
}

/** The zone below `zone` that holds the name, from a referral or from the SOA of a negative answer. */
function lowerZone({ answers, authorities }: DnsMessage, zone: string, name: string): string | null {
  if (answers.length > 0) return null;
  const cut = authorities.find(
    ({ type, name: owner }) => (type === 'NS' || type === 'SOA') && isBelow(owner, zone) && isWithin(name, owner),
  );
  return cut?.name ?? null;
}
