import { connect as connectHttp2, constants } from 'node:http2';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { addressRule } from '../../server/src/net/addresses.ts';
import { createDialer } from '../../server/src/net/dialer.ts';
import { type Closing, closingAfterEach } from '../support/closing.ts';
import { frame, headers, opening, reset } from './frames.ts';
import { versions } from './proxy-client.ts';
import { type ProxyServer, startOrigin, startProxyServer, startRawOrigin, until } from './proxy-server.ts';
import { asRaw, openRaw } from './raw.ts';

const closing = closingAfterEach();

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const GET = 'GET / HTTP/1.1\r\nHost: app.acme.com\r\n\r\n';

/** Loopback, but for one address of it; names lead where their last label but one says. */
const choosyDialer = createDialer({
  mayDial: (address) => address !== '127.0.0.9' && addressRule(['127.0.0.0/8'])(address),
  lookUp: async (name) =>
    name.startsWith('nowhere') ? [] : name.startsWith('special') ? ['127.0.0.9'] : ['127.0.0.1'],
  timeoutMs: 200,
});

describe.each(versions(closing))('over %s', (_, ask) => {
  async function unusedPort(): Promise<number> {
    const own: Closing = [];
    const { port } = await startRawOrigin(own, () => {});
    for (const close of own) await close();
    return port;
  }

  test.each([
    ['that refuses connections', async () => `http://127.0.0.1:${await unusedPort()}`, 502, 'origin_down', 'refused'],
    ['without an address', async () => 'http://nowhere.example.test', 502, 'origin_down', 'no_address'],
    ['at a special address', async () => 'http://special.example.test', 502, 'origin_forbidden', 'not_allowed'],
  ])('an origin %s is answered for', async (_, origin, status, page, reason) => {
    const front = await startProxyServer(closing, { origin: await origin(), dialer: choosyDialer });
    const answer = await ask(front, { headers: { accept: 'application/json' } });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ meta: { requestId: 'req_1' }, error: { status } });
    expect(front.failures).toMatchObject([{ page, reason }]);
    expect(front.proxy.counts()).toMatchObject({ connections: 0 });
  });

  test.each([
    ['says nothing at all', ''],
    ['says half of its header', 'HTTP/1.1 200 OK\r\nX-A: '],
    ['says again and again that it goes on', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
  ])('an origin that %s is given up', async (_, beginning) => {
    const { origin } = await startRawOrigin(closing, (socket) => {
      socket.once('data', () => {
        const talking = setInterval(() => void socket.write(beginning.slice(0, 100)), 10);
        socket.once('close', () => clearInterval(talking));
      });
    });
    const front = await startProxyServer(closing, {
      origin,
      limits: { responseMs: 150, responseHeaderBytes: 1_000_000 },
    });
    expect(await ask(front)).toMatchObject({ status: 504 });
    expect(front.failures).toMatchObject([{ page: 'origin_timeout', reason: 'timeout' }]);
    await until(() => front.proxy.counts().connections === 0);
  });

  test.each([
    ['closes the connection', ''],
    ['closes the connection within its header', 'HTTP/1.1 200 OK\r\nX-A: b'],
  ])('an origin that %s is answered for', async (_, beginning) => {
    const { origin } = await startRawOrigin(closing, (socket) => {
      socket.once('data', () => void socket.end(beginning));
    });
    const front = await startProxyServer(closing, { origin });
    expect(await ask(front)).toMatchObject({ status: 502 });
    expect(front.failures).toMatchObject([{ page: 'origin_down', reason: 'broken_off' }]);
  });

  test.each([
    ['closes the connection before the length is reached', 'Content-Length: 9\r\n\r\nhalf'],
    ['closes the connection before the last chunk', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
  ])('what an origin has begun and breaks off is broken off: %s', async (_, rest) => {
    const { origin } = await startRawOrigin(closing, (socket) => {
      socket.once('data', () => void socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
    });
    const front = await startProxyServer(closing, { origin });
    await expect(ask(front)).rejects.toThrow();
    await until(() => front.failures.length === 1 && front.proxy.counts().connections === 0);
    expect(front.failures).toMatchObject([{ page: 'origin_down', reason: 'broken_off' }]);
  });

  test('a response that stalls is aborted', async () => {
    const { origin } = await startRawOrigin(closing, (socket) => {
      socket.once('data', () => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'));
    });
    const front = await startProxyServer(closing, { origin, limits: { silenceMs: 100 } });
    await expect(ask(front)).rejects.toThrow();
    await until(() => front.failures.length === 1 && front.proxy.counts().connections === 0);
    expect(front.failures).toMatchObject([{ page: 'origin_timeout', reason: 'timeout' }]);
  });

  test('a page for HEAD has a header only', async () => {
    const front = await startProxyServer(closing, { origin: 'http://nowhere.example.test', dialer: choosyDialer });
    const answer = await ask(front, { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 502, body: '' });
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(100);
  });

  test('unread content does not delay the response', async () => {
    const front = await startProxyServer(closing, { origin: 'http://nowhere.example.test', dialer: choosyDialer });
    const answer = await ask(front, { method: 'POST', body: Buffer.alloc(1_000_000) });
    expect(answer).toMatchObject({ status: 502 });
    await until(() => front.proxy.counts().requests === 0);
  });

  test('the response of an origin that stops reading early is passed on', async () => {
    const { origin } = await startRawOrigin(closing, (socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno');
      });
    });
    const front = await startProxyServer(closing, { origin });
    const answer = await ask(front, { method: 'POST', body: Buffer.alloc(5_000_000) });
    expect(answer).toMatchObject({ status: 413, body: 'no' });
    expect(front.failures).toEqual([]);
    await until(() => front.proxy.counts().connections === 0);
  });
});

