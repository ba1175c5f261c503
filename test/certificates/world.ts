import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { connect } from 'node:tls';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { createLog } from '../../server/src/base/log.ts';
import { type AcmeOptions, acmeIssuer } from '../../server/src/certificates/acme/acme.ts';
import { internalIssuer } from '../../server/src/certificates/internal-ca.ts';
import type { Issuer } from '../../server/src/certificates/issuer.ts';
import {
  type CertificateWorker,
  type CertificateWorkerOptions,
  createCertificateWorker,
} from '../../server/src/certificates/worker/certificate-worker.ts';
import { recursiveResolver } from '../../server/src/dns/recursive.ts';
import { dnsClient } from '../../server/src/dns/transport/dns-client.ts';
import { TLS_ALPN_TOKEN } from '../../server/src/domain/certificate-state.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { createTlsTerminator } from '../../server/src/edge/tls/tls.ts';
import { addressRule } from '../../server/src/net/addresses.ts';
import { createMetrics, type Metrics } from '../../server/src/roles/metrics.ts';
import type { Certificate, DnsChallenge, Store } from '../../server/src/store/store.ts';
import { verify } from '../support/certificates.ts';
import { openEngine } from '../support/engine.ts';
import { type Planted, plant, timelineOf } from '../support/entities.ts';
import { type FakeCa, type FakeCaOptions, startFakeCa } from '../support/fake-ca/fake-ca.ts';

/**
 * A real store, DNS on loopback, an edge and a challenge zone that serve challenge responses from the store, CAs and
 * workers; only the clock is simulated.
 */
