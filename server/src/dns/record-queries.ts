import {
  type Answer,
  answerOfFailure,
  type NameserverAnswers,
  type ZoneNameserver,
  type ZoneObservation,
} from '../domain/observation.ts';
import {
  type AnsweredResponse,
  type FailedResponse,
  failed,
  failedAt,
  failureOf,
  isSilent,
  type NamedServer,
  type ServerResponse,
} from './ask-server.ts';
import type { AskZoneOptions, NameserverQueries } from './nameserver-queries.ts';
import { isWithin, normalizeName, parentOf } from './protocol/dns-name.ts';
import type { Question, RecordType } from './protocol/wire.ts';
import { type Chase, currentName, readAnswer, startChase, typesOf } from './record-answer.ts';
import { cutIn } from './referral.ts';
import type { AskNameserverOptions, QueryBudget, QueryLimits, RecordQueries, RecordQuestion } from './resolver.ts';
import { MAX_CUTS, type ZoneFinder } from './zone-finder.ts';

/** For both addresses of a nameserver together. */
const NAMESERVER_MS = 1500;
/** The part of that time which the first address has. */
const FIRST_SHARE = 0.4;
/** With so many nameservers at most, an alias that is asked for again is asked for over IPv4 too; with more, one of them is unlucky anyway. */
const FEW_NAMESERVERS = 3;
/** Most nameservers that are asked one after the other for the NS records of their own zone. */
const OWN_NAMESERVERS_ASKED = 2;

/** The reads of a name that CNAMEs lead to, in one check. */
interface Followed {
  uses: number;
  reads: Promise<ServerResponse>[];
}

/** Asks a nameserver for what the chase needs next, in whichever zone that is. */
type AskNext = (question: Question) => Promise<ServerResponse>;

