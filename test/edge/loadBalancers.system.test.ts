import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPrograms, START_LIMIT_MS } from '../support/debian.ts';
import { freePort } from '../support/free-port.ts';
import { type Service, startService } from '../support/service.ts';
import { ROOT } from './authority.ts';
import { type Harness, type Site, startHarness } from './harness.ts';

// HAProxy and nginx as Debian has them, with the files of deploy/ and docs/guides/edge.md: only addresses and ports are
// others.

/** The load balancer connects from 127.0.0.1, clients from here. */
const CLIENT = '127.0.0.9';

let edge: Harness;
let other: Harness;
let site: Site;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-balancer-'));
  const options = { health: { host: '127.0.0.1', port: 0 }, proxyProtocol: ['127.0.0.1/32'] };
  edge = await startHarness({ ...options, graceMs: 60_000 });
  other = await startHarness(options);
  site = await edge.addSite();
});
afterAll(async () => {
  await edge.close();
  await other.close();
  await rm(directory, { recursive: true });
});

interface Balancer {
  service: Service;
  httpPort: number;
  httpsPort: number;
}

async function tls(port: number, protocol: string): Promise<TLSSocket> {
  const raw = connect({ port, host: '127.0.0.1', localAddress: CLIENT });
  const socket = connectTls({ socket: raw, servername: site.hostname, ca: ROOT, ALPNProtocols: [protocol] });
  await once(socket, 'secureConnect');
  return socket;
}

/** Reads a stream to its end. */
async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('latin1');
}

const request = () => `GET / HTTP/1.1\r\nHost: ${site.hostname}\r\nConnection: close\r\n\r\n`;

/** Over all three, the edge and the origin learn of the client. */
async function expectClientNamed({ httpPort, httpsPort }: Balancer): Promise<void> {
  const plain = connect({ port: httpPort, host: '127.0.0.1', localAddress: CLIENT });
  plain.write(request());
  expect(await readAll(plain)).toMatch(/^HTTP\/1\.1 308 /);
  const http1 = await tls(httpsPort, 'http/1.1');
  http1.write(request());
  const seen = { 'x-forwarded-for': CLIENT, 'x-real-ip': CLIENT };
  expect(JSON.parse((await readAll(http1)).split('\r\n\r\n')[1] ?? '').headers).toMatchObject(seen);
  const http2 = await tls(httpsPort, 'h2');
  const session = connectHttp2(`https://${site.hostname}`, { createConnection: () => http2 });
  expect(JSON.parse(await readAll(session.request({ ':path': '/' }))).headers).toMatchObject(seen);
  session.destroy();
}

const clientHeaders = () => edge.metric('nameplate_edge_proxy_headers_total{outcome="client"}');
const malformed = () => edge.metric('nameplate_edge_proxy_headers_total{outcome="malformed"}');

describe.each([
  ['2', 'send-proxy-v2'],
  ['1', 'send-proxy'],
])('HAProxy, by version %s of the PROXY protocol', (_, option) => {
  let balancer: Balancer;
  beforeAll(async () => {
    balancer = await startHaproxy(option);
  }, START_LIMIT_MS);
  afterAll(() => balancer.service.close());

  it('passes connections on, and the edge knows the client', async () => {
    const before = await clientHeaders();
    await expectClientNamed(balancer);
    expect(await clientHeaders()).toBe(before + 3);
    expect(await malformed()).toBe(0);
  });
});