export interface World {
  store: Store;
  dns: Simulator;
  clock: { now(): number; pass(ms: number): void; set(now: number): void };
  metrics: Metrics;
  /** Host and path of each request to the edge. */
  asked: string[];
  /** All log lines. */
  logged: string[];
  /** Starts a CA that validates names by our DNS. */
  startCa(options?: Partial<FakeCaOptions>): Promise<FakeCa>;
  /** A new one each time: another node. */
  issuer(ca: Pick<FakeCa, 'directoryUrl'>, about?: Partial<AcmeOptions>): Issuer;
  internal(): Issuer;
  worker(issuers: Issuer[], about?: Partial<CertificateWorkerOptions>): CertificateWorker;
  /** A newly verified domain whose name points here by its address; by default in its own registered domain and workspace. */
  add(about?: { name?: string; planted?: Planted }): Promise<Domain>;
  /** Throws if there is none. */
  read(hostname: string): Promise<Certificate>;
  /** Types of the certificate's events, oldest first. */
  eventsOf(hostname: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Names may prove themselves there, too. */
export const CHALLENGE_ZONE = 'acme.nameplate.test';

/** The edge answers here over TLS, and port 80 is closed. */
export const TLS_ONLY = '127.0.0.2';

/** Short waits. */
const FAST = { pollMs: 1, timeoutMs: 5_000, pollBudgetMs: 2_000 };
const START = Date.UTC(2026, 10, 21);

export async function createWorld(): Promise<World> {
  let now = START;
  let serial = 0;
  const clock = {
    now: () => now,
    pass(ms: number) {
      now += ms;
    },
    set(to: number) {
      now = to;
    },
  };
  const { store, remove } = await openEngine({ clock });
  const dns = await startSimulator({ port: 0 });
  /** Our DNS server: the simulator answers with the challenges that are in the store. */
  const answerChallenges = async (label: string) => {
    const all = await store.listDnsChallenges(now);
    const values = all.filter((each) => each.label === label).map(({ value }) => value);
    const name = `${label}.${CHALLENGE_ZONE}`;
    if (values.length > 0) dns.set(name, 'TXT', values);
    else dns.remove(name, 'TXT');
  };
  const client = dnsClient();
  const resolver = recursiveResolver({ client, resolvers: [{ address: dns.address, port: dns.port }] });
  const asked: string[] = [];
  const logged: string[] = [];
  const findTxt = async (name: string) => {
    const found = await resolver.lookupTxt(name, { signal: AbortSignal.timeout(5000) });
    return found.kind === 'found' ? found.values : [];
  };
  const log = createLog('debug', { write: (line: string) => void logged.push(line) });
  const metrics = createMetrics();
  const cas: FakeCa[] = [];
  const workers: CertificateWorker[] = [];

  const edge = createServer(async ({ headers: { host = '' }, url = '' }, response) => {
    const hostname = host.replace(/:\d+$/, '');
    asked.push(`${hostname}${url}`);
    const answer = await store.findChallenge(hostname, url.split('/').at(-1) ?? '', now);
    response.writeHead(answer === null ? 404 : 200).end(answer);
  });
  await new Promise<void>((resolve) => edge.listen(0, '127.0.0.1', resolve));
  const port = (edge.address() as AddressInfo).port;

  const terminator = createTlsTerminator({
    ...{ clock, contexts: 1, handshakeMs: 5_000, metrics: { handshake() {} } },
    certificateFor: async () => ({ kind: 'none', outcome: 'unknown_name' }),
    findTlsChallenge: (hostname) => store.findChallenge(hostname, TLS_ALPN_TOKEN, now),
    onSecure: (socket) => socket.destroy(),
    ticketSecret: () => new Uint8Array(32),
    onFault() {},
  });
  const tlsEdge = createTcpServer((socket) => terminator.accept(socket, '127.0.0.1'));
  await new Promise<void>((resolve) => tlsEdge.listen(0, TLS_ONLY, resolve));
  const tlsPort = (tlsEdge.address() as AddressInfo).port;

  async function fetchTlsChallenge(servername: string): Promise<Buffer> {
    const found = await resolver.lookupAddresses(servername, { signal: AbortSignal.timeout(5000) });
    const [host = '127.0.0.9'] = found.kind === 'found' ? found.addresses : [];
    const about = { host, port: tlsPort, servername, ALPNProtocols: ['acme-tls/1'], rejectUnauthorized: false, ca: [] };
    const socket = connect(about);
    await once(socket, 'secureConnect');
    const raw = socket.getPeerX509Certificate()?.raw ?? Buffer.alloc(0);
    socket.destroy();
    return raw;
  }

  async function fetchChallenge(hostname: string, token: string): Promise<string> {
    const answer =
      dns.list().some(({ name }) => name === hostname) && (await store.findChallenge(hostname, token, now));
    if (!answer) throw new Error('404');
    return answer;
  }

  return {
    store,
    dns,
    clock,
    metrics,
    asked,
    logged,
    async startCa(options = {}) {
      const ca = await startFakeCa({ clock, limits: [], fetchChallenge, fetchTlsChallenge, findTxt, ...options });
      cas.push(ca);
      return ca;
    },
    issuer({ directoryUrl }, about) {
      const account = { email: null, externalAccount: null, trustRoots: null };
      return acmeIssuer({ ...FAST, ...account, directoryUrl, store, clock, log, ...about });
    },
    internal: () => internalIssuer({ store, clock }),
    worker(issuers, { store: own = store, ...about } = {}) {
      const worker = createCertificateWorker({
        store: Object.assign(Object.create(own), {
          async addDnsChallenge(challenge: DnsChallenge) {
            await own.addDnsChallenge(challenge);
            await answerChallenges(challenge.label);
          },
          async removeDnsChallenge(label: string, value: string) {
            await own.removeDnsChallenge(label, value);
            await answerChallenges(label);
          },
        }),
        ownDns: { challengeZone: CHALLENGE_ZONE, cnameZone: null, servers: [], ask: async () => [] },
        issuers,
        resolver,
        mayDial: addressRule(['127.0.0.0/8']),
        clock,
        random: Math.random,
        log,
        metrics,
        ports: { http: port, https: tlsPort },
        selfCheckMs: 2_000,
        ...about,
      });
      workers.push(worker);
      return worker;
    },
    async add({ name = `shop.customer${++serial}.com`, planted } = {}) {
      const { environment } = planted ?? (await plant(store));
      dns.set(name, 'A', ['127.0.0.1']);
      return verify(store, environment, { name, createdAt: now, at: now });
    },
    async read(hostname) {
      const certificate = await store.findCertificate(hostname);
      if (certificate === null) throw new Error(`${hostname} has no certificate`);
      return certificate;
    },
    async eventsOf(hostname) {
      const certificate = await store.findCertificate(hostname);
      if (certificate === null) throw new Error(`${hostname} has no certificate`);
      const { workspaceId, domainId } = certificate;
      const types = (await timelineOf(store, { workspaceId, id: domainId })).map(({ type }) => type);
      return types.filter((type) => type.startsWith('certificate.'));
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.stop(0)));
      for (const ca of cas) await ca.close();
      edge.closeAllConnections();
      await new Promise((resolve) => edge.close(resolve));
      await new Promise((resolve) => tlsEdge.close(resolve));
      client.close();
      await dns.close();
      await store.close();
      await remove();
    },
  };
}
