import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inventedHello } from '../support/client-hello.ts';
import { closingAfterEach } from '../support/closing.ts';
import { ROOT } from './authority.ts';
import { type Harness, type Site, startHarness } from './harness.ts';

/** A load balancer that has to send a header; the clients it names; another peer. */
const BALANCER = '127.0.0.2';
const CLIENT = '203.0.113.7';
const GREEDY = '203.0.113.200';
const ELSEWHERE = '127.0.0.1';
/** A proxy that may say who the client is. */
const TRUSTED = '10.1.2.3';

const line = (client: string) => `PROXY TCP4 ${client} 192.0.2.1 56324 443\r\n`;
function block(client: string): string {
  const addresses = Buffer.from([...client.split('.').map(Number), 192, 0, 2, 1, 0xdc, 4, 1, 0xbb]);
  return Buffer.concat([Buffer.from('0d0a0d0a000d0a515549540a2111000c', 'hex'), addresses]).toString('latin1');
}
const LOCAL = Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex').toString('latin1');
const VERSIONS: [string, (client: string) => string][] = [
  ['1', line],
  ['2', block],
];

const closing = closingAfterEach();
let edge: Harness;
let site: Site;
beforeAll(async () => {
  edge = await startHarness({
    proxyProtocol: [`${BALANCER}/32`],
    trustedProxies: [`${TRUSTED}/32`],
    limits: { connectionsPerAddress: 5, unknownPerMinute: 5, proxyHeaderMs: 200, headerMs: 300 },
  });
  site = await edge.addSite();
});
afterAll(() => edge.close());

async function tcp(port: number, from = BALANCER): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true }).on('error', () => {});
  closing.push(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** The same socket, which sends the header in one piece with the first bytes. */
function headed(socket: Socket, header: string): Duplex {
  let head = Buffer.from(header, 'latin1');
  const duplex: Duplex = new Duplex({
    read: () => void socket.resume(),
    write(chunk: Buffer, _, done) {
      socket.write(Buffer.concat([head, chunk]), () => done());
      head = Buffer.alloc(0);
    },
    final: (done) => void socket.end(done),
    destroy(_, done) {
      socket.destroy();
      done(null);
    },
  });
  socket.on('data', (chunk: Buffer) => {
    if (!duplex.push(chunk)) socket.pause();
  });
  socket.once('end', () => duplex.push(null));
  socket.once('close', () => duplex.destroy());
  return duplex;
}

const overTls = (socket: Duplex, protocol: string, servername = site.hostname): TLSSocket =>
  connectTls({ socket, servername, ca: ROOT, ALPNProtocols: [protocol] }).on('error', () => {});

/** Everything that comes until the other side ends. */
async function readAll(socket: Duplex): Promise<string> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
    for (const event of ['end', 'close', 'error']) socket.once(event, () => resolve());
  });
  return Buffer.concat(chunks).toString('latin1');
}

const requestFor = (hostname: string, fields = '') =>
  `GET / HTTP/1.1\r\nHost: ${hostname}\r\n${fields}Connection: close\r\n\r\n`;

/** The header fields of the request that reached the origin. */
function seenIn(response: string): Record<string, string> {
  return JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4)).headers;
}

