import { connect as connectHttp2, constants } from 'node:http2';
import type { Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { Closing } from '../support/closing.ts';
import { type Random, seeded } from '../support/seeded-random.ts';
import { type ProxyServer, startProxyServer, startRawOrigin, until } from './proxy-server.ts';
import { openRaw } from './raw.ts';

// Everybody does whatever they like at any moment: what is under way comes to an end, nothing is left, and nothing is
// thrown.

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const closing: Closing = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const PIECES = [
  'HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
  'HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nno',
  '5\r\nhello\r\n',
  '0\r\n\r\n',
  'x'.repeat(5000),
] as const;

/** An origin that says this and that, and leaves in the middle of it. */
function moody(socket: Socket, random: Random): void {
  const act = () => {
    if (socket.destroyed) return;
    const mood = random.below(20);
    if (mood === 0) socket.end();
    else if (mood === 1) socket.resetAndDestroy();
    else if (mood < 12) socket.write(PIECES[random.below(PIECES.length)] ?? '');
    if (mood > 1) setTimeout(act, random.below(8));
  };
  socket.once('data', act);
  socket.on('end', () => void socket.end());
  if (random.chance(0.2)) setTimeout(() => socket.pause(), random.below(10));
}

async function clientOfHttp1({ port }: ProxyServer, random: Random): Promise<void> {
  const { socket } = await openRaw([], port);
  const head = 'Host: app.acme.com\r\n';
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  const words = [
    `GET / HTTP/1.1\r\n${head}\r\n`,
    `HEAD / HTTP/1.1\r\n${head}\r\n`,
    `GET /ws HTTP/1.1\r\n${head}${upgrade}\r\n`,
    `POST / HTTP/1.1\r\n${head}Content-Length: 30000\r\n\r\n${'x'.repeat(random.below(30_000))}`,
    `POST / HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n${random.chance(0.5) ? '0\r\n\r\n' : ''}`,
    `POST / HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
  ];
  for (let said = 0; said <= random.below(3); said++) socket.write(words[random.below(words.length)] ?? '');
  if (random.chance(0.3)) socket.pause();
  await new Promise((resolve) => setTimeout(resolve, random.below(60)));
  if (random.chance(0.5)) socket.resetAndDestroy();
  else socket.destroySoon();
}

async function clientOfHttp2({ http2Port }: ProxyServer, random: Random): Promise<void> {
  const session = connectHttp2(`http://127.0.0.1:${http2Port}`);
  session.on('error', () => {});
  for (let asked = 0; asked <= random.below(4); asked++) {
    const method = ['GET', 'HEAD', 'POST'][random.below(3)] ?? 'GET';
    const stream = session.request({ ':method': method, ':path': '/' }, { endStream: method !== 'POST' });
    stream.on('error', () => {});
    if (method === 'POST') stream.write('x'.repeat(random.below(100_000)));
    if (method === 'POST' && random.chance(0.5)) stream.end();
    if (random.chance(0.7)) stream.resume();
    if (random.chance(0.4)) setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), random.below(40));
  }
  await new Promise((resolve) => setTimeout(resolve, random.below(60)));
  session.destroy();
}

test(`nothing stays open, whatever client and origin do at any moment (seed ${SEED})`, async () => {
  const random = seeded(SEED);
  const { origin } = await startRawOrigin(closing, (socket) => moody(socket, random));
  const limits = { responseMs: 200, silenceMs: 200, unreadMs: 200, tunnelMs: 200, halfOpenMs: 100, keepAliveMs: 100 };
  const front = await startProxyServer(closing, { origin, limits });
  for (let i = 0; i < 40; i++) {
    const clients = [clientOfHttp1, clientOfHttp2, clientOfHttp1, clientOfHttp2];
    await Promise.all(clients.map((one) => one(front, random)));
  }
  await until(() => front.proxy.counts().requests === 0);
  await until(() => front.proxy.counts().tunnels === 0);
  await until(() => front.proxy.counts().connections === 0);
  expect(front.failures.length).toBeGreaterThan(0);
});