test('after unread content, the connection is used for the next request', async () => {
  let requests = 0;
  const { origin } = await startRawOrigin(closing, (socket) => {
    requests += 1;
    if (requests === 1) socket.destroy();
    else socket.once('data', () => void socket.write(OK));
  });
  const front = await startProxyServer(closing, { origin });
  const client = await openRaw(closing, front.port);
  client.send(`POST / HTTP/1.1\r\nHost: app.acme.com\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(500_000)}`);
  await client.heard(/^HTTP\/1\.1 502 /);
  client.send('x'.repeat(500_000)).send(GET);
  await client.heard(/HTTP\/1\.1 200 OK.*ok$/s);
});

describe('a client that disconnects', () => {
  async function streaming(): Promise<{ front: ProxyServer; ended: Promise<unknown>; begun: Promise<unknown> }> {
    let begin = () => {};
    let end = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { origin } = await startOrigin(closing, (request, response) => {
      request.resume();
      response.once('close', end);
      response.writeHead(200);
      const talking = setInterval(() => void response.write('more'), 5);
      response.once('close', () => clearInterval(talking));
      begin();
    });
    return { front: await startProxyServer(closing, { origin }), ended, begun };
  }

  test.each([
    ['in the middle of a response', GET],
    ['in the middle of a request', 'POST / HTTP/1.1\r\nHost: app.acme.com\r\nContent-Length: 9\r\n\r\nhalf'],
  ])('%s, takes the request with it', async (_, request) => {
    const { front, begun, ended } = await streaming();
    const client = await openRaw(closing, front.port);
    client.send(request);
    await begun;
    client.socket.destroy();
    await ended;
    await until(() => front.proxy.counts().connections === 0);
    expect(front.failures).toEqual([]);
  });

  test.each([
    ['in the middle of a response', false],
    ['in the middle of a request', true],
  ])('%s, takes the request with it, over HTTP/2', async (_, sends) => {
    const { front, begun, ended } = await streaming();
    const session = connectHttp2(`http://127.0.0.1:${front.http2Port}`);
    closing.push(() => session.destroy());
    const stream = session.request({ ':method': sends ? 'POST' : 'GET', ':path': '/' }, { endStream: !sends });
    if (sends) stream.write('half');
    await begun;
    stream.close(constants.NGHTTP2_CANCEL);
    await ended;
    await until(() => front.proxy.counts().connections === 0);
    expect(front.failures).toEqual([]);
  });

  test('aborts the connection attempt', async () => {
    let aborted = false;
    const dialer = createDialer({
      mayDial: () => true,
      lookUp: (_, signal) =>
        new Promise((__, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            reject(signal.reason);
          });
        }),
    });
    const front = await startProxyServer(closing, { origin: 'http://slow.example.test', dialer });
    const client = await openRaw(closing, front.port);
    client.send(GET);
    await until(() => front.proxy.counts().connections === 1);
    client.socket.destroy();
    await until(() => front.proxy.counts().connections === 0);
    expect(aborted).toBe(true);
    expect(front.failures).toEqual([]);
  });

  test.each<[string, (front: ProxyServer) => Promise<Socket>, (socket: Socket) => void]>([
    ['closes its connection', halfOverHttp1, (socket) => void socket.end()],
    ['breaks its connection', halfOverHttp1, (socket) => void socket.resetAndDestroy()],
    ['closes its connection of HTTP/2', halfOverHttp2, (socket) => void socket.end()],
    ['cancels its request', halfOverHttp2, (socket) => void socket.write(reset(1, constants.NGHTTP2_CANCEL))],
    ['ends its request early', halfOverHttp2, (socket) => void socket.write(reset(1, constants.NGHTTP2_NO_ERROR))],
  ])('never makes half of what it sent look like all of it: %s', async (_, begin, goAway) => {
    const heard: string[] = [];
    const { origin } = await startOrigin(closing, async (request) => {
      try {
        for await (const chunk of request) heard.push(String(chunk));
        heard.push('the end');
      } catch {
        heard.push('broken off');
      }
    });
    const front = await startProxyServer(closing, { origin });
    const socket = await begin(front);
    await until(() => heard.length === 1);
    goAway(socket);
    await until(() => heard.length === 2);
    expect(heard).toEqual(['half', 'broken off']);
  });

  async function halfOverHttp1({ port }: ProxyServer): Promise<Socket> {
    const { socket, send } = await openRaw(closing, port);
    send('POST / HTTP/1.1\r\nHost: app.acme.com\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n');
    return socket;
  }

  async function halfOverHttp2({ http2Port }: ProxyServer): Promise<Socket> {
    const { socket } = await openRaw(closing, http2Port);
    const head = { ':method': 'POST', ':scheme': 'http', ':path': '/', ':authority': 'app.acme.com' };
    socket.write(Buffer.concat([opening, headers(1, head, false), frame('data', 1, 'half')]));
    return socket;
  }
});

