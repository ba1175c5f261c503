import { decodeMessage } from '../protocol/message.ts';
import { encodeQuery, isTruncated, type QueryFlags } from '../protocol/query.ts';
import type { Message, Question } from '../protocol/wire.ts';
import type { Endpoint, ExchangeFailure } from './exchange.ts';
import { exchangeOverTcp } from './tcp.ts';
import { udpPorts } from './udp.ts';

/** Asks one question of one server. */
export interface DnsClient {
  /**
   * Asks over UDP, again when nothing came, and over TCP when the answer was truncated. Never rejects. Settles when the
   * signal ends or the times of all tries, over UDP and TCP, are over.
   */
  query(question: Question, server: Endpoint, options: QueryOptions): Promise<Reply>;
  /** Ends what is open (`closed`) and lets go of every socket. */
  close(): void;
}

export interface QueryOptions {
  /** RD: asks a resolver to find the answer. Nameservers are asked without. */
  recursion: boolean;
  /** Ends the query as `timeout`. */
  signal: AbortSignal;
  /** One try for each; how long it waits for UDP, and then again for TCP. */
  timeoutsMs?: readonly number[];
  /** Asks from a port that nobody has seen yet: for an answer that decides something. */
  newPort?: boolean;
}

export type Reply =
  | ({ kind: 'answer'; transport: 'udp' | 'tcp' } & Message)
  | { kind: 'unreadable'; reason: QueryFailure; server: Endpoint };

/** `unaskable`: the name cannot be written as a question. */
export type QueryFailure = ExchangeFailure | 'unaskable';

const TIMEOUTS_MS = [1500, 3000] as const;

export function dnsClient(): DnsClient {
  // Apart, so that a hostile nameserver never sees the ports that resolvers are asked from.
  const ports = { nameservers: udpPorts(), resolvers: udpPorts() };
  let closed = false;

  async function attempt(
    question: Question,
    server: Endpoint,
    timeoutMs: number,
    { recursion, signal, newPort = false, edns }: QueryOptions & QueryFlags,
  ): Promise<Reply> {
    const query = encodeQuery(question, { recursion, edns });
    if (query === null || closed) return { kind: 'unreadable', reason: closed ? 'closed' : 'unaskable', server };
    const exchange = { query, server, timeoutMs, signal };
    const udp = recursion ? ports.resolvers : ports.nameservers;
    let transport: 'udp' | 'tcp' = 'udp';
    let exchanged = await (newPort ? udp.exchangeFromNewPort(exchange) : udp.exchange(exchange));
    if (exchanged.kind === 'reply' && isTruncated(exchanged.octets)) {
      transport = 'tcp';
      exchanged = await exchangeOverTcp(exchange);
    }
    if (exchanged.kind === 'failed') return { kind: 'unreadable', reason: exchanged.reason, server };
    const message = decodeMessage(exchanged.octets);
    if (message === null || message.truncated) return { kind: 'unreadable', reason: 'malformed', server };
    return { kind: 'answer', transport, ...message };
  }

  return {
    async query(question, server, options) {
      for (const timeoutMs of options.timeoutsMs ?? TIMEOUTS_MS) {
        let reply = await attempt(question, server, timeoutMs, { ...options, edns: true });
        if (isWithoutEdns(reply)) reply = await attempt(question, server, timeoutMs, { ...options, edns: false });
        if (reply.kind === 'answer' || reply.reason !== 'timeout' || options.signal.aborted) return reply;
      }
      return { kind: 'unreadable', reason: 'timeout', server };
    },
    close() {
      closed = true;
      ports.nameservers.close();
      ports.resolvers.close();
    },
  };
}

/** Whether the server may not know EDNS (RFC 6891 section 7). */
function isWithoutEdns(reply: Reply): boolean {
  return reply.kind === 'answer' && (reply.rcode === 'formerr' || reply.rcode === 'notimp');
}
