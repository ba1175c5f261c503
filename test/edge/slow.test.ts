import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, handshake, overHttp, overHttps, type Site, startHarness } from './harness.ts';
import { DATA, END_HEADERS, END_STREAM, frame, HEADERS, openHttp2, requestFields } from './http2.ts';

let edge: Harness;
let site: Site;
beforeAll(async () => {
  edge = await startHarness({ limits: { bodyMs: 300, bodyBytes: 500, idleMs: 600, headerBytes: 8192 } });
  site = await edge.addSite();
});
afterAll(() => edge.close());

/**
 * Sends one piece after another, and reads until the other side ends. Returns the response and the pieces that were not
 * sent.
 */
async function hear(socket: Duplex, pieces: Iterable<string> = []): Promise<string> {
  let heard = '';
  let over = false;
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    heard += chunk;
  });
  // Not `once` of events: that rejects where the server resets the connection while a piece is on its way.
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close']) socket.once(event, () => resolve());
  }).then(() => {
    over = true;
  });
  for (const piece of pieces) {
    if (over) break;
    socket.write(piece);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20))]);
  }
  await ended;
  socket.destroy();
  return heard;
}

async function tcp(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

const inClear = ({ httpPort } = edge) => tcp(httpPort);
const overTls = ({ hostname } = site, { httpsPort } = edge) => handshake(httpsPort, { servername: hostname });

function* drip(text: string): Generator<string> {
  yield text;
  for (;;) yield 'x';
}

describe('a TLS handshake', () => {
  let hasty: Harness;
  beforeAll(async () => {
    hasty = await startHarness({ limits: { handshakeMs: 300 } });
  });
  afterAll(() => hasty.close());

  it('that does not start or continue is closed', async () => {
    expect(await hear(await tcp(hasty.httpsPort))).toBe('');
    expect(await hear(await tcp(hasty.httpsPort), ['\x16\x03\x01\x02\x00\x01'])).toBe('');
    expect(await hasty.metric('nameplate_edge_handshakes_total{outcome="timeout"}')).toBe(2);
  });

  it('that is not TLS is refused with an alert', async () => {
    const heard = await hear(await tcp(edge.httpsPort), ['GET / HTTP/1.1\r\n\r\n']);
    expect(Buffer.from(heard, 'latin1').subarray(0, 3)).toEqual(Buffer.from([21, 3, 3]));
  });

  it('that arrives in too many pieces is refused', async () => {
    const socket = await tcp(edge.httpsPort);
    socket.setNoDelay(true);
    expect(await hear(socket, drip('\x16\x03\x01\x3f\x00\x01\x00\x3e\xfc'))).toContain('\x15\x03\x03');
  });
});

describe('a connection', () => {
  let hasty: Harness;
  let served: Site;
  beforeAll(async () => {
    hasty = await startHarness({ limits: { headerMs: 300 } });
    served = await hasty.addSite();
  });
  afterAll(() => hasty.close());

  it('without data is closed without a response, after the idle time', async () => {
    expect(await hear(await inClear())).toBe('');
    expect(await hear(await overTls())).toBe('');
  });

  it('without data outlives the time limit of headers', async () => {
    for (const open of [() => inClear(hasty), () => overTls(served, hasty)]) {
      const unused = await open();
      // It came later, and is closed by the same limit.
      expect(await hear(await open(), ['GET'])).toMatch(/^HTTP\/1\.1 408 /);
      expect(await hear(unused, [`GET / HTTP/1.1\r\nHost: ${served.hostname}\r\nConnection: close\r\n\r\n`])).toMatch(
        /^HTTP\/1\.1 (200|308) /,
      );
    }
  });

  it('with a slow header is closed with 408', async () => {
    const header = () => drip(`GET / HTTP/1.1\r\nHost: ${served.hostname}\r\nX: `);
    expect(await hear(await inClear(hasty), header())).toMatch(/^HTTP\/1\.1 408 /);
    expect(await hear(await overTls(served, hasty), header())).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('with a header that is too large gets 431', async () => {
    const header = [`GET / HTTP/1.1\r\nHost: ${site.hostname}\r\nX: ${'x'.repeat(9000)}\r\n\r\n`];
    for (const open of [inClear, overTls]) expect(await hear(await open(), header)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('with something other than HTTP gets 400', async () => {
    const greeting = ['SSH-2.0-OpenSSH_9.6\r\n\r\n'];
    for (const open of [inClear, overTls]) expect(await hear(await open(), greeting)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('is closed after the idle time', async () => {
    const asked = [`GET / HTTP/1.1\r\nHost: ${site.hostname}\r\n\r\n`];
    expect(await hear(await inClear(), asked)).toMatch(/^HTTP\/1\.1 308 /);
    expect(await hear(await overTls(), asked)).toMatch(/^HTTP\/1\.1 200 /);
    const { send, ended } = await openHttp2(edge.httpsPort, site.hostname);
    send(frame(HEADERS, END_HEADERS | END_STREAM, 1, requestFields(site.hostname)));
    await ended;
  });
});

describe('a body', () => {
  const post = ({ hostname } = site) => `POST / HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 100000\r\n\r\n`;
  let reader: Site;
  beforeAll(async () => {
    const origin = await edge.addOrigin((request, response) => request.resume().on('end', () => response.end('read')));
    reader = await edge.addSite({ origin });
  });

  // Bytes that arrive after the edge has closed can make the client's system drop an unread response: the test then
  // runs again.
  it('that arrives too slowly closes its connection with 408', { retry: 3 }, async () => {
    const socket = await overTls(reader);
    expect(await hear(socket, drip(post(reader)))).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('that arrives too slowly after the response closes its connection', { retry: 3 }, async () => {
    expect(await hear(await overTls(), drip(post()))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that arrives too slowly over HTTP/2 ends its request only', async () => {
    const { send, frames, socket } = await openHttp2(edge.httpsPort, reader.hostname);
    send(frame(HEADERS, END_HEADERS, 1, requestFields(reader.hostname, '/', 'POST')));
    const answer = () => frames.find(({ type, stream }) => type === HEADERS && stream === 1);
    while (answer() === undefined) {
      send(frame(DATA, 0, 1, Buffer.from('x')));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    send(frame(HEADERS, END_HEADERS | END_STREAM, 3, requestFields(reader.hostname)));
    while (!frames.some(({ type, stream }) => type === DATA && stream === 3)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const page = Buffer.concat(
      frames.filter(({ type, stream }) => type === DATA && stream === 1).map((f) => f.payload),
    );
    expect(page.toString()).toContain('took too long to arrive');
    socket.destroy();
  });

  it('that is slow, but within the limit, arrives', async () => {
    const body = 'x'.repeat(16_000);
    function* pieces() {
      yield `POST / HTTP/1.1\r\nHost: ${reader.hostname}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
      for (let at = 0; at < body.length; at += 400) yield body.slice(at, at + 400);
    }
    const socket = await overTls(reader);
    expect(await hear(socket, pieces())).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that the origin does not read is not counted as slow', async () => {
    const origin = await edge.addOrigin((request, response) => {
      setTimeout(() => request.resume().on('end', () => response.end('read')), 1000);
    });
    const { hostname } = await edge.addSite({ origin });
    const body = 'x'.repeat(4_000_000);
    const answer = await overHttps({ port: edge.httpsPort, hostname, method: 'POST', body });
    expect([answer.status, answer.text]).toEqual([200, 'read']);
  });

  it('that is not needed is discarded, and closes the connection when it takes long', async () => {
    const heard = await hear(await inClear(), drip(post()));
    expect(heard).toMatch(/^HTTP\/1\.1 308 /);
  });
});

describe('idle connections', () => {
  it('beyond the limit of an address close the one idle longest', async () => {
    const few = await startHarness({ limits: { connectionsPerAddress: 5 } });
    try {
      const { hostname } = await few.addSite();
      const idle = [];
      for (let i = 0; i < 5; i += 1) idle.push(await handshake(few.httpsPort, { servername: hostname }));
      const [eldest, ...others] = idle;
      const closed = eldest && once(eldest, 'close');
      expect((await overHttps({ port: few.httpsPort, hostname })).status).toBe(200);
      await closed;
      expect(others.map(({ destroyed }) => destroyed)).toEqual([false, false, false, false]);
      for (const socket of others) socket.destroy();
    } finally {
      await few.close();
    }
  });

  it('a thousand of them do not block other clients', async () => {
    // However long it takes to open them.
    const many = await startHarness({ limits: { headerMs: 600_000 } });
    try {
      const { hostname } = await many.addSite();
      const idle: Duplex[] = [];
      for (let i = 0; i < 20; i += 1) {
        const opened = Array.from({ length: 50 }, () => handshake(many.httpsPort, { servername: hostname }));
        idle.push(...(await Promise.all(opened)));
      }
      expect((await overHttps({ port: many.httpsPort, hostname })).status).toBe(200);
      expect((await overHttp({ port: many.httpPort, hostname })).status).toBe(308);
      expect(await many.metric('nameplate_edge_open{what="connections"}')).toBeGreaterThanOrEqual(1000);
      expect(await many.metric('nameplate_edge_open{what="tls_contexts"}')).toBe(1);
      expect(idle.every(({ destroyed }) => !destroyed)).toBe(true);
      for (const socket of idle) socket.destroy();
    } finally {
      await many.close();
    }
  });
});
