import type { Answer, ZoneNameserver, ZoneObservation } from '../domain/observation.ts';
import {
  type DnsAnswer,
  type FailedQuery,
  isSilent,
  type NamedServer,
  type ServerFailure,
  worstFailure,
} from './ask-server.ts';
import type { AskZoneOptions, NameserverQueries } from './nameserver-queries.ts';
import { isWithin, normalizeName, parentOf } from './protocol/dns-name.ts';
import type { Question, RecordType } from './protocol/wire.ts';
import { type Chase, currentName, readAnswer, startChase } from './record-answer.ts';
import { cutIn } from './referral.ts';
import type {
  AskNameserverOptions,
  Look,
  QueryBudget,
  QueryLimits,
  RecordQueries,
  RecordQuestion,
} from './resolver.ts';
import { MAX_CUTS, type ZoneFinder } from './zone-finder.ts';

/** For both addresses of a nameserver together. */
const LOOK_MS = 1500;
/** Of it, for the first address. */
const FIRST_SHARE = 0.4;
/** With so many nameservers at most, a second look at an alias asks for IPv4 too; with more, one of them is unlucky anyway. */
const FEW_NAMESERVERS = 3;
/** Most nameservers that are asked one after the other for the NS records of their own zone. */
const OWN_NAMESERVERS_ASKED = 2;

/** The answer for a name by the zone that holds it. */
interface ZoneAnswer {
  zone: ZoneObservation;
  /** Null where all servers failed, or where the zone has none to ask. */
  answer: DnsAnswer | null;
  failures: ServerFailure[];
}

/** The reads of a name that CNAMEs lead to, in one check. */
interface Followed {
  uses: number;
  reads: Promise<ZoneAnswer>[];
}

/** Asks a nameserver for what the chase needs next, in whichever zone that is. */
type AskNext = (question: Question) => Promise<ZoneAnswer>;

