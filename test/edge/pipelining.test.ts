import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../server/src/edge/edge-limits.ts';
import type { Client } from '../../server/src/edge/http/edge-client.ts';
import type { ClientExchange } from '../../server/src/edge/http/http-exchange.ts';
import { http1Server } from '../../server/src/edge/http/http1.ts';
import { isClosed } from '../../server/src/edge/http/respond.ts';
import type { Closing } from '../support/closing.ts';
import { listen } from '../support/listen.ts';
import { type Harness, handshake, type Site, startHarness } from './harness.ts';
import { startProxyServer, startRawOrigin, until } from './proxy-server.ts';
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

describe('a request that was forwarded gets its own response, once, in its turn', () => {
  const held: (() => void)[] = [];
  let slow: Site;
  beforeAll(async () => {
    const origin = await edge.addOrigin((request, response) => {
      const answer = () => response.end(`<${request.url}>`);
      if (request.url === '/now') answer();
      else if (request.method === 'GET') held.push(answer);
    });
    slow = await edge.addSite({ origin });
  });
  const head = (line: string, ...fields: string[]) => [line, `Host: ${slow.hostname}`, ...fields, '', ''].join('\r\n');
  const get = (path: string, ...fields: string[]) => head(`GET ${path} HTTP/1.1`, ...fields);

  /**
   * Returns the responses that a client gets until its connection ends. The first requests are answered once all of the
   * bytes were sent.
   */
  async function hear(requests: number, bytes: string): Promise<string[]> {
    const client = asRaw(await handshake(edge.httpsPort, { servername: slow.hostname }));
    client.send(bytes);
    await until(() => held.length === requests);
    for (const answer of held.splice(0).reverse()) answer();
    const text = await client.closed();
    return text.match(/HTTP\/1\.1 \d{3}|<\/\w+>/g) ?? [];
  }
  const own = ['/1', '/2', '/3'].map((path) => ['HTTP/1.1 200', `<${path}>`]);
  const counts = [1, 2, 3];
  const paths = (requests: number) => counts.slice(0, requests).map((nth) => `/${nth}`);

  describe.each<[string, () => string, string]>([
    ['something other than HTTP', () => '\x16\x03\x01\x02\x00\x01', '400'],
    ['a header without a colon', () => get('/now', 'broken'), '400'],
    ['a header that is too large', () => get('/now', `X: ${'x'.repeat(40_000)}`), '431'],
    ['a method that there is not', () => head('FETCH /now HTTP/1.1'), '400'],
    ['two lengths', () => head('POST /now HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2'), '400'],
    ['CONNECT', () => `CONNECT ${slow.hostname}:443 HTTP/1.1\r\nHost: ${slow.hostname}\r\n\r\n`, '400'],
    ['CONNECT and more bytes', () => `CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n${get('/now')}`, '400'],
  ])('before %s', (_, bytes, status) => {
    it.each(counts)('%i in flight', async (requests) => {
      const heard = await hear(
        requests,
        paths(requests)
          .map((path) => get(path))
          .join('') + bytes(),
      );
      expect(heard).toEqual([...own.slice(0, requests).flat(), `HTTP/1.1 ${status}`]);
    });
  });

  it('before a body that cannot be read, whose request gets 400', async () => {
    const post = head('POST /broken HTTP/1.1', 'Transfer-Encoding: chunked');
    expect(await hear(1, `${get('/1')}${post}x\r\n`)).toEqual(['HTTP/1.1 200', '</1>', 'HTTP/1.1 400']);
  });

  it.each(counts)(
    'before the connection ends with the last of %i, as it asked; what follows is ignored',
    async (requests) => {
      for (const more of [get('/now'), 'no HTTP\r\n\r\n', `CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`]) {
        for (const last of [get, (path: string) => head(`GET ${path} HTTP/1.0`)]) {
          const all = paths(requests).map((path, i) =>
            i < requests - 1 ? get(path) : last(path, 'Connection: close'),
          );
          expect(await hear(requests, all.join('') + more)).toEqual(own.slice(0, requests).flat());
        }
      }
    },
  );

  it.each(counts)(
    'before a request to upgrade, which is forwarded as any other and is the last: %i in flight',
    async (requests) => {
      const upgrade = get('/now', 'Upgrade: websocket', 'Connection: Upgrade');
      for (const more of ['', get('/more'), get('/more').slice(0, 20)]) {
        const heard = await hear(
          requests,
          paths(requests)
            .map((path) => get(path))
            .join('') +
            upgrade +
            more,
        );
        expect(heard).toEqual([...own.slice(0, requests).flat(), 'HTTP/1.1 200', '</now>']);
        expect(held).toEqual([]);
      }
    },
  );

  it.each(['/long', '/short'])('whole, when it is long and CONNECT follows, behind %s', async (first) => {
    const length = 20_000_000;
    const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
    const origin = await edge.addOrigin(async ({ url }, response) => {
      if (url === '/long') {
        response.setHeader('content-length', length);
        response.write(Buffer.alloc(100_000, 'x'), () => {
          begin();
          response.end(Buffer.alloc(length - 100_000, 'x'));
        });
      } else {
        await hasBegun;
        response.end();
      }
    });
    const { hostname } = await edge.addSite({ origin });
    const socket = await handshake(edge.httpsPort, { servername: hostname });
    let heard = 0;
    let last = '';
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.length;
      last = (last + chunk.toString('latin1')).slice(-10_000);
    });
    const asked = [first, '/long'].map((path) => `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`).join('');
    socket.write(`${asked}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`);
    await once(socket, 'close');
    expect(heard).toBeGreaterThan(first === '/long' ? 2 * length : length);
    expect(last).toMatch(/xHTTP\/1\.1 400 Bad Request\r\n/);
  });

  it('before the page to a request whose body arrives too slowly', async () => {
    const hasty = await startHarness({ limits: { bodyMs: 150 } });
    try {
      let answer = () => {};
      const origin = await hasty.addOrigin((request, response) => {
        if (request.method === 'GET') answer = () => response.end('<own>');
      });
      const { hostname } = await hasty.addSite({ origin });
      const client = asRaw(await handshake(hasty.httpsPort, { servername: hostname }));
      const host = `Host: ${hostname}\r\n`;
      client.send(`GET / HTTP/1.1\r\n${host}\r\nPOST / HTTP/1.1\r\n${host}Content-Length: 100\r\n\r\nx`);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const immediate = () => new Promise((resolve) => setImmediate(resolve));
      while ((await hasty.metric('nameplate_edge_pages_total{page="request_timeout"}')) === 0) await immediate();
      // However long the response before it takes.
      vi.advanceTimersByTime(60_000);
      await immediate();
      answer();
      expect(await client.heard(/took too long/)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*<own>HTTP\/1\.1 408 /s);
      client.socket.destroy();
    } finally {
      vi.useRealTimers();
      await hasty.close();
    }
  });
});

