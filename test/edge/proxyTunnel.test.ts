import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { startProxyServer, startRawOrigin, until } from './proxy-server.ts';
import { asRaw, openRaw, type Raw } from './raw.ts';

const closing = closingAfterEach();

const KEY = randomBytes(16).toString('base64');
const FIELDS = `Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n`;
const UPGRADE = `GET /chat?x=1 HTTP/1.1\r\nHost: app.acme.com\r\nX-Forwarded-For: forged\r\n${FIELDS}\r\n`;
/** RFC 6455 section 4.2.2. */
const ACCEPT = createHash('sha1').update(`${KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
const AGREED = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n\r\n`;

/** An origin that answers each request to upgrade with this; its ends of the connections. */
async function startUpgrading(answer: string) {
  const ends: Raw[] = [];
  const { origin, connections } = await startRawOrigin(closing, (socket) => {
    const end = asRaw(socket);
    void end.heard(/\r\n\r\n/).then(
      () => {
        end.send(answer);
        ends.push(end);
      },
      () => {},
    );
  });
  return { origin, ends, connections };
}

/** Both ends of a tunnel. */
async function open(limits = {}) {
  const { origin, ends } = await startUpgrading(AGREED);
  const front = await startProxyServer(closing, { origin, limits });
  const client = (await openRaw(closing, front.port)).send(UPGRADE);
  await client.heard(/\r\n\r\n$/);
  await until(() => ends.length === 1);
  const [end] = ends;
  if (end === undefined) throw new Error('nobody is at the other end');
  return { front, client, end };
}

test('an upgrade request arrives complete, and so does the 101 response', async () => {
  const { client, end } = await open();
  expect(end.text).toMatch(/^GET \/chat\?x=1 HTTP\/1\.1\r\nHost: app\.acme\.com\r\n/);
  for (const field of ['Connection: Upgrade', 'Upgrade: websocket', `Sec-WebSocket-Key: ${KEY}`]) {
    expect(end.text).toContain(`\r\n${field}\r\n`);
  }
  expect(end.text).toContain('X-Forwarded-For: 203.0.113.7\r\n');
  expect(end.text).not.toMatch(/forged|keep-alive/);
  const [first, ...fields] = client.text.trimEnd().split('\r\n');
  expect(first).toBe('HTTP/1.1 101 Switching Protocols');
  expect(fields.sort()).toEqual(['Connection: Upgrade', `Sec-WebSocket-Accept: ${ACCEPT}`, 'Upgrade: websocket']);
});

test('bytes pass both ways', async () => {
  const { client, end, front } = await open();
  for (let i = 0; i < 3; i++) {
    client.send(`\x81\x02c${i}`);
    await end.heard(new RegExp(`c${i}$`));
    end.send(`\x81\x02o${i}`);
    await client.heard(new RegExp(`o${i}$`));
  }
  expect(front.proxy.counts()).toMatchObject({ tunnels: 1, connections: 1, idleConnections: 0 });
});

test('bytes right behind the request and the 101 response are not lost', async () => {
  const { origin, ends } = await startUpgrading(`${AGREED}first of the origin`);
  const front = await startProxyServer(closing, { origin });
  const client = (await openRaw(closing, front.port)).send(`${UPGRADE}first of the client`);
  await client.heard(/first of the origin$/);
  await ends[0]?.heard(/\r\n\r\nfirst of the client$/);
});

test('megabytes pass both ways at once', async () => {
  const { client, end } = await open();
  const content = 'x'.repeat(3_000_000);
  client.send(content);
  end.send(content);
  await until(() => client.text.endsWith('x'.repeat(3_000_000)) && end.text.endsWith('x'.repeat(3_000_000)));
});

test('an end that does not read causes back-pressure', async () => {
  const { client, end } = await open();
  client.socket.pause();
  let written = 0;
  while (written < 64 * 1024 * 1024 && end.socket.writableLength < 4 * 1024 * 1024) {
    end.socket.write(Buffer.alloc(65_536));
    written += 65_536;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

describe('the end of one', () => {
  test.each([
    ['the client', 'client', 'end'],
    ['the origin', 'end', 'client'],
  ] as const)('of %s is passed on, and the other may go on speaking', async (_, one, other) => {
    const ends = await open();
    ends[one].socket.end('last word');
    await ends[other].heard(/last word$/);
    await ends[other].closed();
    ends[other].send('one more');
    await ends[one].heard(/one more$/);
    ends[other].socket.end();
    await until(() => ends.front.proxy.counts().tunnels === 0);
    await until(() => ends.front.proxy.counts().connections === 0);
    expect(ends.front.failures).toEqual([]);
  });

  test.each(['client', 'end'] as const)('that resets the connection (%s) closes the other', async (one) => {
    const ends = await open();
    ends[one].socket.resetAndDestroy();
    await ends[one === 'client' ? 'end' : 'client'].closed();
    await until(() => ends.front.proxy.counts().tunnels === 0);
    await until(() => ends.front.proxy.counts().connections === 0);
  });

  test.each(['client', 'end'] as const)('(%s) leaves the other a limited time', async (one) => {
    const ends = await open({ halfOpenMs: 50 });
    ends[one].socket.end();
    await until(() => ends.front.proxy.counts().tunnels === 0);
  });
});

test('an idle tunnel is closed, an active one is not', async () => {
  const { front, client, end } = await open({ tunnelMs: 200 });
  const began = performance.now();
  while (performance.now() - began < 500) {
    end.send('.');
    await client.heard(/\.$/);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(front.proxy.counts().tunnels).toBe(1);
  await client.closed();
  await end.closed();
  expect(front.proxy.counts().tunnels).toBe(0);
});

describe('an origin that declines the upgrade', () => {
  test('has its response passed on, and the connection closed', async () => {
    const response = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nX-A: b\r\nAlt-Svc: h3\r\n\r\nno';
    const { origin } = await startUpgrading(response);
    const front = await startProxyServer(closing, { origin });
    const client = (await openRaw(closing, front.port)).send(UPGRADE);
    const text = await client.closed();
    expect(text).toBe('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nX-A: b\r\nConnection: close\r\n\r\nno');
    client.socket.end();
    await until(() => front.proxy.counts().connections === 0 && front.proxy.counts().tunnels === 0);
    expect(front.failures).toEqual([]);
  });

  test('has its chunked response passed on without chunks', async () => {
    const response = 'HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n';
    const { origin } = await startUpgrading(response);
    const front = await startProxyServer(closing, { origin });
    const client = (await openRaw(closing, front.port)).send(UPGRADE);
    expect(await client.closed()).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nno');
  });

  test.each([
    ['stops in the middle', 'x', { silenceMs: 100 }],
    ['says more than the client takes', 'x'.repeat(20_000_000), { unreadMs: 100 }],
  ])('but %s has no longer than any other answer', async (_, content, limits) => {
    const { origin } = await startUpgrading(`HTTP/1.1 403 Forbidden\r\nContent-Length: 30000000\r\n\r\n${content}`);
    const front = await startProxyServer(closing, { origin, limits });
    const client = await openRaw(closing, front.port);
    client.socket.pause();
    client.send(UPGRADE);
    await until(() => front.proxy.counts().tunnels === 1);
    await until(() => front.proxy.counts().tunnels === 0 && front.proxy.counts().connections === 0);
  });

  test.each([
    ['has a status that there is not', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n', 502, 'status'],
    ['agrees to something else', AGREED.replace('WebSocket', 'h2c'), 502, 'upgrade'],
    ['does not say to what', AGREED.replace('Upgrade: WebSocket\r\n', ''), 502, 'upgrade'],
    ['says what is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', 502, 'not_http'],
  ])('but %s is answered for', async (_, response, status, reason) => {
    const { origin } = await startUpgrading(response);
    const front = await startProxyServer(closing, { origin });
    const client = (await openRaw(closing, front.port)).send(UPGRADE);
    expect(await client.closed()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    client.socket.end();
    await until(() => front.proxy.counts().connections === 0 && front.failures.length === 1);
    expect(front.failures).toMatchObject([{ reason }]);
  });

  test.each([
    ['refuses connections', 'http://127.0.0.1:1', 502, {}],
    ['says nothing', '', 504, { responseMs: 100 }],
  ])('but %s is answered for', async (_, dead, status, limits) => {
    const silent = await startRawOrigin(closing, (socket) => void asRaw(socket));
    const front = await startProxyServer(closing, { origin: dead || silent.origin, limits });
    const client = (await openRaw(closing, front.port)).send(UPGRADE);
    expect(await client.closed()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*Connection: close`, 'is'));
    client.socket.end();
    await until(() => front.proxy.counts().connections === 0 && front.failures.length === 1);
  });
});

test.each([
  ['to something else than WebSocket', UPGRADE.replace('websocket', 'h2c')],
  ['to several protocols', UPGRADE.replace('websocket', 'websocket, h2c')],
  ['with a method that is none for it', UPGRADE.replace('GET', 'OPTIONS')],
  ['with content', UPGRADE.replace('\r\n\r\n', '\r\nContent-Length: 3\r\n\r\nabc')],
  ['with chunks', UPGRADE.replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')],
])('a request to upgrade %s never arrives', async (_, request) => {
  const { origin, connections } = await startUpgrading(AGREED);
  const front = await startProxyServer(closing, { origin });
  const client = (await openRaw(closing, front.port)).send(request);
  expect(await client.closed()).toMatch(/^HTTP\/1\.1 400 /);
  expect(connections()).toBe(0);
});

test('a client that disconnects before the response aborts its request', async () => {
  const { origin, connections } = await startRawOrigin(closing, (socket) => void asRaw(socket));
  const front = await startProxyServer(closing, { origin });
  const client = (await openRaw(closing, front.port)).send(UPGRADE);
  await until(() => connections() === 1);
  client.socket.destroy();
  await until(() => front.proxy.counts().connections === 0 && front.proxy.counts().tunnels === 0);
  expect(front.failures).toEqual([]);
});
