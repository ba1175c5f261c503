// Nameservers of a namespace: the true ones, or the attacker's own. Started by forger-lab.ts.
import packet from 'dns-packet';
import { type DnsTransport, listen } from '../../../playground/dns/dns-listener.ts';
import { encodeResponse, udpOctets } from '../../../playground/dns/encode-response.ts';
import { parseRecord } from '../../../playground/dns/simulated-record.ts';
import { createZones } from '../../../playground/dns/simulated-zones.ts';

export interface LabServer {
  address: string;
  rttMs: number;
  /**
   * `acme.com A 10.0.0.1`, with all values of the type; `acme.com here ns1.acme.com` for a zone, or `delegated` for one
   * that others have.
   */
  lines: string[];
  /** A zone that this resolver has validated: it sets AD. */
  signed?: string;
}

export interface ServersPlan {
  seconds: number;
  servers: LabServer[];
}

/** Flag AD, in the second octet of the flags. */
const AUTHENTIC = 0x20;

async function serve({ address, rttMs, lines, signed }: LabServer): Promise<void> {
  const zones = createZones(address);
  for (const [name = '', type = '', ...values] of lines.map((line) => line.split(' '))) {
    if (type === 'here' || type === 'delegated') zones.setZone({ apex: name, nameservers: values, held: type });
    else zones.set(parseRecord(name, type, values));
  }
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
    if (question === undefined) return;
    const name = question.name.toLowerCase();
    const answer = zones.answer(name, question.type, query.flag_rd);
    const response = encodeResponse(query, answer, transport === 'tcp' ? 0xffff : udpOctets(query), false);
    const isSigned = signed !== undefined && `.${name}`.endsWith(`.${signed}`);
    if (isSigned) response.writeUInt8(response.readUInt8(3) | AUTHENTIC, 3);
    setTimeout(reply, delayOf(from, transport), response);
    if (transport === 'udp') process.send?.({ port: Number(from.split(':').at(-1)) });
  });
}

const { seconds, servers }: ServersPlan = JSON.parse(process.argv[2] ?? '');
setTimeout(() => process.exit(), seconds * 1000);
process.on('disconnect', () => process.exit());
for (const server of servers) await serve(server);
process.send?.('ready');
