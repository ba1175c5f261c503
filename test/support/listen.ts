import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Closing } from './closing.ts';

/** Listens, on loopback unless told otherwise. With its end all of its connections end. Resolves with the port. */
export async function listen(closing: Closing, server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket.on('error', () => {}));
    socket.once('close', () => open.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of open) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
