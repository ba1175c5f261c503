import { decodeMessage } from '../protocol/message.ts';
import { encodeQuery, isTruncated } from '../protocol/query.ts';
import type { DnsMessage, Question } from '../protocol/wire.ts';
import type { DnsFailure, ServerAddress } from './query-attempt.ts';
import { queryOverTcp } from './tcp.ts';
import { udpPorts } from './udp.ts';

export interface DnsClient {
  /**
   * Asks one server one question over UDP, again after a timeout, and over TCP when the response is truncated. Never
   * rejects. Settles when the signal aborts or the timeouts of all attempts, over UDP and TCP, have passed.
   */
  query(question: Question, server: ServerAddress, options: QueryOptions): Promise<DnsResponse | DnsFailure>;
  /** Closes every socket; queries in flight end as `timeout`. */
  close(): void;
}

export interface QueryOptions {
  /** RD: asks a resolver to find the answer. Nameservers are queried without it. */
  recursion: boolean;
  /** Of a resolver: what it says about DNSSEC. */
  validation?: 'wanted' | 'unchecked' | 'signatures';
  /** Ends the query as `timeout`. */
  signal: AbortSignal;
  /** One attempt for each: how long it waits for UDP, and then again for TCP. */
  timeoutsMs?: readonly number[];
  /** Sends from a port that no server has seen yet: for an answer that decides something. */
  newPort?: boolean;
}

export interface DnsResponse extends DnsMessage {
  /** `tcp`: the response over UDP was truncated. */
  transport: 'udp' | 'tcp';
}

const TIMEOUTS_MS = [1500, 3000] as const;

export function dnsClient(): DnsClient {
  // Separate, so that a hostile nameserver never sees the ports that queries to resolvers come from.
  const ports = { nameservers: udpPorts(), resolvers: udpPorts() };
  let closed = false;

  async function attempt(
    question: Question,
    server: ServerAddress,
    timeoutMs: number,
    { recursion, validation, signal, newPort = false, edns }: QueryOptions & { edns: boolean },
  ): Promise<DnsResponse | DnsFailure> {
    if (closed) return 'timeout';
    const query = encodeQuery(question, { recursion, edns, ...(validation === undefined ? {} : { validation }) });
    if (query === null) return 'malformed';
    const sent = { query, server, timeoutMs, signal };
    const udp = recursion ? ports.resolvers : ports.nameservers;
    const overUdp = await (newPort ? udp.queryFromNewPort(sent) : udp.query(sent));
    const truncated = typeof overUdp !== 'string' && isTruncated(overUdp);
    const octets = truncated ? await queryOverTcp(sent) : overUdp;
    if (typeof octets === 'string')
      return truncated && octets !== 'malformed' && !signal.aborted ? 'tcp_failed' : octets;
    const message = isTruncated(octets) ? null : decodeMessage(octets);
    return message === null ? 'malformed' : { transport: truncated ? 'tcp' : 'udp', ...message };
  }

  return {
    async query(question, server, options) {
      for (const timeoutMs of options.timeoutsMs ?? TIMEOUTS_MS) {
        let response = await attempt(question, server, timeoutMs, { ...options, edns: true });
        if (mayLackEdns(response)) response = await attempt(question, server, timeoutMs, { ...options, edns: false });
        if (response !== 'timeout' || options.signal.aborted) return response;
      }
      return 'timeout';
    },
    close() {
      closed = true;
      ports.nameservers.close();
      ports.resolvers.close();
    },
  };
}

/** Whether the server may not support EDNS (RFC 6891 section 7). */
function mayLackEdns(response: DnsResponse | DnsFailure): boolean {
  return typeof response !== 'string' && (response.rcode === 'formerr' || response.rcode === 'notimp');
}
