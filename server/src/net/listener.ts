import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import type { Endpoint } from '../config/config.ts';
import { cannotListen } from './cannot-listen.ts';

/** Where one thread listens. */
export interface ListenOptions extends Endpoint {
  /** Several sockets listen on the port (Linux). */
  reusePort?: boolean;
  /**
   * Listening sockets that this process was given. It accepts nothing before `accept` is called; where there are none,
   * it then opens a socket of its own beside those of other threads.
   */
  fds?: readonly number[];
  /** Most connections in the queue of a socket; Node's own unless given. */
  backlog?: number;
}

/** The listening sockets of one thread, on one address. */
export interface Listener {
  port: number;
  /**
   * Accepts connections on the sockets that were given. Others do so from the start. Rejects with one line that says
   * what to do.
   */
  accept(): Promise<void>;
  /**
   * The descriptors, which another process can be given: connections that nobody has accepted stay in the socket's
   * queue.
   */
  fds(): number[];
  /** Accepts no more. Connections go on. */
  close(): void;
}

/**
 * How long a connection may be idle while its server drains: a client that uses it within that time learns from the
 * response that it has to open another one.
 */
export const DRAIN_IDLE_MS = 1000;

/** `newServer` is called for each socket. Rejects with the error of the system. */
export async function openListener(
  { fds, backlog, ...options }: ListenOptions,
  newServer: () => Server,
): Promise<Listener> {
  const servers: Server[] = [];
  const open = async (where: { fd: number } | Endpoint): Promise<Server> => {
    const server = newServer();
    const listening = once(server, 'listening');
    // The backlog is an argument: among the options Node ignores it for a descriptor, and sets its own.
    server.listen(where, backlog);
    await listening;
    servers.push(server);
    return server;
  };
  const own = fds === undefined ? await open(options) : null;
  return {
    port: own === null ? options.port : (own.address() as AddressInfo).port,
    async accept() {
      if (fds === undefined) return;
      if (fds.length === 0)
        await open(options).catch((error: unknown) => {
          throw cannotListen(error, options, 'the variable that names it');
        });
      for (const fd of fds) await open({ fd });
    },
    fds: () => servers.map(descriptorOf).filter((fd) => fd !== undefined),
    close() {
      for (const server of servers) server.close();
    },
  };
}

/** Node does not document this field. Without it no socket can be handed over. */
function descriptorOf(server: Server & { _handle?: { fd?: number } | null }): number | undefined {
  return server._handle?.fd;
}
