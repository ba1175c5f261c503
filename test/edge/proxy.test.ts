import { createServer as createTlsOrigin } from 'node:https';
import { describe, expect, test } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { listen } from '../support/listen.ts';
import { versions } from './proxy-client.ts';
import { startOrigin, startProxyServer, startRawOrigin, until } from './proxy-server.ts';
import { asRaw, openRaw } from './raw.ts';
import { certificateFor } from './selfsigned.ts';

const closing = closingAfterEach();

/** Answers every request on a connection with these bytes. */
function answering(response: string) {
  return startRawOrigin(closing, (socket) => {
    socket.on('data', () => void socket.write(response, 'latin1'));
    socket.on('end', () => void socket.end());
  });
}

describe.each(versions(closing))('over %s', (version, ask) => {
  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])('%s passes', async (method) => {
    const { origin } = await startOrigin(closing, async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.writeHead(201, { 'x-method': request.method, 'x-url': request.url, 'x-body': body });
      response.end('made');
    });
    const front = await startProxyServer(closing, { origin });
    const body = ['GET', 'HEAD'].includes(method) ? {} : { body: 'content' };
    const answer = await ask(front, { method, path: '/a%20b?c=d&&e', ...body });
    expect(answer).toMatchObject({ status: 201, body: method === 'HEAD' ? '' : 'made' });
    expect(answer.headers).toMatchObject({ 'x-method': method, 'x-url': '/a%20b?c=d&&e', 'x-body': body.body ?? '' });
    expect(front.failures).toEqual([]);
  });

  test('content of a GET request arrives, with and without a length', async () => {
    const { origin } = await startOrigin(closing, async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.end(`${request.headers['content-length']} ${request.headers['transfer-encoding']} ${body}`);
    });
    const front = await startProxyServer(closing, { origin });
    const sized = await ask(front, { body: 'abc', headers: { 'content-length': '3' } });
    expect(sized.body).toBe('3 undefined abc');
    const chunked = version === 'HTTP/2' ? {} : { headers: { 'transfer-encoding': 'chunked' } };
    expect((await ask(front, { body: 'abc', ...chunked })).body).toBe('undefined chunked abc');
  });

  test.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n', 200, '1234'],
    ['HEAD', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', 200, undefined],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nContent-Length: 1234\r\n\r\n', 304, '1234'],
    ['GET', 'HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n', 204, undefined],
    ['GET', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 200, '0'],
  ])('a response without content ends with its head: %s, %j', async (method, response, status, length) => {
    const origin = await answering(response);
    const front = await startProxyServer(closing, origin);
    for (let i = 0; i < 2; i++) {
      const answer = await ask(front, { method });
      expect(answer).toMatchObject({ status, body: '' });
      expect(answer.headers['content-length']).toBe(length);
    }
    // The connection went on to serve.
    expect(origin.connections()).toBe(1);
    expect(front.failures).toEqual([]);
  });

  test('content that ends with the connection arrives complete', async () => {
    const { origin } = await startRawOrigin(closing, (socket) => {
      socket.once('data', () => void socket.end('HTTP/1.1 200 OK\r\n\r\nuntil the end'));
    });
    const front = await startProxyServer(closing, { origin });
    expect(await ask(front)).toMatchObject({ status: 200, body: 'until the end' });
    await until(() => front.proxy.counts().connections === 0);
  });

  test('an HTTP/1.0 origin is supported', async () => {
    const front = await startProxyServer(closing, await answering('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    expect(await ask(front)).toMatchObject({ status: 200, body: 'ok' });
  });

  test('every Set-Cookie arrives, and repeated fields do no harm', async () => {
    const fields = 'Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Type: text/plain\r\nContent-Type: text/html\r\n';
    const front = await startProxyServer(
      closing,
      await answering(`HTTP/1.1 200 OK\r\n${fields}Content-Length: 2\r\n\r\nok`),
    );
    const answer = await ask(front);
    expect(answer).toMatchObject({ status: 200, body: 'ok', headers: { 'set-cookie': ['a=1', 'b=2'] } });
  });

  test('trailers pass both ways, except those with a meaning for proxies', async () => {
    const { origin } = await startOrigin(closing, async (request, response) => {
      for await (const _ of request);
      response.writeHead(200, { trailer: 'X-Sum, X-Got' });
      response.write('content');
      response.addTrailers({ 'X-Sum': '7', 'X-Got': JSON.stringify(request.trailers), Host: 'x', 'Set-Cookie': 'a=1' });
      response.end();
    });
    const front = await startProxyServer(closing, { origin });
    const chunked: Record<string, string> = version === 'HTTP/2' ? {} : { 'transfer-encoding': 'chunked' };
    const trailers = { 'x-check': '1', 'x-forwarded-for': 'forged', authorization: 'forged' };
    const headers = { ...chunked, te: 'trailers' };
    const answer = await ask(front, { method: 'POST', body: 'abc', headers, trailers });
    expect(answer.body).toBe('content');
    expect(answer.headers.trailer).toBe('X-Sum, X-Got');
    expect(answer.trailers).toEqual({ 'x-sum': '7', 'x-got': '{"x-check":"1"}' });
  });

  test('trailers that were not announced pass too', async () => {
    const response = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 2\r\n\r\n';
    const front = await startProxyServer(closing, await answering(response));
    const answer = await ask(front);
    expect(answer.body).toBe('ok');
    expect(answer.trailers).toEqual({ 'x-sum': '2' });
  });

  test('interim responses pass, without hop-by-hop fields', async () => {
    const early =
      'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nAlt-Svc: h3=":1"\r\nConnection: X-A\r\nX-A: 1\r\n\r\n';
    const other = 'HTTP/1.1 110 Progress\r\nX-Progress: 50%\r\n\r\n';
    const unasked = 'HTTP/1.1 100 Continue\r\n\r\n';
    const final = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    const front = await startProxyServer(closing, await answering(`${unasked}${early}${other}${final}`));
    const answer = await ask(front);
    expect(answer).toMatchObject({ status: 200, body: 'ok' });
    expect(answer.interim.map(({ status }) => status)).toEqual([103, 110]);
    expect(answer.interim[0]?.headers.link).toBe('</a.css>; rel=preload');
    expect(answer.interim[0]?.headers['alt-svc']).toBeUndefined();
    expect(answer.interim[0]?.headers['x-a']).toBeUndefined();
    expect(answer.interim[1]?.headers['x-progress']).toBe('50%');
  });

  test('a header is passed on before its content arrives', async () => {
    let goOn = () => {};
    const { origin } = await startOrigin(closing, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      goOn = () => void response.end('data: 1\n\n');
    });
    const front = await startProxyServer(closing, { origin });
    const client = await openRaw(closing, front.port);
    client.send('GET / HTTP/1.1\r\nHost: app.acme.com\r\n\r\n');
    expect(await client.heard(/\r\n\r\n/)).not.toContain('data');
    goOn();
    await client.heard(/data: 1/);
  });

  test('megabytes arrive unchanged, both ways', async () => {
    const content = Buffer.alloc(3_000_000, 'nameplate ');
    const { origin } = await startOrigin(closing, (request, response) => void request.pipe(response));
    const front = await startProxyServer(closing, { origin });
    const answer = await ask(front, { method: 'POST', body: content });
    expect(Buffer.from(answer.body).equals(content)).toBe(true);
  });
});

