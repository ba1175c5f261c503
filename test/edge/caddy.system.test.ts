import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPrograms, START_LIMIT_MS } from '../support/debian.ts';
import { freePort } from '../support/free-port.ts';
import { type Service, startService } from '../support/service.ts';
import { issue } from './authority.ts';
import { type Harness, handshake, overHttp, overHttp2, overHttps, type Site, startHarness } from './harness.ts';

// Caddy as Debian has it, with the files of docs/guides/edge.md and deploy/caddy: only ports are others.

let edge: Harness;
let site: Site;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-caddy-'));
  const askEndpoint = { host: '127.0.0.1', port: 0 };
  edge = await startHarness({ https: null, askEndpoint, trustedProxies: ['127.0.0.1/32'] });
  site = await edge.addSite();
}, START_LIMIT_MS);
afterAll(async () => {
  await edge.close();
  await rm(directory, { recursive: true });
});

interface Caddy {
  service: Service;
  httpPort: number;
  httpsPort: number;
}

/** The file below a heading of the documentation. */
async function documented(heading: string): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../docs/guides/edge.md'), 'utf8');
  const file = text.slice(text.indexOf(`### ${heading}\n`)).match(/```caddyfile\n([^`]*)```/)?.[1];
  if (file === undefined) throw new Error(`docs/guides/edge.md has no file for Caddy below "${heading}"`);
  return file;
}

/** A file for Caddy of this repository. */
function deployed(name: string): Promise<string> {
  return readFile(join(import.meta.dirname, '../../deploy/caddy', name), 'utf8');
}

/** Runs Caddy with a file whose ports are replaced. */
async function startCaddy(caddyfile: string): Promise<Caddy> {
  const programs = await findPrograms('caddy', ['caddy']);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const own = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n`;
  const file = caddyfile
    .replace(/^\{\n/m, own)
    .replaceAll('127.0.0.1:7072', edge.edge.askEndpoint?.slice('http://'.length) ?? '')
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${edge.httpPort}`);
  const path = join(directory, `Caddyfile.${httpPort}`);
  await writeFile(path, file);
  const env = { ...process.env, ...programs.env, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const words = ['run', '--config', path, '--adapter', 'caddyfile'];
  const service = await startService(programs.path('caddy'), words, { env, ready: /serving initial configuration/ });
  return { service, httpPort, httpsPort };
}

describe('Caddy in front, with our certificates', () => {
  let caddy: Caddy;
  beforeAll(async () => {
    caddy = await startCaddy(await documented("With Nameplate's certificates"));
  }, START_LIMIT_MS);
  afterAll(() => caddy.service.close());

  it('serves a name with the certificate of the store, from its origin, to clients that trust our CA', async () => {
    const { hostname, serial } = site;
    const socket = await handshake(caddy.httpsPort, { servername: hostname });
    expect(socket.getPeerX509Certificate()?.serialNumber).toBe(serial);
    socket.destroy();
    for (const ask of [overHttps, overHttp2]) {
      const answer = await ask({ port: caddy.httpsPort, hostname, path: '/a?b' });
      expect(answer.status).toBe(200);
      const headers = { host: hostname, 'x-forwarded-proto': 'https', 'x-forwarded-host': hostname };
      expect(JSON.parse(answer.text)).toMatchObject({ url: '/a?b', headers });
    }
  });

  it('serves the next certificate once it is there', async () => {
    const fresh = await edge.addSite({ certified: false });
    await expect(handshake(caddy.httpsPort, { servername: fresh.hostname })).rejects.toThrow(/alert/);
    const { serial, ...issued } = issue(fresh.hostname);
    await edge.store.importCertificate(fresh.hostname, issued, Date.now());
    await edge.heard();
    const socket = await handshake(caddy.httpsPort, { servername: fresh.hostname });
    expect(socket.getPeerX509Certificate()?.serialNumber).toBe(serial);
    socket.destroy();
  });

  it('passes challenges on, and redirects everything else to HTTPS', async () => {
    await expectPassedOn(caddy.httpPort);
  });

  it('serves no name that is not ours', async () => {
    await expect(handshake(caddy.httpsPort, { servername: 'nobody.example.com' })).rejects.toThrow(/alert/);
    expect((await overHttp({ port: caddy.httpPort, hostname: 'nobody.example.com' })).status).toBe(404);
  });

  it('does not expose the ask endpoint', async () => {
    const path = `/edge/certificate?server_name=${site.hostname}`;
    const answer = await overHttps({ port: caddy.httpsPort, hostname: site.hostname, path });
    expect(answer.text).not.toContain('PRIVATE KEY');
  });
});

describe('Caddy in front, with its own certificates', () => {
  let caddy: Caddy;
  beforeAll(async () => {
    // Its own CA instead of one on the Internet.
    const file = await documented("With Caddy's certificates");
    caddy = await startCaddy(file.replace('\t\ton_demand\n', '\t\ton_demand\n\t\tissuer internal\n'));
  }, START_LIMIT_MS);
  afterAll(() => caddy.service.close());

  it('obtains them for names that are ours, and for no other', async () => {
    const { hostname } = site;
    const socket = await handshake(caddy.httpsPort, { servername: hostname, rejectUnauthorized: false });
    expect(socket.getPeerX509Certificate()?.subjectAltName).toBe(`DNS:${hostname}`);
    socket.write(`GET / HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
    expect(String(await once(socket, 'data'))).toContain('200 OK');
    socket.destroy();
    const asking = handshake(caddy.httpsPort, { servername: 'nobody.example.com', rejectUnauthorized: false });
    await expect(asking).rejects.toThrow(/alert/);
  });

  it('passes self-checks on, as doctor and re-checks need, and redirects everything else to HTTPS', async () => {
    await expectPassedOn(caddy.httpPort);
  });
});

