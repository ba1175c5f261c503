import { once } from 'node:events';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateKeyPem } from '../../server/src/edge/tls/tls-contexts.ts';
import type { Environment, OriginSettingsChange } from '../../server/src/store/store.ts';
import { clientCertificate } from '../support/client-certificate.ts';
import { keyPem } from '../support/issue-chain.ts';
import { issue, ROOT } from './authority.ts';
import { type Answer, type Harness, overHttp, overHttp2, overHttps, type Site, startHarness } from './harness.ts';

const NAME = 'origin.example.test';
const client = clientCertificate('edge of acme');
const other = clientCertificate('edge of somebody else');

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness();
});
afterAll(() => edge.close());

async function set({ workspaceId, id }: Environment, change: OriginSettingsChange): Promise<void> {
  await edge.store.updateOriginSettings(workspaceId, id, change);
  await edge.heard();
}

const pairOf = ({ certificate, key }: typeof client) => ({
  chain: certificate,
  privateKey: new Uint8Array(key.export({ format: 'der', type: 'pkcs8' })),
});

const ask = ({ hostname }: Pick<Site, 'hostname'>, about: object = {}): Promise<Answer> =>
  overHttps({ port: edge.httpsPort, hostname, ...about });

/** An https origin that says who connects, and which names it is asked for. */
async function tlsOrigin(options: ServerOptions = {}, name = NAME): Promise<string> {
  const { chain, privateKey } = issue(name);
  const server = createTlsServer({ cert: chain, key: privateKeyPem(privateKey), ...options }, (request, response) => {
    const socket = request.socket as TLSSocket & { servername?: string };
    const shown = socket.getPeerCertificate().subject?.CN ?? null;
    const { host, 'x-forwarded-host': forwardedHost, 'nameplate-edge-secret': secret } = request.headers;
    response.end(JSON.stringify({ sni: socket.servername, host, forwardedHost, shown, secret }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://${NAME}:${(server.address() as AddressInfo).port}`;
}
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

describe('the Host of an origin', () => {
  it('is the visitor’s unless set, that of the origin, or a name; X-Forwarded-Host is always the visitor’s', async () => {
    const site = await edge.addSite();
    const port = await edge.addOrigin((request, response) => {
      response.end(JSON.stringify([request.headers.host, request.headers['x-forwarded-host']]));
    });
    await edge.deploy(site.environment, port);
    for (const [hostHeader, host] of [
      [null, site.hostname],
      ['origin', new URL(port).host],
      ['app.example.net', 'app.example.net'],
      ['visitor', site.hostname],
    ] as const) {
      await set(site.environment, { hostHeader });
      for (const version of [overHttps, overHttp2]) {
        const { text } = await version({ port: edge.httpsPort, hostname: site.hostname });
        expect(JSON.parse(text), String(hostHeader)).toEqual([host, site.hostname]);
      }
    }
  });

  it('is also the name that an https origin is asked for, and that its certificate has to be for', async () => {
    const site = await edge.addSite({ origin: await tlsOrigin({}, 'app.example.net') });
    await set(site.environment, { caCertificate: ROOT, hostHeader: 'app.example.net' });
    const about = { sni: 'app.example.net', host: 'app.example.net', forwardedHost: site.hostname };
    expect(JSON.parse((await ask(site)).text)).toMatchObject(about);
    await set(site.environment, { hostHeader: 'other.example.net' });
    expect((await ask(site)).status).toBe(502);
  });

  it('"origin" asks an https origin for the name in its URL', async () => {
    const origin = await tlsOrigin();
    const site = await edge.addSite({ origin });
    await set(site.environment, { caCertificate: ROOT, hostHeader: 'origin' });
    expect(JSON.parse((await ask(site)).text)).toMatchObject({ sni: NAME, host: new URL(origin).host });
  });
});

it('an origin in a loop is logged with its environment, what it is and what to do', async () => {
  const behind = await startHarness({ trustedProxies: ['127.0.0.1/32'] });
  try {
    const origin = `http://127.0.0.1:${behind.httpPort}`;
    const { hostname, environment } = await behind.addSite({ origin });
    const headers = { 'x-forwarded-proto': 'https' };
    expect((await overHttp({ port: behind.httpPort, hostname, headers })).status).toBe(508);
    const line = behind.logged.map((text) => JSON.parse(text)).find(({ msg }) => msg.includes('leads back'));
    expect(line).toMatchObject({
      msg: expect.stringContaining('deploy the address of the server itself'),
      environmentId: environment.id,
      origin,
    });
  } finally {
    await behind.close();
  }
});

describe('an origin of one domain', () => {
  it('is asked as its environment says, with a deployment or without one', async () => {
    const origin = await tlsOrigin({ requestCert: true, ca: client.certificate }, 'app.example.net');
    const site = await edge.addSite({ origin: null });
    const { workspaceId, id } = site.environment;
    await edge.store.updateDomain(workspaceId, site.domain.id, { settings: { origin } }, edge.clock.now());
    const text = new TextEncoder().encode('npe_secret');
    await edge.store.rotateOriginSecret(workspaceId, id, { text, createdAt: edge.clock.now() }, 0);
    await set(site.environment, {
      hostHeader: 'app.example.net',
      caCertificate: ROOT,
      clientCertificate: pairOf(client),
    });
    const asked = { host: 'app.example.net', sni: 'app.example.net', shown: 'edge of acme', secret: 'npe_secret' };
    expect(JSON.parse((await ask(site)).text)).toMatchObject(asked);
    await edge.deploy(site.environment, 'http://127.0.0.1:1');
    await edge.heard();
    expect(JSON.parse((await ask(site)).text)).toMatchObject(asked);
  });

  it('is the one that is logged where it is in a loop', async () => {
    const behind = await startHarness({ trustedProxies: ['127.0.0.1/32'] });
    try {
      const site = await behind.addSite();
      const origin = `http://127.0.0.1:${behind.httpPort}`;
      const { workspaceId, id } = site.domain;
      await behind.store.updateDomain(workspaceId, id, { settings: { origin } }, behind.clock.now());
      await behind.heard();
      const headers = { 'x-forwarded-proto': 'https' };
      expect((await overHttp({ port: behind.httpPort, hostname: site.hostname, headers })).status).toBe(508);
      const line = behind.logged.map((text) => JSON.parse(text)).find(({ msg }) => msg.includes('leads back'));
      expect(line).toMatchObject({ domain: site.hostname, origin });
    } finally {
      await behind.close();
    }
  });
});

describe('the client certificate for an origin', () => {
  const demanding = () => tlsOrigin({ requestCert: true, ca: [client.certificate, other.certificate] });

  it('is shown to it, and never on a connection of another environment', async () => {
    const origin = await demanding();
    const [acme, beta, none] = [
      await edge.addSite({ origin }),
      await edge.addSite({ origin }),
      await edge.addSite({ origin }),
    ];
    await set(acme.environment, { caCertificate: ROOT, clientCertificate: pairOf(client) });
    await set(beta.environment, { caCertificate: ROOT, clientCertificate: pairOf(other) });
    await set(none.environment, { caCertificate: ROOT });
    for (let round = 0; round < 2; round += 1) {
      expect(JSON.parse((await ask(acme)).text).shown).toBe('edge of acme');
      expect(JSON.parse((await ask(beta)).text).shown).toBe('edge of somebody else');
      expect((await ask(none)).status).toBe(502);
    }
    expect(edge.logged.join('\n')).toContain('an origin rejects the client certificate of the edge');
  });

  it('is named in the log once it has expired, whatever the origin does about it', async () => {
    const expired = clientCertificate('edge of the past', { notAfter: Date.parse('2026-01-02T03:04:05Z') });
    const origin = await tlsOrigin({ requestCert: true, ca: [client.certificate, expired.certificate] });
    const site = await edge.addSite({ origin });
    await set(site.environment, { caCertificate: ROOT, clientCertificate: pairOf(expired) });
    expect((await ask(site)).status).toBe(502);
    const text = 'The client certificate of the edge expired at 2026-01-02T03:04:05.000Z.';
    expect(edge.logged.some((line) => line.includes(site.hostname) && line.includes(text))).toBe(true);
    expect(edge.logged.join('\n').split(text)).toHaveLength(2);
  });

  it('is shown on no connection once it is removed', async () => {
    const site = await edge.addSite({ origin: await demanding() });
    await set(site.environment, { caCertificate: ROOT, clientCertificate: pairOf(client) });
    expect((await ask(site)).status).toBe(200);
    await set(site.environment, { clientCertificate: null });
    expect((await ask(site)).status).toBe(502);
  });
});

/** The line of the log with this reason. */
const logged = (reason: string) =>
  edge.logged.map((line) => JSON.parse(line)).find((line) => line.reason === reason && line.msg !== undefined);

describe('a wrong certificate of an origin', () => {
  const expired = () => {
    const { chain, privateKey } = issue(NAME, { notBefore: Date.now() - 9e8, notAfter: Date.now() - 1e6 });
    return tlsOrigin({ cert: chain, key: privateKeyPem(privateKey) });
  };

  it.each([
    ['for another name', 'certificate_name', () => tlsOrigin({}, 'wrong.example.test'), ROOT],
    ['that has expired', 'certificate_expired', expired, ROOT],
    ['of an unknown CA', 'certificate_untrusted', () => tlsOrigin(), null],
    ['of another CA than the one that is set', 'certificate_untrusted', () => tlsOrigin(), client.certificate],
  ])('%s gets a page of its own, and a line that says which, where and what to do', async (_, reason, start, ca) => {
    edge.logged.length = 0;
    edge.clock.advance(3_600_000);
    const origin = await start();
    const site = await edge.addSite({ origin });
    await set(site.environment, { caCertificate: ca });
    const { status, headers, text } = await ask(site);
    expect([status, headers['proxy-status']]).toEqual([502, 'nameplate; error=tls_certificate_error']);
    expect(text).toContain('the certificate of its own server has to be fixed');
    expect(logged(reason)).toMatchObject({
      msg: expect.stringContaining('an origin has a wrong certificate: have one issued'),
      environmentId: site.environment.id,
      origin,
      domain: site.hostname,
    });
  });
});

describe('a redirect of an origin to the URL that was asked for', () => {
  const redirecting = (status: number, more: object = {}) =>
    edge.addOrigin(({ headers, url }, response) => {
      response.writeHead(status, { location: `https://${headers['x-forwarded-host']}${url}`, ...more }).end();
    });

  it('gets a page, and a line that says where and what to do', async () => {
    const origin = await redirecting(301);
    const site = await edge.addSite({ origin });
    const { status, headers, text } = await ask(site, { path: '/a?b' });
    expect([status, headers.location, headers['proxy-status']]).toEqual([
      508,
      undefined,
      'nameplate; error=proxy_loop_detected',
    ]);
    expect(text).toContain('redirects to itself');
    expect(logged('redirects_to_itself')).toMatchObject({
      msg: expect.stringContaining('deploy its https URL, or have it read X-Forwarded-Proto'),
      environmentId: site.environment.id,
      origin,
    });
    expect(await edge.metric('nameplate_edge_pages_total{page="origin_redirect"}')).toBe(1);
  });

  it('passes where it is temporary, with the same line, and where it sets or clears a cookie, without one', async () => {
    edge.logged.length = 0;
    edge.clock.advance(3_600_000);
    const cookie = await edge.addSite({ origin: await redirecting(301, { 'set-cookie': 'a=b' }) });
    expect((await ask(cookie)).status).toBe(301);
    expect(logged('redirects_to_itself')).toBe(undefined);
    const cleared = await edge.addSite({ origin: await redirecting(301, { 'clear-site-data': '"cookies"' }) });
    expect((await ask(cleared)).status).toBe(301);
    expect(logged('redirects_to_itself')).toBe(undefined);
    const temporary = await edge.addSite({ origin: await redirecting(302) });
    expect((await ask(temporary)).status).toBe(302);
    expect(logged('redirects_to_itself')).toMatchObject({ environmentId: temporary.environment.id });
    expect(await edge.metric('nameplate_edge_pages_total{page="origin_redirect"}')).toBe(1);
  });
});

describe('pages of a site', () => {
  const brand = { name: 'Acme <Shops>', accent: '#1d5fd1', support: 'https://help.example.net/?a=1&b=2' };
  const html = { headers: { accept: 'text/html' } };

  it('have the brand of its workspace, which is read once, and again after a change', async () => {
    const site = await edge.addSite({ origin: 'http://127.0.0.1:1' });
    const empty = await edge.addSite({ origin: null });
    for (const { environment } of [site, empty]) await edge.store.saveSetupPage(environment.workspaceId, { brand });
    await edge.heard();
    edge.calls.length = 0;
    for (const one of [site, site, empty, empty]) {
      const { text } = await ask(one, html);
      expect(text).toContain('Acme &lt;Shops&gt;');
      expect(text).toContain('href="https://help.example.net/?a=1&amp;b=2"');
    }
    expect(edge.calls.filter((call) => call === 'findBrand')).toHaveLength(2);
    await edge.store.saveSetupPage(site.environment.workspaceId, { brand: { name: 'Renamed' } });
    await edge.heard();
    expect((await ask(site, html)).text).toContain('Renamed');
  });

  it('have the brand that was read last while the store is down', async () => {
    const site = await edge.addSite({ origin: await edge.addOrigin((_, response) => response.end('ok')) });
    await edge.store.saveSetupPage(site.environment.workspaceId, { brand });
    await edge.heard();
    expect((await ask(site)).status).toBe(200);
    await edge.deploy(site.environment, 'http://127.0.0.1:1');
    await edge.heard();
    expect((await ask({ hostname: site.hostname })).status).toBe(502);
    await edge.store.saveSetupPage(site.environment.workspaceId, { brand: { name: 'Never read' } });
    edge.setStore('away');
    const { status, text } = await ask(site, html);
    edge.setStore('there');
    edge.clock.advance(2000);
    await edge.heard();
    expect([status, text]).toEqual([502, expect.stringContaining('Acme &lt;Shops&gt;')]);
  });

  it('of a host name that nobody has are neutral', async () => {
    const { status, text } = await overHttp({ port: edge.httpPort, hostname: 'nobody.example.com', ...html });
    expect([status, text]).toEqual([404, expect.not.stringContaining('Acme')]);
  });
});

it('a key is never in a line of the log', () => {
  const text = edge.logged.join('\n');
  for (const key of [client.key, other.key]) expect(text).not.toContain(keyPem(key).split('\n')[1]);
});
