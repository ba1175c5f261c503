import type { Look, QueryLimits, RecordQueries, RecordQuestion } from '../../dns/resolver.ts';
import type { NameserverAnswers, ZoneNameserver, ZoneObservation } from '../../domain/observation.ts';

/** How long one nameserver is waited for, alone. */
const LOOK_MS = 3000;
/** How much longer than the first that answers: those that are silent longer have no say. */
const BEHIND_MS = 1500;

/** Asks every nameserver of a zone at once. `known`: a look that was just taken, and is not taken again. */
export async function askAll(
  dns: RecordQueries,
  zone: ZoneObservation,
  question: RecordQuestion,
  options: QueryLimits,
  known: Look | null,
): Promise<NameserverAnswers[]> {
  const looks = await inTime(zone.nameservers, options.signal, (nameserver, signal) => {
    if (known !== null && isLookAt(nameserver, known)) return Promise.resolve(known);
    return dns.askNameserver(zone, nameserver, question, { ...options, signal, timeoutMs: LOOK_MS });
  });
  return looks.map(({ server, address, answer }) => ({ server, address, answers: [answer] }));
}

/** Looks once more at each nameserver that answered. */
export async function askAgain(
  dns: RecordQueries,
  zone: ZoneObservation,
  question: RecordQuestion,
  options: QueryLimits,
  seen: readonly NameserverAnswers[],
): Promise<NameserverAnswers[]> {
  const answered = seen.filter(({ answers: [first] }) => first.kind !== 'unreadable');
  const again = answered.flatMap(({ server }) => zone.nameservers.filter(({ name }) => name === server));
  const looks = await inTime(again, options.signal, (nameserver, signal) =>
    dns.askNameserver(zone, nameserver, question, { ...options, signal, timeoutMs: LOOK_MS, second: true }),
  );
  const second = new Map(looks.map(({ server, answer }) => [server, answer]));
  return seen.map((one) => {
    const answer = second.get(one.server);
    return answer === undefined ? one : { ...one, answers: [one.answers[0], answer] };
  });
}

/** One look at each; those that take much longer than the first that answers end as timeouts. */
async function inTime(
  nameservers: readonly ZoneNameserver[],
  signal: AbortSignal,
  look: (nameserver: ZoneNameserver, signal: AbortSignal) => Promise<Look>,
): Promise<Look[]> {
  const bounded = new AbortController();
  const abort = () => bounded.abort();
  let timer: NodeJS.Timeout | undefined;
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  const looks = nameservers.map(async (nameserver) => {
    const seen = await look(nameserver, bounded.signal);
    if (seen.answer.kind !== 'unreadable') timer ??= setTimeout(abort, BEHIND_MS);
    return seen;
  });
  try {
    return await Promise.all(looks);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Only what was found: an address that was not found at the first look is asked for in IPv6 too. */
function isLookAt({ name, addresses }: ZoneNameserver, { server, address, answer }: Look): boolean {
  return server === name && address !== null && addresses.includes(address) && answer.kind === 'found';
}
