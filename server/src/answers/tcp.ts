import { createServer, type Server, type Socket } from 'node:net';
import { limitConnections } from '../net/connection-limit.ts';
import type { DnsServerMetrics } from './dns-server-metrics.ts';
import type { Responder } from './responder.ts';

/** DNS over TCP (RFC 7766): a client may send many queries over one connection, and need not wait between them. */
export interface TcpAnswers {
  /** A server for one listening socket. */
  newServer(): Server;
  /** Closes all connections, once what was written is sent; the rest after a second. */
  stop(): void;
}

/** A connection may be silent for so long (RFC 7766 section 6.2.3). */
const IDLE_MS = 10_000;
const STOP_MS = 1000;
const LIMITS = { total: 1000, perAddress: 100 };
/** A query has a few hundred octets at most. */
const MAX_QUERY_OCTETS = 4096;
const LENGTH_OCTETS = 2;

export function createTcpAnswers(responder: Responder, metrics: Pick<DnsServerMetrics, 'connections'>): TcpAnswers {
  const open = new Set<Socket>();
  const connections = limitConnections({ ...LIMITS, isProxy: () => false, onCount: metrics.connections });

  function serve(socket: Socket): void {
    // Its client has left again.
    const { remoteAddress: address } = socket;
    if (address === undefined) return void socket.destroy();
    open.add(socket);
    connections.add(socket, address);
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      const { responses, left, isBroken } = respondToAll(
        rest.length === 0 ? chunk : Buffer.concat([rest, chunk]),
        address,
      );
      rest = left;
      if (isBroken) return void socket.destroy();
      // It has been active last from now on.
      connections.busy(socket);
      connections.idle(socket);
      if (responses.length === 0 || socket.write(Buffer.concat(responses))) return;
      // A client that does not read gets no further answers.
      socket.pause();
      socket.once('drain', () => socket.resume());
    });
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on('error', () => {});
    socket.once('close', () => open.delete(socket));
  }

  /** Responds to every whole message; `isBroken`: the client does not speak DNS. */
  function respondToAll(received: Buffer, address: string) {
    const responses: Buffer[] = [];
    let at = 0;
    while (at + LENGTH_OCTETS <= received.length) {
      const length = received.readUInt16BE(at);
      const start = at + LENGTH_OCTETS;
      if (length > MAX_QUERY_OCTETS) return { responses, left: received, isBroken: true };
      if (start + length > received.length) break;
      const response = responder.respond(received.subarray(start, start + length), address, 'tcp');
      if (response === null) return { responses, left: received, isBroken: true };
      responses.push(lengthOf(response), response);
      at = start + length;
    }
    return { responses, left: received.subarray(at), isBroken: false };
  }

  return {
    newServer: () => createServer({ noDelay: true }, serve),
    stop() {
      for (const socket of open) socket.end();
      setTimeout(() => open.forEach((socket) => void socket.destroy()), STOP_MS).unref();
    },
  };
}

function lengthOf(message: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_OCTETS);
  length.writeUInt16BE(message.length);
  return length;
}
