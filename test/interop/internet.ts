import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrograms, type Programs } from '../support/debian.ts';
import type { Service } from '../support/service.ts';
import { type Host, type Nameserver, type ServeOptions, startKnot } from './knot.ts';
import { startNsd } from './nsd.ts';
import {
  type DelegatedHost,
  dsData,
  type Registry,
  rootZone,
  startRegistry,
  TOP_LEVEL,
  topLevelOf,
  zoneFile,
} from './registry.ts';
import { startUnbound, type Unbound } from './unbound.ts';

/**
 * A small Internet on loopback addresses and one port: a signed root, signed top-level domains, nameservers of
 * providers, and a resolver that validates, made of real DNS servers. Each zone is delegated by its parent, with glue
 * where the nameserver is below the same top-level domain.
 */
export interface Internet {
  port: number;
  resolver: Unbound;
  /** Two providers' nameservers. */
  nameservers: [Nameserver, Nameserver];
  /** Another nameserver host that the delegations may name; nothing listens at its address yet. */
  spareHost(): Host;
  /** Another host name for an address, below a top-level domain. */
  nameHost(host: string, address: string): Promise<Host>;
  /** Another provider's nameserver: Knot unless given. */
  startNameserver(make?: 'Knot' | 'NSD'): Promise<Nameserver>;
  /** Another resolver. */
  startResolver(options: { validates: boolean }): Promise<Unbound>;
  /**
   * Registers a zone below `test.`, never registered before, delegated to the hosts: the first nameserver unless given.
   */
  register(label: string, hosts?: DelegatedHost[]): Promise<Zone>;
  /** The same of a whole name: below any of `TOP_LEVEL`, or below a registered zone, which then has to delegate it. */
  registerName(name: string, hosts?: DelegatedHost[]): Promise<Zone>;
  close(): Promise<void>;
}

export interface Zone {
  name: string;
  /**
   * Serves these records, in the notation of zone files, besides SOA and NS. At all of `nameservers`, which need not be
   * those that the zone is delegated to; at the first one unless given. A zone that is signed is signed by the first of
   * them.
   */
  publish(records: string, nameservers?: Nameserver[], options?: PublishOptions): Promise<void>;
  /** Changes the delegation at the parent, and from the next `publish` on the NS records of the zone. */
  delegate(hosts: DelegatedHost[], ds?: string[]): Promise<void>;
  /**
   * Publishes DS records at the parent, without owner and type: by default those of the zone's keys at the first
   * nameserver.
   */
  secure(ds?: string[], nameserver?: Nameserver): Promise<void>;
  /** Ends the registration. */
  expire(): Promise<void>;
}

export interface PublishOptions extends ServeOptions {
  /** The NS records of the zone itself, where they are not those of the delegation. */
  ownHosts?: DelegatedHost[];
}

const ROOT: Host = { host: 'ns.root', address: '127.53.0.2' };
const REGISTRY: Host = { host: 'ns.registry.test', address: '127.53.0.4' };
const RESOLVERS = ['127.53.0.1', '127.53.0.3', '127.53.0.5', '127.53.0.6'];
const HOSTS: Host[] = TOP_LEVEL.flatMap((top) =>
  Array.from({ length: 40 }, (_, index) => ({
    host: `ns${index + 1}.provider.${top}`,
    address: `127.53.1.${index + 1}`,
  })),
);

/** `port`: of all DNS servers; one that is free unless given. */
export async function startInternet(options: { port?: number } = {}): Promise<Internet> {
  const programs = await findPrograms('dns', ['knot', 'unbound']);
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-interop-'));
  const port =
    options.port ??
    (await freePort([...RESOLVERS, ROOT.address, REGISTRY.address, ...HOSTS.map(({ address }) => address)]));
  const services: Service[] = [];
  const knot = async (host: Host) => {
    const server = await startKnot({ programs, directory: join(directory, host.host), port, ...host });
    services.push(server);
    return server;
  };
  const spare = HOSTS.filter(({ host }) => host.endsWith('.test'));
  const spareHost = () => {
    const host = spare.shift();
    if (host === undefined) throw new Error('every host has been given away');
    return host;
  };
  const [root, registryServer, first, second] = await Promise.all([
    knot(ROOT),
    knot(REGISTRY),
    knot(spareHost()),
    knot(spareHost()),
  ]);
  const registry = await startRegistry({ server: registryServer, hosts: HOSTS });
  await root.serve('.', await rootZone(ROOT, registryServer), { signed: true });
  const resolvers = await startResolvers({ programs, directory, port, root });
  const resolver = await resolvers.start({ validates: true });
  const registration = { registry, resolvers, first };

  return {
    port,
    resolver,
    nameservers: [first, second],
    spareHost,
    async nameHost(host, address) {
      await registry.addHost({ host, address });
      // Resolvers may have the proof that there was no such name (RFC 8198).
      await Promise.all(resolvers.started.map((each) => each.forget(topLevelOf(host))));
      return { host, address };
    },
    async startNameserver(make = 'Knot') {
      const host = spareHost();
      if (make === 'Knot') return knot(host);
      const server = await startNsd({ directory: join(directory, host.host), port, ...host });
      services.push(server);
      return server;
    },
    startResolver: resolvers.start,
    register: (label, hosts = [first]) => register(registration, `${label}.test`, hosts),
    registerName: (name, hosts = [first]) => register(registration, name, hosts),
    async close() {
      await Promise.all([...services, ...resolvers.started].map((service) => service.close()));
      await rm(directory, { recursive: true });
    },
  };
}

