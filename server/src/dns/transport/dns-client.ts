import type { Failure } from '../../domain/reading.ts';
import { decodeMessage } from '../protocol/message.ts';
import type { QueryAttempt, ServerAddress } from '../protocol/query.ts';
import { encodeQuery, isTruncated } from '../protocol/query.ts';
import type { DnsMessage, Question } from '../protocol/wire.ts';
import { tcpConnections } from './tcp.ts';
import type { UdpEvents, UdpFailure } from './udp.ts';
import { udpPorts } from './udp.ts';

/** Asks servers. `DnsClient` over sockets, `decidingClient` for what decides something. */
export interface QueryClient {
  /**
   * Asks one server one question over UDP, again after a timeout, and over TCP when the response is truncated or others send responses in its place.
   * Never rejects. Settles when the signal aborts or the timeouts of all attempts, over UDP and TCP, have passed.
   */
  query(question: Question, server: ServerAddress, options: QueryOptions): Promise<DnsMessage | Failure>;
}

export interface DnsClient extends QueryClient {
  /** Closes every socket; queries in flight end as `timeout`. */
  close(): void;
}

export interface QueryOptions {
  /** RD: asks a resolver to find the answer. Nameservers are queried without it. */
  recursion: boolean;
  /** A resolver's verdict on DNSSEC. */
  validation?: 'wanted' | 'unchecked' | 'signatures';
  /** Ends the query as `timeout`. */
  signal: AbortSignal;
  /** One attempt for each: how long it waits for UDP, and then again for TCP. */
  timeoutsMs?: readonly number[];
  /** The server is a registry's. */
  registry?: boolean;
  /** `udp` unless given. `tcp`: over a connection that queries of the moment share. */
  over?: 'udp' | 'tcp';
  /** Asks once more: over UDP from a port that no server has seen yet, over TCP on another connection. */
  second?: boolean;
  /** Over UDP alone: from a port that no server has seen yet, with the name in random case. */
  mixedCase?: boolean;
  /** Called before the same question is sent over the other transport too; false: it is not sent. */
  mayRepeat?: () => boolean;
}

const TIMEOUTS_MS = [1500, 3000] as const;

export function dnsClient(events: UdpEvents = { onForgery: () => {} }): DnsClient {
  // Separate, so that a hostile nameserver never sees the ports that queries to resolvers and registries come from.
  const ports = { nameservers: udpPorts(events), registries: udpPorts(events), resolvers: udpPorts(events) };
  const connections = tcpConnections();
  let closed = false;

  function queryOverUdp(
    sent: QueryAttempt,
    { recursion, registry, second, mixedCase }: QueryOptions,
  ): Promise<Buffer | UdpFailure> {
    const udp = recursion ? ports.resolvers : registry ? ports.registries : ports.nameservers;
    return second || mixedCase ? udp.queryFromNewPort(sent) : udp.query(sent);
  }

  async function attempt(
    question: Question,
    server: ServerAddress,
    timeoutMs: number,
    { edns, ...options }: QueryOptions & { edns: boolean },
  ): Promise<DnsMessage | Failure> {
    if (closed) return 'timeout';
    const { recursion, validation, signal, over, second = false, mixedCase = false, mayRepeat = () => true } = options;
    const flags = { recursion, edns, mixedCase, ...(validation !== undefined && { validation }) };
    const query = encodeQuery(question, flags);
    if (query === null) return 'malformed';
    const sent = { query, server, timeoutMs, signal };
    if (over === 'tcp') return decode(await connections.query(sent, second), 'tcp');
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

function decode(octets: Buffer | Failure, transport: 'udp' | 'tcp'): DnsMessage | Failure {
  if (typeof octets === 'string') return octets;
  return (isTruncated(octets) ? null : decodeMessage(octets, transport)) ?? 'malformed';
}

/** Whether the server may not support EDNS (RFC 6891 section 7). */
function mayLackEdns(response: DnsMessage | Failure): boolean {
  return typeof response !== 'string' && (response.rcode === 'formerr' || response.rcode === 'notimp');
}
