import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSimulator } from '../../playground/dns/simulator.ts';
import { createLog } from '../../server/src/base/log.ts';
import { acmeIssuer } from '../../server/src/certificates/acme/acme.ts';
import { createCertificateWorker } from '../../server/src/certificates/worker/certificate-worker.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { recursiveResolver } from '../../server/src/dns/recursive.ts';
import { dnsClient } from '../../server/src/dns/transport/dns-client.ts';
import { startServer } from '../../server/src/main.ts';
import { addressRule } from '../../server/src/net/addresses.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { ownDnsOf } from '../../server/src/roles/own-dns.ts';
import { verify } from '../support/certificates.ts';
import { findPrograms, START_LIMIT_MS } from '../support/debian.ts';
import { plant } from '../support/entities.ts';
import { freePort } from '../support/free-port.ts';
import { startPebble } from '../support/pebble.ts';
import { startService } from '../support/service.ts';

/** Our own DNS server, Unbound in front of it and of the customers' zone, and pebble, which asks Unbound. */

const CHALLENGE_ZONE = 'acme.platform.test';
const CNAME_ZONE = 'cname.platform.test';
const TEST_MS = 60_000;

const closing: (() => unknown)[] = [];
let lab: Awaited<ReturnType<typeof startLab>>;

beforeAll(async () => {
  lab = await startLab();
}, START_LIMIT_MS);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