/** One turn: what was written has left. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const headers = (outcome: string) => edge.metric(`nameplate_edge_proxy_headers_total{outcome="${outcome}"}`);

describe.each(VERSIONS)('a header of version %s', (_, headerOf) => {
  it('names the client over HTTPS, to origins and over both protocols', async () => {
    const http1 = overTls(headed(await tcp(edge.httpsPort), headerOf(CLIENT)), 'http/1.1');
    http1.write(requestFor(site.hostname, 'X-Forwarded-For: 198.51.100.66\r\n'));
    const forwarded = {
      'x-forwarded-for': CLIENT,
      'x-real-ip': CLIENT,
      forwarded: `for=${CLIENT};host=${site.hostname};proto=https`,
    };
    expect(seenIn(await readAll(http1))).toMatchObject(forwarded);

    const http2 = overTls(headed(await tcp(edge.httpsPort), headerOf(CLIENT)), 'h2');
    const session = connectHttp2(`https://${site.hostname}`, { createConnection: () => http2 });
    const stream = session.request({ ':authority': site.hostname, ':path': '/' });
    expect(JSON.parse(await readAll(stream)).headers).toMatchObject(forwarded);
    session.destroy();
  });

  it('may be split anywhere, and be in one piece with the request', async () => {
    const sent = headerOf(CLIENT) + requestFor(site.hostname);
    for (let split = 1; split <= sent.length; split += 1) {
      const socket = await tcp(edge.httpPort);
      socket.write(sent.slice(0, split), 'latin1');
      await turn();
      if (split < sent.length) socket.write(sent.slice(split), 'latin1');
      expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 308 /);
    }
  });

  it('may be split anywhere before a handshake', async () => {
    const header = headerOf(CLIENT);
    for (let split = 1; split <= header.length; split += 1) {
      const socket = await tcp(edge.httpsPort);
      socket.write(header.slice(0, split), 'latin1');
      await turn();
      const secure = overTls(headed(socket, header.slice(split)), 'http/1.1');
      await once(secure, 'secureConnect');
      secure.destroy();
    }
  });

  it('is judged as the peer is: what it names may be a trusted proxy, over HTTP too', async () => {
    const fields = 'X-Forwarded-For: 198.51.100.9\r\nX-Forwarded-Proto: https\r\n';
    const trusted = await tcp(edge.httpPort);
    trusted.write(headerOf(TRUSTED) + requestFor(site.hostname, fields), 'latin1');
    expect(seenIn(await readAll(trusted))).toMatchObject({
      'x-forwarded-for': `198.51.100.9, ${TRUSTED}`,
      'x-real-ip': '198.51.100.9',
    });
    const other = await tcp(edge.httpPort);
    other.write(headerOf(CLIENT) + requestFor(site.hostname, fields), 'latin1');
    expect(await readAll(other)).toMatch(/^HTTP\/1\.1 308 /);
  });

  it('comes before content of any length', async () => {
    const content = 'content '.repeat(100_000);
    const origin = await edge.addOrigin(async (request, response) => {
      let bytes = 0;
      for await (const chunk of request) bytes += chunk.length;
      response.end(JSON.stringify({ headers: { bytes } }));
    });
    const { hostname } = await edge.addSite({ origin });
    const socket = await tcp(edge.httpPort);
    socket.write(headerOf(TRUSTED), 'latin1');
    socket.write(`POST / HTTP/1.1\r\nHost: ${hostname}\r\nX-Forwarded-Proto: https\r\nConnection: close\r\n`);
    socket.write(`Content-Length: ${content.length}\r\n\r\n${content}`);
    expect(seenIn(await readAll(socket))).toEqual({ bytes: content.length });
  });

  it('is never read in a connection from elsewhere', async () => {
    const inClear = await tcp(edge.httpPort, ELSEWHERE);
    inClear.write(headerOf(CLIENT) + requestFor(site.hostname), 'latin1');
    expect(await readAll(inClear)).toMatch(/^HTTP\/1\.1 400 /);
    const secure = await tcp(edge.httpsPort, ELSEWHERE);
    secure.write(headerOf(CLIENT), 'latin1');
    // decode_error.
    expect(Buffer.from(await readAll(secure), 'latin1')).toEqual(Buffer.from([21, 3, 3, 0, 2, 2, 50]));
    const without = overTls(await tcp(edge.httpsPort, ELSEWHERE), 'http/1.1');
    without.write(requestFor(site.hostname));
    expect(seenIn(await readAll(without))['x-forwarded-for']).toBe(ELSEWHERE);
  });
});

describe.each(['httpPort', 'httpsPort'] as const)('without a valid header, at %s, a connection', (port) => {
  it.each([
    ['that begins with a request', requestFor('a.example')],
    ['that begins with TLS', '\x16\x03\x01\x02\x00\x01'],
    ['with a malformed header', 'PROXY TCP4 203.0.113.7 192.0.2.1 1\r\n'],
  ])('%s is closed at once, counted and logged, and gets no answer', async (_, sent) => {
    const before = await headers('malformed');
    const socket = await tcp(edge[port]);
    socket.write(sent, 'latin1');
    expect(await readAll(socket)).toBe('');
    expect(await headers('malformed')).toBe(before + 1);
    expect(edge.logged.join('')).toContain('a connection without a valid PROXY header was closed');
  });

  it.each(['', LOCAL.slice(0, -1)])('that stops after %o is closed after the time limit, and counted', async (sent) => {
    const before = await headers('timeout');
    const socket = await tcp(edge[port]);
    socket.write(sent, 'latin1');
    expect(await readAll(socket)).toBe('');
    expect(await headers('timeout')).toBe(before + 1);
  });
});

it.each([
  ['LOCAL', LOCAL],
  ['UNKNOWN', 'PROXY UNKNOWN\r\n'],
])('a header with %s leaves the address of the peer', async (_, header) => {
  const before = await headers('local');
  const socket = overTls(headed(await tcp(edge.httpsPort), header), 'http/1.1');
  socket.write(requestFor(site.hostname));
  expect(seenIn(await readAll(socket))['x-forwarded-for']).toBe(BALANCER);
  expect(await headers('local')).toBe(before + 1);
});

it('limits per address count the client that the header names, not the load balancer', async () => {
  const open = async (client: string) => {
    const socket = await tcp(edge.httpPort);
    socket.write(line(client));
    return socket;
  };
  const of = async (outcome: string, count: number) => {
    while ((await headers(outcome)) < count) await turn();
  };
  const before = await headers('client');
  const others = await Promise.all(Array.from({ length: 10 }, (_, i) => open(`203.0.113.${100 + i}`)));
  const greedy: Socket[] = [];
  for (let i = 1; i <= 5; i += 1) {
    greedy.push(await open(GREEDY));
    await of('client', before + 10 + i);
  }
  const closed = readAll(greedy[0] as Socket);
  await open(GREEDY);
  expect(await closed).toBe('');
  for (const socket of [...others, ...greedy.slice(1)]) {
    socket.write(requestFor(site.hostname));
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 308 /);
  }
});

it('so do unknown names', async () => {
  const statusOf = async (client: string, hostname: string) => {
    const socket = await tcp(edge.httpPort);
    socket.write(line(client) + requestFor(hostname));
    return (await readAll(socket)).slice(9, 12);
  };
  for (let i = 0; i < 5; i += 1) expect(await statusOf('198.51.100.1', `nobody${i}.example.com`)).toBe('404');
  expect(await statusOf('198.51.100.1', 'nobody5.example.com')).toBe('503');
  expect(await statusOf('198.51.100.2', 'nobody5.example.com')).toBe('404');
});

it('and so do unknown names in handshakes', async () => {
  const outcomes = async () =>
    Promise.all(
      ['unknown_name', 'refused'].map((outcome) =>
        edge.metric(`nameplate_edge_handshakes_total{outcome="${outcome}"}`),
      ),
    );
  const attempt = async (client: string, number: number) => {
    const socket = await tcp(edge.httpsPort);
    socket.write(Buffer.concat([Buffer.from(line(client)), inventedHello(number)]));
    await readAll(socket);
  };
  const [unknown = 0, refused = 0] = await outcomes();
  for (let i = 0; i < 6; i += 1) await attempt('198.51.100.3', i);
  expect(await outcomes()).toEqual([unknown + 5, refused + 1]);
  await attempt('198.51.100.4', 6);
  expect(await outcomes()).toEqual([unknown + 6, refused + 1]);
});

it('a header is no part of a request: a connection that is opened in advance outlives the time limit of headers', async () => {
  const [early, slow] = [await tcp(edge.httpPort), await tcp(edge.httpPort)];
  early.write(line('203.0.113.8'));
  slow.write(`${line('203.0.113.9')}GET / HTTP`);
  expect(await readAll(slow)).toMatch(/^HTTP\/1\.1 408 /);
  early.write(requestFor(site.hostname));
  expect(await readAll(early)).toMatch(/^HTTP\/1\.1 308 /);
});

it('every thread reads it', async () => {
  const threaded = await startHarness({ threads: 2, proxyProtocol: [`${BALANCER}/32`] });
  try {
    const { hostname } = await threaded.addSite();
    for (let i = 0; i < 16; i += 1) {
      const socket = overTls(headed(await tcp(threaded.httpsPort), block(CLIENT)), 'http/1.1', hostname);
      socket.write(requestFor(hostname));
      expect(seenIn(await readAll(socket))['x-forwarded-for']).toBe(CLIENT);
    }
    expect(await threaded.metric('nameplate_edge_proxy_headers_total{outcome="client"}')).toBe(16);
  } finally {
    await threaded.close();
  }
});
