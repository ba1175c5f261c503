import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { EdgeLimits } from '../../server/src/edge/edge-limits.ts';
import type { Closing } from '../support/closing.ts';
import { type Harness, handshake, startHarness } from './harness.ts';
import {
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  HEADERS,
  openHttp2,
  PING,
  RST_STREAM,
  requestFields,
  SETTINGS,
} from './http2.ts';
import { startOrigin, startRawOrigin, until } from './proxy-server.ts';
import { asRaw } from './raw.ts';

// Requests that are answered, or given up, before all of them has come; through the whole edge.

const closing: Closing = [];
const faults: unknown[] = [];
const note = (fault: unknown) => void faults.push(fault);
beforeEach(() => void process.on('uncaughtException', note));
afterEach(async () => {
  vi.useRealTimers();
  process.off('uncaughtException', note);
  for (const close of closing.splice(0).reverse()) await close();
  expect(faults.splice(0)).toEqual([]);
});

async function start(limits: Partial<EdgeLimits> = {}): Promise<Harness> {
  const edge = await startHarness({ limits });
  closing.push(edge.close);
  return edge;
}

const PAGE = /HTTP\/1\.1 408 Request Timeout/;
const NO_WINDOW = frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]));

it.each([
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
])(
  'what an origin says of a request over HTTP/1.1 that was refused meanwhile is nobody’s business (%j)',
  async (said) => {
    const edge = await start({ bodyMs: 150 });
    let says = () => {};
    const { origin } = await startRawOrigin(closing, (socket) => {
      socket.on('data', (bytes) => {
        if (bytes.toString().startsWith('GET'))
          socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n');
        if (bytes.toString().startsWith('POST')) says = () => void socket.write(said);
      });
    });
    const { hostname } = await edge.addSite({ origin });
    const client = asRaw(await handshake(edge.httpsPort, { servername: hostname }));
    // The second answer has to wait for the end of the first, which there is none of.
    client.send(`GET / HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    client.send(`POST / HTTP/1.1\r\nHost: ${hostname}\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\nx`);
    while ((await edge.metric('nameplate_edge_pages_total{page="request_timeout"}')) === 0) await breath();
    says();
    const more = asRaw(await handshake(edge.httpsPort, { servername: hostname }));
    await more.send(`GET / HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`).heard(/hi/);
    expect(client.text).not.toMatch(PAGE);
  },
);

it('and over HTTP/2, where the client does not read the response', async () => {
  const edge = await start({ bodyMs: 150 });
  let says = () => {};
  const { origin } = await startRawOrigin(closing, (socket) => {
    socket.once('data', () => {
      says = () => void socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
    });
  });
  const { hostname } = await edge.addSite({ origin });
  const client = await openHttp2(edge.httpsPort, hostname);
  client.send(
    NO_WINDOW,
    frame(HEADERS, END_HEADERS, 1, requestFields(hostname, '/', 'POST')),
    frame(DATA, 0, 1, Buffer.from('x')),
  );
  const answered = () => client.frames.filter(({ type, stream }) => type === HEADERS && stream === 1).length;
  await until(() => answered() === 1);
  says();
  client.send(frame(PING, 0, 0, Buffer.alloc(8)));
  await until(() => client.frames.some(({ type }) => type === PING));
  expect(answered()).toBe(1);
});

it('a page over HTTP/2 that ends a request early is whole', async () => {
  const edge = await start({ bodyMs: 150 });
  const { hostname } = await edge.addSite({ origin: (await startRawOrigin(closing, () => {})).origin });
  const client = await openHttp2(edge.httpsPort, hostname);
  client.send(
    frame(HEADERS, END_HEADERS, 1, requestFields(hostname, '/', 'POST')),
    frame(DATA, 0, 1, Buffer.from('x')),
  );
  const own = () => client.frames.filter(({ stream }) => stream === 1);
  await until(() => own().some(({ type }) => type === RST_STREAM));
  const [head, ...content] = own().map(({ type, flags }) => [type, flags]);
  expect([head, content.at(-2), content.at(-1)]).toEqual([
    [HEADERS, END_HEADERS],
    [DATA, END_STREAM],
    [RST_STREAM, 0],
  ]);
});

it('an upload that an early response aborts does not look complete to the origin', async () => {
  const edge = await start();
  let got = '';
  let isOver = false;
  const { origin } = await startRawOrigin(closing, (socket) => {
    socket.once('data', () => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nenough'));
    socket.on('data', (bytes) => {
      got += bytes.toString('latin1');
    });
    socket.once('end', () => {
      isOver = true;
    });
  });
  const { hostname } = await edge.addSite({ origin });
  const client = await openHttp2(edge.httpsPort, hostname);
  client.send(
    frame(HEADERS, END_HEADERS, 1, requestFields(hostname, '/', 'POST')),
    frame(DATA, 0, 1, Buffer.alloc(1000)),
  );
  await until(() =>
    client.frames.some(({ type, flags, stream }) => type === DATA && stream === 1 && flags === END_STREAM),
  );
  await until(() => isOver);
  expect(got).toMatch(/Transfer-Encoding: chunked/i);
  // The last chunk would say that this was all.
  expect(got).not.toContain('\r\n0\r\n\r\n');
});

it('content is sent to the origin once, however often and late it sends 100 (Continue)', async () => {
  const edge = await start();
  let got = '';
  let say = () => {};
  const { origin } = await startRawOrigin(closing, (socket) => {
    socket.on('data', (bytes) => {
      got += bytes;
    });
    say = () => void socket.write('HTTP/1.1 100 Continue\r\n\r\n');
  });
  const { hostname } = await edge.addSite({ origin });
  const client = asRaw(await handshake(edge.httpsPort, { servername: hostname }));
  client.send(`POST / HTTP/1.1\r\nHost: ${hostname}\r\nExpect: 100-continue\r\nContent-Length: 20\r\n\r\n`);
  // The edge says so itself after a second.
  await client.heard(/100 Continue/);
  client.send('0123456789');
  await until(() => got.endsWith('\r\n\r\n0123456789'));
  say();
  say();
  client.send('abcdefghij');
  await until(() => got.endsWith('abcdefghij'));
  expect(got.split('\r\n\r\n')[1]).toBe('0123456789abcdefghij');
});

it('a page that an HTTP/2 client does not read is aborted after a minute, whatever else it sends', async () => {
  const edge = await start();
  const { hostname } = await edge.addSite();
  const client = await openHttp2(edge.httpsPort, hostname);
  client.send(NO_WINDOW);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  client.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, requestFields('other.example.com')));
  const immediate = () => new Promise((resolve) => setImmediate(resolve));
  while (!client.frames.some(({ type, stream }) => type === HEADERS && stream === 1)) await immediate();
  const ended = () => edge.metric('nameplate_edge_requests_total{protocol="h2",status="4xx"}');
  vi.advanceTimersByTime(59_000);
  client.send(frame(PING, 0, 0, Buffer.alloc(8)));
  while (!client.frames.some(({ type }) => type === PING)) await immediate();
  expect(await ended()).toBe(0);
  vi.advanceTimersByTime(1000);
  while ((await ended()) === 0) await immediate();
});

it('pipelined requests have the same limit as HTTP/2 streams; more wait for their turn', async () => {
  const edge = await start({ streams: 10 });
  const held: ServerResponse[] = [];
  const { origin } = await startOrigin(closing, (_, response) => void held.push(response));
  const { hostname } = await edge.addSite({ origin });
  const client = asRaw(await handshake(edge.httpsPort, { servername: hostname }));
  client.send(`GET / HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(12));
  for (let answered = 0; answered < 12; answered += 1) {
    await until(() => held.length === Math.min(answered + 10, 12));
    held[answered]?.end(`<${answered}>`);
    await client.heard(new RegExp(`<${answered}>`));
  }
});

const breath = () => new Promise((resolve) => setTimeout(resolve, 5));
