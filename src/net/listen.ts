import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
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
  /** Several threads listen on the port (Linux), which `reservePort` has found free. */
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
  const listening = once(server, 'listening');
  server.listen(options);
  await listening.catch((error: unknown) => {
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

/**
 * Resolves with the port, which is free: with another one for port 0. Sockets with `reusePort` share a port without an error, even with another
 * program. Rejects with the error of the system.
 */
export async function reservePort({ host, port }: Endpoint): Promise<Endpoint> {
  const server = createServer();
  const listening = once(server, 'listening');
  server.listen({ host, port });
  await listening;
  const { port: actual } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { host, port: actual };
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
