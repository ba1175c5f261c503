import packet, { type DecodedPacket, type Packet, type Question } from 'dns-packet';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { type AuthoritativeOptions, authoritativeResolver } from '../../server/src/dns/authoritative.ts';
import { queryBudget } from '../../server/src/dns/query-budget.ts';
import type { Resolver } from '../../server/src/dns/resolver.ts';
import { listenAt, loopbackClient, startSimulatorAt } from './simulators.ts';

/**
 * A part of the DNS on loopback (simulators.ts): a resolver, the nameserver of `com`, and two nameservers that `com`
 * delegates acme.com to. All have one port.
 */
export interface DnsTree {
  resolver: Simulator;
  com: Simulator;
  /** ns1.acme.com */
  ns1: Simulator;
  /** ns2.acme.com */
  ns2: Simulator;
  port: number;
  /**
   * Makes `com` delegate a zone. Names with an address get it as glue; others are told to the resolver with `resolve`.
   */
  delegate(zone: string, nameservers: Record<string, string | null>): void;
  /** The resolver knows the address of a name. */
  resolve(name: string, address: string): void;
  /** A server that answers as it is told, in place of a simulator at that address; null: not at all. */
  serve(
    address: string,
    respond: (question: Question, query: DecodedPacket, from: { address: string; port: number }) => RawResponse | null,
  ): Promise<void>;
  /** Asks as Nameplate does; nameservers in order, unless `random` is set. */
  subject(options?: Partial<AuthoritativeOptions>): Resolver;
  close(): Promise<void>;
}

export type RawResponse = Omit<Packet, 'id' | 'questions' | 'type'> & { questions?: Question[] };

export const AA = packet.AUTHORITATIVE_ANSWER;

export async function startDnsTree(): Promise<DnsTree> {
  const resolver = await startSimulator({ port: 0 });
  const { port } = resolver;
  const com = await startSimulatorAt('127.0.0.2', port);
  const ns1 = await startSimulatorAt('127.0.0.3', port);
  const ns2 = await startSimulatorAt('127.0.0.4', port);
  const servers = new Map<string, { close(): Promise<void> }>();
  for (const server of [resolver, com, ns1, ns2]) servers.set(server.address, server);
  const closing: (() => void)[] = [];
  for (const server of [resolver, com]) {
    server.setZone('com', ['a.registry.test']);
    server.set('a.registry.test', 'A', [com.address]);
  }

  const tree: DnsTree = {
    resolver,
    com,
    ns1,
    ns2,
    port,
    delegate(zone, nameservers) {
      com.delegate(zone, Object.keys(nameservers));
      for (const [name, address] of Object.entries(nameservers)) {
        if (address !== null) com.set(name, address.includes(':') ? 'AAAA' : 'A', [address]);
      }
    },
    resolve: (name, address) => resolver.set(name, address.includes(':') ? 'AAAA' : 'A', [address]),
    async serve(address, respond) {
      await servers.get(address)?.close();
      servers.delete(address);
      const server = await listenAt(address, port, (octets, from, _transport, reply) => {
        const query = packet.decode(octets);
        const [question] = query.questions ?? [];
        const response = question === undefined ? null : respond(question, query, toAddress(from));
        if (question === undefined || response === null) return;
        reply(packet.encode({ type: 'response', id: query.id ?? 0, questions: [question], ...response }));
      });
      servers.set(address, server);
    },
    subject(options = {}) {
      const client = loopbackClient();
      closing.push(() => client.close());
      return authoritativeResolver({
        client,
        resolvers: [{ address: resolver.address, port }],
        nameserverPort: port,
        allowedNetworks: ['127.0.0.0/8'],
        clock: systemClock,
        random: () => 0,
        ...options,
      });
    },
    async close() {
      for (const close of closing) close();
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
  tree.delegate('acme.com', { 'ns1.acme.com': ns1.address, 'ns2.acme.com': ns2.address });
  return tree;
}

/** `127.0.0.1:4711` */
function toAddress(text: string): { address: string; port: number } {
  const colon = text.lastIndexOf(':');
  return { address: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
}

/** The options of a look, as a check sets them: 10 s, and a budget of queries. */
export function within(queries = 40) {
  return { signal: AbortSignal.timeout(10_000), budget: queryBudget(queries) };
}
