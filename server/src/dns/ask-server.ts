import type { Failure } from '../domain/reading.ts';
import type { Question } from './protocol/wire.ts';
import type { AnsweredBy } from './resolver.ts';
import type { DnsResponse, QueryClient, QueryOptions } from './transport/dns-client.ts';
import type { ServerAddress } from './transport/query-attempt.ts';

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
  reason: Failure;
  server?: string;
}

export interface ServerFailure {
  server: NamedServer;
  reason: Failure;
}

/** `failures`: of the servers that were asked before; of all, where `answer` is null. */
export interface ServersResult {
  answer: DnsAnswer | null;
  failures: ServerFailure[];
}

/** Most servers that are asked one question, not counting unreachable ones. */
const MAX_ASKED = 3;

/** Asks one server. Whether it is the right server to ask is for the caller to judge. */
export async function askServer(
  client: QueryClient,
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

export function failed(reason: Failure, { name }: NamedServer): FailedQuery {
  return { kind: 'failed', reason, server: name };
}

/**
 * Asks one server after the other until one answers, and then those that timed out once more, with a longer timeout, unless they are not worth it. Any
 * other failure is final.
 */
export async function askServers(
  servers: readonly NamedServer[],
  timeoutsMs: readonly number[],
  ask: (server: NamedServer, timeoutMs: number) => Promise<DnsAnswer | FailedQuery>,
  isWorthRetrying: (server: NamedServer) => boolean = () => true,
): Promise<ServersResult> {
  const failures = new Map<string, ServerFailure>();
  let candidates = servers;
  for (const timeoutMs of timeoutsMs) {
    const again: NamedServer[] = [];
    let asked = 0;
    for (const server of candidates) {
      if (asked === MAX_ASKED) break;
      const retry = isWorthRetrying(server);
      const result = await ask(server, timeoutMs);
      failures.delete(keyOf(server));
      if (result.kind === 'answer') return { answer: result, failures: [...failures.values()] };
      const { reason } = result;
      failures.set(keyOf(server), { server, reason });
      if (reason === 'too_many_queries') return { answer: null, failures: [...failures.values()] };
      if (reason !== 'unreachable') asked++;
      if (reason === 'timeout' && retry) again.push(server);
    }
    candidates = again;
  }
  return { answer: null, failures: [...failures.values()] };
}

function keyOf({ address, port }: NamedServer): string {
  return `${address} ${port}`;
}

/** The failure that says most, in whichever order the servers were asked: a response rather than a timeout, then the first server by name. */
export function worstFailure(failures: readonly ServerFailure[]): FailedQuery {
  const [worst] = failures.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
  if (worst === undefined) return { kind: 'failed', reason: 'no_nameserver' };
  const { reason, server } = worst;
  return reason === 'too_many_queries' ? { kind: 'failed', reason } : failed(reason, server);
}

function rankOf({ reason, server }: ServerFailure): string {
  return `${['timeout', 'unreachable', 'too_many_queries'].indexOf(reason) + 1} ${server.name}`;
}

/** Whether no server responded at all. */
export function isSilent(reason: Failure): boolean {
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
export function moveToEnd(servers: NamedServer[], matches: (server: NamedServer) => boolean): NamedServer[] {
  if (!servers.some(matches)) return servers;
  return [...servers.filter((server) => !matches(server)), ...servers.filter(matches)];
}
