import type { UnreadableReason } from '../domain/observation.ts';
import type { Message, Question } from './protocol/wire.ts';
import type { DnsClient, QueryFailure, QueryOptions } from './transport/dns-client.ts';
import type { Endpoint } from './transport/exchange.ts';

/** A nameserver or a resolver at one address. */
export interface Server extends Endpoint {
  /** Host name; the address where it has none. */
  name: string;
}

/** What asking a question came to. */
export type Heard = HeardAnswer | HeardFailure;

export interface HeardAnswer {
  kind: 'answer';
  /** Its rcode is `noerror` or `nxdomain`. */
  answer: Message & { transport: 'udp' | 'tcp' };
  server: Server;
}

export interface HeardFailure {
  kind: 'failed';
  reason: Failure;
  server?: Server;
}

/** `unreachable`: nothing could be sent to the address. */
export type Failure = UnreadableReason | 'unreachable';

/** Most servers that are given time to answer one question. */
const MAX_ASKED = 3;

/** Sends one question to one server. Whether the answer is worth anything is judged elsewhere. */
export async function hear(
  client: DnsClient,
  question: Question,
  server: Server,
  options: QueryOptions,
): Promise<Heard> {
  const reply = await client.query(question, server, options);
  if (reply.kind === 'unreadable') return { kind: 'failed', reason: failureOf(reply.reason), server };
  switch (reply.rcode) {
    case 'noerror':
    case 'nxdomain':
      return { kind: 'answer', answer: reply, server };
    case 'refused':
      return { kind: 'failed', reason: 'refused', server };
    case 'servfail':
    case 'formerr':
    case 'notimp':
    case 'other':
      return { kind: 'failed', reason: 'servfail', server };
    default:
      return reply.rcode satisfies never;
  }
}

function failureOf(reason: QueryFailure): Failure {
  switch (reason) {
    case 'timeout':
    case 'unreachable':
    case 'malformed':
      return reason;
    case 'closed':
      return 'timeout';
    case 'unaskable':
      return 'malformed';
    default:
      return reason satisfies never;
  }
}

/**
 * Asks one server after the other until one answers. When all have been asked, the silent ones are asked once more,
 * with more time; any other failure is final. Servers that cannot be reached from here at all do not count as asked.
 * Among failures, that of a server that said something is given; of several, that of the first by name, in whichever order they were asked.
 */
export async function hearInTurn(
  servers: readonly Server[],
  triesMs: readonly number[],
  ask: (server: Server, timeoutMs: number) => Promise<Heard>,
): Promise<Heard> {
  let failed: HeardFailure = { kind: 'failed', reason: 'no_nameserver' };
  let candidates = servers;
  for (const timeoutMs of triesMs) {
    const silent: Server[] = [];
    let asked = 0;
    for (const server of candidates) {
      if (asked === MAX_ASKED) break;
      const heard = await ask(server, timeoutMs);
      if (heard.kind === 'answer') return heard;
      if (heard.reason !== 'unreachable') asked++;
      if (heard.reason === 'timeout') silent.push(server);
      if (failed.server === undefined || orderOf(heard) < orderOf(failed)) failed = heard;
    }
    candidates = silent;
  }
  return failed;
}

/** What was said comes first, then silence, then what could not be sent; each by the name of the server. */
function orderOf({ reason, server }: HeardFailure): string {
  return `${['timeout', 'unreachable'].indexOf(reason) + 1} ${server?.name}`;
}

/** Whether the failure says nothing but that nobody answered. */
export function isSilence({ reason }: HeardFailure): boolean {
  return reason === 'timeout' || reason === 'unreachable';
}

/** A failure in the words of the port. */
export function unreadable({ reason, server }: HeardFailure): {
  kind: 'unreadable';
  reason: UnreadableReason;
  server?: string;
} {
  const known = reason === 'unreachable' ? 'timeout' : reason;
  return { kind: 'unreadable', reason: known, ...(server === undefined ? {} : { server: server.name }) };
}

/** The items in random order. `random` yields numbers in [0, 1). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const left = [...items];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(Math.floor(random() * left.length), 1));
  return order;
}

/** The servers, those that `isLast` tells moved to the end. */
export function putLast(servers: readonly Server[], isLast: (server: Server) => boolean): Server[] {
  return [...servers.filter((server) => !isLast(server)), ...servers.filter(isLast)];
}