it.each(['', 'CONNECT a.example.com:443 HTTP/1.1\r\nHost: a.example.com:443\r\n\r\n'])(
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

it.each([
  ['103', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['100', 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n'],
])(
  'an interim response (%s) to a request whose turn has not come is not mixed with the final one',
  async (status, request) => {
    const closing: Closing = [];
    const answers: (() => void)[] = [];
    const { origin } = await startRawOrigin(closing, (socket, nth) => {
      const interim = nth === 2 ? `HTTP/1.1 ${status} Interim\r\n\r\n` : '';
      const final = `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\n<own${nth}>`;
      answers.push(() => void socket.end(interim + final));
    });
    const front = await startProxyServer(closing, { origin });
    const client = await openRaw(closing, front.port);
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => answers.length === 1);
    client.send(request);
    await until(() => answers.length === 2 && front.proxy.counts().connections === 2);
    const [first, second] = answers;
    second?.();
    await until(() => front.proxy.counts().connections === 1);
    first?.();
    const text = await client.heard(/<own2>/);
    expect(text.match(/HTTP\/1\.1 \d{3}|<\w+>/g)).toEqual(['HTTP/1.1 200', '<own1>', 'HTTP/1.1 200', '<own2>']);
    for (const close of closing.reverse()) await close();
  },
);
