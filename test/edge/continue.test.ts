import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Closing } from '../support/closing.ts';
import { ROOT } from './authority.ts';
import { type Harness, handshake, type Site, startHarness } from './harness.ts';
import { startOrigin, until } from './proxy-server.ts';
import { asRaw } from './raw.ts';

// A client that asks first whether its content is wanted (RFC 9110 section 10.1.1), through the whole edge: nobody but
// the origin tells it to go on.

const closing: Closing = [];
/** Requests that have reached the origin, and wait for its response. */
const waiting: { expect: string | undefined; goOn(): void }[] = [];
let edge: Harness;
let site: Site;
beforeAll(async () => {
  edge = await startHarness();
  const { origin, server } = await startOrigin(closing, undefined);
  server.on('checkContinue', (request, response) => {
    const goOn = () => {
      response.writeContinue();
      request.pipe(response);
    };
    waiting.push({ expect: request.headers.expect, goOn });
  });
  site = await edge.addSite({ origin });
});
afterAll(async () => {
  await edge.close();
  for (const close of closing) await close();
});

it('over HTTP/1.1', async () => {
  const socket = await handshake(edge.httpsPort, { servername: site.hostname });
  const client = asRaw(socket);
  client.send(`POST / HTTP/1.1\r\nHost: ${site.hostname}\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`);
  await until(() => waiting.length === 1);
  expect(client.text).toBe('');
  const { expect: expected, goOn } = waiting.pop() ?? { goOn() {} };
  expect(expected).toBe('100-continue');
  goOn();
  await client.heard(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  client.send('abc');
  await client.heard(/HTTP\/1\.1 200 OK.*abc/s);
  socket.destroy();
});

it('over HTTP/2', async () => {
  const { hostname } = site;
  const session = connectHttp2(`https://${hostname}`, {
    createConnection: () =>
      connectTls({ port: edge.httpsPort, host: '127.0.0.1', servername: hostname, ca: ROOT, ALPNProtocols: ['h2'] }),
  });
  const stream = session.request({ ':method': 'POST', ':path': '/', expect: '100-continue' });
  let told = false;
  stream.on('continue', () => {
    told = true;
  });
  await until(() => waiting.length === 1);
  expect(told).toBe(false);
  waiting.pop()?.goOn();
  await until(() => told);
  stream.end('abc');
  const [chunk] = await once(stream, 'data');
  expect(String(chunk)).toBe('abc');
  session.destroy();
});
