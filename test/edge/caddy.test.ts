import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPrograms, START_LIMIT_MS } from '../support/debian.ts';
import { freePort } from '../support/free-port.ts';
import { type Service, startService } from '../support/service.ts';
import { issue } from './authority.ts';
import { type Harness, handshake, overHttp, overHttp2, overHttps, type Site, startHarness } from './harness.ts';

// Caddy as Debian has it, with the files of docs/edge.md: only ports are others.

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
  const text = await readFile(join(import.meta.dirname, '../../docs/edge.md'), 'utf8');
  const file = text.slice(text.indexOf(`### ${heading}\n`)).match(/```caddyfile\n([^`]*)```/)?.[1];
  if (file === undefined) throw new Error(`docs/edge.md has no file for Caddy below "${heading}"`);
  return file;
}

async function startCaddy(heading: string, change = (file: string) => file): Promise<Caddy> {
  const programs = await findPrograms('caddy', ['caddy']);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const own = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n`;
  const file = (await documented(heading))
    .replace(/^\{\n/, own)
    .replaceAll('127.0.0.1:7072', edge.edge.askEndpoint?.slice('http://'.length) ?? '')
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${edge.httpPort}`);
  const path = join(directory, `Caddyfile.${httpPort}`);
  await writeFile(path, change(file));
  const env = { ...process.env, ...programs.env, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const words = ['run', '--config', path, '--adapter', 'caddyfile'];
  const service = await startService(programs.path('caddy'), words, { env, ready: /serving initial configuration/ });
  return { service, httpPort, httpsPort };
}

describe('Caddy in front, with our certificates', () => {
  let caddy: Caddy;
  beforeAll(async () => {
    caddy = await startCaddy("With Nameplate's certificates");
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
    const change = (file: string) => file.replace('\t\ton_demand\n', '\t\ton_demand\n\t\tissuer internal\n');
    caddy = await startCaddy("With Caddy's certificates", change);
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
