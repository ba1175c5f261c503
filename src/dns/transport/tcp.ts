import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { isAnswerTo } from '../protocol/query.ts';
import type { Exchange, Exchanged } from './exchange.ts';

const LENGTH_OCTETS = 2;

/**
 * Asks over a TCP connection of its own (RFC 7766): one message prefixed with its length each way, at most 65,535
 * octets. The connection is closed when this settles. `timeoutMs` is for all of it. Never rejects.
 */
export function exchangeOverTcp({ query, server, timeoutMs, signal }: Exchange): Promise<Exchanged> {
  if (signal.aborted) return Promise.resolve({ kind: 'failed', reason: 'timeout' });
  return new Promise((resolve) => {
    const socket = connect({ host: server.address, port: server.port });
    const received: Buffer[] = [];
    let receivedOctets = 0;
    let expectedOctets = Number.POSITIVE_INFINITY;

    const settle = (exchanged: Exchanged) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', expire);
      socket.destroy();
      resolve(exchanged);
    };
    const expire = () => settle({ kind: 'failed', reason: 'timeout' });
    const timer = setTimeout(expire, timeoutMs);
    signal.addEventListener('abort', expire);

    socket.on('error', () => settle({ kind: 'failed', reason: 'unreachable' }));
    socket.on('end', () => settle({ kind: 'failed', reason: 'malformed' }));
    socket.on('data', (chunk) => {
      received.push(chunk);
      receivedOctets += chunk.length;
      if (expectedOctets === Number.POSITIVE_INFINITY && receivedOctets >= LENGTH_OCTETS) {
        expectedOctets = LENGTH_OCTETS + Buffer.concat(received).readUInt16BE(0);
      }
      if (receivedOctets < expectedOctets) return;
      const octets = Buffer.concat(received).subarray(LENGTH_OCTETS, expectedOctets);
      settle(isAnswerTo(query, octets) ? { kind: 'reply', octets } : { kind: 'failed', reason: 'malformed' });
    });

    query.octets.writeUInt16BE(randomInt(0x10000), 0);
    const prefix = Buffer.alloc(LENGTH_OCTETS);
    prefix.writeUInt16BE(query.octets.length);
    socket.write(Buffer.concat([prefix, query.octets]));
  });
}
