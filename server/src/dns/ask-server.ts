import { isWithoutServer, type ZoneObservation } from '../domain/observation.ts';
import type { Failure } from '../domain/reading.ts';
import type { ServerAddress } from './protocol/query.ts';
import type { DnsMessage, Question } from './protocol/wire.ts';
import type { QueryClient, QueryOptions } from './transport/dns-client.ts';

/** A nameserver or a resolver. */
export interface NamedServer extends ServerAddress {
  /** Host name; the address where it has none. */
  name: string;
}

/** A server's answer, or the reason why it has none that is usable. Several servers: the answer of one, or the failure that says most. */
export type ServerResponse = AnsweredResponse | FailedResponse;

interface AskedServer {
  /** The zone whose nameserver it is; of a resolver the root, since it may say something about any name. */
  zone: ZoneObservation;
  /** The servers that failed, where several were asked: before the one that answered, or all of them. */
  failures: readonly (FailedResponse & { server: NamedServer })[];
}

export interface AnsweredResponse extends AskedServer {
  kind: 'answer';
  server: NamedServer;
  /** With RCODE NOERROR or NXDOMAIN. */
  message: DnsMessage;
}

export interface FailedResponse extends AskedServer {
  kind: 'failed';
  reason: Failure;
  /** Null: no server is at fault. */
  server: Pick<NamedServer, 'name'> | null;
}

/** Most servers that are asked one question, not counting unreachable ones. */
const MAX_ASKED = 3;

/** Asks one server. Whether it is the right server to ask is for the caller to judge. */
export async function askServer(
  client: QueryClient,
  question: Question,
  server: NamedServer,
  zone: ZoneObservation,
  options: QueryOptions,
): Promise<ServerResponse> {
  const message = await client.query(question, server, options);
  if (typeof message === 'string') return failed(message, server, zone);
  switch (message.rcode) {
    case 'noerror':
    case 'nxdomain':
      return { kind: 'answer', message, server, zone, failures: [] };
    case 'refused':
      return failed('refused', server, zone);
    default:
      return failed('servfail', server, zone);
  }
}

export function failed(reason: Failure, server: FailedResponse['server'], zone: ZoneObservation): FailedResponse {
  return { kind: 'failed', reason, server, zone, failures: [] };
}

/**
 * Asks one server after the other until one answers, and then those that timed out once more, with a longer timeout, unless they are not worth it. Any
 * other failure is final.
 */
export async function askServers(
  zone: ZoneObservation,
  servers: readonly NamedServer[],
  timeoutsMs: readonly number[],
  ask: (server: NamedServer, timeoutMs: number) => Promise<ServerResponse>,
  isWorthRetrying: (server: NamedServer) => boolean = () => true,
): Promise<ServerResponse> {
  const failures = new Map<string, FailedResponse & { server: NamedServer }>();
  let candidates = servers;
  for (const timeoutMs of timeoutsMs) {
    const again: NamedServer[] = [];
    let asked = 0;
    for (const server of candidates) {
      if (asked === MAX_ASKED) break;
      const retry = isWorthRetrying(server);
      const result = await ask(server, timeoutMs);
      failures.delete(keyOf(server));
      if (result.kind === 'answer') return { ...result, failures: [...failures.values()] };
      const { reason } = result;
      failures.set(keyOf(server), { ...result, server });
      if (reason === 'too_many_queries') return worstFailure(zone, [...failures.values()]);
      if (reason !== 'unreachable') asked++;
      if (reason === 'timeout' && retry) again.push(server);
    }
    candidates = again;
  }
  return worstFailure(zone, [...failures.values()]);
}

function keyOf({ address, port }: NamedServer): string {
  return `${address} ${port}`;
}

/** The failure that says most, in whichever order the servers were asked: a response rather than a timeout, then the first server by name. */
export function worstFailure(zone: ZoneObservation, failures: AskedServer['failures']): FailedResponse {
  const [worst] = failures.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
  if (worst === undefined) return failed('no_nameserver', null, zone);
  const { reason, server } = worst;
  return { ...failed(reason, reason === 'too_many_queries' ? null : server, zone), failures };
}

function rankOf({ reason, server }: AskedServer['failures'][number]): string {
  return `${['timeout', 'unreachable', 'too_many_queries'].indexOf(reason) + 1} ${server.name}`;
}

/** The failure of a zone that has no nameserver to ask. */
export function failedAt(zone: ZoneObservation): FailedResponse {
  const { failure } = zone;
  if (failure === null || isWithoutServer(failure.reason)) return failed('no_nameserver', null, zone);
  return failed(failure.reason, failure.server === undefined ? null : { name: failure.server }, zone);
}

/** The failure without what only this folder needs. */
export function failureOf({ reason, server }: FailedResponse): { reason: Failure; server?: string } {
  return { reason, ...(server && { server: server.name }) };
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