/** Looks at records at the nameservers of their zones. */
export function recordQueries(zones: ZoneFinder, queries: NameserverQueries): Omit<RecordQueries, 'validate'> {
  const followedBy = new WeakMap<QueryBudget, Map<string, Followed>>();

  /** Asks the zone that holds the name. `last`: the address of a server that is asked after all others. */
  async function askZoneOf(question: Question, options: QueryLimits, last?: string): Promise<ZoneAnswer> {
    const above = question.type === 'DS' ? parentOf(question.name) : question.name;
    return askZone(await zones.closest(above, options), question, { ...options, last });
  }

  async function askZone(zone: ZoneObservation, question: Question, options: AskZoneOptions): Promise<ZoneAnswer> {
    if (zone.failure !== null) return { zone, answer: null, failures: [] };
    const { answer, failures } = await queries.askZone(zone, question, options);
    if (answer !== null) return descend({ zone, answer, failures }, question, options);
    if (!options.budget.exhausted) zones.expireSoon(zone.apex);
    return { zone, answer, failures };
  }

  /**
   * The same for a name that a CNAME leads to. Every nameserver that is looked at leads there, so within one check it is read twice only, at different
   * nameservers where there are two, and the answers are used in turn: a zone whose nameservers differ shows as a disagreement.
   */
  async function askTwice(question: Question, options: QueryLimits): Promise<ZoneAnswer> {
    const followed = followedBy.get(options.budget) ?? new Map<string, Followed>();
    followedBy.set(options.budget, followed);
    const key = `${question.type} ${question.name}`;
    const entry = followed.get(key) ?? { uses: 0, reads: [] };
    followed.set(key, entry);
    const isOdd = entry.uses++ % 2 === 1;
    const [first] = entry.reads;
    if (first === undefined) entry.reads[0] = askZoneOf(question, options);
    else if (isOdd) entry.reads[1] ??= first.then(({ answer }) => askZoneOf(question, options, answer?.by.address));
    return (isOdd ? entry.reads[1] : entry.reads[0]) ?? askZoneOf(question, options);
  }

  /** Follows referrals to lower zones. */
  async function descend(given: ZoneAnswer, question: Question, options: AskZoneOptions): Promise<ZoneAnswer> {
    let { zone, answer, failures } = given;
    for (let cuts = 0; cuts < MAX_CUTS && answer !== null; cuts++) {
      const cut = question.type === 'DS' ? null : cutIn(answer.response, zone.apex, question.name);
      if (cut === null) return { zone, answer, failures };
      zone = await zones.below(zone, { cut, answer }, options);
      if (zone.failure !== null) return { zone, answer: null, failures: [] };
      // The server of a cut that serves both zones has answered for the lower one already.
      if (cut.kind === 'served') return { zone, answer, failures };
      ({ answer, failures } = await queries.askZone(zone, question, options));
      if (answer === null && !options.budget.exhausted) zones.expireSoon(zone.apex);
    }
    return { zone, answer: null, failures };
  }

  /** Reads a record from an answer, and follows its CNAMEs. */
  async function follow(chase: Chase, first: ZoneAnswer & { answer: DnsAnswer }, askNext: AskNext): Promise<Answer> {
    let { zone, answer }: { zone: ZoneObservation; answer: DnsAnswer } = first;
    for (;;) {
      const read = readAnswer(answer.response, chase, zone.apex);
      if (read !== null) {
        const isForeign = read.kind === 'unreadable' && answer.by.server !== first.answer.by.server;
        return isForeign ? { ...read, server: answer.by.server } : read;
      }
      const next = await askNext({ name: currentName(chase), type: chase.type });
      if (next.answer === null) return unreadable(next, chase.chain);
      ({ zone, answer } = { zone: next.zone, answer: next.answer });
    }
  }

  /** Reads a record of the type, or of the other type where the name has none of the first, starting with one answer of a nameserver. */
  async function readTypes(
    question: RecordQuestion,
    types: readonly RecordType[],
    first: ZoneAnswer & { answer: DnsAnswer },
    options: QueryLimits,
    timeoutMs: number,
  ): Promise<Answer> {
    const { by } = first.answer;
    const server = { name: by.server, address: by.address, port: queries.port };
    /** Names in the nameserver's own zone are asked of itself: it is this one that is looked at. */
    const askNext: AskNext = async (next) => {
      if (!isWithin(next.name, first.zone.apex)) return askTwice(next, options);
      const answer = await queries.ask(next, server, first.zone.apex, { ...options, timeoutMs });
      if (answer.kind === 'failed')
        return { zone: first.zone, answer: null, failures: [{ server, reason: answer.reason }] };
      return descend({ zone: first.zone, answer, failures: [] }, next, options);
    };
    const name = normalizeName(question.name);
    let read: Answer | null = null;
    for (const type of types) {
      const given = read === null ? first : await askNext({ name, type });
      if (given.answer === null) return unreadable(given, []);
      const next = await follow(startChase(name, type, question.stopAt), { ...given, answer: given.answer }, askNext);
      if (read === null || next.kind !== 'absent') read = next;
      if (next.kind !== 'absent' || next.reason === 'nxdomain' || next.chain.length > 0) break;
    }
    return read ?? { kind: 'absent', reason: 'nodata', chain: [] };
  }

  return {
    async look(question, options) {
      const types = typesOf(question, false);
      const given = await askZoneOf({ name: normalizeName(question.name), type: types[0] }, options);
      const looks: Look[] = given.failures.map(toLook);
      if (given.answer !== null) {
        const answer = await readTypes(question, types, { ...given, answer: given.answer }, options, LOOK_MS);
        looks.push({ server: given.answer.by.server, address: given.answer.by.address, answer });
      }
      return { zone: given.zone, looks };
    },

    findZone: (name, options) => zones.find(normalizeName(name), options),

    async askNameserver(zone, nameserver, question, options) {
      const look = await lookAt(zone, nameserver, question, options);
      const { answer } = look;
      const isAlias = question.type === 'ADDRESS' && answer.kind === 'found' && answer.chain.length > 0;
      if (!options.second || !isAlias || zone.nameservers.length > FEW_NAMESERVERS) return look;
      // Over IPv6 alone it would not show that the same question for IPv4 is answered by an address the next time.
      const overIpv4 = await lookAt(zone, nameserver, { ...question, type: 'A' }, options);
      const differs = overIpv4.answer.kind !== 'unreadable' && overIpv4.answer.chain[0] !== answer.chain[0];
      return differs ? overIpv4 : look;
    },

    async ownNameservers(zone, options) {
      if (zone.failure !== null) return null;
      // By name, so that a zone whose nameservers differ about it looks the same to every check.
      for (const nameserver of zone.nameservers.slice(0, OWN_NAMESERVERS_ASKED)) {
        const asked = await askOne(zone, nameserver, { name: zone.apex, type: 'NS' }, options);
        if (asked === null || asked.result.kind === 'failed') continue;
        const read = readAnswer(asked.result.response, startChase(zone.apex, 'NS'), zone.apex);
        return read?.kind === 'found' ? read.values : null;
      }
      return null;
    },
  };

  /** Asks one nameserver, at another address where one is silent. */
  async function lookAt(
    zone: ZoneObservation,
    nameserver: ZoneNameserver,
    question: RecordQuestion,
    options: AskNameserverOptions,
  ): Promise<Look> {
    const { timeoutMs = LOOK_MS, second = false } = options;
    const types = typesOf(question, second);
    const name = normalizeName(question.name);
    const asked = await askOne(zone, nameserver, { name, type: types[0] }, options);
    if (asked === null) return { server: nameserver.name, address: null, answer: noAddress(nameserver) };
    const { server, result } = asked;
    if (result.kind === 'failed') return toLook({ server, reason: result.reason });
    const given = await descend({ zone, answer: result, failures: [] }, { name, type: types[0] }, options);
    const answer =
      given.answer === null
        ? unreadable(given, [])
        : await readTypes(question, types, { ...given, answer: given.answer }, options, timeoutMs);
    return { server: server.name, address: server.address, answer };
  }

  /** Asks a nameserver at one address, and at one of the other IP version, or again, where that is silent. Null where it has no address. */
  async function askOne(
    zone: ZoneObservation,
    { name, addresses }: { name: string; addresses: readonly string[] },
    question: Question,
    { timeoutMs = LOOK_MS, second = false, ...options }: AskNameserverOptions,
  ): Promise<{ server: NamedServer; result: DnsAnswer | FailedQuery } | null> {
    const [first, ...others] = queries.inOrder(addresses);
    if (first === undefined) return null;
    const other = others.find((address) => address.includes(':') !== first.includes(':')) ?? first;
    const server = { name, address: first, port: queries.port };
    const firstMs = Math.round(timeoutMs * FIRST_SHARE);
    const result = await queries.ask(question, server, zone.apex, { ...options, second, timeoutMs: firstMs });
    if (result.kind === 'answer' || !isSilent(result.reason)) return { server, result };
    const again = { ...server, address: other };
    const left = { ...options, second, timeoutMs: timeoutMs - firstMs };
    return { server: again, result: await queries.ask(question, again, zone.apex, left) };
  }
}

