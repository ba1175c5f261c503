import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Whether this port of loopback is free, for TCP and, with `udp`, for UDP as well. */
export async function isFree(port: number, { udp }: { udp: boolean }): Promise<boolean> {
  if (port === 0) return true;
  return (
    (await canListen(createServer().listen(port, '127.0.0.1'))) &&
    (!udp || (await canListen(createSocket('udp4').bind(port, '127.0.0.1'))))
  );
}

/** The first free port above `port` that is not among `taken`. */
export async function nextFree(port: number, use: { udp: boolean }, taken: readonly number[] = []): Promise<number> {
  for (let next = port + 1; next <= 65_535; next++) {
    if (!taken.includes(next) && (await isFree(next, use))) return next;
  }
  return 0;
}

async function canListen(socket: Server | Socket): Promise<boolean> {
  try {
    await once(socket, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}
