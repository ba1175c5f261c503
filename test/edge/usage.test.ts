import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { ROOT } from './authority.ts';
import { type Harness, handshake, overHttp, overHttp2, overHttps, type Site, startHarness } from './harness.ts';
import { asRaw } from './raw.ts';

const closing = closingAfterEach();
let edge: Harness;
afterEach(() => edge.close());

const NONE = { requests: 0, bytesIn: 0, bytesOut: 0, edgeErrors: 0, originErrors: 0 };
const HOUR_MS = 3_600_000;

/** The usage that is stored: its hours, and their sum. */
async function storedOf({ domain }: Site) {
  const found = await edge.store.findUsageDomain(domain.workspaceId, domain.id);
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const hours = found?.number ? await edge.store.findUsage(found.number, range) : [];
  const sum = { ...NONE };
  for (const { hour: _, ...counts } of hours)
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += counts[name];
  return { hours: hours.map(({ hour }) => hour), sum };
}

/** The same once so many requests have ended, which clients learn first. */
async function usageOf(site: Site, requests: number) {
  for (;;) {
    await edge.edge.flushUsage();
    const stored = await storedOf(site);
    if (stored.sum.requests >= requests) return stored;
    await setImmediate();
  }
}

async function answering(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  edge = await startHarness();
  return edge.addSite({ origin: await edge.addOrigin(answer) });
}

/** An origin that says how much it was sent. */
async function reading(request: IncomingMessage, response: ServerResponse) {
  let bytes = 0;
  for await (const chunk of request) bytes += chunk.length;
  response.end('x'.repeat(bytes));
}

test('requests and their content are counted, over HTTP/1.1 and HTTP/2 alike', async () => {
  const site = await answering(reading);
  const asked = { port: edge.httpsPort, hostname: site.hostname, method: 'POST', body: 'y'.repeat(1000) };
  await overHttps(asked);
  expect((await usageOf(site, 1)).sum).toEqual({ ...NONE, requests: 1, bytesIn: 1000, bytesOut: 1000 });
  await overHttp2(asked);
  await overHttps({ port: edge.httpsPort, hostname: site.hostname, method: 'HEAD' });
  await overHttp2({ port: edge.httpsPort, hostname: site.hostname, method: 'HEAD' });
  expect((await usageOf(site, 4)).sum).toEqual({ ...NONE, requests: 4, bytesIn: 2000, bytesOut: 2000 });
});

test('a request that the edge answers itself is counted, with its page or its redirect', async () => {
  edge = await startHarness();
  const site = await edge.addSite({ origin: null });
  const page = await overHttps({ port: edge.httpsPort, hostname: site.hostname });
  expect(page.status).toBe(503);
  await overHttp({ port: edge.httpPort, hostname: site.hostname });
  const bytesOut = Buffer.byteLength(page.text);
  expect((await usageOf(site, 2)).sum).toEqual({ ...NONE, requests: 2, bytesOut, edgeErrors: 1 });
});

test('errors of the origin are told from those of the edge', async () => {
  const site = await answering((request, response) => {
    if (request.url === '/broken') request.socket.destroy();
    else response.writeHead(request.url === '/500' ? 500 : 404).end();
  });
  for (const path of ['/500', '/404', '/broken', '/500'])
    await overHttps({ port: edge.httpsPort, hostname: site.hostname, path });
  expect((await usageOf(site, 4)).sum).toMatchObject({ requests: 4, edgeErrors: 1, originErrors: 2 });
});

test('unknown names, challenges and names of other connections count for nobody', async () => {
  const site = await answering((_, response) => response.end());
  await overHttp({ port: edge.httpPort, hostname: 'nobody.example.com' });
  await overHttp({ port: edge.httpPort, hostname: site.hostname, path: '/.well-known/acme-challenge/token' });
  const other = await edge.addSite();
  const misdirected = { port: edge.httpsPort, hostname: site.hostname, servername: other.hostname };
  expect((await overHttps(misdirected)).status).toBe(421);
  await overHttps({ port: edge.httpsPort, hostname: other.hostname });
  expect((await usageOf(other, 1)).sum).toMatchObject({ requests: 1 });
  expect((await storedOf(site)).sum).toEqual(NONE);
});

