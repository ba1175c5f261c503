import { createPrivateKey, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAskEndpoint } from '../../server/src/edge/ask-endpoint.ts';
import { prove } from '../support/certificates.ts';
import { attach, plant, prepare, preparedAt } from '../support/entities.ts';
import { issue } from './authority.ts';
import { type Answer, type Harness, overHttp, overHttp2, overHttps, startHarness } from './harness.ts';

let edge: Harness;
let port: number;
beforeAll(async () => {
  edge = await startHarness({ askEndpoint: { host: '127.0.0.1', port: 0 } });
  port = Number(edge.edge.askEndpoint?.split(':').at(-1));
});
afterAll(() => edge.close());

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  overHttp({ port, hostname: `127.0.0.1:${port}`, path, headers });
const ask = (domain: string) => get(`/edge/ask?domain=${encodeURIComponent(domain)}`);
const route = (domain: string) => get(`/edge/route?domain=${encodeURIComponent(domain)}`);
const certificate = (name: string) =>
  get(`/edge/certificate?server_name=${name}&signature_schemes=403&cipher_suites=1301`);

describe('/edge/ask', () => {
  it('returns 200 for a name that is ours, and 404 for any other', async () => {
    const { hostname } = await edge.addSite({ certified: false, origin: null });
    expect((await ask(hostname)).status).toBe(200);
    expect((await ask(hostname.toUpperCase())).status).toBe(200);
    for (const other of ['nobody.example.com', '127.0.0.1', '', '%00', 'a b'])
      expect((await ask(other)).status).toBe(404);
    expect((await get('/edge/ask')).status).toBe(404);
  });

  it('returns 404 for a prepared name, whose own certificate is there, and 200 once it is verified', async () => {
    const before = await attach(edge.store, (await plant(edge.store)).environment);
    await prepare(edge.store, before);
    const { serial, ...issued } = issue(before.name);
    await edge.store.importCertificate(before.name, issued, edge.clock.now(), before.id);
    await edge.heard();
    expect((await ask(before.name)).status).toBe(404);
    expect(new X509Certificate((await certificate(before.name)).text).serialNumber).toBe(serial);
    await prove(edge.store, preparedAt(before), edge.clock.now());
    await edge.heard();
    expect((await ask(before.name)).status).toBe(200);
    expect(new X509Certificate((await certificate(before.name)).text).serialNumber).toBe(serial);
  });

  it('a prepared name below a verified wildcard is served by the wildcard until the change that verifies it', async () => {
    const { hostname, environment } = await edge.addSite({
      hostname: '*.early.example.com',
      origin: 'http://127.0.0.1:8081',
    });
    const name = hostname.replace('*', 'a');
    const { environment: own } = await plant(edge.store);
    await edge.deploy(own, 'http://127.0.0.1:8082');
    const before = await attach(edge.store, own, { name });
    const [above, mine] = ['127.0.0.1:8081', '127.0.0.1:8082'];
    const leadsTo = async (host: string) => (await route(host)).headers['x-nameplate-origin'];
    expect(environment.id).not.toBe(own.id);
    expect(await leadsTo(name)).toBe(above);
    await prepare(edge.store, before);
    await edge.heard();
    expect([await leadsTo(name), (await ask(name)).status]).toEqual([above, 404]);
    await prove(edge.store, preparedAt(before), edge.clock.now());
    await edge.heard();
    expect([await leadsTo(name), (await ask(name)).status]).toEqual([mine, 200]);
    expect(await leadsTo(name.replace('a.', 'b.'))).toBe(above);
    await edge.store.deleteDomain(before.workspaceId, before.id, edge.clock.now());
    await edge.heard();
    expect(await leadsTo(name)).toBe(above);
  });

  it('returns 200 for a new name as soon as the change feed has it', async () => {
    const hostname = 'fresh.example.com';
    expect((await ask(hostname)).status).toBe(404);
    await edge.addSite({ hostname });
    await edge.heard();
    expect((await ask(hostname)).status).toBe(200);
  });

  it('returns 503 while the store is down, except for cached names', async () => {
    const { hostname } = await edge.addSite();
    await edge.heard();
    await ask(hostname);
    await certificate(hostname);
    edge.setStore('away');
    try {
      expect([(await ask(hostname)).status, (await certificate(hostname)).status]).toEqual([200, 200]);
      expect([(await ask('unseen.example.com')).status, (await certificate('unseen.example.com')).status]).toEqual([
        503, 503,
      ]);
    } finally {
      edge.setStore('there');
      edge.clock.advance(2000);
    }
  });
});

describe('/edge/certificate', () => {
  it('returns the chain and its key', async () => {
    const { hostname, serial } = await edge.addSite();
    const { status, text, headers } = await certificate(hostname);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    const served = new X509Certificate(text);
    expect(served.serialNumber).toBe(serial);
    expect(served.checkPrivateKey(createPrivateKey(text))).toBe(true);
  });

  it('returns 204 for a name that is not ours, and 404 for one without a certificate', async () => {
    const { hostname } = await edge.addSite({ certified: false });
    expect((await certificate('nobody.example.com')).status).toBe(204);
    expect((await certificate('')).status).toBe(204);
    expect((await certificate(hostname)).status).toBe(404);
  });
});

