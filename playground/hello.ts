import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small web server on loopback: the origin of the playground's environment. */
export interface HelloOrigin {
  /** `http://127.0.0.1:PORT` */
  origin: string;
  close(): Promise<void>;
}

/** Listens on `port` if it is free, otherwise on any free port. */
export async function startHello(port = 0): Promise<HelloOrigin> {
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? 'no host').replace(/[^a-z0-9.:[\]-]/gi, '');
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.end(`Hello from the playground. You requested ${host}.\n`);
  });
  const listening = once(server, 'listening');
  server.listen(port, '127.0.0.1');
  try {
    await listening;
  } catch (error) {
    if (port === 0) throw error;
    return startHello();
  }
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