interface Resolvers {
  started: Unbound[];
  start(options: { validates: boolean }): Promise<Unbound>;
  /** Leads all of them to the nameservers of a zone; none: to nowhere but its parent. */
  delegate(zone: string, hosts: DelegatedHost[] | null): Promise<void>;
}

interface ResolversOptions {
  programs: Programs;
  directory: string;
  port: number;
  root: Nameserver;
}

async function startResolvers({ programs, directory, port, root }: ResolversOptions): Promise<Resolvers> {
  const [anchor] = await root.readDs('.');
  const zones = new Map(
    [...TOP_LEVEL, ...TOP_LEVEL.map((top) => `provider.${top}`)].map((zone) => [zone, [REGISTRY.address]]),
  );
  const started: Unbound[] = [];
  let addresses = 0;
  return {
    started,
    async start({ validates }) {
      const address = RESOLVERS[addresses++];
      if (address === undefined) throw new Error('every address of a resolver has been given away');
      const resolver = await startUnbound({
        programs,
        directory: join(directory, `resolver-${address}`),
        address,
        port,
        root: root.address,
        zones,
        ...(validates && anchor !== undefined && { trustAnchor: anchor }),
      });
      started.push(resolver);
      return resolver;
    },
    async delegate(zone, hosts) {
      const to = (hosts ?? []).flatMap(({ address }) => address ?? []);
      if (to.length === 0) zones.delete(zone);
      else zones.set(zone, to);
      await Promise.all(started.map((resolver) => resolver.delegate(zone, to.length === 0 ? null : to)));
    },
  };
}

interface Registration {
  registry: Registry;
  resolvers: Resolvers;
  /** Where zones are published by default. */
  first: Nameserver;
}

async function register(
  { registry, resolvers, first }: Registration,
  name: string,
  hosts: DelegatedHost[],
): Promise<Zone> {
  const isRegistered = TOP_LEVEL.some(
    (top) => name.endsWith(`.${top}`) && !name.slice(0, -top.length - 1).includes('.'),
  );
  let current: DelegatedHost[] = hosts;
  let serial = 0;
  const delegate = async (to: DelegatedHost[], ds: string[] = []) => {
    current = to;
    if (isRegistered) await registry.delegate(name, { hosts: to, ds });
    await resolvers.delegate(name, to);
  };
  await delegate(hosts);
  return {
    name,
    delegate,
    async publish(records, nameservers = [first], { ownHosts = current, ...options } = {}) {
      serial += 10;
      const [primary, ...secondaries] = nameservers;
      const file = zoneFile(name, ownHosts, serial, records);
      await primary?.serve(name, file, options);
      const copy = options.signed === true ? ((await primary?.readZone(name)) ?? file) : file;
      await Promise.all(secondaries.map((nameserver) => nameserver.serve(name, copy, { ...options, signed: false })));
    },
    async secure(ds, nameserver = first) {
      await delegate(current, ds ?? (await nameserver.readDs(name)).map(dsData));
    },
    async expire() {
      if (isRegistered) await registry.delegate(name, null);
      await resolvers.delegate(name, null);
    },
  };
}

/** A port that is free at all addresses, over UDP and TCP, below the ephemeral ports. */
async function freePort(addresses: string[]): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const free = await Promise.all([...new Set(addresses)].map((address) => isFree(address, port)));
    if (free.every(Boolean)) return port;
  }
  throw new Error('no port is free at all loopback addresses');
}

async function isFree(address: string, port: number): Promise<boolean> {
  const udp = createSocket('udp4');
  const tcp = createServer();
  try {
    const bound = Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
    udp.bind(port, address);
    tcp.listen(port, address);
    await bound;
    return true;
  } catch {
    return false;
  } finally {
    udp.close();
    tcp.close();
  }
}