describe('/edge/route', () => {
  it('returns the address of the origin that was checked', async () => {
    const { hostname, environment } = await edge.addSite({ origin: 'http://origin.example:8081' });
    const { status, headers, text } = await route(hostname);
    expect([status, headers['x-nameplate-origin'], headers['cache-control'], text]).toEqual([
      200,
      '127.0.0.1:8081',
      'no-store',
      '',
    ]);
    await edge.deploy(environment, 'http://127.0.0.1:8082');
    await edge.heard();
    expect((await route(hostname)).headers['x-nameplate-origin']).toBe('127.0.0.1:8082');
  });

  it('gives no origin for requests that only the edge may forward or respond to', async () => {
    const origins = [null, 'https://origin.example', 'http://10.0.0.1', 'http://169.254.169.254', 'http://[::1]:6379'];
    for (const origin of origins) {
      const { hostname } = await edge.addSite({ origin, certified: false });
      const { status, headers } = await route(hostname);
      expect([origin, status, headers['x-nameplate-origin']]).toEqual([origin, 204, undefined]);
    }
  });

  it('leaves an origin to the edge whose environment has settings, which Caddy would not apply', async () => {
    const { hostname, environment } = await edge.addSite({ origin: 'http://127.0.0.1:8081' });
    expect((await route(hostname)).status).toBe(200);
    const secret = { text: new TextEncoder().encode('npe_secret'), createdAt: edge.clock.now() };
    await edge.store.rotateOriginSecret(environment.workspaceId, environment.id, secret, 0);
    await edge.heard();
    expect((await route(hostname)).status).toBe(204);
  });

  it('leaves a name that redirects to the edge', async () => {
    const www = await edge.addSite({ origin: 'http://127.0.0.1:8081' });
    const apex = await edge.addSite({ environment: www.environment, origin: null });
    expect((await route(www.hostname)).status).toBe(200);
    const redirect = { domainId: www.domain.id, destinationId: apex.domain.id, status: 308 } as const;
    await edge.store.setRedirect(www.domain.workspaceId, redirect, edge.clock.now());
    await edge.heard();
    expect((await route(www.hostname)).status).toBe(204);
    expect((await route(apex.hostname)).status).toBe(200);
  });

  it('returns 404 for a name that is not ours, for two names, and for text that is no name', async () => {
    const { hostname } = await edge.addSite();
    for (const other of ['nobody.example.com', '127.0.0.1', '', '%00', `${hostname}@evil.example`, `${hostname}:80`])
      expect((await route(other)).status).toBe(404);
    expect((await get('/edge/route')).status).toBe(404);
    expect((await get(`/edge/route?domain=${hostname}&domain=nobody.example.com`)).status).toBe(404);
    expect((await route(hostname)).status).toBe(200);
  });

  it('returns 503 while the store is down, except for cached names', async () => {
    const { hostname } = await edge.addSite();
    await edge.heard();
    await route(hostname);
    edge.setStore('away');
    try {
      expect([(await route(hostname)).status, (await route('unseen.example.com')).status]).toEqual([200, 503]);
    } finally {
      edge.setStore('there');
      edge.clock.advance(2000);
    }
  });

  it('tells forwarded requests nothing of origins', async () => {
    const { hostname } = await edge.addSite();
    const path = `/edge/route?domain=${hostname}`;
    for (const name of ['x-forwarded-for', 'forwarded', 'via']) {
      const { status, headers } = await get(path, { [name]: '127.0.0.1' });
      expect([status, headers['x-nameplate-origin']]).toEqual([403, undefined]);
    }
    expect((await overHttp({ port, hostname, path })).status).toBe(403);
  });
});

describe('private keys', () => {
  it('are refused to requests for another host, and to forwarded requests', async () => {
    const { hostname } = await edge.addSite();
    const path = `/edge/certificate?server_name=${hostname}`;
    const foreign = ['attacker.example', hostname, '10.0.0.1', '169.254.169.254', '127.0.0.1.attacker.example'];
    for (const host of foreign) {
      expect((await overHttp({ port, hostname: host, path })).status).toBe(403);
    }
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-forwarded-host', 'x-forwarded-proto']) {
      expect((await get(path, { [name]: '127.0.0.1' })).status).toBe(403);
    }
    expect((await overHttp({ port, hostname: 'localhost', path, method: 'POST' })).status).toBe(405);
  });

  it('are refused when the endpoint is deployed as an origin, where origins may be on loopback', async () => {
    const { hostname, environment } = await edge.addSite({ origin: `http://127.0.0.1:${port}` });
    const path = `/edge/certificate?server_name=${hostname}`;
    for (const [over, hostHeader] of [
      [overHttps, null],
      [overHttp2, null],
      [overHttps, 'origin'],
      [overHttps, 'localhost'],
    ] as const) {
      await edge.store.updateOriginSettings(environment.workspaceId, environment.id, { hostHeader });
      await edge.heard();
      const answer = await over({ port: edge.httpsPort, hostname, path });
      expect([answer.status, answer.text]).toEqual([403, expect.not.stringContaining('PRIVATE')]);
    }
  });

  it('are served on loopback only: the endpoint refuses to listen elsewhere', async () => {
    const find = async () => ({ kind: 'unknown' }) as const;
    const nothing = async () => null;
    const about = { sites: { find, findCertified: find, findOrigin: nothing }, findAddress: nothing };
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'localhost']) {
      await expect(startAskEndpoint({ listen: { host, port: 0 }, ...about })).rejects.toThrow(/loopback/);
    }
  });
});
