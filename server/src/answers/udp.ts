import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Endpoint } from '../config/config.ts';
import type { DnsServerMetrics } from './dns-server-metrics.ts';
import type { Responder } from './responder.ts';

/** Queries that wait while the thread is busy for a moment. The system takes less where it is set to. */
const RECEIVE_BUFFER_OCTETS = 4 * 1024 * 1024;
/** Responses that the system has not taken yet; further ones are dropped. */
const MAX_QUEUED = 1000;

/** Answers queries over UDP. Resolves with what closes the socket; rejects with the error of the system. */
export async function answerUdp(
  { host, port }: Endpoint,
  { responder, metrics }: { responder: Responder; metrics: Pick<DnsServerMetrics, 'failedSend' | 'unanswered'> },
): Promise<() => void> {
  const socket = openSocket(host, { reusePort: process.platform === 'linux' });
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
  await bind(socket, { host, port });
  // The system lacks memory for a moment, as in a flood.
  socket.on('error', () => metrics.unanswered('udp'));
  return () => socket.close();
}

/**
 * Rejects with the error of the system where another program has the port: sockets with `reusePort` would share it
 * without an error.
 */
export async function tryUdpPort(endpoint: Endpoint): Promise<void> {
  const socket = openSocket(endpoint.host, { reusePort: false });
  await bind(socket, endpoint);
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

async function bind(socket: Socket, { host, port }: Endpoint): Promise<void> {
  const bound = once(socket, 'listening');
  socket.bind({ address: host, port });
  await bound.catch((error: unknown) => {
    socket.close();
    throw error;
  });
}
