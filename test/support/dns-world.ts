import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { createLog } from '../../server/src/base/log.ts';
import { authoritativeResolver } from '../../server/src/dns/authoritative.ts';
import type { Resolver } from '../../server/src/dns/resolver.ts';
import type { DnsClient } from '../../server/src/dns/transport/dns-client.ts';
import { type Domain, newDomain } from '../../server/src/domain/domain.ts';
import { dnsRecords } from '../../server/src/domain/records.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import type { Store } from '../../server/src/store/store.ts';
import { createVerifier, type Verifier } from '../../server/src/verification/verifier.ts';
import { openEngine } from './engine.ts';
import { loopbackClient, startSimulatorAt } from './simulators.ts';

const DAY_MS = 86_400_000;

/** A real store, a real resolver, and DNS servers on loopback; only the clock is ours. */
export interface World {
  store: Store;
  dns: Simulator;
  verifier: Verifier;
  resolver: Resolver;
  clock: { now(): number; isTrusted(): boolean; pass(ms: number): void };
  /** Another DNS server, which stands for another loopback address with the same port. */
  server(host: string): Promise<Simulator>;
  /** Adds a domain to a workspace, `ws_1` unless given. */
  create(name: string, options?: CreateOptions): Promise<Domain>;
  /** Publishes records of the domain, all unless named, as a customer would: exactly as they were handed out. */
  publish(domain: Domain, which?: 'routing' | 'ownership', at?: Simulator): void;
  /** Lets about a minute pass, completes every check that is due, and reads the domain anew. */
  check(domain: Domain): Promise<Domain>;
  read(domain: Domain): Promise<Domain>;
  /** From now on nobody answers DNS. */
  silence(): Promise<void>;
  close(): Promise<void>;
}

interface CreateOptions {
  kind?: Domain['kind'];
  workspaceId?: string;
  /** Token of the ownership record. */
  token?: string;
  challengeZone?: string;
  /** A shared target of the workspace. */
  target?: Pick<Domain, 'target' | 'sharedAddresses'>;
}

interface WorldOptions {
  /** For the schedule, and the labels below wildcards. */
  random?: () => number;
  /** Address of the resolver. */
  resolver?: string;
  /** Answers in place of every server what is asked over UDP, from a port that others can learn. */
  forger?: Simulator;
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { store, remove } = await openEngine();
  const dns = await startSimulator({ port: 0 });
  const servers = [dns];
  const client = options.forger === undefined ? loopbackClient() : forged(options.forger);
  let now = 1_800_000_000_000;
  let serial = 0;
  const clock = {
    now: () => now,
    isTrusted: () => true,
    pass: (ms: number) => {
      now += ms;
    },
  };
  const resolver = authoritativeResolver({
    client,
    resolvers: [{ address: options.resolver ?? '127.0.0.1', port: dns.port }],
    nameserverPort: dns.port,
    allowedNetworks: ['127.0.0.0/8'],
    clock,
  });
  const verifier = createVerifier({
    store,
    resolver,
    clock,
    random: options.random ?? (() => 0.5),
    log: createLog('silent'),
    metrics: createMetrics(),
  });
  for (const id of ['ws_1', 'ws_2']) await plant(store, id);

  const read = async ({ workspaceId, id }: Domain) => {
    const domain = await store.findDomainById(workspaceId, id);
    if (domain === null) throw new Error(`${id} is gone`);
    return domain;
  };

  return {
    store,
    dns,
    verifier,
    resolver,
    clock,
    read,
    async server(host) {
      const server = await startSimulatorAt(host, dns.port);
      servers.push(server);
      return server;
    },
    async create(name, { kind = 'subdomain', workspaceId = 'ws_1', ...options } = {}) {
      serial += 1;
      const domain = newDomain({
        id: `dom_${String(serial).padStart(4, '0')}`,
        workspaceId,
        projectId: `proj_${workspaceId}`,
        appId: `app_${workspaceId}`,
        environmentId: `env_${workspaceId}`,
        name,
        kind,
        service: 'service',
        target: `target${serial}.cname.nameplate.test`,
        ...options.target,
        token: options.token ?? `Token${serial}`,
        ...(options.challengeZone !== undefined && { challengeZone: options.challengeZone }),
        createdAt: now,
      });
      await store.createDomain(domain, now + DAY_MS);
      return domain;
    },
    publish(domain, which, at = dns) {
      const [routing, ownership] = dnsRecords(domain);
      if (which !== 'ownership') at.set(routing.name, routing.type, [routing.value]);
      if (which !== 'routing') at.set(ownership.name, ownership.type, [ownership.value]);
    },
    async check(domain) {
      now += 60_000;
      await verifier.runOnce();
      return read(domain);
    },
    async silence() {
      await Promise.all(servers.splice(0).map((server) => server.close()));
    },
    async close() {
      await verifier.stop();
      client.close();
      await Promise.all(servers.map((server) => server.close()));
      await store.close();
      await remove();
    },
  };
}

function forged(forger: Simulator): DnsClient {
  const { query, close } = loopbackClient();
  return {
    query(question, server, options) {
      const isForged = options.over === undefined && !options.mixedCase;
      return query(question, isForged ? { address: forger.address, port: forger.port } : server, options);
    },
    close,
  };
}

async function plant(store: Store, id: string): Promise<void> {
  const common = { workspaceId: id, name: null, createdAt: 0 };
  const path = { projectId: `proj_${id}`, appId: `app_${id}` };
  await store.createWorkspace({ id, name: id, disabledAt: null, limits: { rates: {}, domains: null }, createdAt: 0 });
  await store.createProject({ ...common, id: path.projectId, slug: 'demo' });
  await store.createApp({ ...common, id: path.appId, projectId: path.projectId, slug: 'web' });
  await store.createEnvironment({ ...common, ...path, id: `env_${id}`, slug: 'production', currentDeploymentId: null });
}