describe('a client that reads nothing', () => {
  test.each([
    ['HTTP/1.1', 'http1'],
    ['HTTP/2', 'http2'],
  ])('makes the origin wait instead of filling memory, and is let go of, over %s', async (_, version) => {
    let written = 0;
    let waits = false;
    const { origin } = await startOrigin(closing, (_, response) => {
      const more = () => {
        do written += 65_536;
        while (response.write(Buffer.alloc(65_536)) && !response.destroyed);
        waits = true;
      };
      response.on('drain', more);
      more();
    });
    const front = await startProxyServer(closing, { origin, limits: { unreadMs: 300 } });
    if (version === 'http1') {
      const client = await openRaw(closing, front.port);
      client.socket.pause();
      client.send(GET);
    } else {
      const session = connectHttp2(`http://127.0.0.1:${front.http2Port}`);
      closing.push(() => session.destroy());
      session.request({ ':path': '/' }).on('error', () => {});
    }
    await until(() => waits);
    await until(() => front.proxy.counts().requests === 0);
    // The sockets of both connections buffer this much on loopback.
    expect(written).toBeLessThan(32 * 1024 * 1024);
    await until(() => front.proxy.counts().connections === 0);
    expect(front.failures).toEqual([]);
  });
});

test('an origin that reads nothing causes back-pressure, then a time-out', async () => {
  const { origin } = await startRawOrigin(closing, (socket) => void socket.pause());
  const front = await startProxyServer(closing, { origin, limits: { responseMs: 300 } });
  const client = await openRaw(closing, front.port);
  client.send('POST / HTTP/1.1\r\nHost: app.acme.com\r\nTransfer-Encoding: chunked\r\n\r\n');
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  let sent = 0;
  while (client.socket.write(chunk) && sent < 64 * 1024 * 1024) {
    sent += 65_536;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(sent).toBeLessThan(64 * 1024 * 1024);
  await client.heard(/^HTTP\/1\.1 504 /);
  expect(front.failures).toMatchObject([{ page: 'origin_timeout' }]);
});

describe('a connection that an origin closed while it was idle', () => {
  /** Answers the first request of each connection, and closes it when the second arrives. */
  async function forgetful(last = '') {
    const requests: string[] = [];
    const started = await startRawOrigin(closing, (socket, nth) => {
      let heard = 0;
      socket.on('data', (chunk) => {
        heard += 1;
        requests.push(`${nth}: ${chunk.toString().split('\r\n')[0]}`);
        if (heard === 1 && last !== 'always') socket.write(OK);
        else if (last === 'resets') socket.resetAndDestroy();
        else socket.end(last === 'always' ? '' : last);
      });
    });
    return { ...started, requests };
  }

  test.each(['', 'resets'])('does not fail a repeatable request %s', async (how) => {
    const { origin, requests } = await forgetful(how);
    const front = await startProxyServer(closing, { origin });
    const client = await openRaw(closing, front.port);
    client.send(GET);
    await client.heard(/ok$/);
    await until(() => front.proxy.counts().idleConnections === 1);
    client.send('GET /again HTTP/1.1\r\nHost: app.acme.com\r\n\r\n');
    await client.heard(/ok.*ok$/s);
    expect(requests).toEqual(['1: GET / HTTP/1.1', '1: GET /again HTTP/1.1', '2: GET /again HTTP/1.1']);
    expect(front.failures).toEqual([]);
  });

  test.each([
    ['has been answered in part', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'HTTP/1.1 200'],
    ['would do something twice', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n', ''],
    ['has content', 'PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx', ''],
  ])('fails one that %s', async (_, request, last) => {
    const { origin, requests } = await forgetful(last);
    const front = await startProxyServer(closing, { origin });
    const client = await openRaw(closing, front.port);
    client.send(GET);
    await client.heard(/ok$/);
    await until(() => front.proxy.counts().idleConnections === 1);
    client.send(request);
    await client.heard(/HTTP\/1\.1 502 /);
    expect(requests.filter((line) => line.startsWith('2'))).toEqual([]);
    expect(front.failures).toMatchObject([{ reason: 'broken_off' }]);
  });

  test('is retried once only', async () => {
    let open = 0;
    const requests: number[] = [];
    const { origin } = await startRawOrigin(closing, (socket, nth) => {
      open += 1;
      socket.on('data', () => {
        requests.push(nth);
        if (requests.length === 1) socket.write(OK);
        else socket.end();
      });
    });
    const front = await startProxyServer(closing, { origin });
    const client = await openRaw(closing, front.port);
    client.send(GET);
    await client.heard(/ok$/);
    await until(() => front.proxy.counts().idleConnections === 1);
    client.send(GET);
    await client.heard(/HTTP\/1\.1 502 /);
    expect(requests).toEqual([1, 1, 2]);
    expect(open).toBe(2);
  });
});

describe('connections to origins', () => {
  const originsOf = (count: number, answer = OK) =>
    Promise.all(
      Array.from({ length: count }, () =>
        startRawOrigin(closing, (socket) => {
          socket.on('data', () => void socket.write(answer));
          socket.on('end', () => void socket.end());
        }),
      ),
    );

  test('are reused, the most recently used first', async () => {
    const [origin = { origin: '', connections: () => 0 }] = await originsOf(1);
    const front = await startProxyServer(closing, { origin: origin.origin });
    const [[, ask] = []] = versions(closing);
    for (let i = 0; i < 5; i++) await ask?.(front);
    expect(origin.connections()).toBe(1);
    await Promise.all(Array.from({ length: 3 }, () => ask?.(front)));
    expect(origin.connections()).toBeLessThanOrEqual(3);
  });

  test('are closed after the idle time', async () => {
    const [origin] = await originsOf(1);
    const front = await startProxyServer(closing, { origin: origin?.origin ?? '', limits: { keepAliveMs: 50 } });
    const [[, ask] = []] = versions(closing);
    await ask?.(front);
    await until(() => front.proxy.counts().connections === 0);
  });

  test('are closed a second before the origin closes them', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1, max=10\r\nContent-Length: 2\r\n\r\nok';
    const [origin] = await originsOf(1, answer);
    const front = await startProxyServer(closing, { origin: origin?.origin ?? '' });
    const [[, ask] = []] = versions(closing);
    expect(await ask?.(front)).toMatchObject({ status: 200 });
    await until(() => front.proxy.counts().connections === 0);
  });

  test('are closed when unrequested bytes arrive', async () => {
    const { origin } = await startRawOrigin(closing, (socket, nth) => {
      socket.on('data', () => {
        socket.write(OK);
        if (nth === 1)
          setImmediate(() =>
            setImmediate(() => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged')),
          );
      });
    });
    const front = await startProxyServer(closing, { origin });
    const [[, ask] = []] = versions(closing);
    expect(await ask?.(front)).toMatchObject({ body: 'ok' });
    await until(() => front.proxy.counts().connections === 0);
    expect(await ask?.(front)).toMatchObject({ body: 'ok' });
  });

  test('are closed after two responses to one request', async () => {
    const { origin } = await startRawOrigin(closing, (socket) => {
      socket.on('data', () => void socket.write(`${OK}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged`));
    });
    const front = await startProxyServer(closing, { origin });
    const [[, ask] = []] = versions(closing);
    for (let i = 0; i < 3; i++) {
      expect(await ask?.(front)).toMatchObject({ body: 'ok' });
      await until(() => front.proxy.counts().connections === 0);
    }
  });

  test('to one origin are limited: beyond, requests get 503', async () => {
    const { origin } = await startRawOrigin(closing, (socket) => void asRaw(socket));
    const front = await startProxyServer(closing, { origin, limits: { connectionsPerOrigin: 2 } });
    const [[, ask] = []] = versions(closing);
    for (let i = 0; i < 2; i++) (await openRaw(closing, front.port)).send(GET);
    await until(() => front.proxy.counts().connections === 2);
    expect(await ask?.(front)).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } });
    expect(front.failures).toMatchObject([{ page: 'unavailable', reason: 'too_many_connections' }]);
    expect(front.proxy.counts().connections).toBe(2);
  });

  test('in total are limited: idle ones are closed first, then requests get 503', async () => {
    const origins = await originsOf(3);
    const routed = { origin: '' };
    const front = await startProxyServer(closing, { origin: '', routed, limits: { connections: 2 } });
    const [[, ask] = []] = versions(closing);
    for (const { origin } of [...origins, ...origins]) {
      routed.origin = origin;
      expect(await ask?.(front)).toMatchObject({ status: 200 });
      await until(() => front.proxy.counts().connections <= 2);
    }
    const { origin: silent } = await startRawOrigin(closing, (socket) => void asRaw(socket));
    routed.origin = silent;
    for (let i = 0; i < 2; i++) (await openRaw(closing, front.port)).send(GET);
    await until(() => front.proxy.counts().connections === 2 && front.proxy.counts().idleConnections === 0);
    routed.origin = origins[0]?.origin ?? '';
    expect(await ask?.(front)).toMatchObject({ status: 503 });
  });

  test('that have been idle for a moment are not used for requests that cannot be repeated', async () => {
    const [origin] = await originsOf(1);
    const front = await startProxyServer(closing, { origin: origin?.origin ?? '' });
    const [[, ask] = []] = versions(closing);
    await ask?.(front, { method: 'POST' });
    await ask?.(front, { method: 'POST' });
    expect(origin?.connections()).toBe(1);
    const began = performance.now();
    await until(() => performance.now() - began > 2100);
    await ask?.(front, { method: 'POST' });
    expect(origin?.connections()).toBe(2);
    await ask?.(front, { method: 'GET' });
    expect(origin?.connections()).toBe(2);
  });
});