test('events of an event stream arrive one by one, as they are sent', async () => {
  const said: ((event: string) => void)[] = [];
  const { origin } = await startOrigin(closing, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    said.push((event) => void response.write(`data: ${event}\n\n`));
    response.flushHeaders();
  });
  const front = await startProxyServer(closing, { origin });
  const client = await openRaw(closing, front.port);
  client.send('GET / HTTP/1.1\r\nHost: app.acme.com\r\n\r\n');
  await client.heard(/event-stream/);
  for (const event of ['one', 'two', 'three']) {
    said[0]?.(event);
    await client.heard(new RegExp(`data: ${event}\n\n`));
  }
});

test('content is streamed to the origin, which may respond meanwhile', async () => {
  const { origin } = await startOrigin(closing, (request, response) => {
    response.writeHead(200);
    response.flushHeaders();
    request.on('data', (chunk) => void response.write(`<${chunk}>`));
    request.on('end', () => void response.end('done'));
  });
  const front = await startProxyServer(closing, { origin });
  const client = await openRaw(closing, front.port);
  client.send('POST / HTTP/1.1\r\nHost: app.acme.com\r\nTransfer-Encoding: chunked\r\n\r\n');
  await client.heard(/200 OK/);
  for (const piece of ['one', 'two']) {
    client.send(`3\r\n${piece}\r\n`);
    await client.heard(new RegExp(`<${piece}>`));
  }
  client.send('0\r\n\r\n');
  await client.heard(/done/);
});

