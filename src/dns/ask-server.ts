import type { UnreadableReason } from '../domain/reading.ts';
import type { Question } from './protocol/wire.ts';
import type { AnsweredBy } from './resolver.ts';
import type { DnsClient, DnsResponse, QueryOptions } from './transport/dns-client.ts';
import type { DnsFailure, ServerAddress } from './transport/query-attempt.ts';

/** A nameserver or a resolver. */
export interface NamedServer extends ServerAddress {
  /** Host name; the address where it has none. */
  name: string;
}

/** A response with RCODE NOERROR or NXDOMAIN. */
export interface DnsAnswer {
  kind: 'answer';
  response: DnsResponse;
  by: AnsweredBy;
}

/** `server`: the name of the server that failed, where the customer should see it. */
export interface FailedQuery {
  kind: 'failed';
  reason: UnreadableReason | DnsFailure;
  server?: string;
}

/** Most servers that are asked one question, not counting unreachable ones. */
const MAX_ASKED = 3;

/** Asks one server. Whether it is the right server to ask is for the caller to judge. */
export async function askServer(
  client: DnsClient,
  question: Question,
  server: NamedServer,
  options: QueryOptions,
): Promise<DnsAnswer | FailedQuery> {
  const response = await client.query(question, server, options);
  if (typeof response === 'string') return failed(response, server);
  switch (response.rcode) {
    case 'noerror':
    case 'nxdomain': {
      const by = { server: server.name, address: server.address, authoritative: !options.recursion };
      return { kind: 'answer', response, by };
    }
    case 'refused':
      return failed('refused', server);
    default:
      return failed('servfail', server);
  }
}

export function failed(reason: FailedQuery['reason'], { name }: NamedServer): FailedQuery {
  return { kind: 'failed', reason, server: name };
}

/**
 * Asks one server after the other until one answers, and then those that timed out once more, with a longer timeout. Any
 * other failure is final. When all fail, returns the same failure in whichever order they were asked: a response rather
 * than a timeout, then the first server by name.
 */
export async function askServers(
  servers: readonly NamedServer[],
  timeoutsMs: readonly number[],
  ask: (server: NamedServer, timeoutMs: number) => Promise<DnsAnswer | FailedQuery>,
): Promise<DnsAnswer | FailedQuery> {
  let failure: FailedQuery = { kind: 'failed', reason: 'no_nameserver' };
  let candidates = servers;
  for (const timeoutMs of timeoutsMs) {
    const timedOut: NamedServer[] = [];
    let asked = 0;
    for (const server of candidates) {
      if (asked === MAX_ASKED) break;
      const result = await ask(server, timeoutMs);
      if (result.kind === 'answer') return result;
      if (result.reason !== 'unreachable') asked++;
      if (result.reason === 'timeout') timedOut.push(server);
      if (failure.server === undefined || rankOf(result) < rankOf(failure)) failure = result;
    }
    candidates = timedOut;
  }
  return failure;
}

function rankOf({ reason, server }: FailedQuery): string {
  return `${['timeout', 'unreachable'].indexOf(reason) + 1} ${server}`;
}

/** Whether no server responded at all. */
export function isSilent({ reason }: FailedQuery): boolean {
  return reason === 'timeout' || reason === 'unreachable';
}

/** The items in random order. `random` yields numbers in [0, 1). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const left = [...items];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(Math.floor(random() * left.length), 1));
  return order;
}

/** The servers, with those that match moved to the end. */
export function moveToEnd(servers: readonly NamedServer[], matches: (server: NamedServer) => boolean): NamedServer[] {
  return [...servers.filter((server) => !matches(server)), ...servers.filter(matches)];
}
