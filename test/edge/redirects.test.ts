import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../server/src/base/clock.ts';
import { createLog } from '../../server/src/base/log.ts';
import type { RedirectStatus } from '../../server/src/domain/redirect.ts';
import { createEdgeCache } from '../../server/src/edge/cache/edge-cache.ts';
import { createKey, createKeyring, parseKeys } from '../../server/src/store/sealing/keyring.ts';
import { takeOver } from '../support/certificates.ts';
import { temporaryDirectory } from '../support/command.ts';
import { plant, unique } from '../support/entities.ts';
import { issue } from './authority.ts';
import { type Harness, handshake, overHttp, overHttp2, overHttps, type Site, startHarness } from './harness.ts';
import { END_HEADERS, END_STREAM, frame, GOAWAY, HEADERS, openHttp2, RST_STREAM, requestFields } from './http2.ts';

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness();
});
afterAll(() => edge.close());

async function setRedirect({ domain }: Site, to: Site, status: RedirectStatus = 308, at = edge): Promise<void> {
  const wanted = { domainId: domain.id, destinationId: to.domain.id, status };
  expect(await at.store.setRedirect(domain.workspaceId, wanted, at.clock.now())).toMatchObject({ kind: 'set' });
  await at.heard();
}

/** Two names of one environment, of which the first redirects to the second. */
async function redirected(status: RedirectStatus = 308, destination: { certified?: boolean } = {}) {
  const www = await edge.addSite();
  const apex = await edge.addSite({ environment: www.environment, ...destination });
  await setRedirect(www, apex, status);
  return { www, apex };
}

const ways = {
  'HTTP/1.1': (asking: object) => overHttp({ port: edge.httpPort, ...(asking as { hostname: string }) }),
  'HTTP/1.1 over TLS': (asking: object) => overHttps({ port: edge.httpsPort, ...(asking as { hostname: string }) }),
  'HTTP/2': (asking: object) => overHttp2({ port: edge.httpsPort, ...(asking as { hostname: string }) }),
};

describe.for(Object.entries(ways))('a redirect over %s', ([, ask]) => {
  it.for([301, 308] as const)(
    'leads with %i to the same path and query at the destination, in one hop',
    async (status) => {
      const { www, apex } = await redirected(status);
      for (const path of ['/', '/a/b%20c?x=1&y=%2F', '//elsewhere.example/?', '/?next=https://elsewhere.example']) {
        const answer = await ask({ hostname: www.hostname, path });
        expect(answer.status).toBe(status);
        expect(answer.headers.location).toBe(`https://${apex.hostname}${path}`);
        // Browsers would keep it for good otherwise.
        expect(answer.headers['cache-control']).toBe('no-cache');
        expect(answer.text).toBe('');
      }
      const end = await overHttps({ port: edge.httpsPort, hostname: apex.hostname, path: '/a?x=1' });
      expect(JSON.parse(end.text)).toMatchObject({ url: '/a?x=1' });
    },
  );

  it.for(['HEAD', 'POST', 'DELETE', 'OPTIONS'])('answers %s, and the origin gets nothing', async (method) => {
    const { www, apex } = await redirected();
    const body = method === 'POST' ? { body: 'x'.repeat(100_000) } : {};
    const answer = await ask({ hostname: www.hostname, path: '/form', method, ...body });
    expect([answer.status, answer.headers.location]).toEqual([308, `https://${apex.hostname}/form`]);
  });

  it('takes effect, changes and ends with the change feed', async () => {
    const www = await edge.addSite();
    const [one, other] = [
      await edge.addSite({ environment: www.environment }),
      await edge.addSite({ environment: www.environment }),
    ];
    const hostname = www.hostname;
    const before = await ask({ hostname });
    expect(before.headers['cache-control']).not.toBe('no-cache');
    await setRedirect(www, one);
    expect((await ask({ hostname })).headers.location).toContain(one.hostname);
    await setRedirect(www, other, 301);
    expect(await ask({ hostname })).toMatchObject({
      status: 301,
      headers: { location: expect.stringContaining(other.hostname) },
    });
    await edge.store.removeRedirect(www.domain.workspaceId, www.domain.id, edge.clock.now());
    await edge.heard();
    const after = await ask({ hostname });
    expect([after.status, after.headers.location]).toEqual([before.status, before.headers.location]);
  });

  it('never leads to a workspace that takes the destination over: the name is served by its own origin', async () => {
    const { www, apex } = await redirected();
    expect((await ask({ hostname: www.hostname })).headers.location).toContain(apex.hostname);
    await takeOver(edge.store, (await plant(edge.store)).environment, { name: apex.hostname }, edge.clock.now());
    const { serial: _, ...issued } = issue(apex.hostname);
    await edge.store.importCertificate(apex.hostname, issued, edge.clock.now());
    await edge.heard();
    const answer = await ask({ hostname: www.hostname });
    expect(answer.headers.location ?? '').not.toContain(apex.hostname);
    const secure = await overHttps({ port: edge.httpsPort, hostname: www.hostname, path: '/mine' });
    expect(JSON.parse(secure.text)).toMatchObject({ url: '/mine', headers: { host: www.hostname } });
  });

  it('waits for the certificate of its destination', async () => {
    const { www, apex } = await redirected(308, { certified: false });
    const early = await ask({ hostname: www.hostname });
    expect(early.status).toBe(503);
    expect(early.text).toContain(apex.hostname);
    const { serial: _, ...issued } = issue(apex.hostname);
    await edge.store.importCertificate(apex.hostname, issued, edge.clock.now());
    await edge.heard();
    expect((await ask({ hostname: www.hostname })).status).toBe(308);
  });
});

