import { describe, expect, test } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { type Random, seeded } from '../support/seeded-random.ts';
import { versions } from './proxy-client.ts';
import { startProxyServer, startRawOrigin, until } from './proxy-server.ts';
import { openRaw } from './raw.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const closing = closingAfterEach();

/** An origin that answers with these bytes, and goes away. */
function saying(response: string | (() => string | Buffer)) {
  return startRawOrigin(closing, (socket) => {
    socket.once('data', () => {
      const bytes = typeof response === 'string' ? response : response();
      socket.end(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    });
  });
}

describe.each(versions(closing))('over %s', (_, ask) => {
  const OK = 'HTTP/1.1 200 OK\r\n';

  test.each([
    ['nothing of HTTP', 'SSH-2.0-OpenSSH_9.2p1\r\n\r\n'],
    ['HTTP/2', '\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64'],
    ['a version that there is not', 'HTTP/3.7 200 OK\r\n\r\n'],
    ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status below all', 'HTTP/1.1 099 Odd\r\n\r\n'],
    ['a status beyond all', 'HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['a status far beyond all', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['an agreement that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    [
      'an upgrade that nobody asked for',
      'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nx',
    ],
    ['both lengths', `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`],
    ['a length that is no number', `${OK}Content-Length: five\r\n\r\nabcde`],
    ['a negative length', `${OK}Content-Length: -5\r\n\r\nabcde`],
    ['content in another coding', `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['content in a coding alone', `${OK}Transfer-Encoding: gzip\r\n\r\nabc`],
    ['a folded line', `${OK}X-A: b\r\n c\r\n\r\n`],
    ['a bare CR in a value', `${OK}X-A: b\rc\r\n\r\n`],
    ['a bare LF', `${OK}X-A: b\nX-C: d\r\n\r\n`],
    ['a NUL in a value', `${OK}X-A: b\0c\r\n\r\n`],
    ['a space in a name', `${OK}X A: b\r\n\r\n`],
    ['a space before the colon', `${OK}X-A : b\r\n\r\n`],
    ['a field without a name', `${OK}: b\r\n\r\n`],
    ['a line without a colon', `${OK}X-A\r\n\r\n`],
    ['more header than is accepted', `${OK}X-A: ${'b'.repeat(40_000)}\r\n\r\n`],
    ['more fields than are accepted', `${OK}${'a: b\r\n'.repeat(1500)}\r\n`],
  ])('an origin that says %s is answered for', async (_, response) => {
    const front = await startProxyServer(closing, await saying(response));
    expect(await ask(front)).toMatchObject({ status: 502, headers: { 'proxy-status': expect.any(String) } });
    expect(front.failures).toMatchObject([{ page: 'origin_invalid' }]);
    await until(() => front.proxy.counts().connections === 0);
  });

  test.each([
    ['no reason', 'HTTP/1.1 200\r\n'],
    ['a reason of its own', 'HTTP/1.1 200 Fine by me\r\n'],
    ['a reason in no known letters', 'HTTP/1.1 200 \x80\xff\r\n'],
    ['a reason that rings the bell', 'HTTP/1.1 200 O\x07K\r\n'],
    ['a reason with a NUL', 'HTTP/1.1 200 O\0K\r\n'],
  ])('what an origin with %s says is passed on', async (_, status) => {
    const front = await startProxyServer(closing, await saying(`${status}Content-Length: 2\r\n\r\nok`));
    expect(await ask(front)).toMatchObject({ status: 200, body: 'ok' });
  });

  test.each([
    ['a size that is no number', '5\r\nabcde\r\nx\r\n'],
    ['a size with a sign', '5\r\nabcde\r\n+5\r\nabcde\r\n0\r\n\r\n'],
    ['a size beyond all numbers', '5\r\nabcde\r\n1ffffffffffffffff\r\nabcde'],
    ['less than the size', '5\r\nabc\r\n0\r\n\r\n'],
    ['more than the size', '5\r\nabcdefgh\r\n0\r\n\r\n'],
    ['no last chunk', '5\r\nabcde\r\n'],
    ['a bare LF behind a size', '5\r\nabcde\r\n0\n\r\n'],
  ])('content in chunks with %s is broken off', async (_, chunks) => {
    const front = await startProxyServer(closing, await saying(`${OK}Transfer-Encoding: chunked\r\n\r\n${chunks}`));
    // Or answered for, where the fault came together with the header.
    const answer = await ask(front).catch(() => 'broken off');
    if (answer !== 'broken off') expect(answer).toMatchObject({ status: 502 });
    await until(() => front.failures.length === 1 && front.proxy.counts().connections === 0);
  });

  test(`the client gets one response, whatever the origin sends (seed ${SEED})`, async () => {
    const random = seeded(SEED);
    const { origin } = await saying(() => mutated(random));
    const front = await startProxyServer(closing, { origin, limits: { responseMs: 500, silenceMs: 500 } });
    for (let i = 0; i < 300; i++) {
      const answer = await ask(front).catch(() => null);
      // A page of ours, or what the origin can have meant.
      if (answer !== null) expect(answer.status).toBeGreaterThanOrEqual(200);
    }
    await until(() => front.proxy.counts().requests === 0 && front.proxy.counts().connections === 0);
  });
});

/** A response that was hit at random. */
function mutated(random: Random): Buffer {
  const head = 'Content-Type: text/html\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nVia: 1.1 x\r\n';
  const responses = [
    `HTTP/1.1 200 OK\r\n${head}Content-Length: 11\r\n\r\nhello world`,
    `HTTP/1.1 200 OK\r\n${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n`,
    `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 304 Not Modified\r\n${head}\r\n`,
    `HTTP/1.0 200 OK\r\n${head}\r\nhello world`,
    `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno`,
  ];
  const bytes = Buffer.from(responses[random.below(responses.length)] ?? '', 'latin1');
  for (let hits = random.below(4); hits > 0; hits--) {
    const at = random.below(bytes.length);
    const marks = Buffer.from('\r\n\0 :;,\t0fA\x80\xff-', 'latin1');
    bytes[at] = random.chance(0.5) ? random.below(256) : (marks[random.below(marks.length)] ?? 0);
  }
  return random.chance(0.3) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}

test(`the client of an HTTP/1.1 connection gets one response, whatever the origin sends (seed ${SEED})`, async () => {
  const random = seeded(SEED);
  const { origin } = await saying(() => mutated(random));
  const front = await startProxyServer(closing, { origin, limits: { responseMs: 500, silenceMs: 500 } });
  for (let i = 0; i < 100; i++) {
    const client = await openRaw(closing, front.port);
    client.send('GET / HTTP/1.1\r\nHost: app.acme.com\r\nConnection: close\r\n\r\n');
    const text = await client.closed();
    // Never a second response that somebody could take for another's.
    expect(text.split(/^HTTP\/1\.1 [2-5]/m).length).toBeLessThanOrEqual(2 + Number(text.includes('okHTTP')));
  }
});
