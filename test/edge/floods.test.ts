import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, overHttps, type Site, startHarness } from './harness.ts';
import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  field,
  frame,
  GOAWAY,
  HEADERS,
  openHttp2,
  PING,
  PRIORITY,
  RST_STREAM,
  requestFields,
  SETTINGS,
  WINDOW_UPDATE,
} from './http2.ts';

let edge: Harness;
let site: Site;
let asked = 0;
beforeAll(async () => {
  edge = await startHarness();
  const origin = await edge.addOrigin((_, response) => {
    asked += 1;
    setTimeout(() => response.end('late'), 50);
  });
  site = await edge.addSite({ origin });
});
afterAll(() => edge.close());

const CANCEL = Buffer.from([0, 0, 0, 8]);
const MOST = 50_000;

const open = (i: number) => frame(HEADERS, END_HEADERS | END_STREAM, 2 * i + 1, requestFields(site.hostname));
const post = () => frame(HEADERS, END_HEADERS, 1, requestFields(site.hostname, '/', 'POST'));
const endless = () => frame(HEADERS, END_STREAM, 1, requestFields(site.hostname));

/** Frames that are sent over and over, by kind. */
const FLOODS: Record<string, (i: number) => Buffer> = {
  'requests that are taken back (CVE-2023-44487)': (i) =>
    Buffer.concat([open(i), frame(RST_STREAM, 0, 2 * i + 1, CANCEL)]),
  'requests that we are made to take back (CVE-2025-8671)': (i) =>
    Buffer.concat([open(i), frame(WINDOW_UPDATE, 0, 2 * i + 1, Buffer.alloc(4))]),
  'requests with content after their end': (i) => Buffer.concat([open(i), frame(DATA, 0, 2 * i + 1, Buffer.from('x'))]),
  'requests, more than there may be at once': open,
  'requests with a malformed header': (i) => frame(HEADERS, END_HEADERS | END_STREAM, 2 * i + 1, field('UPPER', 'x')),
  'a header without an end (CVE-2024-27983)': (i) =>
    i === 0 ? endless() : frame(CONTINUATION, 0, 1, field('x', 'y'.repeat(100))),
  'a header that goes on with nothing': (i) => (i === 0 ? endless() : frame(CONTINUATION, 0, 1)),
  'content without a byte (CVE-2019-9518)': (i) => (i === 0 ? post() : frame(DATA, 0, 1)),
  'settings (CVE-2019-9515)': (i) => frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0, 1, 0, i & 0xff])),
  'settings of many values': () => frame(SETTINGS, 0, 0, Buffer.alloc(6 * 100, Buffer.from([0, 4, 0, 1, 0, 0]))),
  'pings (CVE-2019-9512)': () => frame(PING, 0, 0, Buffer.alloc(8)),
  'priorities (CVE-2019-9513)': () => frame(PRIORITY, 0, 1, Buffer.from([0, 0, 0, 3, 1])),
  'frames of no known type': () => frame(77, 0, 0, Buffer.alloc(100)),
};

describe('a flood on one HTTP/2 connection closes it, and affects no other:', () => {
  it.each(Object.keys(FLOODS))('%s', async (name) => {
    const next = FLOODS[name] ?? (() => Buffer.alloc(0));
    const { socket, send, ended, frames } = await openHttp2(edge.httpsPort, site.hostname);
    const before = asked;
    let sent = 0;
    let over = false;
    void ended.then(() => {
      over = true;
    });
    while (!over && sent < MOST) {
      send(...Array.from({ length: 50 }, (_, i) => next(sent + i)));
      sent += 50;
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.destroy();
    expect(sent).toBeLessThan(MOST);
    expect(asked - before).toBeLessThan(1000);
    expect(frames.every(({ type, payload }) => type !== GOAWAY || payload.readUInt32BE(4) !== 0)).toBe(true);
    expect((await overHttps({ port: edge.httpsPort, hostname: site.hostname })).status).toBe(200);
  });
});

describe('over one HTTP/2 connection', () => {
  it('the number of concurrent requests is limited, and announced to the client', async () => {
    const { socket, send, frames } = await openHttp2(edge.httpsPort, site.hostname);
    send(...Array.from({ length: 100 }, (_, i) => open(i)));
    const answered = () => frames.filter(({ type, flags }) => type === DATA && (flags & END_STREAM) !== 0).length;
    while (answered() < 100) await new Promise((resolve) => setTimeout(resolve, 5));
    const settings = frames.find(({ type }) => type === SETTINGS)?.payload ?? Buffer.alloc(0);
    const values = Array.from({ length: settings.length / 6 }, (_, i) => settings.subarray(6 * i, 6 * i + 6));
    const mostStreams = values.find((value) => value.readUInt16BE(0) === 3)?.readUInt32BE(2);
    expect(mostStreams).toBe(128);
    socket.destroy();
  });
});
