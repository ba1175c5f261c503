import { type BindOptions, createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Endpoint } from '../config/config.ts';
import type { DnsServerMetrics } from './dns-server-metrics.ts';
import type { Responder } from './responder.ts';

/** Queries that wait while the thread is busy for a moment. The system takes less where it is set to. */
const RECEIVE_BUFFER_OCTETS = 4 * 1024 * 1024;
/** Responses that the system has not taken yet; further ones are dropped. */
const MAX_QUEUED = 1000;

export interface UdpSocket {
  /** Its descriptor, which another process can be given: queries that nobody has read stay in the socket's queue. */
  fd: number | undefined;
  close(): void;
}

interface UdpDeps {
  responder: Responder;
  metrics: Pick<DnsServerMetrics, 'failedSend' | 'unanswered'>;
}

/** Answers queries over UDP, at an address or on a socket that was given. Rejects with the error of the system. */
export async function answerUdp(where: Endpoint | { fd: number }, { responder, metrics }: UdpDeps): Promise<UdpSocket> {
  // The family matters for none that is given: addresses of clients are not looked up.
  const socket = openSocket('fd' in where ? '' : where.host, { reusePort: process.platform === 'linux' });
  socket.on('message', (message, { address, port: from }) => {
    // Nobody can receive there, and Node throws.
    if (from === 0) return;
    const response = responder.respond(message, address, 'udp');
    if (response === null) return;
    if (socket.getSendQueueCount() >= MAX_QUEUED) metrics.failedSend();
    else
      socket.send(response, from, address, (error) => {
        if (error !== null) metrics.failedSend();
      });
  });
  await bind(socket, 'fd' in where ? where : { address: where.host, port: where.port });
  // The system lacks memory for a moment, as in a flood.
  socket.on('error', () => metrics.unanswered('udp'));
  return { fd: descriptorOf(socket), close: () => void socket.close() };
}

/** Node has no public name for it. Without it no socket can be handed over. */
function descriptorOf(socket: Socket): number | undefined {
  const state = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'state symbol');
  const { handle } = socket[state as keyof Socket] as unknown as { handle?: { fd?: number } };
  return handle?.fd;
}

/**
 * Rejects with the error of the system where another program has the port: sockets with `reusePort` would share it
 * without an error.
 */
export async function tryUdpPort(endpoint: Endpoint): Promise<void> {
  const socket = openSocket(endpoint.host, { reusePort: false });
  await bind(socket, { address: endpoint.host, port: endpoint.port });
  socket.close();
}

function openSocket(host: string, { reusePort }: { reusePort: boolean }): Socket {
  const type = host.includes(':') ? 'udp6' : 'udp4';
  return createSocket({
    type,
    reusePort,
    recvBufferSize: RECEIVE_BUFFER_OCTETS,
    // Addresses of clients need no look-up; that of `localhost` has none.
    lookup: (name, _, done) => done(null, name === 'localhost' ? '127.0.0.1' : name, type === 'udp6' ? 6 : 4),
  });
}

async function bind(socket: Socket, options: BindOptions): Promise<void> {
  const bound = once(socket, 'listening');
  socket.bind(options);
  await bound.catch((error: unknown) => {
    socket.close();
    throw error;
  });
}
