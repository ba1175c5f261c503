import { once } from 'node:events';
import { expect, it } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { type Harness, handshake, overHttp2, overHttps, startHarness } from './harness.ts';
import { DATA, END_HEADERS, END_STREAM, frame, GOAWAY, HEADERS, openHttp2, requestFields } from './http2.ts';
import { startRawOrigin, until } from './proxy-server.ts';
import { asRaw, openRaw, type Raw } from './raw.ts';

const closing = closingAfterEach();

it.each([0, 2])(
  'an edge that stops, with %i threads, completes requests in flight and accepts no more',
  async (threads) => {
    const edge = await startHarness({ threads, graceMs: 60_000 });
    try {
      const begun: (() => void)[] = [];
      const origin = await edge.addOrigin((_, response) => void begun.push(() => response.end('late')));
      const { hostname } = await edge.addSite({ origin });
      const asking = [overHttps, overHttp2].map((ask) => ask({ port: edge.httpsPort, hostname }));
      const idle = await handshake(edge.httpsPort, { servername: hostname });
      const closed = once(idle.resume(), 'close');
      while (begun.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      const stopped = edge.edge.stop();
      await closed;
      await expect(handshake(edge.httpsPort, { servername: hostname })).rejects.toThrow(
        /ECONNREFUSED|ECONNRESET|socket disconnected/,
      );
      for (const goOn of begun) goOn();
      expect((await Promise.all(asking)).map(({ status, text }) => [status, text])).toEqual([
        [200, 'late'],
        [200, 'late'],
      ]);
      await stopped;
    } finally {
      await edge.close();
    }
  },
);

it('an edge that stops sends GOAWAY over HTTP/2, and waits no longer than its grace period', async () => {
  const edge = await startHarness({ graceMs: 100 });
  try {
    const { hostname } = await edge.addSite({ origin: await edge.addOrigin(() => {}) });
    const { send, frames, ended } = await openHttp2(edge.httpsPort, hostname);
    send(frame(HEADERS, END_HEADERS | END_STREAM, 1, requestFields(hostname)));
    while ((await edge.metric('nameplate_edge_lookups_total{kind="site"}')) === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await edge.edge.stop();
    await ended;
    expect(frames.some(({ type }) => type === GOAWAY)).toBe(true);
  } finally {
    await edge.close();
  }
});

it('while an edge drains, the next response on a kept connection tells the client to open another one', async () => {
  const edge = await startHarness({ graceMs: 60_000 });
  try {
    const { hostname } = await edge.addSite();
    const used = await openRaw(closing, edge.httpPort);
    const request = `GET / HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`;
    await used.send(request).heard(/^HTTP\/1\.1 308 /);
    expect(used.text).not.toMatch(/connection: close/i);
    const stopped = edge.edge.stop();
    await used.send(request).heard(/308 [\s\S]*308 [\s\S]*\r\nConnection: close\r\n/i);
    await used.closed();
    await stopped;
  } finally {
    await edge.close();
  }
});

it('over HTTP/2, a request on a connection that is idle is served, with GOAWAY before its response', async () => {
  const edge = await startHarness({ graceMs: 60_000 });
  try {
    const { hostname } = await edge.addSite();
    const { send, frames, ended } = await openHttp2(edge.httpsPort, hostname);
    const types = () => frames.map(({ type }) => type);
    const ask = (stream: number) =>
      send(frame(HEADERS, END_HEADERS | END_STREAM, stream, requestFields(hostname, `/${stream}`)));
    ask(1);
    await until(() => types().includes(DATA));
    const stopped = edge.edge.stop();
    expect(types()).not.toContain(GOAWAY);
    ask(3);
    await ended;
    await stopped;
    const responses = frames.filter(({ type }) => type === HEADERS).map(({ stream }) => stream);
    expect(responses).toEqual([1, 3]);
    expect(types().indexOf(GOAWAY)).toBeLessThan(types().lastIndexOf(HEADERS));
  } finally {
    await edge.close();
  }
});

/** A tunnel that an origin keeps open, which has sent these bytes. */
async function openTunnel(edge: Harness, sent: string) {
  const ends: Raw[] = [];
  const { origin } = await startRawOrigin(closing, (socket) => {
    const end = asRaw(socket);
    void end.heard(/\r\n\r\n$/).then(() => end.send(`${SWITCHING}${sent}`));
    ends.push(end);
  });
  const { hostname } = await edge.addSite({ origin });
  const socket = await handshake(edge.httpsPort, { servername: hostname });
  closing.push(() => void socket.destroy());
  const client = asRaw(socket);
  const fields =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAA\r\n';
  client.send(`GET / HTTP/1.1\r\nHost: ${hostname}\r\n${fields}\r\n`);
  await until(() => client.text.endsWith(`\r\n\r\n${sent}`) || client.text.includes(' 50'));
  expect(client.text).toMatch(/^HTTP\/1\.1 101 /);
  return { client, end: () => ends[0] };
}

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

it('at the end of the drain a WebSocket is closed with 1001, and the origin gets the close frame of its client', async () => {
  const edge = await startHarness({ graceMs: 1200 });
  try {
    const { client, end } = await openTunnel(edge, '\x81\x02hi');
    const stopped = edge.edge.stop();
    await until(() => client.text.endsWith('hi\x88\x02\x03\xe9'));
    const reply = '\x88\x82\x00\x00\x00\x00\x03\xe9';
    client.send(reply);
    await until(() => end()?.text.endsWith(reply) === true);
    await stopped;
  } finally {
    await edge.close();
  }
});

it('in the middle of a frame nothing is added to it: the connection is closed', async () => {
  const edge = await startHarness({ graceMs: 1200 });
  try {
    const { client } = await openTunnel(edge, '\x81\x05hal');
    await edge.edge.stop();
    await client.closed();
    expect(client.text.endsWith('\x81\x05hal')).toBe(true);
  } finally {
    await edge.close();
  }
});
