import type { Clock } from '../clock.ts';
import { addressRule } from '../net/addresses.ts';
import { type AnswerKind, counting } from './answer-kinds.ts';
import {
  type Heard,
  type HeardAnswer,
  hear,
  hearInTurn,
  isSilence,
  putLast,
  type Server,
  shuffled,
  unreadable,
} from './ask-server.ts';
import { type Delegation, delegations, type Nameserver } from './delegation.ts';
import { isBelow, isWithin } from './protocol/dns-name.ts';
import type { Message, Question } from './protocol/wire.ts';
import { type Asked, chainResolver } from './record-lookups.ts';
import { recursion } from './recursors.ts';
import type { AnsweredBy, LookupOptions, Resolver } from './resolver.ts';
import type { DnsClient, QueryOptions } from './transport/dns-client.ts';
import type { Endpoint } from './transport/exchange.ts';
import { type PaceLimits, pace } from './transport/pace.ts';

export interface AuthoritativeOptions {
  client: DnsClient;
  /** Recursive resolvers that know which nameservers a zone has. */
  resolvers: readonly Endpoint[];
  clock: Clock;
  /** Port that nameservers are asked at; 53 unless given. */
  nameserverPort?: number;
  /** Networks (CIDR) whose addresses may be asked although they are special. */
  allowedNetworks?: readonly string[];
  limits?: PaceLimits;
  /** How long each try waits; one number for each. */
  triesMs?: readonly number[];
  /** Yields numbers in [0, 1): which nameserver is asked. */
  random?: () => number;
  /** Called with what each query came to, for counting. */
  onAnswer?: (kind: AnswerKind) => void;
}

export const DEFAULT_LIMITS: PaceLimits = { perAddressInFlight: 100, perAddressPerSecond: 1000 };

/** Two rounds over three silent nameservers leave time, within the 10 s of a check, for the resolvers. */
const TRIES_MS = [800, 1600] as const;
/** Zones on the way from the closest known one to that of a name. */
const MAX_CUTS = 5;

/**
 * Asks the zone's own nameservers (docs/verification.md, "How DNS is asked"), so that what a resolver has cached never
 * hides a fresh record. Resolvers answer only when no nameserver could be reached.
 */
export function authoritativeResolver(setup: AuthoritativeOptions): Resolver {
  const { client, clock, nameserverPort = 53, allowedNetworks = [], limits = DEFAULT_LIMITS } = setup;
  const { random = Math.random, onAnswer, triesMs } = setup;
  const tally = counting(onAnswer);
  const resolvers = recursion({ client, resolvers: setup.resolvers, random, onHeard: tally, triesMs });
  const zones = delegations({ recursion: resolvers, mayAsk: addressRule(allowedNetworks), clock, random });
  const turns = pace(limits, clock);
  // What is silent for us is slow for the resolvers, and they have room for so many questions: one zone must not take it all.
  const turnsAtResolvers = pace({ perAddressInFlight: 10, perAddressPerSecond: 100 }, clock);

  async function ask(question: Question, options: LookupOptions): Promise<Asked> {
    const { signal } = options;
    const fresh = options.confirming !== undefined;
    let delegated = await zones.closest(question.name, { signal, fresh });
    for (let cut = 0; cut < MAX_CUTS; cut++) {
      // The resolver's own name would tell the customer nothing.
      if (delegated.kind === 'failed') return unreadable({ kind: 'failed', reason: delegated.reason });
      const { delegation } = delegated;
      const heard = await askZone(delegation, question, options);
      if (heard.kind === 'failed') {
        zones.doubt(delegation.zone);
        const recursed = isSilence(heard) ? await askResolvers(delegation, question, options) : null;
        return recursed ?? unreadable(heard);
      }
      const lower = lowerZone(heard.answer, delegation.zone, question.name);
      if (lower === null) return answered(heard, delegation.zone, true);
      delegated = await zones.at(lower, { signal, fresh });
    }
    return { kind: 'unreadable', reason: 'lame' };
  }

  function askZone(
    { zone, nameservers }: Delegation,
    question: Question,
    { signal, confirming }: LookupOptions,
  ): Promise<Heard> {
    const newPort = confirming !== undefined;
    return hearInTurn(inOrder(nameservers, confirming), triesMs ?? TRIES_MS, async (server, timeoutMs) => {
      const said = await hearPaced(question, server, { recursion: false, signal, timeoutsMs: [timeoutMs], newPort });
      const heard = isLame(said, zone, question.name) ? ({ kind: 'failed', reason: 'lame', server } as const) : said;
      tally(heard);
      return heard;
    });
  }

  async function hearPaced(question: Question, server: Server, options: QueryOptions): Promise<Heard> {
    const { address } = server;
    if (!(await turns.enter(address, options.signal))) return { kind: 'failed', reason: 'overloaded', server };
    try {
      return await hear(client, question, server, options);
    } finally {
      turns.leave(address);
    }
  }

  /**
   * What the resolvers say; null when they do not know either, or may not speak because it is for a nameserver to
   * confirm another.
   */
  async function askResolvers(
    { zone }: Delegation,
    question: Question,
    { signal, confirming }: LookupOptions,
  ): Promise<Asked | null> {
    if (confirming?.every(({ address }) => resolvers.has(address)) === false) return null;
    const newPort = confirming !== undefined;
    if (!(await turnsAtResolvers.enter(zone, signal))) return null;
    try {
      const heard = await resolvers.ask(question, { signal, avoid: confirming, newPort });
      return heard.kind === 'failed' ? null : answered(heard, zone, false);
    } finally {
      turnsAtResolvers.leave(zone);
    }
  }

  /**
   * In random order, one address of each nameserver first. Those with a queue come later, and those that are to be
   * confirmed last of all.
   */
  function inOrder(nameservers: Nameserver[], confirming: readonly AnsweredBy[] = []): Server[] {
    const lists = shuffled(nameservers, random).map(({ name, addresses }) =>
      shuffled(addresses, random).map((address) => ({ name, address, port: nameserverPort })),
    );
    const longest = Math.max(...lists.map((list) => list.length));
    const servers = Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list[turn] ?? [])).flat();
    const quickFirst = putLast(servers, ({ address }) => !turns.hasRoom(address));
    const othersFirst = putLast(quickFirst, ({ name }) => confirming.some(({ server }) => server === name));
    return putLast(othersFirst, ({ address }) => confirming.some((by) => by.address === address));
  }

  return chainResolver(ask);
}

function answered({ answer, server }: HeardAnswer, zone: string, authoritative: boolean): Asked {
  const by = { server: server.name, address: server.address, authoritative };
  return { kind: 'answer', answer, zone, bailiwick: authoritative ? zone : '.', by };
}

/** Without authority, and no referral further down: the server was never told about the zone, or knows it no more. */
function isLame(heard: Heard, zone: string, name: string): boolean {
  return heard.kind === 'answer' && !heard.answer.authoritative && lowerZone(heard.answer, zone, name) === null;
}

/** The zone below that holds the name, by a referral or by the SOA of a negative answer. */
function lowerZone({ answers, authorities }: Message, zone: string, name: string): string | null {
  if (answers.length > 0) return null;
  const cut = authorities.find(
    ({ type, name: owner }) => (type === 'NS' || type === 'SOA') && isBelow(owner, zone) && isWithin(name, owner),
  );
  return cut?.name ?? null;
}