it('a name that redirects has its own certificate, and can be requested only over its own connections', async () => {
  const { www, apex } = await redirected();
  const socket = await handshake(edge.httpsPort, { servername: www.hostname });
  expect(socket.getPeerX509Certificate()?.serialNumber).toBe(www.serial);
  socket.destroy();
  const crossed = { port: edge.httpsPort, hostname: www.hostname, servername: apex.hostname };
  expect((await overHttps(crossed)).status).toBe(421);
});

it('a name that redirects is redirected over HTTP before it has a certificate', async () => {
  const www = await edge.addSite({ certified: false });
  const apex = await edge.addSite({ environment: www.environment });
  await setRedirect(www, apex);
  const answer = await overHttp({ port: edge.httpPort, hostname: www.hostname, path: '/x' });
  expect([answer.status, answer.headers.location]).toEqual([308, `https://${apex.hostname}/x`]);
});

it('challenges of a name that redirects are answered, over HTTP and HTTPS', async () => {
  const { www } = await redirected();
  const token = `${unique('token')}_0123456789abcdefghij`;
  const challenge = {
    hostname: www.hostname,
    token,
    keyAuthorization: 'the key',
    expiresAt: edge.clock.now() + 60_000,
  };
  await edge.store.putChallenge(challenge);
  const path = `/.well-known/acme-challenge/${token}`;
  for (const ask of Object.values(ways))
    expect(await ask({ hostname: www.hostname, path })).toMatchObject({ status: 200, text: 'the key' });
  const unknown = await ways['HTTP/1.1']({ hostname: www.hostname, path: `${path}x` });
  expect(unknown.status).toBe(404);
});

it('a request to switch to WebSocket is redirected', async () => {
  const { www, apex } = await redirected();
  const socket = await handshake(edge.httpsPort, { servername: www.hostname });
  const key = { 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
  const asking = request({
    createConnection: () => socket,
    path: '/socket',
    headers: { host: www.hostname, connection: 'upgrade', upgrade: 'websocket', ...key },
  });
  asking.end();
  const [answer] = await once(asking, 'response');
  expect([answer.statusCode, answer.headers.location]).toEqual([308, `https://${apex.hostname}/socket`]);
  socket.destroy();
});

it('redirects go on while the store is down, also where the destination is not cached', async () => {
  const { www, apex } = await redirected();
  const ask = () => overHttps({ port: edge.httpsPort, hostname: www.hostname });
  await handshake(edge.httpsPort, { servername: www.hostname }).then((socket) => socket.destroy());
  edge.setStore('away');
  try {
    for (let i = 0; i < 3; i++) {
      expect(await ask()).toMatchObject({ status: 308 });
      edge.clock.advance(2000);
    }
  } finally {
    edge.setStore('there');
  }
  edge.clock.advance(2000);
  expect((await ask()).headers.location).toContain(apex.hostname);
});

it.for(['/a\r\nset-cookie: a=b', '/a\nset-cookie: a=b', '/a\0b'])(
  'no line of a client gets into the response by the path, over HTTP/2 either: %j',
  async (path) => {
    const { www } = await redirected();
    const { socket, frames, send } = await openHttp2(edge.httpsPort, www.hostname);
    send(frame(HEADERS, END_STREAM | END_HEADERS, 1, requestFields(www.hostname, path)));
    const reset = () => frames.some(({ type }) => type === RST_STREAM || type === GOAWAY);
    while (!reset()) await once(socket, 'data');
    expect(frames.filter(({ type }) => type === HEADERS)).toEqual([]);
    socket.destroy();
  },
);

it('redirects go on after a start without the store, from the first one requested on', async () => {
  const { path: directory, remove } = temporaryDirectory();
  const [log, clock, key] = [createLog('silent'), systemClock, createKey()];
  const keyring = createKeyring({ name: 'the keys', keys: () => parseKeys(key) });
  const openCache = () => {
    const about = {
      path: join(directory, 'edge-cache'),
      database: 'sqlite:/one.db',
      metrics: { registry: new Registry() },
    };
    return createEdgeCache({ ...about, keyring, clock, log });
  };
  const before = await startHarness({ edgeCache: openCache() });
  const pairs: { www: Site; apex: Site }[] = [];
  for (let i = 0; i < 3; i += 1) {
    const www = await before.addSite();
    const apex = await before.addSite({ environment: www.environment });
    await setRedirect(www, apex, 308, before);
    pairs.push({ www, apex });
  }
  const locations = ({ httpsPort: port }: Harness) =>
    Promise.all(pairs.map(async ({ www: { hostname } }) => (await overHttps({ port, hostname })).headers.location));
  const wanted = pairs.map(({ apex: { hostname } }) => `https://${hostname}/`);
  expect(await locations(before)).toEqual(wanted);
  await before.close();

  const edgeCache = openCache();
  expect(await edgeCache.load()).toBe(6);
  const after = await startHarness({ edgeCache });
  after.setStore('away');
  try {
    expect(await locations(after)).toEqual(wanted);
  } finally {
    await after.close();
    remove();
  }
});
