import type { Clock } from '../base/clock.ts';
import { type AnswerCode, answerQuery } from './answer-query.ts';
import type { Cookies } from './cookies.ts';
import type { DnsServerMetrics } from './dns-server-metrics.ts';
import { type Query, readQuery, type Transport } from './query.ts';
import { EDNS_OCTETS, writeHeader, writeResponse } from './response.ts';
import type { ResponseLimit } from './response-limit.ts';
import type { ServedZones } from './zones.ts';

export interface Responder {
  /** The response to a message; null: none. Never throws, whatever the message is. */
  respond(message: Uint8Array, address: string, transport: Transport): Buffer | null;
}

interface ResponderDeps {
  /** As they are now. */
  zones(): ServedZones;
  cookies: Cookies;
  /** Null: no limit. */
  limit: ResponseLimit | null;
  clock: Clock;
  metrics: DnsServerMetrics;
}

const PLAIN_UDP_OCTETS = 512;
const MAX_TCP_OCTETS = 65_535;
/** A response over UDP to an address that may be forged is at most so many times as long as its query. */
const MAX_AMPLIFICATION = 4;

export function createResponder({ zones, cookies, limit, clock, metrics }: ResponderDeps): Responder {
  function respondToQuery(message: Uint8Array, query: Query, address: string, transport: Transport) {
    const sent = query.edns?.cookie ?? null;
    const { cookie, isOurs } =
      sent === null ? { cookie: null, isOurs: false } : cookies.check(sent, address, clock.now());
    const isProven = transport === 'tcp' || isOurs;
    const decision = isProven ? 'send' : decide(address);
    if (decision === 'drop') return null;
    const current = zones();
    const answer = answerQuery(query, current);
    metrics.answered(transport, answer.rcode);
    const most = transport === 'tcp' ? MAX_TCP_OCTETS : udpOctets(query);
    return writeResponse(message, query, answer, current, {
      limit: isProven ? most : Math.min(most, MAX_AMPLIFICATION * message.length),
      truncated: decision === 'truncate',
      cookie,
    });
  }

  function decide(address: string) {
    const decision = limit?.decide(address, performance.now()) ?? 'send';
    if (decision !== 'send') metrics.limited(decision);
    return decision;
  }

  function fail(
    message: Uint8Array,
    rcode: AnswerCode & ('formerr' | 'notimp'),
    address: string,
    transport: Transport,
  ) {
    // Truncation means nothing here.
    if (transport === 'udp' && decide(address) !== 'send') return null;
    metrics.answered(transport, rcode);
    return writeHeader(message, rcode);
  }

  return {
    respond(message, address, transport) {
      const query = readQuery(message);
      switch (query.kind) {
        case 'query':
          return respondToQuery(message, query, address, transport);
        case 'malformed':
          return fail(message, 'formerr', address, transport);
        case 'opcode':
          return fail(message, 'notimp', address, transport);
        case 'unanswered':
          metrics.unanswered(transport);
          return null;
        default:
          return query satisfies never;
      }
    },
  };
}

function udpOctets({ edns }: Query): number {
  return edns === null ? PLAIN_UDP_OCTETS : Math.min(Math.max(edns.udpOctets, PLAIN_UDP_OCTETS), EDNS_OCTETS);
}
