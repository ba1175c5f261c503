import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../server/src/base/clock.ts';
import { createLog } from '../../server/src/base/log.ts';
import type { SiteSettingsPatch } from '../../server/src/domain/site-settings.ts';
import { createEdgeCache } from '../../server/src/edge/cache/edge-cache.ts';
import { viaPseudonym } from '../../server/src/edge/http/via.ts';
import { createKey, createKeyring, parseKeys } from '../../server/src/store/sealing/keyring.ts';
import { temporaryDirectory } from '../support/command.ts';
import {
  type Answer,
  type Asking,
  type Harness,
  handshake,
  overHttp,
  overHttp2,
  overHttps,
  type Site,
  startHarness,
} from './harness.ts';

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness({ trustedProxies: ['127.0.0.2/32'] });
});
afterAll(() => edge.close());

async function set({ domain }: Site, settings: SiteSettingsPatch, at = edge): Promise<void> {
  const { store, clock } = at;
  const result = await store.updateDomain(domain.workspaceId, domain.id, { settings }, clock.now());
  expect(result).toMatchObject({ kind: 'updated' });
  await at.heard();
}

type Asked = Omit<Asking, 'port'>;
const http = (asked: Asked) => overHttp({ port: edge.httpPort, ...asked });
const http1 = (asked: Asked) => overHttps({ port: edge.httpsPort, ...asked });
const http2 = (asked: Asked) => overHttp2({ port: edge.httpsPort, ...asked });
const secure = Object.entries({ 'HTTP/1.1': http1, 'HTTP/2': http2 });
const hstsOf = ({ headers }: Answer) => headers['strict-transport-security'];

describe('an origin of one domain', () => {
  it("gets its requests in place of its environment's deployment, until it is removed; other names stay", async () => {
    const site = await edge.addSite();
    const sibling = await edge.addSite({ environment: site.environment, origin: null });
    const { text: before } = await http1(site);
    const origin = await edge.addOrigin(({ headers }, response) => response.end(`own, for ${headers.host}`));
    await set(site, { origin });
    expect((await http1(site)).text).toBe(`own, for ${site.hostname}`);
    expect((await http2(site)).text).toBe(`own, for ${site.hostname}`);
    expect((await http1(sibling)).text).not.toContain('own');
    await edge.deploy(site.environment, await edge.addOrigin((_, response) => response.end('the next deployment')));
    await edge.heard();
    expect((await http1(site)).text).toBe(`own, for ${site.hostname}`);
    expect((await http1(sibling)).text).toBe('the next deployment');
    await set(site, { origin: null });
    expect((await http1(site)).text).toBe('the next deployment');
    expect(before).not.toBe('the next deployment');
  });

  it('serves a name to whose environment nothing was deployed', async () => {
    const site = await edge.addSite({ origin: null });
    expect((await http1(site)).status).toBe(503);
    await set(site, { origin: await edge.addOrigin((_, response) => response.end('here')) });
    expect((await http1(site)).text).toBe('here');
  });

  it('may be no address that origins may not have, and gets a page', async () => {
    const site = await edge.addSite();
    await set(site, { origin: 'http://10.0.0.1' });
    expect((await http1(site)).status).toBe(502);
  });

  it('costs the store one read a name, as any other site', async () => {
    const site = await edge.addSite();
    await set(site, { origin: await edge.addOrigin((_, response) => response.end('here')), hsts: { maxAge: 1 } });
    edge.calls.length = 0;
    for (let i = 0; i < 3; i += 1) await http1(site);
    expect(edge.calls.filter((call) => call !== 'changesSince')).toEqual(['findSite']);
  });
});

