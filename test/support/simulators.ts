import { type DnsListener, listen } from '../../playground/dns/dns-listener.ts';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { type DnsClient, dnsClient } from '../../server/src/dns/transport/dns-client.ts';

/*
 * Nameservers have an address each and one port. Only Linux has loopback addresses other than 127.0.0.1, so all servers
 * of tests listen there, at ports of their own, and the client of tests sends to these what is meant for the address
 * and port that a server stands for.
 */

const LOOPBACK = '127.0.0.1';
/** Nobody listens there. */
const CLOSED_PORT = 1;
/** Tests wait a twentieth of the usual time for a server that never answers. */
const TIMEOUT_DIVISOR = 20;

/** The real port, by the address and port that a server stands for. */
const places = new Map<string, number>();

/** A simulator that stands for another loopback address, at a port that the one at 127.0.0.1 has. */
export async function startSimulatorAt(address: string, port: number): Promise<Simulator> {
  const simulator = await startSimulator({ port: 0 });
  places.set(`${address}:${port}`, simulator.port);
  simulator.set('ns1.simulator.test', 'A', [address]);
  return { ...simulator, address, port };
}

/** Listens, and stands for any loopback address at that port. */
export async function listenAt(
  address: string,
  port: number,
  onMessage: Parameters<typeof listen>[2],
): Promise<DnsListener> {
  const listener = await listen(LOOPBACK, address === LOOPBACK ? port : 0, onMessage);
  if (address !== LOOPBACK) places.set(`${address}:${port}`, listener.port);
  return listener;
}

/** A real client that reaches these servers; a loopback address that no server stands for is silent. */
export function loopbackClient(client = dnsClient()): DnsClient {
  return {
    query(question, server, options) {
      const { address, port } = server;
      const isOther = address.startsWith('127.') && address !== LOOPBACK;
      if (!isOther) return client.query(question, server, options);
      const place = places.get(`${address}:${port}`);
      if (place !== undefined) return client.query(question, { address: LOOPBACK, port: place }, options);
      const timeoutsMs = options.timeoutsMs?.map((ms) => ms / TIMEOUT_DIVISOR);
      const sooner = { ...options, ...(timeoutsMs !== undefined && { timeoutsMs }) };
      return client.query(question, { address: LOOPBACK, port: CLOSED_PORT }, sooner);
    },
    close: client.close,
  };
}
