import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endpoint } from '../config/config.ts';

/** Something that works in the background. It finishes what is under way when it is stopped. */
export interface Running {
  stop(): Promise<unknown>;
}

export interface Listening extends Running {
  /** `http://host:port` */
  address: string;
}

/** How long requests, checks and orders that are under way may go on once the server stops. */
export const GRACE_MS = 3000;

/**
 * Listens. Once stopped, connections in use end with the answer that is under way, or with the grace. Rejects with one line that says what to do;
 * `variable` is what the address was configured with.
 */
export async function listen(server: Server, { host, port }: Endpoint, variable: string): Promise<Listening> {
  const listening = once(server, 'listening');
  server.listen(port, host);
  await listening.catch((error: unknown) => {
    throw cannotListen(error, { host, port }, variable);
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    address: `http://${written({ host, port: actual })}`,
    async stop() {
      const late = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      // A connection that was in use when the server closed becomes idle with its answer.
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(late);
      clearInterval(idle);
    },
  };
}

/** The reason in one line that says what to do, where it is one of the usual; otherwise the error itself. */
export function cannotListen(error: unknown, endpoint: Endpoint, variable: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const address = written(endpoint);
  switch (code) {
    case 'EADDRINUSE':
      return new Error(`${address} is in use by another program. Stop that one, or set ${variable} to another port.`);
    case 'EACCES':
      return new Error(
        `${address} may not be listened on by this user: ports below 1024 need root or CAP_NET_BIND_SERVICE. Give it that, or set ${variable} to a port above 1023.`,
      );
    case 'EADDRNOTAVAIL':
      return new Error(`${address} is not an address of this machine. Set ${variable} to one that is.`);
    default:
      return error;
  }
}

function written({ host, port }: Endpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
