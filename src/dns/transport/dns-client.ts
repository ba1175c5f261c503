import { decodeMessage } from '../protocol/message.ts';
import { encodeQuery, isTruncated } from '../protocol/query.ts';
import type { DnsMessage, Question } from '../protocol/wire.ts';
import type { DnsFailure, QueryAttempt, ServerAddress } from './query-attempt.ts';
import { tcpConnections } from './tcp.ts';
import { udpPorts } from './udp.ts';
import type { UdpEvents, UdpFailure } from './udp-port.ts';

export interface DnsClient {
  /**
   * Asks one server one question over UDP, again after a timeout, and over TCP when the response is truncated or others send responses in its place.
   * Never rejects. Settles when the signal aborts or the timeouts of all attempts, over UDP and TCP, have passed.
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
  /** The server is a registry's. */
  registry?: boolean;
  /**
   * `udp` unless given. `own_port`: UDP from a port that no server has seen yet; `mixed_case`: that, with the name in random case. `tcp`: over a
   * connection that queries of the moment share; `second_tcp`: over another one.
   */
  by?: 'udp' | 'own_port' | 'mixed_case' | 'tcp' | 'second_tcp';
  /** Called before the same question is sent over the other transport too; false: it is not sent. */
  mayRepeat?: () => boolean;
}

export interface DnsResponse extends DnsMessage {
  transport: 'udp' | 'tcp';
  /** The response over UDP was truncated. */
  truncated?: true;
}

const TIMEOUTS_MS = [1500, 3000] as const;

export function dnsClient(events: UdpEvents = { onForgery: () => {} }): DnsClient {
  // Separate, so that a hostile nameserver never sees the ports that queries to resolvers and registries come from.
  const ports = { nameservers: udpPorts(events), registries: udpPorts(events), resolvers: udpPorts(events) };
  const connections = tcpConnections();
  let closed = false;

  function queryOverUdp(sent: QueryAttempt, { recursion, registry, by }: QueryOptions): Promise<Buffer | UdpFailure> {
    const udp = recursion ? ports.resolvers : registry ? ports.registries : ports.nameservers;
    return by === 'own_port' || by === 'mixed_case' ? udp.queryFromNewPort(sent) : udp.query(sent);
  }

  async function attempt(
    question: Question,
    server: ServerAddress,
    timeoutMs: number,
    { edns, ...options }: QueryOptions & { edns: boolean },
  ): Promise<DnsResponse | DnsFailure> {
    if (closed) return 'timeout';
    const { recursion, validation, signal, by, mayRepeat = () => true } = options;
    const flags = { recursion, edns, mixedCase: by === 'mixed_case', ...(validation !== undefined && { validation }) };
    const query = encodeQuery(question, flags);
    if (query === null) return 'malformed';
    const sent = { query, server, timeoutMs, signal };
    if (by === 'tcp' || by === 'second_tcp') return decode(await connections.query(sent, by === 'second_tcp'), 'tcp');
    const overUdp = await queryOverUdp(sent, options);
    const truncated = typeof overUdp !== 'string' && isTruncated(overUdp);
    if (overUdp !== 'forged' && !truncated) return decode(overUdp, 'udp');
    const octets = mayRepeat() ? await connections.queryAlone(sent) : 'timeout';
    // The true response over UDP is not waited for, so that a forger gets no more guesses.
    if (octets === 'timeout' || octets === 'unreachable')
      return truncated && !signal.aborted ? 'tcp_failed' : 'timeout';
    const response = decode(octets, 'tcp');
    return typeof response === 'string' || !truncated ? response : { ...response, truncated };
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
      for (const some of [...Object.values(ports), connections]) some.close();
    },
  };
}

function decode(octets: Buffer | DnsFailure, transport: 'udp' | 'tcp'): DnsResponse | DnsFailure {
  if (typeof octets === 'string') return octets;
  const message = isTruncated(octets) ? null : decodeMessage(octets);
  return message === null ? 'malformed' : { transport, ...message };
}

/** Whether the server may not support EDNS (RFC 6891 section 7). */
function mayLackEdns(response: DnsResponse | DnsFailure): boolean {
  return typeof response !== 'string' && (response.rcode === 'formerr' || response.rcode === 'notimp');
}