function typesOf({ type }: RecordQuestion, second: boolean): [RecordType, ...RecordType[]] {
  if (type !== 'ADDRESS') return [type];
  return second ? ['AAAA', 'A'] : ['A', 'AAAA'];
}

function toLook({ server, reason }: ServerFailure): Look {
  return { server: server.name, address: server.address, answer: { kind: 'unreadable', reason, chain: [] } };
}

function noAddress({ problem }: { problem?: 'no_address' | 'special_address' }): Answer {
  return {
    kind: 'unreadable',
    reason: problem === 'special_address' ? 'forbidden_address' : 'no_nameserver',
    chain: [],
  };
}

/** Why the name at the end of the chain could not be read. */
function unreadable({ zone: { failure }, failures }: ZoneAnswer, chain: string[]): Answer {
  if (failures.length > 0) return { ...worstFailure(failures), kind: 'unreadable', chain };
  // A name in a domain that nobody registered does not exist.
  if (failure?.kind === 'not_registered') return { kind: 'absent', reason: 'nxdomain', chain };
  if (failure?.kind !== 'unreadable') return { kind: 'unreadable', reason: failure?.kind ?? 'lame', chain };
  const { reason, server } = failure;
  return { kind: 'unreadable', reason, chain, ...(server === undefined ? {} : { server }) };
}