describe.for(secure)('HSTS over %s', ([, ask]) => {
  it('is in every response for the name: of the origin, in redirects and in pages', async () => {
    const site = await edge.addSite();
    const target = await edge.addSite({ environment: site.environment });
    const value = 'max-age=31536000; includeSubDomains; preload';
    await set(site, { hsts: { maxAge: 31_536_000, includeSubDomains: true, preload: true } });
    const { store, clock } = edge;
    const { workspaceId, id } = site.domain;
    expect(hstsOf(await ask({ ...site, method: 'HEAD' }))).toBe(value);
    expect(hstsOf(await ask(site))).toBe(value);

    await store.setRedirect(workspaceId, { domainId: id, destinationId: target.domain.id, status: 308 }, clock.now());
    await edge.heard();
    const redirected = await ask(site);
    expect([redirected.status, hstsOf(redirected)]).toEqual([308, value]);
    await store.removeRedirect(workspaceId, id, clock.now());

    await store.suspendDomain(workspaceId, id, 503, clock.now());
    await edge.heard();
    expect(hstsOf(await ask(site))).toBe(value);
    await store.resumeDomain(workspaceId, id, clock.now());

    await set(site, { origin: 'http://127.0.0.1:1' });
    const failed = await ask(site);
    expect([failed.status, hstsOf(failed)]).toEqual([502, value]);
    const looped = await ask({ ...site, headers: { via: `1.1 ${viaPseudonym('', site.hostname)}` } });
    expect([looped.status, hstsOf(looped)]).toEqual([508, value]);
    expect(hstsOf(await ask(target))).toBeUndefined();
  });

  it("replaces the origin's own, which passes where nothing is set", async () => {
    const origin = await edge.addOrigin((_, response) => {
      response.setHeader('Strict-Transport-Security', ['max-age=1', 'max-age=2']);
      response.end('here');
    });
    const site = await edge.addSite({ origin });
    expect(hstsOf(await ask(site))).toContain('max-age=1');
    await set(site, { hsts: { maxAge: 0 } });
    expect(hstsOf(await ask(site))).toBe('max-age=0');
    await set(site, { hsts: null });
    expect(hstsOf(await ask(site))).toContain('max-age=1');
  });
});

it('HSTS is in no response over HTTP, whatever else is set', async () => {
  const site = await edge.addSite();
  await set(site, { hsts: { maxAge: 60 } });
  const redirected = await http(site);
  expect([redirected.status, hstsOf(redirected)]).toEqual([308, undefined]);
  await set(site, { redirectToHttps: false });
  const proxied = await http(site);
  expect([proxied.status, hstsOf(proxied)]).toEqual([200, undefined]);
});

it('HSTS is in the response to a WebSocket that the origin declines', async () => {
  const origin = await edge.addOrigin((_, response) => response.writeHead(426).end());
  const site = await edge.addSite({ origin });
  await set(site, { hsts: { maxAge: 60 } });
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const answer = await http1({ ...site, headers: upgrade });
  expect([answer.status, hstsOf(answer)]).toEqual([426, 'max-age=60']);
});

it('HSTS is in the page of a name that redirects to one without a certificate', async () => {
  const site = await edge.addSite();
  const target = await edge.addSite({ environment: site.environment, certified: false });
  const { workspaceId, id } = site.domain;
  await edge.store.setRedirect(workspaceId, { domainId: id, destinationId: target.domain.id, status: 308 }, 1);
  await set(site, { hsts: { maxAge: 60 } });
  const answer = await http1(site);
  expect([answer.status, hstsOf(answer)]).toEqual([503, 'max-age=60']);
});

describe('a lowest TLS version', () => {
  const hello = (site: Site, version: 'TLSv1.2' | 'TLSv1.3', session?: Buffer) =>
    handshake(edge.httpsPort, {
      servername: site.hostname,
      maxVersion: version,
      minVersion: 'TLSv1.2',
      ...(session && { session }),
    });
  async function speaks(site: Site, version: 'TLSv1.2' | 'TLSv1.3'): Promise<string | null> {
    const socket = await hello(site, version);
    const protocol = socket.getProtocol();
    socket.destroy();
    return protocol;
  }

  it('of 1.3 refuses TLS 1.2 in the handshake with an alert that says so, for that name alone', async () => {
    const [site, other] = [await edge.addSite(), await edge.addSite()];
    expect(await speaks(site, 'TLSv1.2')).toBe('TLSv1.2');
    await set(site, { minTlsVersion: '1.3' });
    await expect(hello(site, 'TLSv1.2')).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
    expect(await speaks(site, 'TLSv1.3')).toBe('TLSv1.3');
    expect(await speaks(other, 'TLSv1.2')).toBe('TLSv1.2');
    expect((await http2(site)).status).toBe(200);
    await set(site, { minTlsVersion: null });
    expect(await speaks(site, 'TLSv1.2')).toBe('TLSv1.2');
  });

  it('refuses a session of TLS 1.2 that was begun before it was set', async () => {
    const site = await edge.addSite();
    const first = await hello(site, 'TLSv1.2');
    const [session] = first.getSession() === undefined ? await once(first, 'session') : [first.getSession()];
    first.destroy();
    const resumed = await hello(site, 'TLSv1.2', session);
    expect(resumed.isSessionReused()).toBe(true);
    resumed.destroy();
    await set(site, { minTlsVersion: '1.3' });
    await expect(hello(site, 'TLSv1.2', session)).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    });
  });
});

