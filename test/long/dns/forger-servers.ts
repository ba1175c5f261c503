// Nameservers of a namespace: those of the true world, or the attacker's own. Started by forger-lab.ts.
import packet from 'dns-packet';
import { type DnsTransport, listen } from '../../../src/playground/dns/dns-listener.ts';
import { encodeResponse, udpOctets } from '../../../src/playground/dns/encode-response.ts';
import { parseRecord } from '../../../src/playground/dns/simulated-record.ts';
import { createZones } from '../../../src/playground/dns/simulated-zones.ts';

export interface LabServer {
  address: string;
  rttMs: number;
  /** Apex, nameservers, and whether it is delegated to them. */
  zones: [apex: string, nameservers: string[], held: 'here' | 'delegated'][];
  /** Name, type and values. */
  records: [name: string, type: string, ...values: string[]][];
  /** The zone whose answers a resolver has validated: it sets AD. */
  signed?: string;
}

export interface ServersPlan {
  seconds: number;
  servers: LabServer[];
}

/** Flag AD in the second octet of the flags. */
const AUTHENTIC = 0x20;

export async function serve({ address, rttMs, signed, ...held }: LabServer): Promise<void> {
  const zones = createZones(address);
  for (const [apex, nameservers, where] of held.zones) zones.setZone({ apex, nameservers, held: where });
  for (const [name, type, ...values] of held.records) zones.set(parseRecord(name, type, values));
  const connections = new Set<string>();

  /** The kernel shakes hands at once: the first answer on a connection waits for that round trip as well. */
  function delayOf(from: string, transport: DnsTransport): number {
    if (transport === 'udp' || connections.has(from)) return rttMs;
    connections.add(from);
    return 2 * rttMs;
  }

  await listen(address, 53, (octets, from, transport, reply) => {
    const query = packet.decode(octets);
    const [question] = query.questions ?? [];
    if (query.type !== 'query' || question === undefined) return;
    const name = question.name.toLowerCase();
    const response = zones.answer(name, question.type, query.flag_rd);
    const encoded = encodeResponse(query, response, transport === 'tcp' ? 0xffff : udpOctets(query), false);
    if (signed !== undefined && query.flag_rd && `.${name}`.endsWith(`.${signed}`)) {
      encoded.writeUInt8(encoded.readUInt8(3) | AUTHENTIC, 3);
    }
    const delayMs = delayOf(from, transport);
    if (delayMs === 0) reply(encoded);
    else setTimeout(reply, delayMs, encoded);
    if (transport === 'udp') process.send?.({ port: Number(from.slice(from.lastIndexOf(':') + 1)) });
  });
}

if (import.meta.main) {
  const { seconds, servers }: ServersPlan = JSON.parse(process.argv[2] ?? '');
  setTimeout(() => process.exit(), seconds * 1000);
  process.on('disconnect', () => process.exit());
  for (const server of servers) await serve(server);
  process.send?.('ready');
}
