import type { QueryLimits, RecordQueries, RecordQuestion } from '../../dns/resolver.ts';
import type { NameserverAnswers, Validation, ZoneNameserver, ZoneObservation } from '../../domain/observation.ts';

/** How long one nameserver is waited for, alone. */
const NAMESERVER_MS = 3000;
/** How much longer than the first that answers: those that are silent longer have no say. */
const BEHIND_MS = 1500;

/** Asks every nameserver of a zone at once. `known`: what one of them has just answered, which is not asked again. */
export async function askAll(
  dns: RecordQueries,
  zone: ZoneObservation,
  question: RecordQuestion,
  options: QueryLimits,
  known: NameserverAnswers | null,
): Promise<NameserverAnswers[]> {
  return inTime(zone.nameservers, options.signal, async (nameserver, signal) => {
    if (known !== null && isOf(nameserver, known)) return known;
    return dns.askNameserver(zone, nameserver, question, { ...options, signal, timeoutMs: NAMESERVER_MS });
  });
}

/** Asks each nameserver that answered once more. */
export async function askAgain(
  dns: RecordQueries,
  zone: ZoneObservation,
  question: RecordQuestion,
  options: QueryLimits,
  seen: readonly NameserverAnswers[],
): Promise<NameserverAnswers[]> {
  const answered = seen.filter(({ answers: [first] }) => first.kind !== 'unreadable');
  const again = answered.flatMap(({ server }) => zone.nameservers.filter(({ name }) => name === server));
  const asked = await inTime(again, options.signal, (nameserver, signal) =>
    dns.askNameserver(zone, nameserver, question, { ...options, signal, timeoutMs: NAMESERVER_MS, second: true }),
  );
  const second = new Map(asked.map(({ server, answers: [answer] }) => [server, answer]));
  return seen.map((one) => {
    const answer = second.get(one.server);
    return answer === undefined ? one : { ...one, answers: [one.answers[0], answer] };
  });
}

/** Asks each once; those that take much longer than the first that answers end as timeouts. */
async function inTime(
  nameservers: readonly ZoneNameserver[],
  signal: AbortSignal,
  ask: (nameserver: ZoneNameserver, signal: AbortSignal) => Promise<NameserverAnswers>,
): Promise<NameserverAnswers[]> {
  const bounded = new AbortController();
  const abort = () => bounded.abort();
  let timer: NodeJS.Timeout | undefined;
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  const asked = nameservers.map(async (nameserver) => {
    const seen = await ask(nameserver, bounded.signal);
    if (seen.answers[0].kind !== 'unreadable') timer ??= setTimeout(abort, BEHIND_MS);
    return seen;
  });
  try {
    return await Promise.all(asked);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Only what was found: an address that was not found the first time is asked for in IPv6 too. */
function isOf({ name, addresses }: ZoneNameserver, { server, address, answers: [answer] }: NameserverAnswers): boolean {
  return server === name && address !== null && addresses.includes(address) && answer.kind === 'found';
}

/**
 * Asks a resolver where every nameserver is silent to us: a firewall may let only resolvers through. Absence there may be an old
 * answer, and counts for nothing. Against an incumbent, what is found counts for nothing either (`domain/read-observation.ts`).
 */
export async function askResolver(
  dns: RecordQueries,
  question: RecordQuestion,
  options: QueryLimits,
): Promise<NameserverAnswers | null> {
  return foundBy(await dns.validate(question, options));
}

/** The same, asked twice, with what the resolvers say about DNSSEC. The second answer has the IPv6 addresses, where there are any and no CNAME. */
export async function askResolverTwice(
  dns: RecordQueries,
  question: RecordQuestion,
  options: QueryLimits,
): Promise<{ answers: NameserverAnswers[]; validation: Validation }> {
  const validation = await dns.validate(question, options);
  const first = foundBy(validation);
  if (first === null) return { answers: [], validation };
  const isPlain = question.type === 'ADDRESS' && first.answers[0].chain.length === 0;
  const [again, overIpv6] = await Promise.all([
    askResolver(dns, question, options),
    isPlain ? askResolver(dns, { ...question, type: 'AAAA' }, options) : null,
  ]);
  const second = overIpv6 ?? again;
  const answers: NameserverAnswers['answers'] = second === null ? first.answers : [first.answers[0], second.answers[0]];
  return { answers: [{ ...first, answers }], validation };
}

function foundBy({ answer, resolver, status }: Validation): NameserverAnswers | null {
  if (answer?.kind !== 'found' || resolver === null || status === 'bogus') return null;
  return { server: resolver, address: resolver, isResolver: true, answers: [answer] };
}

const SILENT = ['timeout', 'unreachable'];

/** Whether a nameserver did not respond at all. */
export function didNotRespond({ answers: [answer] }: NameserverAnswers): boolean {
  return answer.kind === 'unreadable' && answer.chain.length === 0 && SILENT.includes(answer.reason);
}

/** `ownNameservers` is asked for beside the records: nothing waits for it. */
interface FreshZone {
  zone: ZoneObservation;
  ownNameservers: Promise<string[] | null>;
}

/** Reads the zone of a name as its parent delegates it now; once in a check for both records. `cached`: the zone that holds the name by the cache. */
export type FreshZones = (cached: ZoneObservation, name: string) => Promise<FreshZone>;

export function freshZones(dns: RecordQueries, options: QueryLimits): FreshZones {
  const read = new Map<string, Promise<FreshZone>>();

  async function readZone(name: string): Promise<FreshZone> {
    const zone = await dns.findZone(name, options);
    const ownNameservers = zone.failure === null ? dns.ownNameservers(zone, options) : Promise.resolve(null);
    return { zone, ownNameservers };
  }

  return async (cached, name) => {
    const reading = read.get(cached.apex) ?? readZone(name);
    read.set(cached.apex, reading);
    const fresh = await reading;
    const { apex, failure } = fresh.zone;
    // The other name may be in a lower zone of its own, whose nameservers know nothing of this one.
    return failure !== null || apex === '.' || name === apex || name.endsWith(`.${apex}`) ? fresh : readZone(name);
  };
}
