import type { Clock } from '../base/clock.ts';
import { registeredDomain } from '../domain/name.ts';
import type { Validation } from '../domain/observation.ts';
import { answerCounter } from './answer-metrics.ts';
import { type NamedServer, shuffled } from './ask-server.ts';
import { normalizeName } from './protocol/dns-name.ts';
import type { ServerAddress } from './protocol/query.ts';
import { type DnsMessage, type ExtendedError, type Question, TYPES } from './protocol/wire.ts';
import { MAX_CHAIN, readResolved, startChase } from './record-answer.ts';
import type { RecursorsOptions } from './recursors.ts';
import type { QueryLimits, RecordQueries, RecordQuestion } from './resolver.ts';
import type { DnsClient, QueryClient } from './transport/dns-client.ts';
import { queryThrottle, type ThrottleLimits } from './transport/query-throttle.ts';

/** Bogus, signature expired, signature not yet valid, DNSKEY missing, RRSIGs missing (RFC 8914 section 4). */
const BOGUS_ERRORS: readonly number[] = [6, 7, 8, 9, 10];
/** Resolvers that are asked one question. */
const MAX_ASKED = 3;
const TRIES_MS = [1500, 1500];
/** For the names of one registered domain. */
const ZONE_LIMITS: ThrottleLimits = { inFlight: 20, perSecond: 1000 };
/** For how long it is cached whether a resolver validates. */
const SUPPORT_MS = 10 * 60_000;
const UNKNOWN_MS = 10_000;

/** One resolver's answer to one question. */
interface Verdict {
  status: Validation['status'];
  /** Null where it failed. */
  response: DnsMessage | null;
  error: ExtendedError | null;
  resolver: NamedServer | null;
}

const NO_VERDICT: Verdict = { status: 'unknown', response: null, error: null, resolver: null };

type ValidationOptions = RecursorsOptions & { clock: Clock; servers: readonly NamedServer[] };

/** Asks the resolvers whether records are what their zones have signed. */
export function validator(options: ValidationOptions): RecordQueries['validate'] {
  const { servers, random = Math.random } = options;
  const ask = resolverAsker(options);
  const throttle = queryThrottle(ZONE_LIMITS, options.clock);

  /** Asks one resolver after the other until one has an answer. Bogus has to be seen twice: by another resolver, or by the same one again. */
  async function judge(question: Question, options: QueryLimits): Promise<Verdict> {
    const order = shuffled(servers, random).slice(0, MAX_ASKED);
    let verdict = NO_VERDICT;
    for (const server of order) {
      verdict = await ask(question, server, options);
      if (verdict.status === 'bogus') return confirmBogus(verdict, server, question, options);
      if (verdict.response !== null) break;
    }
    return verdict;
  }

  async function confirmBogus(
    seen: Verdict,
    server: NamedServer,
    question: Question,
    options: QueryLimits,
  ): Promise<Verdict> {
    const other = servers.find(({ address, port }) => address !== server.address || port !== server.port);
    const second = await ask(question, other ?? server, options);
    if (second.status === 'bogus') return seen;
    const again = await ask(question, server, options);
    if (again.status === 'bogus') return seen;
    return second.response === null ? again : second;
  }

  /** A zone that does not respond occupies the resolvers longest, and must not occupy them for all others. */
  async function judgeInTurn(question: Question, options: QueryLimits): Promise<Verdict> {
    const zone = registeredDomain(question.name);
    return (await throttle.run(zone, options.signal, () => judge(question, options))) ?? NO_VERDICT;
  }

  /**
   * The answer of a resolver that follows the CNAMEs itself and reaches their end; null where it does not. Unbound takes a CNAME that a signed DNAME stands
   * for as bogus when it is asked for the CNAME itself, and for right when it is asked for an address.
   */
  async function followed(
    name: string,
    end: string,
    chain: string[],
    options: QueryLimits,
  ): Promise<Validation | null> {
    const verdict = await judgeInTurn({ name, type: 'A' }, options);
    if (verdict.response === null || verdict.status === 'bogus') return null;
    const validation = toValidation(verdict, { name, type: 'A', stopAt: end }, chain);
    return validation.answer?.chain.includes(end) ? validation : null;
  }

  return async (question, options) => {
    const name = normalizeName(question.name);
    const end = question.stopAt === undefined ? null : normalizeName(question.stopAt);
    if (question.type !== 'ADDRESS' || end === null) {
      const type = question.type === 'ADDRESS' ? 'A' : question.type;
      return toValidation(await judgeInTurn({ name, type }, options), question, []);
    }
    // One by one: a resolver that follows them itself fails where a zone further down is broken.
    const chain: string[] = [];
    let validation: Validation | null = null;
    for (let current = name; chain.length <= MAX_CHAIN; ) {
      const verdict = await judgeInTurn({ name: current, type: 'CNAME' }, options);
      const whole = verdict.status === 'bogus' ? await followed(current, end, chain, options) : null;
      if (whole !== null) return merge(validation, whole);
      const own = { name: current, type: 'CNAME' } as const;
      validation = merge(validation, toValidation(verdict, own, chain));
      const { answer } = validation;
      if (answer?.kind === 'absent' && answer.reason === 'nodata') {
        const addresses = await judgeInTurn({ name: current, type: 'A' }, options);
        return merge(validation, toValidation(addresses, { name: current, type: 'A' }, chain));
      }
      const next = answer?.kind === 'found' ? answer.chain.at(-1) : undefined;
      if (next === undefined || next === end || chain.includes(next) || next === name) break;
      chain.push(next);
      current = next;
    }
    return validation ?? toValidation(await judgeInTurn({ name, type: 'CNAME' }, options), question, []);
  };
}

