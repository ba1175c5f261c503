import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import type { Endpoint } from '../config/config.ts';
import { cannotListen, hostAndPort } from './cannot-listen.ts';
import { DRAIN_IDLE_MS, type ListenOptions, openListener } from './listener.ts';
import { endWithNextResponse, responsesInFlight } from './response-order.ts';

/** Something that runs in the background. `stop` waits for the work in flight. */
export interface Stoppable {
  stop(): Promise<unknown>;
}

export interface ListeningServer extends Stoppable {
  /** `http://host:port` */
  address: string;
  port: number;
  /** Accepts connections on the sockets that the process was given. */
  accept(): Promise<void>;
  /** The descriptors of its listening sockets. */
  fds(): number[];
}

interface HttpListenOptions extends ListenOptions {
  /** How long connections may go on after `stop`; `GRACE_MS` unless given. */
  drainMs?: number;
}

/** How long checks and orders in flight may take after the process was stopped. */
export const GRACE_MS = 3000;

/**
 * Listens, on the sockets of `options.fds` once `accept` is called. The server tracks its responses (`trackResponse`).
 * `stop` makes the next response on each connection the last one, closes those that are idle, and all of them after
 * `drainMs`. Rejects with one line that says what to do; `variable` is the setting that holds the address.
 */
export async function listen(
  server: Server,
  { drainMs = GRACE_MS, ...options }: HttpListenOptions,
  variable: string,
): Promise<ListeningServer> {
  const { host, port: wanted } = options;
  const open = new Set<Socket>();
  // The same queue length as `http.Server` has on its own sockets.
  const newServer = () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      server.emit('connection', socket);
    });
  const listener = await openListener(options, newServer).catch((error: unknown) => {
    throw cannotListen(error, { host, port: wanted }, variable);
  });
  // Starts the checks of time limits: the server itself never listens.
  server.emit('listening');
  const { port, accept, fds, close } = listener;
  return {
    address: `http://${hostAndPort({ host, port })}`,
    port,
    accept,
    fds,
    async stop() {
      close();
      await drain(open, drainMs);
      server.close();
    },
  };
}

async function drain(open: ReadonlySet<Socket>, drainMs: number): Promise<void> {
  const idleMs = Math.min(DRAIN_IDLE_MS, drainMs);
  const idleSince = new Map<Socket, number>();

  function closeIdle(): void {
    const now = performance.now();
    for (const socket of open) {
      const since = responsesInFlight(socket) > 0 ? undefined : (idleSince.get(socket) ?? now);
      if (since === undefined) idleSince.delete(socket);
      else if (now - since >= idleMs) socket.destroy();
      else idleSince.set(socket, since);
    }
  }

  for (const socket of open) endWithNextResponse(socket);
  closeIdle();
  const closing = setInterval(closeIdle, 50);
  const end = setTimeout(() => open.forEach((socket) => void socket.destroy()), drainMs);
  await Promise.all([...open].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  clearInterval(closing);
  clearTimeout(end);
}

/** A port that this process has, although nobody accepts connections there yet. */
export interface ReservedPort {
  /** With it a thread listens there. */
  listen: ListenOptions;
  /** Once a thread listens there, or none will. */
  release(): void;
}

/**
 * Resolves with the port, which is free: with another one for port 0. Sockets with `reusePort` share a port without an
 * error, even with another process: so this listens alone first, and then with `reusePort` until it is released.
 * Rejects with the error of the system.
 */
export async function reservePort(
  { host, port }: Endpoint,
  { reusePort }: { reusePort: boolean },
): Promise<ReservedPort> {
  const alone = createServer();
  await startListening(alone, { host, port });
  const reserved = { host, port: (alone.address() as AddressInfo).port, reusePort };
  // Frees the port at once, and for less than a millisecond.
  alone.close();
  if (!reusePort) return { listen: reserved, release() {} };
  const shared = createServer((socket) => socket.destroy());
  await startListening(shared, reserved);
  return { listen: reserved, release: () => void shared.close() };
}

/** Rejects with the error of the system. */
export async function startListening(server: NetServer, options: ListenOptions & { backlog?: number }): Promise<void> {
  const listening = once(server, 'listening');
  server.listen(options);
  await listening;
}
