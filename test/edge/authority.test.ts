import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, handshake, overHttp2, overHttps, type Site, startHarness } from './harness.ts';

let edge: Harness;
let one: Site;
let other: Site;
beforeAll(async () => {
  edge = await startHarness();
  [one, other] = [await edge.addSite(), await edge.addSite()];
});
afterAll(() => edge.close());

/** Sends bytes, and reads until the other side ends. */
async function speak(socket: Duplex, text: string): Promise<string> {
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk;
  });
  socket.write(text);
  await once(socket, 'end');
  socket.destroy();
  return heard;
}

async function overTls(lines: string[], servername = one.hostname): Promise<string> {
  return speak(await handshake(edge.httpsPort, { servername }), `${lines.join('\r\n')}\r\n\r\n`);
}

async function inClear(lines: string[]): Promise<string> {
  const socket = connect(edge.httpPort, '127.0.0.1');
  await once(socket, 'connect');
  return speak(socket, `${lines.join('\r\n')}\r\n\r\n`);
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const END = 'Connection: close';

describe('a request over a connection to another name', () => {
  it('is misdirected, over both protocols (RFC 9110 section 15.5.20)', async () => {
    const port = edge.httpsPort;
    for (const ask of [overHttps, overHttp2]) {
      for (const hostname of [other.hostname, 'nobody.example.com', '127.0.0.1']) {
        const answer = await ask({ port, hostname, servername: one.hostname });
        expect([answer.status, answer.text]).toEqual([421, expect.stringContaining('Wrong connection')]);
      }
    }
    expect(await edge.metric('nameplate_edge_pages_total{page="misdirected"}')).toBe(6);
  });

  it('leaves the connection usable for its own name', async () => {
    const ask = (host: string, ...rest: string[]) => ['GET / HTTP/1.1', `Host: ${host}`, ...rest, '', ''].join('\r\n');
    const socket = await handshake(edge.httpsPort, { servername: one.hostname });
    const heard = await speak(socket, ask(other.hostname) + ask(one.hostname, END));
    expect(heard.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 421', 'HTTP/1.1 200']);
  });
});

describe('a target in absolute form', () => {
  it('overrides Host (RFC 9112 section 3.2.2)', async () => {
    const url = (name: string) => `GET https://${name}/x HTTP/1.1`;
    expect(statusOf(await overTls([url(one.hostname), `Host: ${one.hostname}`, END]))).toBe(200);
    expect(statusOf(await overTls([url(other.hostname), `Host: ${one.hostname}`, END]))).toBe(421);
    const answer = await overTls([url(one.hostname), `Host: ${other.hostname}`, END]);
    expect(statusOf(answer)).toBe(200);
    // The origin is asked in origin form, and for the name that counts.
    expect(answer).toContain(`"url":"/x","headers":{"host":"${one.hostname}"`);
  });

  it('overrides Host over HTTP too', async () => {
    const answer = await inClear([`GET http://${other.hostname}/x HTTP/1.1`, `Host: ${one.hostname}`, END]);
    expect(answer).toContain(`location: https://${other.hostname}/x`);
  });
});

describe('a request without exactly one host', () => {
  it.each([
    ['no host', []],
    ['two hosts', ['Host: HOST', 'Host: HOST']],
    ['a list of hosts', ['Host: HOST, HOST']],
    ['a user', ['Host: me@HOST']],
    ['a path', ['Host: HOST/path']],
    ['white space', ['Host: HOST other']],
    ['an empty host', ['Host:']],
    ['a port that there is not', ['Host: HOST:99999']],
  ])('is refused: %s', async (_, headers) => {
    const lines = headers.map((line) => line.replaceAll('HOST', one.hostname));
    for (const speakTo of [overTls, inClear]) {
      expect(statusOf(await speakTo(['GET / HTTP/1.1', ...lines, END]))).toBe(400);
    }
  });

  it.each(['OPTIONS', 'GET', 'CONNECT'])('is refused when its target is no path: %s', async (method) => {
    const target = method === 'CONNECT' ? `${one.hostname}:443` : 'relative';
    expect(statusOf(await overTls([`${method} ${target} HTTP/1.1`, `Host: ${one.hostname}`, END]))).toBe(400);
  });

  it('is refused when its target has a fragment', async () => {
    for (const target of ['/#a', `https://${one.hostname}/a#b`]) {
      expect(statusOf(await overTls([`GET ${target} HTTP/1.1`, `Host: ${one.hostname}`, END]))).toBe(400);
    }
    expect((await overHttp2({ port: edge.httpsPort, hostname: one.hostname, path: '/a#b' })).status).toBe(400);
  });

  it('of HTTP/2 is refused where authority and host differ (RFC 9113 section 8.3.1)', async () => {
    const asking = { port: edge.httpsPort, hostname: one.hostname };
    expect((await overHttp2({ ...asking, headers: { host: one.hostname } })).status).toBe(200);
    expect((await overHttp2({ ...asking, headers: { host: other.hostname } })).status).toBe(400);
  });

  it('of HTTP/1.0 is refused too', async () => {
    expect(statusOf(await overTls(['GET / HTTP/1.0']))).toBe(400);
  });
});

describe('a request that cannot be forwarded', () => {
  let asked = 0;
  let site: Site;
  beforeAll(async () => {
    const origin = await edge.addOrigin((_, response) => {
      asked += 1;
      response.end();
    });
    site = await edge.addSite({ origin });
  });
  const lines = (first: string, ...rest: string[]) => [first, `Host: ${site.hostname}`, END, ...rest];
  const status = async (...about: [string, ...string[]]) => statusOf(await overTls(lines(...about), site.hostname));

  it.each(['HTTP/2.0', 'HTTP/0.9'])('is refused with 505 in a version that is not HTTP/1.x: %s', async (version) => {
    const answer = await overTls(lines(`GET / ${version}`), site.hostname);
    expect(answer).toMatch(/^HTTP\/1\.1 505 HTTP Version Not Supported\r\n/);
    expect(asked).toBe(0);
  });

  it('is refused when its length is beyond all numbers', async () => {
    for (const length of ['9007199254740992', '9223372036854775808']) {
      expect(await status('POST / HTTP/1.1', `Content-Length: ${length}`)).toBe(400);
    }
    expect(asked).toBe(0);
  });

  it.each(['FETCH', 'get', 'GET-IT'])(
    'is refused when HTTP/1.1 does not know its method, over both protocols: %s',
    async (method) => {
      expect(await status(`${method} / HTTP/1.1`)).toBe(400);
      const { hostname } = site;
      expect((await overHttp2({ port: edge.httpsPort, hostname, method })).status).toBe(501);
      expect(asked).toBe(0);
    },
  );

  it('is forwarded with any method that HTTP/1.1 knows', async () => {
    for (const method of ['PROPFIND', 'QUERY', 'M-SEARCH']) {
      expect(await status(`${method} / HTTP/1.1`)).toBe(200);
      const { hostname } = site;
      expect((await overHttp2({ port: edge.httpsPort, hostname, method })).status).toBe(200);
    }
    expect(asked).toBe(6);
  });
});

describe('OPTIONS for the server as a whole', () => {
  it('is for the name it was sent to', async () => {
    const answer = await overTls(['OPTIONS * HTTP/1.1', `Host: ${one.hostname}`, END]);
    expect(answer).toMatch(/"method":"OPTIONS","url":"\*?/);
    expect(statusOf(await overTls(['OPTIONS * HTTP/1.1', `Host: ${other.hostname}`, END]))).toBe(421);
  });
});