/** Asks one resolver one question. */
function resolverAsker({ client, clock, onAnswer }: ValidationOptions) {
  const count = answerCounter(onAnswer);
  const supported = new Map<string, { validates: boolean; readAt: number; expiresAt: number }>();

  async function send(
    question: Question,
    server: NamedServer,
    validation: 'wanted' | 'unchecked',
    { signal, budget }: QueryLimits,
  ): Promise<DnsMessage | null> {
    if (!budget.take()) return null;
    const response = await client.query(question, server, {
      recursion: true,
      validation,
      signal,
      timeoutsMs: TRIES_MS,
      mayRepeat: budget.take,
    });
    if (typeof response === 'string') {
      count({ kind: 'failed', reason: response });
      return null;
    }
    count({ kind: 'answer', message: response });
    return response;
  }

  async function validates(server: NamedServer, { signal, budget }: QueryLimits): Promise<boolean> {
    const key = `${server.address} ${server.port}`;
    const known = supported.get(key);
    const now = clock.now();
    if (known !== undefined && known.readAt <= now && now < known.expiresAt) return known.validates;
    if (!budget.take()) return false;
    const support = await readValidationSupport(client, server, signal);
    const validates = support === 'validates';
    supported.set(key, { validates, readAt: now, expiresAt: now + (support === 'unknown' ? UNKNOWN_MS : SUPPORT_MS) });
    return validates;
  }

  return async (question: Question, server: NamedServer, options: QueryLimits): Promise<Verdict> => {
    const response = await send(question, server, 'wanted', options);
    const verdict: Verdict = { status: 'unknown', response: null, error: null, resolver: server };
    if (response === null) return verdict;
    if (isAnswer(response)) {
      const status = response.authenticated ? 'secure' : (await validates(server, options)) ? 'insecure' : 'unknown';
      return { ...verdict, status, response };
    }
    if (response.rcode !== 'servfail') return verdict;
    const { error } = response;
    if (error !== null && BOGUS_ERRORS.includes(error.code)) return { ...verdict, status: 'bogus', error };
    // It would answer if it did not check the signatures.
    if (!(await validates(server, options))) return verdict;
    const unchecked = await send(question, server, 'unchecked', options);
    return unchecked !== null && isAnswer(unchecked) ? { ...verdict, status: 'bogus', error } : verdict;
  };
}

