import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net';
import type { Endpoint } from '../config/config.ts';

/** Something that runs in the background. `stop` waits for the work in flight. */
export interface Stoppable {
  stop(): Promise<unknown>;
}

export interface ListeningServer extends Stoppable {
  /** `http://host:port` */
  address: string;
}

export interface ListenOptions extends Endpoint {
  /** Several threads listen on the port (Linux), which `reservePort` holds for them. */
  reusePort?: boolean;
}

/** How long requests, checks and orders in flight may take after the server was stopped. */
export const GRACE_MS = 3000;

/**
 * Listens. `stop` closes each connection after its response, and all of them after `GRACE_MS`. Rejects with one line that says what to do;
 * `variable` is the setting that holds the address.
 */
export async function listen(server: Server, options: ListenOptions, variable: string): Promise<ListeningServer> {
  const { host, port } = options;
  await startListening(server, options).catch((error: unknown) => {
    throw cannotListen(error, { host, port }, variable);
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    address: `http://${hostAndPort({ host, port: actual })}`,
    async stop() {
      const graceEnd = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      // A connection that was busy when the server closed becomes idle with its response.
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(graceEnd);
      clearInterval(idle);
    },
  };
}

/** A port that this process has, although nobody accepts connections there yet. */
export interface ReservedPort {
  /** With it a thread listens there. */
  listen: ListenOptions;
  /** Once a thread listens there, or none will. */
  release(): void;
}

/**
 * Resolves with the port, which is free: with another one for port 0. Sockets with `reusePort` share a port without an error, even with another
 * process: so this listens alone first, and then with `reusePort` until it is released. Rejects with the error of the system.
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

/** One line that says what to do for the usual errors; otherwise the error itself. */
export function cannotListen(error: unknown, endpoint: Endpoint, variable: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const address = hostAndPort(endpoint);
  switch (code) {
    case 'EADDRINUSE':
      return new Error(`${address} is in use by another program. Stop it, or set ${variable} to another port.`);
    case 'EACCES':
      return new Error(
        `This user may not listen on ${address}: ports below 1024 need root or CAP_NET_BIND_SERVICE. Grant it, or set ${variable} to a port above 1023.`,
      );
    case 'EADDRNOTAVAIL':
      return new Error(`${address} is not an address of this machine. Set ${variable} to one that is.`);
    default:
      return error;
  }
}

function hostAndPort({ host, port }: Endpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
