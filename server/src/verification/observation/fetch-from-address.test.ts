import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createDialer } from '../../net/dialer.ts';
import { fetchFromAddress } from './fetch-from-address.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Fetches from a server that handles the connection as the test says, once it has the request. */
async function fetchFromServer(answer: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => answer(socket));
    closing.push(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const dialer = createDialer({ mayDial: () => true, lookUp: async () => ['127.0.0.1'] });
  const options = {
    dialer,
    maxRedirects: 10,
    timeoutMs: 10_000,
    ports: { http: port, https: port },
    signal: new AbortController().signal,
  };
  return fetchFromAddress(new URL(`http://app.acme.com:${port}/`), '127.0.0.1', options);
}

const NOT_HTTP = 'it accepts connections, but its response is not HTTP';

it.each([
  ['a protocol upgrade', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['half a head', 'HTTP/1.1 200 OK\r\nContent-'],
  ['half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
  ['more than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab'],
])('ends with %s', async (_, answer) => {
  expect(await fetchFromServer((socket) => socket.end(answer))).toMatchObject({ kind: 'unreachable', seen: NOT_HTTP });
});

it('ends with a protocol upgrade whose connection stays open', async () => {
  const answer = 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';
  expect(await fetchFromServer((socket) => socket.write(answer))).toMatchObject({
    kind: 'unreachable',
    seen: NOT_HTTP,
  });
});
