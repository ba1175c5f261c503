import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { isResponseTo } from '../protocol/query.ts';
import type { DnsFailure, QueryAttempt } from './query-attempt.ts';

const LENGTH_OCTETS = 2;

/**
 * Queries over a TCP connection of its own (RFC 7766): one message prefixed with its length each way, at most 65,535
 * octets. `timeoutMs` covers all of it. Resolves with a response to the query; the connection is closed then. Never
 * rejects.
 */
export function queryOverTcp({ query, server, timeoutMs, signal }: QueryAttempt): Promise<Buffer | DnsFailure> {
  if (signal.aborted) return Promise.resolve('timeout');
  return new Promise((resolve) => {
    const socket = connect({ host: server.address, port: server.port });
    const received: Buffer[] = [];
    let receivedOctets = 0;
    let expectedOctets = Number.POSITIVE_INFINITY;

    const settle = (result: Buffer | DnsFailure) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', expire);
      socket.destroy();
      resolve(result);
    };
    const expire = () => settle('timeout');
    const timer = setTimeout(expire, timeoutMs);
    signal.addEventListener('abort', expire);

    socket.on('error', () => settle('unreachable'));
    socket.on('end', () => settle('malformed'));
    socket.on('data', (chunk) => {
      received.push(chunk);
      receivedOctets += chunk.length;
      if (expectedOctets === Number.POSITIVE_INFINITY && receivedOctets >= LENGTH_OCTETS) {
        expectedOctets = LENGTH_OCTETS + Buffer.concat(received).readUInt16BE(0);
      }
      if (receivedOctets < expectedOctets) return;
      const octets = Buffer.concat(received).subarray(LENGTH_OCTETS, expectedOctets);
      settle(isResponseTo(query, octets) ? octets : 'malformed');
    });

    query.octets.writeUInt16BE(randomInt(0x10000), 0);
    const prefix = Buffer.alloc(LENGTH_OCTETS);
    prefix.writeUInt16BE(query.octets.length);
    socket.write(Buffer.concat([prefix, query.octets]));
  });
}