describe('without the redirect to HTTPS', () => {
  it('HTTP requests go to the origin, which is told so; HTTPS stays as it is', async () => {
    const site = await edge.addSite();
    expect((await http(site)).status).toBe(308);
    await set(site, { redirectToHttps: false });
    const { status, text } = await http({ ...site, path: '/a?b=1', headers: { 'x-forwarded-proto': 'https' } });
    expect(status).toBe(200);
    const { url, headers } = JSON.parse(text);
    expect([url, headers['x-forwarded-proto'], headers.host]).toEqual(['/a?b=1', 'http', site.hostname]);
    expect(headers.forwarded).toContain('proto=http');
    expect(JSON.parse((await http1(site)).text).headers['x-forwarded-proto']).toBe('https');
    await set(site, { redirectToHttps: true });
    expect((await http(site)).status).toBe(308);
  });

  it('a name serves HTTP before it has a certificate', async () => {
    const site = await edge.addSite({ certified: false });
    expect((await http(site)).status).toBe(503);
    await set(site, { redirectToHttps: false });
    expect((await http(site)).status).toBe(200);
  });

  it('a redirect to another domain still leads to HTTPS', async () => {
    const site = await edge.addSite();
    const target = await edge.addSite({ environment: site.environment });
    for (const each of [site, target]) await set(each, { redirectToHttps: false });
    const redirect = { domainId: site.domain.id, destinationId: target.domain.id, status: 308 } as const;
    await edge.store.setRedirect(site.domain.workspaceId, redirect, edge.clock.now());
    await edge.heard();
    expect((await http(site)).headers.location).toBe(`https://${target.hostname}/`);
  });
});

it('settings are served while the store is down, also after a restart', async () => {
  const { path: directory, remove } = temporaryDirectory();
  const log = createLog('silent');
  const keys = parseKeys(createKey());
  const keyring = createKeyring({ name: 'the keys', keys: () => keys });
  function openCache() {
    const about = {
      path: join(directory, 'edge-cache'),
      database: 'sqlite:/one.db',
      metrics: { registry: new Registry() },
    };
    return createEdgeCache({ ...about, keyring, clock: systemClock, log });
  }
  // Outlives both edges.
  const server = createServer((_, response) => response.end('own'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const before = await startHarness({ edgeCache: openCache() });
  const site = await before.addSite();
  await set(site, { origin: own, hsts: { maxAge: 60 }, minTlsVersion: '1.3', redirectToHttps: false }, before);
  async function expectSettings({ httpPort, httpsPort }: Harness): Promise<void> {
    const answer = await overHttps({ port: httpsPort, ...site });
    expect([answer.text, hstsOf(answer)]).toEqual(['own', 'max-age=60']);
    expect((await overHttp({ port: httpPort, ...site })).text).toBe('own');
    await expect(handshake(httpsPort, { servername: site.hostname, maxVersion: 'TLSv1.2' })).rejects.toThrow();
  }
  await expectSettings(before);
  before.setStore('away');
  await expectSettings(before);
  before.setStore('there');
  await before.close();

  const edgeCache = openCache();
  expect(await edgeCache.load()).toBe(1);
  const after = await startHarness({ edgeCache });
  after.setStore('away');
  try {
    await expectSettings(after);
  } finally {
    await after.close();
    server.close();
    remove();
  }
});

describe('behind Caddy', () => {
  it('a name with settings is served by the edge, not by Caddy itself', async () => {
    const asked = await startHarness({ askEndpoint: { host: '127.0.0.1', port: 0 } });
    try {
      const port = Number(asked.edge.askEndpoint?.split(':').at(-1));
      const site = await asked.addSite();
      const route = () =>
        overHttp({ port, hostname: `127.0.0.1:${port}`, path: `/edge/route?domain=${site.hostname}` });
      expect((await route()).status).toBe(200);
      await set(site, { hsts: { maxAge: 60 } }, asked);
      expect((await route()).status).toBe(204);
      await set(site, { hsts: null }, asked);
      expect((await route()).status).toBe(200);
    } finally {
      await asked.close();
    }
  });
});
