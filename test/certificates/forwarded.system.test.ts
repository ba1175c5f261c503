import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { createLog } from '../../server/src/base/log.ts';
import { acmeIssuer } from '../../server/src/certificates/acme/acme.ts';
import { createCertificateWorker } from '../../server/src/certificates/worker/certificate-worker.ts';
import { recursiveResolver } from '../../server/src/dns/recursive.ts';
import { dnsClient } from '../../server/src/dns/transport/dns-client.ts';
import { addressRule } from '../../server/src/net/addresses.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { type Harness, startHarness } from '../edge/harness.ts';
import { findPrograms, START_LIMIT_MS } from '../support/debian.ts';
import { freePort } from '../support/free-port.ts';
import { startPebble } from '../support/pebble.ts';
import { startService } from '../support/service.ts';

// Names whose DNS leads to their former server: Caddy and nginx as Debian has them, with the lines of docs/guides/moving-in.md,
// and a proxy before them that adds headers as Cloudflare does. The edge, pebble, DNS and HTTP are real.

let edge: Harness;
let dns: Simulator;
let directory: string;
const client = dnsClient();
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  edge = await startHarness();
  dns = await startSimulator({ port: 0 });
  directory = await mkdtemp(join(tmpdir(), 'nameplate-forwarded-'));
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
  client.close();
  await dns.close();
  await edge.close();
  await rm(directory, { recursive: true });
});

/** The lines below a heading, with the edge of this test in place of the documented one. */
async function lines(heading: string): Promise<string> {
  const page = await readFile(join(import.meta.dirname, '../../docs/guides/moving-in.md'), 'utf8');
  const found = page.slice(page.indexOf(`#### ${heading}\n`)).match(/```\w+\n([^`]*)```/)?.[1] ?? '';
  expect(found).toContain('203.0.113.7:80');
  return found.replace('203.0.113.7:80', `127.0.0.1:${edge.httpPort}`);
}

/** Each starts a former server, and resolves with its port for HTTP. `block`: what passes challenges on. */
async function caddy(block: string): Promise<number> {
  const programs = await findPrograms('caddy', ['caddy']);
  const port = await freePort();
  const path = join(directory, `Caddyfile.${port}`);
  const options = `{\n\tadmin off\n\tauto_https off\n\thttp_port ${port}\n\thttps_port ${await freePort()}\n}\n`;
  await writeFile(path, `${options}${block}`);
  const env = { ...process.env, ...programs.env, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const words = ['run', '--config', path, '--adapter', 'caddyfile'];
  const service = await startService(programs.path('caddy'), words, { env, ready: /serving initial configuration/ });
  closing.push(service.close);
  return port;
}

async function nginx(block: string): Promise<number> {
  const programs = await findPrograms('nginx', ['nginx', 'libnginx-mod-stream']);
  const port = await freePort();
  const path = join(directory, `nginx.${port}.conf`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (each) => `${each}_temp_path ${directory};`,
  );
  const site = `listen 127.0.0.1:${port};\n${block}\nlocation / { return 404 "the former server"; }`;
  const main = `daemon off;\nmaster_process off;\npid ${directory}/nginx.${port}.pid;\nerror_log stderr notice;\nevents {}`;
  await writeFile(path, `${main}\nhttp { access_log off; ${temporary.join(' ')}\nserver { ${site} } }\n`);
  const env = { ...process.env, ...programs.env };
  const words = ['-p', directory, '-e', 'stderr', '-c', path];
  const service = await startService(programs.path('nginx'), words, { env, ready: /built by|epoll/ });
  closing.push(service.close);
  return port;
}

/** Passes everything on to the origin with the headers that Cloudflare adds. */
async function cloudflareBefore(origin: number): Promise<number> {
  const added = {
    'cf-connecting-ip': '198.51.100.7',
    'cf-ipcountry': 'SE',
    'cf-ray': '8f0000000000abcd-ARN',
    'cf-visitor': '{"scheme":"http"}',
    'cdn-loop': 'cloudflare; loops=1',
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-proto': 'http',
    'accept-encoding': 'gzip, br',
  };
  const server = createServer(({ method, url, headers }, response) => {
    const about = { host: '127.0.0.1', port: origin, method, path: url, headers: { ...headers, ...added } };
    const passed = request(about, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, server: 'cloudflare' });
      answer.pipe(response);
    });
    passed.on('error', () => response.writeHead(521).end()).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A verified name whose DNS leads to the former server, after one look of a worker, and how many orders it cost. */
async function look(httpPort: number) {
  const pebble = await startPebble({ dns, httpPort, env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' } });
  const { hostname } = await edge.addSite({ certified: false });
  dns.set(hostname, 'A', ['127.0.0.1']);
  const { store, clock } = edge;
  const log = createLog('silent');
  const account = { email: null, externalAccount: null, trustRoots: pebble.trustRoots };
  const polling = { pollMs: 50, pollBudgetMs: 30_000, timeoutMs: 5_000 };
  const worker = createCertificateWorker({
    store,
    issuers: [acmeIssuer({ ...account, ...polling, directoryUrl: pebble.directoryUrl, store, clock, log })],
    resolver: recursiveResolver({ client, resolvers: [dns] }),
    mayDial: addressRule(['127.0.0.0/8']),
    clock,
    random: Math.random,
    log,
    metrics: createMetrics(),
    ports: { http: httpPort, https: await freePort() },
    selfCheckMs: 5_000,
  });
  await worker.runOnce();
  await worker.stop(0);
  await pebble.close();
  const { orders } = await store.countLedgerEntries(pebble.directoryUrl, 0);
  return { certificate: await store.findCertificate(hostname), orders, issuer: pebble.directoryUrl };
}

const FORMER = {
  Caddy: async (isThere: boolean) =>
    caddy(isThere ? await lines('Caddy') : 'http:// {\n\trespond "the former server" 404\n}\n'),
  nginx: async (isThere: boolean) => nginx(isThere ? await lines('nginx') : ''),
  'nginx behind a proxy that adds headers': async (isThere: boolean) =>
    cloudflareBefore(await nginx(isThere ? await lines('nginx') : '')),
};

describe.each(Object.entries(FORMER))('a name whose DNS leads to %s', (_, start) => {
  test('gets its certificate by the challenge that is passed on, before any DNS changes', {
    timeout: START_LIMIT_MS,
  }, async () => {
    const { certificate, orders, issuer } = await look(await start(true));
    expect(certificate).toMatchObject({ state: 'issued', problem: null, challenge: 'http-01', issued: { issuer } });
    expect(orders).toBe(1);
  });

  test('costs no order where the line is missing, and is told which, and where', {
    timeout: START_LIMIT_MS,
  }, async () => {
    const { certificate, orders } = await look(await start(false));
    expect(certificate).toMatchObject({ state: 'waiting_for_routing', problem: { reason: 'answered_by_another' } });
    expect(certificate?.problem?.message).toMatch(
      /127\.0\.0\.1, where another server answers: HTTP 404, "the former server"\..* that server has to pass \/\.well-known\/acme-challenge\/ on to us, with the Host header kept: in Caddy .*"reverse_proxy", in nginx .*"proxy_pass"\.$/,
    );
    expect(orders).toBe(0);
  });
});

test('nginx that does not keep the Host header is no way in', { timeout: START_LIMIT_MS }, async () => {
  const block = (await lines('nginx')).replace(/ *proxy_set_header.*\n/, '');
  const { certificate, orders } = await look(await nginx(block));
  expect([certificate?.problem?.reason, orders]).toEqual(['answered_by_another', 0]);
});
