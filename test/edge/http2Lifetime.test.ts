import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Random, seeded } from '../support/seeded-random.ts';
import { ROOT } from './authority.ts';
import { opening } from './frames.ts';
import { type Harness, type Site, startHarness } from './harness.ts';
import {
  DATA,
  END_HEADERS,
  END_STREAM,
  field,
  frame,
  GOAWAY,
  HEADERS,
  type Http2Socket,
  openHttp2,
  PING,
  RST_STREAM,
  requestFields,
  WINDOW_UPDATE,
} from './http2.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
/** Longer than any test. */
const NEVER_MS = 600_000;
/** How long clients come and go; longer in `npm run test:long`. */
const CHAOS_MS = Number(process.env.CHAOS_MS ?? 2000);

let edge: Harness;
let site: Site;
const held: (() => void)[] = [];
beforeAll(async () => {
  edge = await startHarness({ limits: { idleMs: 600, bodyMs: 300, bodyBytes: 100 } });
  const origin = await edge.addOrigin((request, response) => {
    request.resume();
    if (request.url === '/held') held.push(() => response.end('late'));
    else if (request.method === 'GET') response.end('read');
    else request.on('end', () => response.end('read'));
  });
  site = await edge.addSite({ origin });
});
afterAll(() => edge.close());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const get = (stream: number, path = '/', { hostname } = site) =>
  frame(HEADERS, END_HEADERS | END_STREAM, stream, requestFields(hostname, path));
const ping = () => frame(PING, 0, 0, Buffer.alloc(8));

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(10);
}

const connections = ({ metric } = edge) => metric('nameplate_edge_open{what="connections"}');
const nothingStays = (of = edge) => until(async () => (await connections(of)) === 0);

/** Pings, as often as is accepted for ever, until it holds. */
async function pingUntil({ send }: Http2Socket, holds: () => boolean): Promise<void> {
  while (!holds()) {
    send(ping());
    await pause(80);
  }
}

const answered = ({ frames }: Http2Socket, id: number) =>
  frames.some(({ type, flags, stream }) => type === DATA && stream === id && (flags & END_STREAM) !== 0);

const textOf = ({ frames }: Http2Socket, id: number) =>
  Buffer.concat(
    frames.filter(({ type, stream }) => type === DATA && stream === id).map((one) => one.payload),
  ).toString();

/** A client that never closes its side, whatever it is told. */
async function clinging({ hostname } = site, { httpsPort } = edge): Promise<TLSSocket> {
  const raw = connect({ port: httpsPort, host: '127.0.0.1', allowHalfOpen: true });
  const options = { socket: raw, servername: hostname, ca: ROOT, ALPNProtocols: ['h2'], allowHalfOpen: true };
  const socket = connectTls(options);
  socket.on('error', () => {});
  raw.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(opening);
  return socket;
}

describe('an HTTP/2 connection without a request', () => {
  it('is closed with GOAWAY', async () => {
    const client = await openHttp2(edge.httpsPort, site.hostname);
    client.send(get(1));
    await client.ended;
    expect(textOf(client, 1)).toBe('read');
    const goodbye = client.frames.find(({ type }) => type === GOAWAY);
    expect(goodbye?.payload.readUInt32BE(4)).toBe(0);
    await nothingStays();
  });

  it('is closed even if the client does not close its side', async () => {
    const socket = await clinging();
    socket.resume();
    await nothingStays();
    socket.destroy();
  });

  it('is closed even if the client does not read', async () => {
    const socket = await clinging();
    await nothingStays();
    socket.destroy();
  });

  it('is closed even if the client keeps sending pings', async () => {
    const client = await openHttp2(edge.httpsPort, site.hostname);
    let over = false;
    void client.ended.then(() => {
      over = true;
    });
    await pingUntil(client, () => over);
  });

  it('is closed even after a CONNECT that was refused and reset', async () => {
    const client = await openHttp2(edge.httpsPort, site.hostname);
    const fields = Buffer.concat([field(':method', 'CONNECT'), field(':authority', `${site.hostname}:443`)]);
    client.send(frame(HEADERS, END_HEADERS, 1, fields));
    let over = false;
    void client.ended.then(() => {
      over = true;
    });
    await pingUntil(client, () => over);
    expect(client.frames.filter(({ stream }) => stream === 1).map(({ type }) => type)).toEqual([HEADERS, RST_STREAM]);
  });

  it.each([
    ['a request is under way, however long that takes', []],
    ['the client has said goodbye and waits for an answer', [frame(GOAWAY, 0, 0, Buffer.alloc(8))]],
  ])('is none while %s', async (_, more) => {
    const busy = await openHttp2(edge.httpsPort, site.hostname);
    busy.send(get(1, '/held'), ...more);
    await until(() => held.length === 1);
    // One that came later, and clings, has been cut off.
    const socket = await clinging();
    await until(async () => (await connections()) === 1);
    socket.destroy();
    for (const answer of held.splice(0)) answer();
    await busy.ended;
    expect(textOf(busy, 1)).toBe('late');
  });
});

