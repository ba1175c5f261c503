import { once } from 'node:events';
import { request as ask, type IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { startOrigin, startProxyServer, startRawOrigin, until } from './proxy-server.ts';

const closing = closingAfterEach();

const INTERIM = `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(8000)}\r\n\r\n`;

/** Sends interim responses for as long as anybody takes them. */
function flood(socket: Socket): void {
  const pump = () => {
    while (socket.writable && socket.write(INTERIM));
  };
  socket.on('drain', pump);
  pump();
}

/** A client that has connected and sent so much. */
async function say(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

it('limits the interim responses that are buffered for a client that does not read', async () => {
  const raw = await startRawOrigin(closing, (socket) => void socket.once('data', () => flood(socket)));
  const front = await startProxyServer(closing, { origin: raw.origin });
  const idle = await say(front.port, 'GET / HTTP/1.1\r\nHost: app.acme.com\r\n\r\n');
  idle.pause();
  await until(() => front.failures.length === 1);
  const session = connectHttp2(`http://127.0.0.1:${front.http2Port}`);
  closing.push(() => session.destroy());
  session.request({ ':path': '/' }).on('error', () => {});
  await until(() => front.failures.length === 2);
  expect(front.failures).toMatchObject([{ reason: 'interim' }, { reason: 'interim' }]);
});

it('sends clients of HTTP/1.0 no interim responses, which they would take for the final one', async () => {
  const raw = await startRawOrigin(closing, (socket) => {
    socket.once('data', () => socket.write(`${INTERIM}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`));
  });
  const front = await startProxyServer(closing, { origin: raw.origin });
  const client = await say(front.port, 'GET / HTTP/1.0\r\nHost: app.acme.com\r\n\r\n');
  let heard = '';
  for await (const chunk of client) heard += chunk;
  expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

it('does not affect other requests when an upgrade is declined', async () => {
  const { origin, server } = await startOrigin(closing, (request, response) => {
    if (request.url === '/ws') response.writeHead(403, { 'content-length': 2 }).end('no');
    else held.push(() => response.end('paid'));
  });
  server.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
    server.emit('connection', socket);
  });
  const held: (() => void)[] = [];
  const front = await startProxyServer(closing, { origin });
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const declined = await say(front.port, `GET /ws HTTP/1.1\r\nHost: app.acme.com\r\n${upgrade}`);
  declined.resume();
  await once(declined, 'end');

  const paying = ask({ port: front.port, host: '127.0.0.1', method: 'POST', path: '/pay', agent: false });
  const answered = once(paying, 'response');
  paying.end('3.50');
  await until(() => held.length === 1);
  declined.destroy();
  await until(() => front.proxy.counts().tunnels === 0);
  for (const answer of held) answer();
  const [response]: IncomingMessage[] = await answered;
  expect(response?.statusCode).toBe(200);
  response?.resume();
});
