import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { createLog } from '../../server/src/base/log.ts';
import { acmeIssuer } from '../../server/src/certificates/acme/acme.ts';
import {
  type CertificateWorker,
  type CertificateWorkerOptions,
  createCertificateWorker,
} from '../../server/src/certificates/worker/certificate-worker.ts';
import { recursiveResolver } from '../../server/src/dns/recursive.ts';
import { dnsClient } from '../../server/src/dns/transport/dns-client.ts';
import { addressRule } from '../../server/src/net/addresses.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { type Harness, startHarness } from '../edge/harness.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type Pebble, startPebble } from '../support/pebble.ts';

/** A whole edge whose port 80 is closed to the world, a worker, and a real CA. */

let edge: Harness;
let dns: Simulator;
let pebble: Pebble;
let closedPort: number;
const client = dnsClient();

beforeAll(async () => {
  edge = await startHarness();
  dns = await startSimulator({ port: 0 });
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  closedPort = (taken.address() as { port: number }).port;
  await new Promise((resolve) => taken.close(resolve));
  const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0' };
  pebble = await startPebble({ dns, httpPort: closedPort, tlsPort: edge.httpsPort, env });
}, START_LIMIT_MS);
afterAll(async () => {
  await pebble.close();
  await dns.close();
  client.close();
  await edge.close();
});

function worker(about: Partial<CertificateWorkerOptions> = {}): CertificateWorker {
  const { store, clock } = edge;
  const log = createLog('silent');
  const account = { email: null, externalAccount: null, trustRoots: pebble.trustRoots, pollMs: 50 };
  return createCertificateWorker({
    ...{ store, clock, log, random: Math.random, metrics: createMetrics() },
    issuers: [acmeIssuer({ ...account, directoryUrl: pebble.directoryUrl, store, clock, log })],
    resolver: recursiveResolver({ client, resolvers: [{ address: dns.address, port: dns.port }] }),
    mayDial: addressRule(['127.0.0.0/8']),
    ports: { http: closedPort, https: edge.httpsPort },
    selfCheckMs: 2_000,
    ...about,
  });
}

/** A name that leads to an address, after one attempt to have a certificate. */
async function attempt(address: string, about: Partial<CertificateWorkerOptions> = {}) {
  const { hostname } = await edge.addSite({ certified: false });
  dns.set(hostname, 'A', [address]);
  const { orders } = await edge.store.countLedgerEntries(pebble.directoryUrl, 0);
  await worker(about).runOnce();
  const after = await edge.store.countLedgerEntries(pebble.directoryUrl, 0);
  return { hostname, ordered: after.orders - orders, certificate: await edge.store.findCertificate(hostname) };
}

describe('where port 80 is closed', () => {
  test('a name gets its certificate by TLS-ALPN-01, without anybody choosing it, and is served with it', async () => {
    const { hostname, certificate, ordered } = await attempt('127.0.0.1');
    expect(certificate).toMatchObject({ state: 'issued', challenge: 'tls-alpn-01', problem: null });
    expect(certificate?.selfCheck?.answers).toEqual([{ address: '127.0.0.1', outcome: 'ours', seen: null }]);
    expect(ordered).toBe(1);
    const target = { port: edge.httpsPort, host: '127.0.0.1', servername: hostname };
    const browser = connect({ ...target, ca: pebble.issuingRoots, ALPNProtocols: ['h2', 'http/1.1'] });
    await once(browser, 'secureConnect');
    expect([browser.authorized, browser.alpnProtocol]).toEqual([true, 'h2']);
    browser.destroy();
    expect(await edge.metric('nameplate_edge_handshakes_total{outcome="challenge"}')).toBeGreaterThan(1);
  });

  test('and port 443 is another address, the problem is that of port 80, and nothing is ordered', async () => {
    const { certificate, ordered } = await attempt('127.0.0.3');
    expect(certificate).toMatchObject({ state: 'waiting_for_routing', problem: { reason: 'unreachable' } });
    expect(certificate?.problem?.message).toContain('port 80');
    expect(certificate?.selfCheck?.answers).toMatchObject([{ address: '127.0.0.3', outcome: 'unreachable' }]);
    expect(ordered).toBe(0);
  });

  test('no private address is connected to', async () => {
    const handshakes = () => edge.metric('nameplate_edge_handshakes_total{outcome="challenge"}');
    const before = await handshakes();
    const { certificate, ordered } = await attempt('127.0.0.1', { mayDial: addressRule([]) });
    expect(certificate).toMatchObject({ problem: { reason: 'address_not_public' } });
    expect([ordered, await handshakes()]).toEqual([0, before]);
  });

  test('a server that speaks TLS and does not know our challenge is not ours', async () => {
    const other = await startHarness();
    const ports = { http: closedPort, https: other.httpsPort };
    const { certificate, ordered } = await attempt('127.0.0.1', { ports });
    expect(certificate).toMatchObject({ state: 'waiting_for_routing', problem: { reason: 'unreachable' } });
    expect(ordered).toBe(0);
    await other.close();
  });
});