async function startLab() {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-dns01-'));
  closing.push(() => rm(directory, { recursive: true }));
  const simulator = await startSimulator({ port: 0 });
  closing.push(simulator.close);
  const dnsPort = await freePort();
  const config = readServerConfig({
    NAMEPLATE_DATABASE_URL: `sqlite:${join(directory, 'nameplate.db')}`,
    NAMEPLATE_ROLES: 'dns',
    NAMEPLATE_CNAME_ZONE: CNAME_ZONE,
    NAMEPLATE_CNAME_ZONE_DELEGATED: 'on',
    NAMEPLATE_CHALLENGE_ZONE: CHALLENGE_ZONE,
    NAMEPLATE_DNS_SERVERS: `ns1.${CHALLENGE_ZONE}=192.0.2.53`,
    NAMEPLATE_DNS_RESOLVERS: '127.0.0.1',
    NAMEPLATE_DNS_LISTEN: `127.0.0.1:${dnsPort}`,
    NAMEPLATE_EDGE_ADDRESSES: '192.0.2.10',
    NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_LOG_LEVEL: 'silent',
  });
  const server = await startServer(config, { log: createLog('silent') });
  closing.push(() => server.stop());
  const { store } = server;

  /** A proxy of the customer's, which swallows challenges, or our edge. */
  const swallowed = new Set<string>();
  const edge = createServer(async ({ headers: { host = '' }, url = '' }, response) => {
    const hostname = host.replace(/:\d+$/, '');
    const token = url.split('/').at(-1) ?? '';
    const answer = swallowed.has(hostname) ? null : await store.findChallenge(hostname, token, Date.now());
    response.writeHead(answer === null ? 404 : 200).end(answer ?? 'the customer');
  });
  await new Promise<void>((resolve) => edge.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => edge.close(resolve)));
  const http = (edge.address() as AddressInfo).port;

  const resolver = { address: '127.0.0.1', port: await freePort() };
  const stub = (zone: string, port: number) =>
    `stub-zone:\n  name: "${zone}"\n  stub-addr: 127.0.0.1@${port}\n  stub-no-cache: yes\n`;
  const file = join(directory, 'unbound.conf');
  await writeFile(
    file,
    `server:\n  interface: 127.0.0.1@${resolver.port}\n  username: ""\n  chroot: ""\n  pidfile: ""\n  use-syslog: no\n` +
      `  do-not-query-localhost: no\n  local-zone: "test." nodefault\n  module-config: "iterator"\n  verbosity: 1\n  do-ip6: no\n  directory: "${directory}"\n` +
      stub('customer.test', simulator.port) +
      stub('platform.test', simulator.port) +
      stub(CHALLENGE_ZONE, dnsPort) +
      stub(CNAME_ZONE, dnsPort),
  );
  const programs = await findPrograms('dns', ['knot', 'unbound']);
  const unbound = await startService(programs.path('unbound'), ['-d', '-c', file], {
    env: programs.env,
    ready: /start of service/,
  });
  closing.push(unbound.close);
  const pebble = await startPebble({
    dns: resolver,
    httpPort: http,
    env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0' },
  });
  closing.push(pebble.close);

  const clock = { now: () => Date.now() };
  const logged: string[] = [];
  const log = createLog('info', { write: (line: string) => void logged.push(line) });
  const client = dnsClient();
  closing.push(() => client.close());
  const { directoryUrl, trustRoots } = pebble;
  const account = { email: null, externalAccount: null, trustRoots };
  const issuer = acmeIssuer({ directoryUrl, ...account, store, clock, log, pollMs: 100 });
  const { environment } = await plant(store);

  return {
    store,
    dns: simulator,
    swallowed,
    logged,
    /** A verified domain with the label in its target. */
    add: (name: string, label: string) =>
      verify(store, environment, { name, target: `${label}.${CNAME_ZONE}`, at: Date.now() }),
    /** Works on all that is due; `zones`: those that are ours. */
    async work(zones: { challengeZone?: string | null; servers?: string[] } = {}) {
      const { challengeZone = CHALLENGE_ZONE, servers = ['127.0.0.1'] } = zones;
      const named = servers.map((address, index) => ({
        name: `ns${index + 1}.${CHALLENGE_ZONE}`,
        addresses: [address],
      }));
      const worker = createCertificateWorker({
        ...{ store, clock, log, metrics: createMetrics(), random: Math.random, issuers: [issuer] },
        resolver: recursiveResolver({ client, resolvers: [resolver] }),
        ownDns: { ...ownDnsOf(config, dnsPort, client), challengeZone, servers: named },
        dnsChallengeMs: 5_000,
        mayDial: addressRule(['127.0.0.0/8']),
        ports: { http, https: 443 },
      });
      await worker.runOnce();
      await worker.stop(0);
    },
    async read(hostname: string) {
      const found = await store.findCertificate(hostname);
      const names = found?.issued ? new X509Certificate(found.issued.chain).subjectAltName : null;
      return { state: found?.state, challenge: found?.challenge, names, reason: found?.problem?.reason };
    },
    /** Orders are in the ledger before the CA is told. */
    orders: async () => (await store.countLedgerEntries(directoryUrl, 0)).orders,
  };
}

const CNAME = (name: string) => `_acme-challenge.${name}`;