describe('a client that waits for 100 (Continue)', () => {
  const UPLOAD = 'POST / HTTP/1.1\r\nHost: app.acme.com\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n';

  test('sends no content that the origin refuses', async () => {
    const { origin, server } = await startOrigin(closing, undefined);
    server.on('checkContinue', (_, response) => {
      response.writeHead(413);
      response.end('too much');
    });
    const front = await startProxyServer(closing, { origin });
    const client = await openRaw(closing, front.port);
    client.send(UPLOAD);
    const text = await client.closed();
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain('too much');
    expect(front.failures).toEqual([]);
  });

  test('gets 100 after a second where the origin sends none', async () => {
    const { origin } = await startRawOrigin(closing, (socket) => {
      const raw = asRaw(socket);
      void raw.heard(/\r\n\r\nabc$/).then(() => raw.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    });
    const front = await startProxyServer(closing, { origin });
    const client = await openRaw(closing, front.port);
    client.send(UPLOAD);
    await client.heard(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    client.send('abc');
    await client.heard(/ok$/);
  });
});

test('a client of HTTP/1.0 gets no chunks, and no trailers', async () => {
  const response =
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 2\r\n\r\n';
  const front = await startProxyServer(closing, await answering(response));
  const client = await openRaw(closing, front.port);
  client.send('GET / HTTP/1.0\r\nHost: app.acme.com\r\n\r\n');
  const text = await client.closed();
  expect(text).toMatch(/\r\n\r\nok$/);
  expect(text).not.toMatch(/chunked|sum/i);
});

describe('an HTTPS origin', () => {
  async function startTlsOrigin(name: string) {
    const { key, cert, ca } = certificateFor(name);
    const server = createTlsOrigin({ key, cert }, (request, response) => {
      const { servername } = request.socket as { servername?: string };
      response.end(`${servername} ${request.headers.host}`);
    });
    return { port: await listen(closing, server), ca, server };
  }

  test('is authenticated by its own name, and gets the client’s host name in Host', async () => {
    const { port, ca } = await startTlsOrigin('origin.example.test');
    const front = await startProxyServer(closing, { origin: `https://origin.example.test:${port}`, tls: { ca } });
    for (const [, ask] of versions(closing)) {
      expect((await ask(front)).body).toBe('origin.example.test app.acme.com');
    }
  });

  test.each([
    ['is another’s', 'other.example.test', true, 'certificate_name'],
    ['nobody vouches for', 'origin.example.test', false, 'certificate_untrusted'],
  ])('is not spoken with when its certificate %s', async (_, name, trusted, reason) => {
    const { port, ca, server } = await startTlsOrigin(name);
    let requests = 0;
    server.on('request', () => {
      requests += 1;
    });
    const tls = trusted ? { ca } : {};
    const front = await startProxyServer(closing, { origin: `https://origin.example.test:${port}`, tls });
    const [[, ask] = []] = versions(closing);
    expect(await ask?.(front)).toMatchObject({ status: 502 });
    expect(front.failures).toMatchObject([{ page: 'origin_certificate', reason }]);
    expect(requests).toBe(0);
  });
});

test('after the last request only idle connections remain, and after stop none', async () => {
  const { origin, server } = await startOrigin(closing, (_, response) => void response.end('ok'));
  const front = await startProxyServer(closing, { origin });
  for (const [, ask] of versions(closing)) await ask(front);
  await until(() => front.proxy.counts().requests === 0);
  expect(front.proxy.counts()).toEqual({ requests: 0, tunnels: 0, connections: 1, idleConnections: 1 });
  const closed = new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  expect(await closed).toBe(1);
  await front.proxy.stop();
  await until(() => front.proxy.counts().connections === 0);
});