function isAnswer({ rcode }: DnsMessage): boolean {
  return rcode === 'noerror' || rcode === 'nxdomain';
}

/** `chain`: the CNAMEs up to the name in the question. */
function toValidation(
  { status, response, error, resolver }: Verdict,
  { name, type, stopAt }: RecordQuestion,
  chain: string[],
): Validation {
  const chase = startChase(name, type === 'ADDRESS' ? 'A' : type, stopAt);
  const answer = response === null ? null : readResolved(response, chase);
  return {
    status,
    answer: answer === null ? null : { ...answer, chain: [...chain, ...answer.chain] },
    ttl: response === null ? null : ttlOf(response),
    error,
    resolver: resolver?.address ?? null,
  };
}

/** A chain is as secure as its weakest part. */
function merge(before: Validation | null, next: Validation): Validation {
  if (before === null) return next;
  const order: Validation['status'][] = ['bogus', 'unknown', 'insecure', 'secure'];
  const weaker = order.indexOf(before.status) < order.indexOf(next.status) ? before : next;
  const ttl = before.ttl === null || next.ttl === null ? (next.ttl ?? before.ttl) : Math.min(before.ttl, next.ttl);
  return { ...next, status: weaker.status, error: weaker.error, ttl };
}

/** Seconds until the answer leaves the resolver's cache; of a negative answer, its SOA record says it. */
function ttlOf({ answers, authorities }: DnsMessage): number | null {
  const records = answers.length > 0 ? answers : authorities.filter(({ type }) => type === 'SOA');
  return records.length === 0 ? null : Math.min(...records.map(({ ttl }) => ttl));
}

/**
 * Whether a recursive resolver validates DNSSEC. `unknown`: it gave no usable response, or it knows no signed zone, as in a closed network with a
 * root of its own.
 */
export type ValidationSupport = 'validates' | 'does_not_validate' | 'unknown';

/** In the signed root, on the Internet and wherever there is a copy of it. */
const SIGNED_RECORD = { name: 'com', type: 'DS' } as const;

/** Asks the resolver for a signed record: one that validates says so with AD (RFC 6840 section 5.8). Never rejects. */
export async function readValidationSupport(
  client: QueryClient,
  resolver: ServerAddress,
  signal: AbortSignal,
): Promise<ValidationSupport> {
  const response = await client.query(SIGNED_RECORD, resolver, { recursion: true, validation: 'wanted', signal });
  if (typeof response === 'string') return 'unknown';
  if (response.authenticated) return 'validates';
  return response.answers.some(({ type }) => type === 'DS') ? 'does_not_validate' : 'unknown';
}

/** Unix milliseconds. */
export interface SignatureTimes {
  validFrom: number;
  validUntil: number;
}

/** From when to when a signature is valid that the resolver has just found to be valid; null: it says of none. Never rejects. */
export async function readSignatureTimes(
  client: DnsClient,
  resolver: ServerAddress,
  signal: AbortSignal,
): Promise<SignatureTimes | null> {
  const response = await client.query(SIGNED_RECORD, resolver, { recursion: true, validation: 'signatures', signal });
  if (typeof response === 'string' || !response.authenticated) return null;
  const signatures = response.answers
    .filter(({ type }) => type === 'RRSIG')
    .map(({ value }) => value.split(' ').map(Number));
  const [, validFrom, validUntil] = signatures.find(([covered]) => covered === TYPES[SIGNED_RECORD.type]) ?? [];
  if (validFrom === undefined || validUntil === undefined) return null;
  return { validFrom: validFrom * 1000, validUntil: validUntil * 1000 };
}
