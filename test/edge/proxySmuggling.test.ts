import { describe, expect, test } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { frame, headers, opening } from './frames.ts';
import { type ProxyServer, startProxyServer, startRawOrigin, until } from './proxy-server.ts';
import { openRaw } from './raw.ts';

const closing = closingAfterEach();

/** An origin that keeps what it hears, byte for byte, and answers whatever ends a header. */
async function listening() {
  let heard = '';
  const { origin } = await startRawOrigin(closing, (socket) => {
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      for (const _ of chunk.toString('latin1').matchAll(/\r\n\r\n/g)) {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      }
    });
    socket.on('end', () => void socket.end());
  });
  const front = await startProxyServer(closing, { origin });
  const requests = (): string[] => heard.match(/^[A-Z]+ \S+ HTTP/gm) ?? [];
  return { front, heard: () => heard, requests };
}

const HEAD = 'POST / HTTP/1.1\r\nHost: app.acme.com\r\n';
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: app.acme.com\r\n\r\n';

describe('nothing of an ambiguous request reaches the origin', () => {
  test.each([
    ['both lengths', `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['both lengths, the other way round', `${HEAD}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`],
    ['the same length twice', `${HEAD}Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde`],
    ['a list of lengths', `${HEAD}Content-Length: 5, 5\r\n\r\nabcde`],
    ['a negative length', `${HEAD}Content-Length: -1\r\n\r\n`],
    ['a length with a sign', `${HEAD}Content-Length: +5\r\n\r\nabcde`],
    ['a length in hexadecimal', `${HEAD}Content-Length: 0x5\r\n\r\nabcde`],
    ['a length with a space in it', `${HEAD}Content-Length: 1 1\r\n\r\nabcde`],
    ['a length that is no number', `${HEAD}Content-Length: five\r\n\r\nabcde`],
    ['no length where one is announced', `${HEAD}Content-Length:\r\n\r\nabcde`],
    ['a length beyond all numbers', `${HEAD}Content-Length: 18446744073709551617\r\n\r\nabcde`],
    ['a space before the colon', `${HEAD}Content-Length : 5\r\n\r\nabcde`],
    ['a tab before the colon', `${HEAD}Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n`],
    ['a folded line', `${HEAD}X-A: b\r\n c\r\n\r\n`],
    ['a folded Transfer-Encoding', `${HEAD}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`],
    ['a space before the first field', `POST / HTTP/1.1\r\n Host: app.acme.com\r\n\r\n`],
    ['a bare CR in a value', `${HEAD}X-A: b\rContent-Length: 5\r\n\r\n`],
    ['a bare CR after a value', `${HEAD}X-A: b\r\r\n\r\n`],
    ['a bare CR as the end of a line', `${HEAD}X-A: b\rX-B: c\r\n\r\n`],
    ['a bare LF as the end of a line', `${HEAD}X-A: b\nTransfer-Encoding: chunked\n\r\n0\r\n\r\n`],
    ['a bare LF as the end of the header', `${HEAD}Content-Length: 5\n\nabcde`],
    ['a NUL in a value', `${HEAD}X-A: b\0c\r\n\r\n`],
    ['a NUL in a name', `${HEAD}X\0A: b\r\n\r\n`],
    ['a name with a space', `${HEAD}X A: b\r\n\r\n`],
    ['a field without a name', `${HEAD}: b\r\n\r\n`],
    ['an encoding besides chunked', `${HEAD}Transfer-Encoding: gzip\r\n\r\n`],
    ['an encoding before chunked', `${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['an encoding in another field', `${HEAD}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['identity', `${HEAD}Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nabcde`],
    ['chunked that is not the last', `${HEAD}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
    ['chunked as part of a word', `${HEAD}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['chunked in quotes', `${HEAD}Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n`],
    ['chunked after a vertical tab', `${HEAD}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`],
    ['an encoding in two fields', `${HEAD}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`],
    ['a version that there is not', `POST / HTTP/1.9\r\nHost: app.acme.com\r\n\r\n`],
    ['a tab in the first line', `POST\t/ HTTP/1.1\r\nHost: app.acme.com\r\n\r\n`],
    ['a space in the path', `POST /a b HTTP/1.1\r\nHost: app.acme.com\r\n\r\n`],
    ['a CR in the path', `POST /a\rb HTTP/1.1\r\nHost: app.acme.com\r\n\r\n`],
    ['a method that there is not', `GETT / HTTP/1.1\r\nHost: app.acme.com\r\n\r\n`],
    ['a method in small letters', `get / HTTP/1.1\r\nHost: app.acme.com\r\n\r\n`],
    ['something before the request', `\0${HEAD}\r\n`],
  ])('%s', async (_, request) => {
    const { front, heard } = await listening();
    const client = await openRaw(closing, front.port);
    client.send(request);
    client.socket.end();
    const text = await client.closed();
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(heard()).toBe('');
  });
});

/**
 * Chunks are judged one by one, so that the header may have reached the origin by then: as a request that never ends.
 */
describe('a request with ambiguous chunks never ends at the origin', () => {
  const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

  test.each([
    ['a size that is no number', `x\r\nabc\r\n0\r\n\r\n`],
    ['a size with a sign', `+3\r\nabc\r\n0\r\n\r\n`],
    ['a size with a prefix', `0x3\r\nabc\r\n0\r\n\r\n`],
    ['a size beyond all numbers', `10000000000000003\r\nabc\r\n0\r\n\r\n`],
    ['a size with a space after it', `3 \r\nabc\r\n0\r\n\r\n`],
    ['no size', `\r\nabc\r\n0\r\n\r\n`],
    ['a bare LF after the size', `3\nabc\r\n0\r\n\r\n`],
    ['a bare CR after the size', `3\rabc\r\n0\r\n\r\n`],
    ['a bare LF after the chunk', `3\r\nabc\n0\r\n\r\n`],
    ['more than the size says', `3\r\nabcdef\r\n0\r\n\r\n`],
    ['an extension with a bare LF in it', `3;a\nb\r\nabc\r\n0\r\n\r\n`],
    ['an extension with a bare CR in it', `3;a\rb\r\nabc\r\n0\r\n\r\n`],
    ['an extension that never ends', `3;${'a'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`],
    ['a folded trailer', `3\r\nabc\r\n0\r\nX-A: b\r\n c\r\n\r\n`],
    ['a trailer with a bare LF', `3\r\nabc\r\n0\r\nX-A: b\n\r\n\r\n`],
  ])('%s', async (_, chunks) => {
    const { front, heard, requests } = await listening();
    const client = await openRaw(closing, front.port);
    client.send(`${CHUNKED}${chunks}${SMUGGLED}`);
    await client.closed();
    await until(() => front.proxy.counts().requests === 0 && front.proxy.counts().connections === 0);
    expect(requests().length).toBeLessThanOrEqual(1);
    expect(heard()).not.toMatch(/smuggled|\r\n0\r\n\r\n/);
  });
});

describe('unambiguous requests arrive in normalized form', () => {
  async function arrived(front: ProxyServer, request: string, heard: () => string): Promise<string> {
    const client = await openRaw(closing, front.port);
    client.send(request);
    await client.heard(/ok$/);
    return heard();
  }

  test('chunk extensions are dropped, chunk sizes are rewritten', async () => {
    const { front, heard, requests } = await listening();
    const request = `${HEAD}Transfer-Encoding: Chunked\r\n\r\n003;a=b;c="d"\r\nabc\r\n0;e\r\n\r\n`;
    const text = await arrived(front, request, heard);
    await until(() => heard().endsWith('0\r\n\r\n'));
    expect(text).toContain('Transfer-Encoding: chunked\r\n');
    expect(heard()).toMatch(/\r\n\r\n3\r\nabc\r\n0\r\n\r\n$/);
    expect(requests()).toHaveLength(1);
  });

  test('bytes after a request are the next request, with its own header', async () => {
    const { front, heard, requests } = await listening();
    const client = await openRaw(closing, front.port);
    client.send(`${HEAD}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}${SMUGGLED}`);
    await client.heard(/ok.*ok/s);
    await until(() => requests().length === 3);
    // Once as content, once as a request of its own, which says for whom.
    expect(heard().match(/GET \/smuggled/g)).toHaveLength(2);
    expect(heard().match(/X-Request-Id: req_\d/g)).toEqual(['X-Request-Id: req_1', 'X-Request-Id: req_2']);
  });

  test('a second space in the request line is dropped', async () => {
    const { front, heard } = await listening();
    const text = await arrived(front, 'POST  / HTTP/1.1\r\nHost: app.acme.com\r\n\r\n', heard);
    expect(text).toMatch(/^POST \/ HTTP\/1\.1\r\n/);
  });

  test('spaces around a length are dropped', async () => {
    const { front, heard } = await listening();
    const text = await arrived(front, `${HEAD}Content-Length: \t 5 \r\n\r\nabcde`, heard);
    expect(text).toContain('Content-Length: 5\r\n');
  });

  test('fields beyond Node’s limit are neither lost nor trusted', async () => {
    const { front, heard } = await listening();
    const many = Array.from({ length: 2500 }, () => 'a:b\r\n').join('');
    const request = `${HEAD}${many}X-Forwarded-For: forged\r\nContent-Length: 5\r\nX-Last: 1\r\n\r\nabcde`;
    const text = await arrived(front, request, heard);
    expect(text).toContain('X-Last: 1\r\n');
    expect(text).toContain('Content-Length: 5\r\n');
    expect(text).not.toContain('forged');
  });
});

const PSEUDO = { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'app.acme.com' };

describe('a message that would be two requests over HTTP/1.1 is rejected over HTTP/2', () => {
  test.each<[string, Record<string, string>]>([
    ['a capital letter in a name', { ...PSEUDO, 'X-A': 'b' }],
    ['a line end in the path', { ...PSEUDO, ':path': '/ HTTP/1.1\r\nx-a: b' }],
    ['a space in the path', { ...PSEUDO, ':path': '/ HTTP/1.1' }],
    ['no path', { ...PSEUDO, ':path': '' }],
    ['a line end in the method', { ...PSEUDO, ':method': 'GET / HTTP/1.1\r\nx: y' }],
    ['a space in the method', { ...PSEUDO, ':method': 'GET /admin' }],
    ['a method in small letters', { ...PSEUDO, ':method': 'get' }],
    ['CONNECT', { ':method': 'CONNECT', ':authority': 'app.acme.com:443' }],
    ['a line end in the authority', { ...PSEUDO, ':authority': 'a\r\nb' }],
    ['Transfer-Encoding', { ...PSEUDO, 'transfer-encoding': 'chunked' }],
    ['Connection', { ...PSEUDO, connection: 'keep-alive' }],
    ['Upgrade', { ...PSEUDO, upgrade: 'websocket' }],
    ['TE with more than trailers', { ...PSEUDO, te: 'gzip' }],
    ['a pseudo-header field behind others', { 'x-a': 'b', ...PSEUDO }],
    ['a pseudo-header field that there is not', { ...PSEUDO, ':x': 'y' }],
    ['a length without content', { ...PSEUDO, 'content-length': '5' }],
    ['a length that is no number', { ...PSEUDO, 'content-length': '5, 5' }],
  ])('%s', async (_, fields) => {
    const { front, requests } = await listening();
    const client = await openRaw(closing, front.http2Port);
    client.socket.write(Buffer.concat([opening, headers(1, fields), headers(3, { ...PSEUDO, ':path': '/next' })]));
    await client.heard(/ok$/);
    expect(requests()).toEqual(['GET /next HTTP']);
  });

  test.each<[string, Record<string, string>]>([
    ['a line end in a value', { 'x-a': 'b\r\nx-c: d' }],
    ['a bare LF in a value', { 'x-a': 'b\nx-c: d' }],
    ['a NUL in a value', { 'x-a': 'b\0c' }],
    ['a line end in a name', { 'x-a: b\r\nx-c': 'd' }],
    ['a colon in a name', { 'x-a:b': 'c' }],
  ])('%s, which stays behind', async (_, field) => {
    const { front, heard } = await listening();
    const client = await openRaw(closing, front.http2Port);
    client.socket.write(Buffer.concat([opening, headers(1, { ...PSEUDO, ...field, 'x-last': '1' })]));
    await client.heard(/ok$/);
    expect(heard()).toContain('x-last: 1\r\n');
    expect(heard()).not.toMatch(/x-[ac]/i);
  });

  test.each(['abc', 'abcdefg'])('content that differs from its length: %s', async (content) => {
    const { front, heard, requests } = await listening();
    const client = await openRaw(closing, front.http2Port);
    const fields = { ...PSEUDO, ':method': 'POST', 'content-length': '5' };
    client.socket.write(Buffer.concat([opening, headers(1, fields, false), frame('data', 1, content, 1)]));
    client.socket.write(headers(3, { ...PSEUDO, ':path': '/next' }));
    await until(() => client.socket.readableEnded || requests().includes('GET /next HTTP'));
    await until(() => front.proxy.counts().requests === 0);
    expect(heard()).not.toContain('abcdefg');
    // The connection over which the beginning went is closed.
    await until(() => front.proxy.counts().connections === front.proxy.counts().idleConnections);
  });
});