describe('an HTTP/2 header', () => {
  let hasty: Harness;
  let served: Site;
  beforeAll(async () => {
    hasty = await startHarness({ limits: { headerMs: 300, idleMs: NEVER_MS, silenceMs: NEVER_MS } });
    served = await hasty.addSite();
  });
  afterAll(() => hasty.close());

  it('that never ends closes its connection', async () => {
    const { send, ended } = await openHttp2(hasty.httpsPort, served.hostname);
    send(frame(HEADERS, 0, 1, requestFields(served.hostname)));
    await ended;
    await nothingStays(hasty);
  });

  it('of which only part of a frame arrives closes its connection', async () => {
    const { send, ended } = await openHttp2(hasty.httpsPort, served.hostname);
    send(get(1, '/', served).subarray(0, 12));
    await ended;
    await nothingStays(hasty);
  });

  it('that never ends, after a complete request, closes its connection', async () => {
    const client = await openHttp2(hasty.httpsPort, served.hostname);
    client.send(get(1, '/', served));
    await until(() => answered(client, 1));
    client.send(frame(HEADERS, 0, 3, requestFields(served.hostname)));
    await client.ended;
    await nothingStays(hasty);
  });

  it('that ends in time is a request, and its connection stays open', async () => {
    const client = await openHttp2(hasty.httpsPort, served.hostname);
    const slow = await openHttp2(hasty.httpsPort, served.hostname);
    const header = get(1, '/', served);
    client.send(header.subarray(0, 20));
    client.send(header.subarray(20));
    await until(() => answered(client, 1));
    slow.send(header.subarray(0, 20));
    await slow.ended;
    client.send(get(3, '/', served));
    await until(() => answered(client, 3));
    client.socket.destroy();
    await nothingStays(hasty);
  });
});

describe('a body over HTTP/2', () => {
  const post = (stream: number) => frame(HEADERS, END_HEADERS, stream, requestFields(site.hostname, '/', 'POST'));

  it('gets no extra time from other traffic on the connection', async () => {
    const client = await openHttp2(edge.httpsPort, site.hostname);
    client.send(post(1), frame(DATA, 0, 1, Buffer.from('x')));
    client.send(post(3));
    // The other one goes on, well enough; pings come, too.
    while (textOf(client, 1) === '') {
      client.send(frame(DATA, 0, 3, Buffer.alloc(100)), ping());
      await pause(60);
    }
    expect(textOf(client, 1)).toContain('took too long to arrive');
    client.send(frame(DATA, END_STREAM, 3, Buffer.alloc(100)));
    await until(() => answered(client, 3));
    expect(textOf(client, 3)).toBe('read');
    client.socket.destroy();
  });
});

describe('of clients', () => {
  let hasty: Harness;
  let long: Site;
  beforeAll(async () => {
    hasty = await startHarness({ limits: { silenceMs: 1000, idleMs: 600 } });
    const origin = await hasty.addOrigin(({ url }, response) => {
      response.end(url === '/much' ? Buffer.alloc(20_000_000) : 'read');
    });
    long = await hasty.addSite({ origin });
  });
  afterAll(() => hasty.close());

  it('that do not read a long response, nothing stays after the time limit', async () => {
    const socket = await clinging(long, hasty);
    // All of the answer may come at once, as far as HTTP/2 is concerned.
    const window = Buffer.from([0x7f, 0, 0, 0]);
    socket.write(
      Buffer.concat([frame(WINDOW_UPDATE, 0, 0, window), get(1, '/much', long), frame(WINDOW_UPDATE, 0, 1, window)]),
    );
    await nothingStays(hasty);
    socket.destroy();
  });

  it(`that have gone, nothing stays, whatever they sent (seed ${SEED})`, async () => {
    const end = performance.now() + CHAOS_MS;
    let gone = 0;
    async function comeAndGo(random: Random): Promise<void> {
      while (performance.now() < end) {
        const client = await openHttp2(hasty.httpsPort, long.hostname);
        const sent = 1 + random.below(12);
        const kind = random.below(WHIMS.length);
        for (let i = 0; i < sent; i += 1) {
          const whim = WHIMS[random.chance(0.8) ? kind : random.below(WHIMS.length)];
          if (whim !== undefined) client.send(whim(2 * i + 1));
          if (random.chance(0.5)) await pause(random.below(8));
        }
        await pause(random.below(10));
        client.socket.destroy();
        gone += 1;
      }
    }
    await Promise.all([1, 2, 3].map((nth) => comeAndGo(seeded(SEED + nth))));
    expect(gone).toBeGreaterThan(0);
    await nothingStays(hasty);
  });

  /** Frames that clients may send. HTTP/2 itself refuses the first ones. */
  const WHIMS: ((stream: number) => Buffer)[] = [
    (stream) => malformed(stream, field('X-Upper', 'a')),
    (stream) => frame(HEADERS, END_HEADERS, stream, requestFields(long.hostname, '/', 'CONNECT')),
    (stream) => malformed(stream, field('connection', 'close')),
    (stream) => get(stream, '/', long),
    (stream) => Buffer.concat([get(stream, '/', long), frame(RST_STREAM, 0, stream, Buffer.from([0, 0, 0, 8]))]),
    (stream) => frame(HEADERS, 0, stream, requestFields(long.hostname)),
  ];

  const malformed = (stream: number, fields: Buffer) =>
    frame(HEADERS, END_HEADERS | END_STREAM, stream, Buffer.concat([requestFields(long.hostname), fields]));
});
