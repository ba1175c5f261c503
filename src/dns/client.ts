import type { Endpoint, ExchangeFailure } from './exchange.ts';
import { decodeMessage } from './message.ts';
import { encodeQuery, isTruncated } from './query.ts';
import { exchangeOverTcp } from './tcp.ts';
import { udpPorts } from './udp.ts';
import type { Message, Question } from './wire.ts';

/** Asks one question of one server. */
export interface DnsClient {
  /**
   * Asks over UDP, again on a timeout, and over TCP when the answer was truncated. Never rejects, and never settles later than the
   * timeouts add up to.
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
  /** How long each try over UDP waits; the last is also the time for TCP. */
  timeoutsMs?: readonly number[];
  /** Uses source ports that nobody has seen yet; for answers that decide something. */
  newPort?: boolean;
}

export type Reply =
  | ({ kind: 'answer'; transport: 'udp' | 'tcp' } & Message)
  /** `unaskable`: the name cannot be written as a question. */
  | { kind: 'unreadable'; reason: ExchangeFailure | 'unaskable'; server: Endpoint };

const TIMEOUTS_MS = [1500, 3000] as const;

export function dnsClient(): DnsClient {
  const ports = udpPorts();
  let closed = false;

  return {
    async query(question, server, { recursion, signal, timeoutsMs = TIMEOUTS_MS, newPort = false }) {
      const unreadable = (reason: ExchangeFailure | 'unaskable'): Reply => ({ kind: 'unreadable', reason, server });
      for (const timeoutMs of timeoutsMs) {
        if (closed) return unreadable('closed');
        // Each try has octets of its own: a late answer to an earlier one is an answer to nothing.
        const query = encodeQuery(question, recursion);
        if (query === null) return unreadable('unaskable');
        const exchange = { query, server, timeoutMs, signal };
        let transport: 'udp' | 'tcp' = 'udp';
        let exchanged = await (newPort ? ports.exchangeFromNewPort(exchange) : ports.exchange(exchange));
        if (exchanged.kind === 'reply' && isTruncated(exchanged.octets)) {
          transport = 'tcp';
          exchanged = await exchangeOverTcp({ ...exchange, timeoutMs: timeoutsMs.at(-1) ?? timeoutMs });
        }
        if (exchanged.kind === 'reply') {
          const message = decodeMessage(exchanged.octets);
          return message === null || message.truncated
            ? unreadable('malformed')
            : { kind: 'answer', transport, ...message };
        }
        if (exchanged.reason !== 'timeout' || transport === 'tcp' || signal.aborted)
          return unreadable(exchanged.reason);
      }
      return unreadable('timeout');
    },
    close() {
      closed = true;
      ports.close();
    },
  };
}