test('a response that lasts counts while it flows, and its request at its end', async () => {
  let end = () => {};
  const site = await answering((_, response) => {
    response.write('x'.repeat(500));
    end = () => response.end('x'.repeat(250));
  });
  const session = connectHttp2(`https://${site.hostname}`, {
    createConnection: () =>
      connectTls({
        port: edge.httpsPort,
        host: '127.0.0.1',
        servername: site.hostname,
        ca: ROOT,
        ALPNProtocols: ['h2'],
      }),
  });
  const stream = session.request({ ':path': '/' });
  await once(stream, 'data');
  expect((await usageOf(site, 0)).sum).toEqual({ ...NONE, bytesOut: 500 });
  end();
  stream.resume();
  await once(stream, 'close');
  session.close();
  expect((await usageOf(site, 1)).sum).toEqual({ ...NONE, requests: 1, bytesOut: 750 });
});

/** An origin that agrees to WebSockets, and its ends of them. */
async function startUpgrading(answer: string) {
  const ends: Socket[] = [];
  const server = createServer();
  server.on('upgrade', (_, socket: Socket) => {
    ends.push(socket);
    socket.on('error', () => {});
    socket.write(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of ends) socket.destroy();
    server.close();
  });
  return { ends, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function openWebSocket({ hostname }: Site) {
  const socket = await handshake(edge.httpsPort, { servername: hostname, ca: ROOT });
  socket.on('error', () => {});
  const raw = asRaw(socket);
  raw.send(
    `GET / HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  );
  await raw.heard(/\r\n\r\n/);
  return { raw, socket };
}

test('a WebSocket counts from its beginning, and its bytes while they flow', async () => {
  edge = await startHarness();
  const { ends, origin } = await startUpgrading(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  );
  const site = await edge.addSite({ origin });
  const { raw, socket } = await openWebSocket(site);
  expect((await usageOf(site, 1)).sum).toEqual({ ...NONE, requests: 1 });
  raw.send('to the origin');
  const [received] = await once(ends[0] as Socket, 'data');
  expect(String(received)).toBe('to the origin');
  ends[0]?.write('\x81\x04back', 'latin1');
  await raw.heard(/back/);
  expect((await usageOf(site, 1)).sum).toEqual({ ...NONE, requests: 1, bytesIn: 13, bytesOut: 6 });
  socket.destroy();
});

test('a WebSocket that the origin refuses is an error of the origin, one without an origin an error of the edge', async () => {
  edge = await startHarness();
  const { origin } = await startUpgrading('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy');
  const refusing = await edge.addSite({ origin });
  const gone = createTcpServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  gone.close();
  const down = await edge.addSite({ origin: `http://127.0.0.1:${port}` });
  for (const site of [refusing, down]) {
    const { socket } = await openWebSocket(site);
    if (!socket.destroyed) await once(socket, 'close');
  }
  expect((await usageOf(refusing, 1)).sum).toEqual({ ...NONE, requests: 1, bytesOut: 4, originErrors: 1 });
  expect((await usageOf(down, 1)).sum).toMatchObject({ requests: 1, edgeErrors: 1 });
});

test('each request counts in its hour', async () => {
  const site = await answering((_, response) => response.end());
  const asked = { port: edge.httpsPort, hostname: site.hostname };
  await overHttps(asked);
  const hour = edge.clock.now() - (edge.clock.now() % HOUR_MS);
  edge.clock.advance(HOUR_MS);
  await overHttps(asked);
  expect((await usageOf(site, 2)).hours).toEqual([hour, hour + HOUR_MS]);
});

test('what is counted while the store is down is written once it is back, and once', async () => {
  const site = await answering((_, response) => response.end());
  const asked = { port: edge.httpsPort, hostname: site.hostname };
  await overHttps(asked);
  await usageOf(site, 1);
  edge.setStore('away');
  for (let calls = edge.calls.length; edge.calls.length < calls + 3; ) {
    await overHttps(asked);
    await edge.edge.flushUsage().catch(() => {});
  }
  edge.setStore('there');
  const asking = Number(await edge.metric('nameplate_edge_requests_total{protocol="http/1.1",status="2xx"}'));
  expect((await usageOf(site, asking)).sum).toEqual({ ...NONE, requests: asking });
});

test('all threads are counted, and a stop loses nothing', async () => {
  edge = await startHarness({ threads: 2 });
  const site = await edge.addSite();
  const asked = { port: edge.httpsPort, hostname: site.hostname };
  for (let i = 0; i < 10; i++) await overHttps(asked);
  expect((await usageOf(site, 10)).sum).toMatchObject({ requests: 10 });
  for (let i = 0; i < 5; i++) await overHttps(asked);
  await edge.edge.stop();
  expect((await storedOf(site)).sum.requests).toBe(15);
});
