import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrograms } from '../support/debian.ts';
import { type Nameserver, type ServeOptions, startKnot } from './knot.ts';
import { startUnbound, type Unbound } from './unbound.ts';

/**
 * A small Internet on loopback addresses and one port: a root, nameservers of providers, and a resolver, made of real DNS
 * servers.
 */
export interface Internet {
  port: number;
  resolver: Unbound;
  /** Two providers' nameservers. */
  nameservers: [Nameserver, Nameserver];
  /** Another nameserver host in the root zone; nothing listens at its address yet. */
  spareHost(): Host;
  /** Another resolver, which validates names below the trust anchors (DS records). */
  validatingResolver(trustAnchors: string[]): Promise<Unbound>;
  /** Registers a zone below `test.`, never registered before, delegated to the hosts: the first nameserver unless given. */
  register(label: string, hosts?: Host[]): Promise<Zone>;
  close(): Promise<void>;
}

/** A nameserver's name and address. */
export interface Host {
  host: string;
  address: string;
}

export interface Zone {
  name: string;
  /**
   * Serves these records, in the notation of zone files, besides SOA and NS. At all of `nameservers`, which need not be those that the
   * zone is delegated to; at the first one unless given.
   */
  publish(records: string, nameservers?: Nameserver[], options?: ServeOptions): Promise<void>;
  /** Changes the delegation at the parent, and from the next `publish` on the NS records of the zone. */
  delegate(hosts: Host[]): Promise<void>;
}

const RESOLVER = '127.53.0.1';
const ROOT: Host = { host: 'ns.root', address: '127.53.0.2' };
const VALIDATOR = '127.53.0.3';
const HOSTS: Host[] = Array.from({ length: 20 }, (_, index) => ({
  host: `ns${index + 1}.provider.test`,
  address: `127.53.1.${index + 1}`,
}));

/** Delegations and negative answers are cached this long. */
const TTL_SECONDS = 3600;

export async function startInternet(): Promise<Internet> {
  const programs = await findPrograms('dns', ['knot', 'unbound']);
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-interop-'));
  const port = await freePort([RESOLVER, VALIDATOR, ROOT.address, ...HOSTS.map(({ address }) => address)]);
  const knot = (host: Host) => startKnot({ programs, directory: join(directory, host.host), port, ...host });
  let resolvers = 0;
  const unbound = (address: string, trustAnchors?: string[]) =>
    startUnbound({
      programs,
      directory: join(directory, `resolver-${++resolvers}`),
      address,
      port,
      root: ROOT.address,
      ...(trustAnchors && { trustAnchors }),
    });

  const spare = [...HOSTS];
  const spareHost = () => {
    const host = spare.shift();
    if (host === undefined) throw new Error('every host has been given away');
    return host;
  };
  const [root, first, second, resolver] = await Promise.all([
    knot(ROOT),
    knot(spareHost()),
    knot(spareHost()),
    unbound(RESOLVER),
  ]);
  const services = [root, first, second, resolver];
  const known = HOSTS.map(({ host, address }) => `${host}. A ${address}`);
  await root.serve('.', zoneFile('.', [ROOT], 1, [...known, `${ROOT.host}. A ${ROOT.address}`].join('\n')));

  return {
    port,
    resolver,
    nameservers: [first, second],
    spareHost,
    async validatingResolver(trustAnchors) {
      const validator = await unbound(VALIDATOR, trustAnchors);
      services.push(validator);
      return validator;
    },
    register: (label, hosts = [first]) => register({ name: `${label}.test`, hosts, resolver, first }),
    async close() {
      await Promise.all(services.map((service) => service.close()));
      await rm(directory, { recursive: true });
    },
  };
}

interface Registration {
  name: string;
  hosts: Host[];
  resolver: Unbound;
  /** Where the zone is published by default. */
  first: Nameserver;
}

async function register({ name, hosts, resolver, first }: Registration): Promise<Zone> {
  let current = hosts;
  let serial = 0;
  const delegate = async (to: Host[]) => {
    current = to;
    const addresses = to.map(({ address }) => address);
    await resolver.delegate(name, addresses);
  };
  await delegate(hosts);
  return {
    name,
    delegate,
    async publish(records, nameservers = [first], options = {}) {
      serial += 1;
      const file = zoneFile(name, current, serial, records);
      await Promise.all(nameservers.map((nameserver) => nameserver.serve(name, file, options)));
    },
  };
}

function zoneFile(zone: string, hosts: Host[], serial: number, records: string): string {
  const soa = `@ SOA ${hosts[0]?.host}. hostmaster.provider.test. ${serial} 3600 600 86400 ${TTL_SECONDS}`;
  const ns = hosts.map(({ host }) => `@ NS ${host}.`);
  return [`$ORIGIN ${zone === '.' ? '.' : `${zone}.`}`, `$TTL ${TTL_SECONDS}`, soa, ...ns, records, ''].join('\n');
}

/** A port that is free at all addresses, over UDP and TCP, below the ephemeral ports. */
async function freePort(addresses: string[]): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const free = await Promise.all(addresses.map((address) => isFree(address, port)));
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
