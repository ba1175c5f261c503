import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { addressOf, sharedPostgres } from '../../../../../test/support/postgres.ts';
import { startProxy } from '../../../../../test/support/tcp-proxy.ts';
import { listenForChanges } from './notifications.ts';

/** A server's acts on one connection. */
type Behaviour = (socket: Socket) => void;

/** Behaviours of connections, one after another; the last stays. */
async function startServer(...behaviours: Behaviour[]) {
  let connections = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    behaviours[Math.min(connections++, behaviours.length - 1)]?.(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, connections: () => connections, server };
}

const fatal = (code: string) => {
  const fields = Buffer.from(`SFATAL\0C${code}\0Mno\0\0`);
  const header = Buffer.alloc(5, 'E');
  header.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([header, fields]);
};

// An unhandled rejection fails the run.
it('a listener reconnects after every kind of failure to connect, and none is an unhandled rejection', async () => {
  const address = addressOf(await sharedPostgres().createDatabase());
  const broken: Behaviour[] = [
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end(),
    (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    (socket) => socket.once('data', () => socket.end(fatal('57P03'))),
    // Does not answer, until the time limit.
    () => {},
  ];
  const { port, connections, server } = await startServer(...broken, (socket) => {
    const upstream = connect(address.port, address.host);
    for (const end of [socket, upstream])
      end.on('error', () => {}).once('close', () => [socket, upstream].map((it) => it.destroy()));
    socket.pipe(upstream).pipe(socket);
  });
  const connected = Promise.withResolvers<void>();
  const there = { ...address, host: '127.0.0.1', port };
  const listener = listenForChanges(there, async () => connected.resolve(), { connectMs: 200 });
  await connected.promise;
  // On a slow machine a good connection may meet the time limit too.
  expect(connections()).toBeGreaterThan(broken.length);
  await listener.stop();
  server.close();
});

it('a listener to a server that hangs stops in time', async () => {
  const address = addressOf(await sharedPostgres().createDatabase());
  const proxy = await startProxy(address.port);
  const connected = Promise.withResolvers<void>();
  const there = { ...address, host: '127.0.0.1', port: proxy.port };
  const listener = listenForChanges(there, async () => connected.resolve(), { connectMs: 200 });
  await connected.promise;
  proxy.hang();
  await listener.stop();
  await proxy.close();
});