/** Fields by which clients claim to be somebody else. */
const CLAIMS = {
  'x-forwarded-for': '198.51.100.66',
  'x-real-ip': '198.51.100.66',
  forwarded: 'for=198.51.100.66',
  x_forwarded_for: '198.51.100.66',
  'x-forwarded_for': '198.51.100.66',
  'x-real_ip': '198.51.100.66',
};

/** Fields of the edge, by which an origin knows it and the customer of a name. */
const EDGE_CLAIMS = {
  'nameplate-external-id': 'forged',
  nameplate_external_id: 'forged',
  'nameplate-external_id': 'forged',
  nameplate_edge_secret: 'forged',
  'nameplate-edge_secret': 'forged',
};

describe('Caddy in front, without a second hop, for one origin', () => {
  let caddy: Caddy;
  beforeAll(async () => {
    const origin = await edge.addOrigin(({ headers }, response) => response.end(JSON.stringify(headers)));
    const file = await deployed('one-origin.caddyfile');
    // Whose origin requires the secret of the edge adds it to the file.
    const address = 'header_up X-Real-IP {remote_host}';
    expect(file).toContain(address);
    const withSecret = file.replace(address, `${address}\n\t\theader_up Nameplate-Edge-Secret npe_own`);
    caddy = await startCaddy(withSecret.replaceAll('10.20.0.10:8080', new URL(origin).host));
  }, START_LIMIT_MS);
  afterAll(() => caddy.service.close());

  it('forwards to the origin itself, with the certificate of the store', async () => {
    const { hostname } = site;
    for (const ask of [overHttps, overHttp2]) {
      const { status, text } = await ask({ port: caddy.httpsPort, hostname });
      expect(status).toBe(200);
      const headers = { host: hostname, 'x-forwarded-host': hostname, 'x-forwarded-proto': 'https' };
      expect(JSON.parse(text)).toMatchObject(headers);
      expect(JSON.parse(text).via ?? '').not.toContain('nameplate');
    }
    await expectPassedOn(caddy.httpPort);
  });

  it('lets no client claim another address', async () => {
    const { text } = await overHttps({ port: caddy.httpsPort, hostname: site.hostname, headers: CLAIMS });
    expect(text).not.toContain('198.51.100.66');
    expect(JSON.parse(text)).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' });
  });

  it('lets no client claim to be another customer, or the edge', async () => {
    const headers = { ...EDGE_CLAIMS, 'nameplate-edge-secret': 'forged' };
    const { text } = await overHttps({ port: caddy.httpsPort, hostname: site.hostname, headers });
    expect(text).not.toContain('forged');
    expect(JSON.parse(text)).toMatchObject({ 'nameplate-edge-secret': 'npe_own' });
  });

  it('shows the origin verified names only', async () => {
    const { port, servername } = { port: caddy.httpsPort, servername: site.hostname };
    await expect(handshake(port, { servername: 'nobody.example.com' })).rejects.toThrow(/alert/);
    expect((await overHttps({ port, servername, hostname: 'nobody.example.com' })).status).toBe(421);
  });
});

