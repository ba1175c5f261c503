import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../src/edge/edge-limits.ts';
import type { Client } from '../../src/edge/http/edge-client.ts';
import type { ClientExchange } from '../../src/edge/http/http-exchange.ts';
import { http1Server } from '../../src/edge/http/http1.ts';
import { isClosed } from '../../src/edge/http/respond.ts';
import { type Harness, handshake, type Site, startHarness } from './harness.ts';
import { type Closing, listen, until } from './proxy-server.ts';
import { asRaw, openRaw } from './raw.ts';

let edge: Harness;
let site: Site;
let heard = 0;
beforeAll(async () => {
  edge = await startHarness();
  // It never answers.
  const origin = await edge.addOrigin(() => {
    heard += 1;
  });
  site = await edge.addSite({ origin });
});
afterAll(() => edge.close());

const LINE = 'nameplate_edge_requests_total{protocol="http/1.1",status="4xx"}';

async function counted(requests: number): Promise<void> {
  while ((await edge.metric(LINE)) < requests) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await edge.metric(LINE)).toBe(requests);
}

it('drops all requests of a client that disconnects, also queued ones', async () => {
  const before = await edge.metric(LINE);
  const socket = await handshake(edge.httpsPort, { servername: site.hostname });
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${site.hostname}\r\n\r\n`;
  socket.write(`${request('/1')}${request('/2')}${request('/3')}`);
  await until(() => heard === 3);
  socket.destroy();
  await counted(before + 3);
});

it('refuses to upgrade a connection with responses in flight, and drops its requests', async () => {
  const before = await edge.metric(LINE);
  const socket = await handshake(edge.httpsPort, { servername: site.hostname });
  const request = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: ${site.hostname}\r\n${fields}\r\n`;
  heard = 0;
  socket.write(`${request('/1')}${request('/2')}${request('/ws', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')}`);
  await asRaw(socket).closed();
  await counted(before + 2);
  expect(heard).toBeLessThanOrEqual(2);
});

it.each(['', 'GET / HTTP/1.1\r\nHost: a.example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'])(
  'closes all responses with their connection, also while requests are being routed (%j)',
  async (last) => {
    const closing: Closing = [];
    const responses: ClientExchange['response'][] = [];
    const http1 = http1Server({
      limits: LIMITS,
      onRequest: (_, { response }) => void responses.push(response),
      onUpgrade: () => {},
      onUnreadable: () => ({ requestId: 'req_1' }),
    });
    const server = createServer((socket) => http1.accept(socket, {} as Client));
    const client = await openRaw(closing, await listen(closing, server));
    client.send(`GET / HTTP/1.1\r\nHost: a.example.com\r\n\r\n`.repeat(3) + last);
    await until(() => responses.length === 3);
    client.socket.destroy();
    await until(() => responses.every(isClosed));
    for (const close of closing.reverse()) await close();
    http1.stop();
  },
);
