import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Whether this port of loopback is free, for TCP and, where `udp` is set, for UDP as well. */
export async function isFree(port: number, { udp }: { udp: boolean }): Promise<boolean> {
  if (port === 0) return true;
  return (await freeForTcp(port)) && (!udp || (await freeForUdp(port)));
}

/** The first free port above `port` that is not among `taken`. */
export async function nextFree(port: number, use: { udp: boolean }, taken: readonly number[] = []): Promise<number> {
  for (let next = port + 1; next <= 65_535; next++) {
    if (!taken.includes(next) && (await isFree(next, use))) return next;
  }
  return 0;
}

async function freeForTcp(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

async function freeForUdp(port: number): Promise<boolean> {
  const socket = createSocket('udp4').bind(port, '127.0.0.1');
  try {
    await once(socket, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}