describe('Caddy in front, without a second hop, for several origins', () => {
  let caddy: Caddy;
  beforeAll(async () => {
    caddy = await startCaddy(await deployed('several-origins.caddyfile'));
  }, START_LIMIT_MS);
  afterAll(() => caddy.service.close());

  /** A site with an origin of its own, which says who it is and what it got. */
  async function addOwn(name: string): Promise<Site> {
    const origin = await edge.addOrigin(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method, url, headers } = request;
      response.end(JSON.stringify({ name, method, url, headers, body: Buffer.concat(chunks).toString() }));
    });
    return edge.addSite({ origin });
  }
  const own = (hostname: string, about: Partial<Parameters<typeof overHttps>[0]> = {}) =>
    overHttps({ port: caddy.httpsPort, hostname, ...about });

  it('forwards each name to the origin of its deployment, and not through the edge', async () => {
    const [first, second] = [await addOwn('first'), await addOwn('second')];
    for (const [name, { hostname }] of Object.entries({ first, second })) {
      const asking = { port: caddy.httpsPort, hostname, path: '/a?b', method: 'POST', body: 'content' };
      for (const ask of [overHttps, overHttp2]) {
        const { status, text, headers } = await ask(asking);
        expect([status, headers['x-nameplate-origin']]).toEqual([200, undefined]);
        const seen = { host: hostname, 'x-forwarded-host': hostname, 'x-forwarded-proto': 'https' };
        expect(JSON.parse(text)).toMatchObject({ name, method: 'POST', url: '/a?b', body: 'content', headers: seen });
        expect(JSON.parse(text).headers.via ?? '').not.toContain('nameplate');
      }
    }
  });

  it('forwards to the next deployment once that is current', async () => {
    const { hostname, environment } = await addOwn('before');
    expect((await own(hostname)).text).toContain('before');
    await edge.deploy(environment, await edge.addOrigin((_, response) => response.end('after')));
    await edge.heard();
    expect((await own(hostname)).text).toBe('after');
  });

  it('lets no client choose the origin', async () => {
    const [mine, other] = [await addOwn('mine'), await addOwn('other')];
    const origin = (await edge.store.findOrigin(other.environment.id))?.deployment?.origin ?? '';
    const address = new URL(origin).host;
    const forged = [
      { 'x-nameplate-origin': address },
      { 'x-nameplate-origin': address, connection: 'x-nameplate-origin' },
      { 'x-forwarded-host': other.hostname, 'x-forwarded-uri': `/edge/route?domain=${other.hostname}` },
      { forwarded: `host=${other.hostname}`, via: '1.1 nameplate' },
    ];
    for (const headers of forged) {
      const { status, text } = await own(mine.hostname, { headers });
      expect([status, JSON.parse(text).name]).toEqual([200, 'mine']);
    }
    for (const path of [`/?domain=${other.hostname}`, `/edge/route?domain=${other.hostname}`, `//${address}/`])
      expect(JSON.parse((await own(mine.hostname, { path })).text)).toMatchObject({ name: 'mine', url: path });
    for (const hostname of [other.hostname, `${other.hostname}&domain=x`, 'localhost', '127.0.0.1'])
      expect((await own(hostname, { servername: mine.hostname })).status).toBe(421);
  });

  it('lets no client claim another address', async () => {
    const { hostname } = await addOwn('own');
    const { text } = await own(hostname, { headers: CLAIMS });
    expect(text).not.toContain('198.51.100.66');
    expect(JSON.parse(text).headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' });
  });

  it('lets no client claim to be another customer, or the edge', async () => {
    const { hostname } = await addOwn('own');
    const { status, text } = await own(hostname, { headers: { ...EDGE_CLAIMS, 'nameplate-edge-secret': 'forged' } });
    expect(status).toBe(200);
    expect(text).not.toContain('forged');
  });

  it('leaves error pages, and origins that it may not connect to, to the edge', async () => {
    const undeployed = await edge.addSite({ origin: null });
    const inside = await edge.addSite({ origin: 'http://169.254.169.254' });
    for (const [{ hostname }, status] of [
      [undeployed, 503],
      [inside, 502],
    ] as const) {
      const answer = await own(hostname);
      expect([answer.status, String(answer.headers['proxy-status'])]).toEqual([
        status,
        expect.stringContaining('nameplate'),
      ]);
    }
  });

  it('gives no private key to a client, nor through a deployment that leads to the ask endpoint', async () => {
    const { hostname } = await edge.addSite({ origin: edge.edge.askEndpoint });
    const { status, text } = await own(hostname, { path: `/edge/certificate?server_name=${site.hostname}` });
    expect([status, text]).toEqual([403, expect.not.stringContaining('PRIVATE KEY')]);
  });

  it('passes WebSockets on', async () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello';
    const server = createServer().on('upgrade', (_, socket) => socket.end(upgrade));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { hostname } = await edge.addSite({ origin: `http://127.0.0.1:${port}` });
    const socket = await handshake(caddy.httpsPort, { servername: hostname });
    const key = 'dGhlIHNhbXBsZSBub25jZQ==';
    socket.write(
      `GET / HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    let received = '';
    for await (const text of socket.setEncoding('utf8')) {
      received += text;
      if (received.includes('hello')) break;
    }
    expect(received).toMatch(/^HTTP\/1\.1 101 .*hello$/s);
    server.close();
  });
});

/** Over HTTP, the edge responds: to challenges itself, and to everything else with a redirect. */
async function expectPassedOn(port: number): Promise<void> {
  const { hostname } = site;
  const token = `caddy${port}`.padEnd(43, '-');
  await edge.store.putChallenge({
    hostname,
    token,
    keyAuthorization: `${token}.key`,
    expiresAt: Date.now() + 60_000,
  });
  const path = `/.well-known/acme-challenge/${token}`;
  expect((await overHttp({ port, hostname, path })).text).toBe(`${token}.key`);
  const answer = await overHttp({ port, hostname, path: '/x' });
  expect([answer.status, answer.headers.location]).toEqual([308, `https://${hostname}/x`]);
}