describe('a wildcard', () => {
  test('gets a certificate by its challenge record, through a chain of CNAMEs, while one of two DNS servers is dead', {
    timeout: TEST_MS,
  }, async () => {
    await lab.add('*.shop.customer.test', 'aaaaaaaaaaaaaaaaaaaa');
    lab.dns.set(CNAME('shop.customer.test'), 'CNAME', ['one.customer.test']);
    lab.dns.set('one.customer.test', 'CNAME', [`aaaaaaaaaaaaaaaaaaaa.${CHALLENGE_ZONE}`]);
    await lab.work({ servers: ['127.0.0.1', '127.0.0.9'] });
    expect(await lab.read('*.shop.customer.test')).toMatchObject({
      ...{ state: 'issued', challenge: 'dns-01', names: 'DNS:*.shop.customer.test' },
    });
    expect(await lab.store.listDnsChallenges(0)).toEqual([]);
    expect(lab.logged.filter((line) => line.includes('ns2.acme.platform.test (127.0.0.9)'))).not.toEqual([]);
  });

  test('gets a certificate by its own CNAME into the CNAME zone that is ours, without a further record', {
    timeout: TEST_MS,
  }, async () => {
    await lab.add('*.own.customer.test', 'bbbbbbbbbbbbbbbbbbbb');
    lab.dns.set('*.own.customer.test', 'CNAME', [`bbbbbbbbbbbbbbbbbbbb.${CNAME_ZONE}`]);
    await lab.work({ challengeZone: null });
    expect(await lab.read('*.own.customer.test')).toMatchObject({
      ...{ state: 'issued', challenge: 'dns-01', names: 'DNS:*.own.customer.test' },
    });
  });

  test('without a challenge record, with one in a loop, or with one that leads to the label of another domain waits, without an order', {
    timeout: TEST_MS,
  }, async () => {
    const before = await lab.orders();
    for (const [name, target] of [
      ['none', null],
      ['loop', CNAME('loop.customer.test')],
      ['other', `aaaaaaaaaaaaaaaaaaaa.${CHALLENGE_ZONE}`],
    ] as const) {
      await lab.add(`*.${name}.customer.test`, `cccccccccccccccc${name}`);
      if (target !== null) lab.dns.set(CNAME(`${name}.customer.test`), 'CNAME', [target]);
    }
    await lab.work();
    const reasons = ['none', 'loop', 'other'].map(async (name) => (await lab.read(`*.${name}.customer.test`)).reason);
    expect(await Promise.all(reasons)).toEqual(['no_challenge_record', 'dns_unreadable', 'challenge_elsewhere']);
    expect(await lab.orders()).toBe(before);
    expect(await lab.store.listDnsChallenges(0)).toEqual([]);
  });
});

test('a name is validated by HTTP-01 without a challenge record, by DNS-01 behind a proxy that swallows challenges, and by HTTP-01 again once the record is gone', {
  timeout: TEST_MS,
}, async () => {
  const name = 'www.customer.test';
  const label = 'dddddddddddddddddddd';
  await lab.add(name, label);
  lab.dns.set(name, 'A', ['127.0.0.1']);
  const renewed = async () => {
    await lab.store.renewCertificate(name, Date.now());
    await lab.work();
    return lab.read(name);
  };
  expect(await renewed()).toMatchObject({ state: 'issued', challenge: 'http-01' });
  lab.swallowed.add(name);
  expect(await renewed()).toMatchObject({ state: 'renewing', reason: 'answered_by_another' });
  lab.dns.set(CNAME(name), 'CNAME', [`${label}.${CHALLENGE_ZONE}`]);
  expect(await renewed()).toMatchObject({ state: 'issued', challenge: 'dns-01' });
  lab.dns.remove(CNAME(name));
  lab.swallowed.delete(name);
  expect(await renewed()).toMatchObject({ state: 'issued', challenge: 'http-01', reason: undefined });
});

test('while all our DNS servers are dead the order waits without telling the CA, and goes on with the same order afterwards', {
  timeout: TEST_MS,
}, async () => {
  const name = '*.dead.customer.test';
  await lab.add(name, 'eeeeeeeeeeeeeeeeeeee');
  lab.dns.set(CNAME('dead.customer.test'), 'CNAME', [`eeeeeeeeeeeeeeeeeeee.${CHALLENGE_ZONE}`]);
  const before = await lab.orders();
  await lab.work({ servers: ['127.0.0.8', '127.0.0.9'] });
  const blocked = await lab.store.findCertificate(name);
  expect(blocked).toMatchObject({ problem: { reason: 'dns_servers_failing' }, failures: 0 });
  expect(blocked?.problem?.message).toContain('ns1.acme.platform.test (127.0.0.8)');
  await lab.store.renewCertificate(name, Date.now());
  await lab.work();
  expect(await lab.read(name)).toMatchObject({ state: 'issued', challenge: 'dns-01' });
  expect(await lab.orders()).toBe(before + 1);
});
