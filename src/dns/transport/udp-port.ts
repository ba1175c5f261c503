import { randomInt } from 'node:crypto';
import { createSocket, type RemoteInfo } from 'node:dgram';
import { isAnswerTo } from '../protocol/query.ts';
import type { Exchange, Exchanged, ExchangeFailure } from './exchange.ts';

export type Family = 'udp4' | 'udp6';

/** One UDP source port, chosen at random by the operating system. */
export interface UdpPort {
  /** Queries that wait for their answer. */
  readonly waiting: number;
  /** Queries sent so far. */
  readonly sent: number;
  /**
   * Sends under a random id; only the answer with that id, from that address and port, to that question counts. Never
   * rejects.
   */
  exchange(exchange: Exchange): Promise<Exchanged>;
  /** Closes the port when nothing waits any more. Safe to call twice. */
  retire(): void;
  /** Closes the port now. */
  close(): void;
}

interface Waiting extends Exchange {
  settle(exchanged: Exchanged): void;
}

export function openUdpPort(family: Family, onClosed: () => void): UdpPort {
  const socket = createSocket({
    type: family,
    // Only addresses are sent to: the system's resolver must never be asked.
    lookup: (address, _options, done) => done(null, address, family === 'udp4' ? 4 : 6),
  });
  const waiting = new Map<number, Waiting>();
  let sent = 0;
  let retired = false;
  let closed = false;

  socket.on('message', (octets, from) => {
    if (octets.length < 2) return;
    const match = waiting.get(octets.readUInt16BE(0));
    if (match === undefined || !isFrom(match, from) || !isAnswerTo(match.query, octets)) return;
    match.settle({ kind: 'reply', octets });
  });
  // The socket could not be opened, or broke: whoever waits asks elsewhere.
  socket.on('error', () => shut('unreachable'));

  function shut(reason: ExchangeFailure): void {
    if (closed) return;
    closed = true;
    for (const one of [...waiting.values()]) one.settle({ kind: 'failed', reason });
    socket.close();
    onClosed();
  }

  function unusedId(): number {
    let id = randomInt(0x10000);
    while (waiting.has(id)) id = randomInt(0x10000);
    return id;
  }

  return {
    get waiting() {
      return waiting.size;
    },
    get sent() {
      return sent;
    },
    exchange: (exchange) =>
      new Promise((resolve) => {
        const { query, server, timeoutMs, signal } = exchange;
        if (closed) return resolve({ kind: 'failed', reason: 'closed' });
        if (signal.aborted) return resolve({ kind: 'failed', reason: 'timeout' });
        const id = unusedId();
        const fail = (reason: ExchangeFailure) => settle({ kind: 'failed', reason });
        const expire = () => fail('timeout');
        const timer = setTimeout(expire, timeoutMs);
        const settle = (exchanged: Exchanged) => {
          if (!waiting.delete(id)) return;
          clearTimeout(timer);
          signal.removeEventListener('abort', expire);
          resolve(exchanged);
          if (retired && waiting.size === 0) shut('closed');
        };
        signal.addEventListener('abort', expire);
        query.octets.writeUInt16BE(id, 0);
        waiting.set(id, { ...exchange, settle });
        sent++;
        socket.send(query.octets, server.port, server.address, (error) => {
          if (error !== null) fail('unreachable');
        });
      }),
    retire() {
      retired = true;
      if (waiting.size === 0) shut('closed');
    },
    close: () => shut('closed'),
  };
}

function isFrom({ server }: Exchange, from: RemoteInfo): boolean {
  return from.address === server.address && from.port === server.port;
}