async function startHaproxy(option: string): Promise<Balancer> {
  const programs = await findPrograms('haproxy', ['haproxy']);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const portOf = (url: string | null) => new URL(url ?? '').port;
  const file = await readFile(join(import.meta.dirname, '../../deploy/haproxy.cfg'), 'utf8');
  const own = file
    .replace(/^ *#.*\n/gm, '')
    .replace('global\n', 'global\n    log stdout format raw local0 info\n')
    .replace('defaults\n', 'defaults\n    log global\n    option log-health-checks\n')
    .replace('maxconn 50000', 'maxconn 100')
    .replace('send-proxy-v2', option)
    .replace(' port 7073', '')
    .replace('inter 2s', 'inter 200ms')
    .replace('bind :::80 v4v6', `bind 127.0.0.1:${httpPort}`)
    .replace('bind :::443 v4v6', `bind 127.0.0.1:${httpsPort}`)
    .replace('edge1 10.20.0.11:80', `edge1 127.0.0.1:${edge.httpPort} port ${portOf(edge.edge.health)}`)
    .replace('edge1 10.20.0.11:443', `edge1 127.0.0.1:${edge.httpsPort} port ${portOf(edge.edge.health)}`)
    // Knows no site: connections must not go there while it is only a spare.
    .replace('edge2 10.20.0.12:80', `edge2 127.0.0.1:${other.httpPort} port ${portOf(other.edge.health)} backup`)
    .replace('edge2 10.20.0.12:443', `edge2 127.0.0.1:${other.httpsPort} port ${portOf(other.edge.health)} backup`);
  expect(own).not.toMatch(/10\.20\.0\.\d+:|7073/);
  const path = join(directory, `${option}.cfg`);
  await writeFile(path, own);
  const env = { ...process.env, ...programs.env };
  // The first checks have been made, so it listens.
  const ready =
    /edge_https\/edge1 succeeded[\s\S]*edge_https\/edge2 succeeded|edge_https\/edge2 succeeded[\s\S]*edge_https\/edge1 succeeded/;
  const service = await startService(programs.path('haproxy'), ['-db', '-f', path], { env, ready });
  return { service, httpPort, httpsPort };
}

describe('nginx', () => {
  let balancer: Balancer;
  beforeAll(async () => {
    balancer = await startNginx();
  }, START_LIMIT_MS);
  afterAll(() => balancer.service.close());

  it('passes connections on, and the edge knows the client', () => expectClientNamed(balancer));
});

async function startNginx(): Promise<Balancer> {
  const programs = await findPrograms('nginx', ['nginx', 'libnginx-mod-stream']);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const page = await readFile(join(import.meta.dirname, '../../docs/guides/edge.md'), 'utf8');
  const documented = page.match(/```nginx\n([^`]*)```/)?.[1] ?? '';
  const stream = documented
    .replaceAll(/listen \[::\]:.*\n/g, '')
    .replace('listen 80;', `listen 127.0.0.1:${httpPort};`)
    .replace('listen 443;', `listen 127.0.0.1:${httpsPort};`)
    .replace('10.20.0.11:80', `127.0.0.1:${edge.httpPort}`)
    .replace('10.20.0.11:443', `127.0.0.1:${edge.httpsPort}`);
  expect(stream).not.toMatch(/10\.20\.0\./);
  const path = join(directory, 'nginx.conf');
  const root = join(programs.path('nginx'), '../../..');
  await writeFile(
    path,
    `daemon off;
master_process off;
pid ${directory}/nginx.pid;
error_log stderr notice;
load_module ${root}/usr/lib/nginx/modules/ngx_stream_module.so;
events {}
${stream}`,
  );
  const env = { ...process.env, ...programs.env };
  const words = ['-p', directory, '-e', 'stderr', '-c', path];
  const service = await startService(programs.path('nginx'), words, { env, ready: /built by|epoll/ });
  return { service, httpPort, httpsPort };
}

describe('an edge that stops', () => {
  it(
    'is taken out of rotation by its /readyz, while what it has in flight is completed',
    async () => {
      const balancer = await startHaproxy('send-proxy-v2');
      try {
        const { promise: begun, resolve: begin } = Promise.withResolvers<() => void>();
        const origin = await edge.addOrigin((_, response) => begin(() => response.end('late')));
        await edge.deploy(site.environment, origin);
        await edge.heard();
        const inFlight = await tls(balancer.httpsPort, 'http/1.1');
        inFlight.write(request());
        const end = await begun;
        const stopped = edge.edge.stop();
        while (!/edge_https\/edge1 is DOWN/.test(balancer.service.log()))
          await new Promise((resolve) => setImmediate(resolve));
        // The spare one has no such site, so it refuses the handshake: it was asked.
        await expect(tls(balancer.httpsPort, 'http/1.1')).rejects.toThrow(/unrecognized name/i);
        end();
        expect(await readAll(inFlight)).toMatch(/^HTTP\/1\.1 200 [\s\S]*late$/);
        await stopped;
      } finally {
        await balancer.service.close();
      }
    },
    START_LIMIT_MS,
  );
});
