import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { listen } from '../support/listen.ts';
import { type Harness, handshake, overHttp, overHttp2, overHttps, startHarness } from './harness.ts';
import { openRaw } from './raw.ts';

const closing = closingAfterEach();

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness({ accessLog: { fraction: 1, withQuery: false } });
});
afterAll(() => edge.close());

type Line = Record<string, unknown>;

/** The lines about one host, once there are so many. */
async function linesOf(host: string, count = 1): Promise<Line[]> {
  for (;;) {
    const lines = edge.logged.map((line): Line => JSON.parse(line)).filter((line) => line.msg === 'edge request');
    const own = lines.filter((line) => line.host === host);
    if (own.length >= count) return own;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const origin = (path = '') => expect.stringMatching(new RegExp(`^http://127\\.0\\.0\\.1:\\d+${path}$`));

describe('the access log', () => {
  it('has a line for each request, over each protocol', async () => {
    const { hostname } = await edge.addSite({
      origin: await edge.addOrigin((_, response) => response.writeHead(201).end('12345')),
    });
    const asking = { hostname, path: '/a?token=secret', method: 'POST', body: 'x' };
    const ids: unknown[] = [];
    for (const ask of [overHttps, overHttp2]) {
      const answer = await ask({ port: edge.httpsPort, ...asking });
      expect(answer.status).toBe(201);
    }
    ids.push((await overHttp({ port: edge.httpPort, ...asking })).headers['x-request-id']);
    const lines = await linesOf(hostname, 3);
    const common = {
      host: hostname,
      client: '127.0.0.1',
      method: 'POST',
      path: '/a',
      requestId: expect.stringMatching(/^req_/),
    };
    const proxied = { ...common, status: 201, bytes: 5, tls: 'TLSv1.3', origin: origin() };
    expect(lines).toEqual([
      expect.objectContaining({ ...proxied, protocol: 'http/1.1' }),
      expect.objectContaining({ ...proxied, protocol: 'h2' }),
      expect.objectContaining({ ...common, status: 308, bytes: 0, protocol: 'http/1.1', tls: null, origin: null }),
    ]);
    expect(lines[2]?.requestId).toBe(ids[0]);
    for (const { ms } of lines) expect(ms).toBeGreaterThan(0);
    expect(edge.logged.join('')).not.toContain('secret');
  });

  it('counts the content that was sent: streamed, or none', async () => {
    const piece = Buffer.alloc(70_000, 'x');
    const { hostname } = await edge.addSite({
      origin: await edge.addOrigin((_, response) => {
        response.write(piece);
        response.end(piece);
      }),
    });
    for (const ask of [overHttps, overHttp2]) await ask({ port: edge.httpsPort, hostname });
    await overHttps({ port: edge.httpsPort, hostname, method: 'HEAD' });
    expect((await linesOf(hostname, 3)).map(({ bytes }) => bytes)).toEqual([140_000, 140_000, 0]);
  });

  it('has pages of the edge, with the origin where one failed', async () => {
    const failing = await edge.addOrigin((request) => void request.socket.destroy());
    const { hostname } = await edge.addSite({ origin: failing });
    const sizes: number[] = [];
    for (const ask of [overHttps, overHttp2]) sizes.push((await ask({ port: edge.httpsPort, hostname })).text.length);
    const lines = await linesOf(hostname, 2);
    expect(lines.map(({ status, bytes, origin }) => [status, bytes, origin])).toEqual([
      [502, sizes[0], failing],
      [502, sizes[1], failing],
    ]);
    const { text } = await overHttp({ port: edge.httpPort, hostname: 'nobody.example.com' });
    expect(await linesOf('nobody.example.com')).toEqual([
      expect.objectContaining({ status: 404, bytes: text.length, origin: null }),
    ]);
  });

  it('has requests whose client left before the response: 499', async () => {
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
    const { hostname } = await edge.addSite({ origin: await edge.addOrigin(() => isAsked()) });
    const socket = await handshake(edge.httpsPort, { servername: hostname });
    socket.write(`GET / HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    await asked;
    socket.destroy();
    expect(await linesOf(hostname)).toEqual([expect.objectContaining({ status: 499, bytes: 0 })]);
  });

  it('has tunnels when they end, with all bytes to the client', async () => {
    const server = createServer().on('upgrade', (_, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello');
    });
    const { hostname } = await edge.addSite({ origin: `http://127.0.0.1:${await listen(closing, server)}` });
    const socket = await handshake(edge.httpsPort, { servername: hostname });
    socket.write(`GET /socket HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await once(socket, 'end');
    socket.destroy();
    const [line] = await linesOf(hostname);
    expect(line).toMatchObject({ status: 101, path: '/socket', bytes: received, origin: origin() });
  });

  it('has tunnels that were refused', async () => {
    const { hostname } = await edge.addSite({ origin: null });
    const socket = await handshake(edge.httpsPort, { servername: hostname });
    socket.write(`GET / HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    await once(socket.resume(), 'close');
    expect(await linesOf(hostname)).toEqual([expect.objectContaining({ status: 503, origin: null })]);
  });

  it('has the texts of a client escaped, in one line', async () => {
    const raw = await openRaw(closing, edge.httpPort);
    const head = 'GET /a","status":200,"x":"\\ HTTP/1.1\r\nHost: hostile.example.com\r\nConnection: close\r\n\r\n';
    await raw.send(head).closed();
    expect(await linesOf('hostile.example.com')).toEqual([
      expect.objectContaining({ path: '/a","status":200,"x":"\\', status: 404 }),
    ]);
  });
});

it('without the setting nothing is logged', async () => {
  const quiet = await startHarness();
  try {
    const { hostname } = await quiet.addSite();
    await overHttps({ port: quiet.httpsPort, hostname });
    expect(quiet.logged.filter((line) => line.includes('edge request'))).toEqual([]);
  } finally {
    await quiet.close();
  }
});