/** Asks the nameservers of their zones for records. */
export function recordQueries(
  zones: ZoneFinder,
  queries: NameserverQueries,
): Omit<RecordQueries, 'validate' | 'locateNameservers'> {
  const followedBy = new WeakMap<QueryBudget, Map<string, Followed>>();

  /** Asks the zone that holds the name. `last`: the address of a server that is asked after all others. */
  async function askZoneOf(question: Question, options: QueryLimits, last?: string): Promise<ServerResponse> {
    const above = question.type === 'DS' ? parentOf(question.name) : question.name;
    const zone = await zones.closest(above, options);
    if (zone.failure !== null) return failedAt(zone);
    const asking = { ...options, last };
    const response = await queries.askZone(zone, question, asking);
    if (response.kind === 'answer') return descend(response, question, asking);
    if (!options.budget.exhausted) zones.expireSoon(zone.apex);
    return response;
  }

  /**
   * The same for a name that a CNAME leads to. Every nameserver that is asked leads there, so within one check it is read twice only, at different
   * nameservers where there are two, and the answers are used in turn: a zone whose nameservers differ shows as a disagreement.
   */
  async function askTwice(question: Question, options: QueryLimits): Promise<ServerResponse> {
    const followed = followedBy.get(options.budget) ?? new Map<string, Followed>();
    followedBy.set(options.budget, followed);
    const key = `${question.type} ${question.name}`;
    const entry = followed.get(key) ?? { uses: 0, reads: [] };
    followed.set(key, entry);
    const isOdd = entry.uses++ % 2 === 1;
    const [first] = entry.reads;
    const askAnother = (one: ServerResponse) =>
      askZoneOf(question, options, one.kind === 'answer' ? one.server.address : undefined);
    if (first === undefined) entry.reads[0] = askZoneOf(question, options);
    else if (isOdd) entry.reads[1] ??= first.then(askAnother);
    return (isOdd ? entry.reads[1] : entry.reads[0]) ?? askZoneOf(question, options);
  }

  /** Follows referrals to lower zones. */
  async function descend(
    answer: AnsweredResponse,
    question: Question,
    options: AskZoneOptions,
  ): Promise<ServerResponse> {
    let response: ServerResponse = answer;
    for (let cuts = 0; cuts < MAX_CUTS && response.kind === 'answer'; cuts++) {
      const cut = question.type === 'DS' ? null : cutIn(response.message, response.zone.apex, question.name);
      if (cut === null) return response;
      const zone: ZoneObservation = await zones.below(response.zone, { cut, answer: response }, options);
      if (zone.failure !== null) return failedAt(zone);
      // The server of a cut that serves both zones has answered for the lower one already.
      if (cut.kind === 'served') return { ...response, zone };
      response = await queries.askZone(zone, question, options);
      if (response.kind === 'failed' && !options.budget.exhausted) zones.expireSoon(zone.apex);
    }
    return response.kind === 'failed' ? response : failed('lame', null, response.zone);
  }

  /** Reads a record from an answer, and follows its CNAMEs. */
  async function follow(chase: Chase, first: AnsweredResponse, askNext: AskNext): Promise<Answer> {
    let response = first;
    for (;;) {
      const read = readAnswer(response.message, chase, response.zone.apex);
      if (read !== null) {
        const isForeign = read.kind === 'unreadable' && response.server.name !== first.server.name;
        return isForeign ? { ...read, server: response.server.name } : read;
      }
      const next = await askNext({ name: currentName(chase), type: chase.type });
      if (next.kind === 'failed') return unreadable(next, chase.chain);
      response = next;
    }
  }

  /** Reads a record of the type, or of the other type where the name has none of the first, starting with one response of a nameserver. */
  async function readTypes(
    question: RecordQuestion,
    types: readonly RecordType[],
    first: ServerResponse,
    options: QueryLimits,
    timeoutMs: number,
  ): Promise<Answer> {
    if (first.kind === 'failed') return unreadable(first, []);
    const { zone, server } = first;
    /** Names in the nameserver's own zone are asked of itself: it is this one that is asked. */
    const askNext: AskNext = async (next) => {
      if (!isWithin(next.name, zone.apex)) return askTwice(next, options);
      const response = await queries.ask(next, server, zone, { ...options, timeoutMs });
      return response.kind === 'failed' ? response : descend(response, next, options);
    };
    const name = normalizeName(question.name);
    let read: Answer | null = null;
    for (const type of types) {
      const given = read === null ? first : await askNext({ name, type });
      if (given.kind === 'failed') return unreadable(given, []);
      const next = await follow(startChase(name, type, question.stopAt), given, askNext);
      if (read === null || next.kind !== 'absent') read = next;
      if (next.kind !== 'absent' || next.reason === 'nxdomain' || next.chain.length > 0) break;
    }
    return read ?? { kind: 'absent', reason: 'nodata', chain: [] };
  }

  return {
    async query(question, options) {
      const types = typesOf(question, false);
      const name = normalizeName(question.name);
      const response = await askZoneOf({ name, type: types[0] }, options);
      const { zone } = response;
      const nameservers = response.failures.map(({ server, reason }) =>
        toAnswers(server, { kind: 'unreadable', reason, chain: [] }),
      );
      if (response.kind === 'answer')
        nameservers.push(
          toAnswers(response.server, await readTypes(question, types, response, options, NAMESERVER_MS)),
        );
      return { name, zone, nameservers, validation: null };
    },

    findZone: (name, options) => zones.find(normalizeName(name), options),

    async askNameserver(zone, nameserver, question, options) {
      const asked = await askRecord(zone, nameserver, question, options);
      const {
        answers: [answer],
      } = asked;
      const isAlias = question.type === 'ADDRESS' && answer.kind === 'found' && answer.chain.length > 0;
      if (!options.second || !isAlias || zone.nameservers.length > FEW_NAMESERVERS) return asked;
      // Over IPv6 alone it would not show that the same question for IPv4 is answered by an address the next time.
      const overIpv4 = await askRecord(zone, nameserver, { ...question, type: 'A' }, options);
      const {
        answers: [other],
      } = overIpv4;
      return other.kind !== 'unreadable' && other.chain[0] !== answer.chain[0] ? overIpv4 : asked;
    },

    async ownNameservers(zone, options) {
      if (zone.failure !== null) return null;
      // By name, so that a zone whose nameservers differ about it looks the same to every check.
      for (const nameserver of zone.nameservers.slice(0, OWN_NAMESERVERS_ASKED)) {
        const response = await askOne(zone, nameserver, { name: zone.apex, type: 'NS' }, options);
        if (response === null || response.kind === 'failed') continue;
        const read = readAnswer(response.message, startChase(zone.apex, 'NS'), zone.apex);
        return read?.kind === 'found' ? read.values : null;
      }
      return null;
    },
  };

  /** Asks one nameserver for a record, at another address where one is silent. */
  async function askRecord(
    zone: ZoneObservation,
    nameserver: ZoneNameserver,
    question: RecordQuestion,
    options: AskNameserverOptions,
  ): Promise<NameserverAnswers> {
    const { timeoutMs = NAMESERVER_MS, second = false } = options;
    const types = typesOf(question, second);
    const first = { name: normalizeName(question.name), type: types[0] };
    const response = await askOne(zone, nameserver, first, options);
    if (response === null) return { server: nameserver.name, address: null, answers: [noAddress(nameserver)] };
    const { server } = response;
    if (response.kind === 'failed')
      return toAnswers(server, { kind: 'unreadable', reason: response.reason, chain: [] });
    const given = await descend(response, first, options);
    return toAnswers(server, await readTypes(question, types, given, options, timeoutMs));
  }

  /** Asks a nameserver at one address, and at one of the other IP version, or again, where that is silent. Null where it has no address. */
  async function askOne(
    zone: ZoneObservation,
    { name, addresses }: Pick<ZoneNameserver, 'name' | 'addresses'>,
    question: Question,
    { timeoutMs = NAMESERVER_MS, second = false, ...options }: AskNameserverOptions,
  ): Promise<(ServerResponse & { server: NamedServer }) | null> {
    const [first, ...others] = queries.inOrder(addresses);
    if (first === undefined) return null;
    const other = others.find((address) => address.includes(':') !== first.includes(':')) ?? first;
    const server = { name, address: first, port: queries.port };
    const firstMs = Math.round(timeoutMs * FIRST_SHARE);
    const response = await queries.ask(question, server, zone, { ...options, second, timeoutMs: firstMs });
    if (response.kind === 'answer' || !isSilent(response.reason)) return { ...response, server };
    const again = { ...server, address: other };
    const left = { ...options, second, timeoutMs: timeoutMs - firstMs };
    return { ...(await queries.ask(question, again, zone, left)), server: again };
  }
}

function toAnswers({ name, address }: NamedServer, answer: Answer): NameserverAnswers {
  return { server: name, address, answers: [answer] };
}

function noAddress({ problem }: ZoneNameserver): Answer {
  const reason = problem === 'special_address' ? 'forbidden_address' : 'no_nameserver';
  return { kind: 'unreadable', reason, chain: [] };
}

/** Why the name at the end of the chain could not be read. */
function unreadable(response: FailedResponse, chain: string[]): Answer {
  const { failure } = response.zone;
  return failure === null ? { kind: 'unreadable', chain, ...failureOf(response) } : answerOfFailure(failure, chain);
}
