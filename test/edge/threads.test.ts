import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Closing } from '../support/closing.ts';
import { type Harness, handshake, overHttp, overHttp2, overHttps, startHarness } from './harness.ts';
import { openRaw } from './raw.ts';

const THREADS = 3;

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness({ threads: THREADS });
});
afterAll(() => edge.close());

/** Asks until the answer is this, as often in a row as makes it unlikely that a thread was left out. */
async function settlesOn(ask: () => Promise<unknown>, wanted: unknown): Promise<void> {
  for (let inARow = 0; inARow < 8 * THREADS; ) inARow = (await ask()) === wanted ? inARow + 1 : 0;
}

describe('several threads on one port', () => {
  it('all serve a site, its next deployment, and nothing once it is deleted', async () => {
    const { hostname, environment, domain } = await edge.addSite();
    const status = async () => (await overHttp({ port: edge.httpPort, hostname })).status;
    await settlesOn(status, 308);
    for (const ask of [overHttps, overHttp2]) expect((await ask({ port: edge.httpsPort, hostname })).status).toBe(200);
    await edge.deploy(environment, await edge.addOrigin((_, response) => response.end('next')));
    await settlesOn(async () => (await overHttps({ port: edge.httpsPort, hostname })).text, 'next');
    await edge.store.deleteDomain(domain.workspaceId, domain.id, Date.now());
    await settlesOn(status, 404);
  });

  it('all redirect a name once that is set, and serve it again once its destination is gone', async () => {
    const { hostname, environment, domain } = await edge.addSite();
    const apex = (await edge.addSite({ environment })).domain;
    const location = async () => (await overHttps({ port: edge.httpsPort, hostname })).headers.location;
    await settlesOn(location, undefined);
    const redirect = { domainId: domain.id, destinationId: apex.id, status: 308 } as const;
    await edge.store.setRedirect(domain.workspaceId, redirect, Date.now());
    await settlesOn(location, `https://${apex.name}/`);
    await edge.store.deleteDomain(apex.workspaceId, apex.id, Date.now());
    await settlesOn(location, undefined);
  });

  it('all ask an origin as its environment says, and show its brand', async () => {
    const origin = await edge.addOrigin(({ headers }, response) => {
      response.end(`${headers.host} ${headers['nameplate-edge-secret']}`);
    });
    const { hostname, environment } = await edge.addSite({ origin });
    const { id, workspaceId } = environment;
    const ask = () => overHttps({ port: edge.httpsPort, hostname, headers: { accept: 'text/html' } });
    await edge.store.updateOriginSettings(workspaceId, id, { hostHeader: 'shop.example.net' });
    const secret = { text: new TextEncoder().encode('npe_secret'), createdAt: Date.now() };
    await edge.store.rotateOriginSecret(workspaceId, id, secret, 0);
    await settlesOn(async () => (await ask()).text, 'shop.example.net npe_secret');
    await edge.store.saveSetupPage(workspaceId, { brand: { name: 'Acme Shops' } });
    await edge.deploy(environment, 'http://127.0.0.1:1');
    await settlesOn(async () => (await ask()).text.includes('<span>Acme Shops</span>'), true);
  });

  it('find challenges, which are read from the store each time', async () => {
    const { hostname } = await edge.addSite({ certified: false });
    const token = 't'.repeat(43);
    await edge.store.putChallenge({ hostname, token, keyAuthorization: 'answer', expiresAt: Date.now() + 60_000 });
    const path = `/.well-known/acme-challenge/${token}`;
    expect((await overHttp({ port: edge.httpPort, hostname, path })).text).toBe('answer');
  });

  it('resume sessions that another thread has started', async () => {
    const { hostname: servername } = await edge.addSite();
    const first = await handshake(edge.httpsPort, { servername, maxVersion: 'TLSv1.2' });
    const session = first.getSession();
    first.destroy();
    for (let i = 0; i < 8 * THREADS; i += 1) {
      const socket = await handshake(edge.httpsPort, { servername, maxVersion: 'TLSv1.2', session });
      expect(socket.isSessionReused()).toBe(true);
      socket.destroy();
    }
  });

  it('add up their metrics', async () => {
    // Nothing else here uses HTTP/1.0.
    const requests = () => edge.metric('nameplate_edge_requests_total{protocol="http/1.0",status="4xx"}');
    const closing: Closing = [];
    for (let i = 0; i < 8 * THREADS; i += 1) {
      const raw = await openRaw(closing, edge.httpPort);
      await raw.send('GET / HTTP/1.0\r\nHost: nobody.example.com\r\n\r\n').closed();
    }
    for (const close of closing) close();
    while ((await requests()) < 8 * THREADS) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await requests()).toBe(8 * THREADS);
    expect(await edge.metric('nameplate_edge_request_seconds_count')).toBeGreaterThanOrEqual(8 * THREADS);
  });

  it('serve from their caches while the store is down, and log through the process', async () => {
    const { hostname } = await edge.addSite();
    const status = async () => (await overHttps({ port: edge.httpsPort, hostname })).status;
    await settlesOn(status, 200);
    edge.setStore('away');
    try {
      for (let i = 0; i < 2 * THREADS; i += 1) expect(await status()).toBe(200);
      expect((await overHttp({ port: edge.httpPort, hostname: 'unseen.example.com' })).status).toBe(503);
    } finally {
      edge.setStore('there');
    }
    expect(edge.logged.join('')).toContain('the site could not be read from the store');
  });
});

describe('an edge that cannot listen', () => {
  it.each([1, 2])('rejects with the error of the system, with %i threads', async (threads) => {
    // Also where the other program would share the port.
    const taken = edge.httpsPort;
    const starting = startHarness({ threads, https: { host: '127.0.0.1', port: taken } });
    await expect(starting).rejects.toMatchObject({ code: 'EADDRINUSE', port: taken });
  });
});
