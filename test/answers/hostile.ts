import packet, { type Answer } from 'dns-packet';
import { createCookies } from '../../server/src/answers/cookies.ts';
import { dnsServerMetrics } from '../../server/src/answers/dns-server-metrics.ts';
import { createResponder } from '../../server/src/answers/responder.ts';
import { createResponseLimit } from '../../server/src/answers/response-limit.ts';
import { makeZones } from '../../server/src/answers/zones.ts';
import { metricFactory } from '../../server/src/base/metric-factory.ts';
import { seeded } from '../support/seeded-random.ts';

/** Queries as a hostile client would send them: close to real ones, with octets changed, removed and repeated at random. */

const LABEL = 'k7q2m9x4c1v8b3n6z5t0';
const NAMES: [string, ...string[]] = [
  'acme.example.net',
  `${LABEL}.acme.example.net`,
  `${LABEL}.cname.example.net`,
  `a.ns.acme.example.net`,
];
const TYPES: [string, ...string[]] = ['A', 'AAAA', 'TXT', 'NS', 'SOA', 'CAA', 'ANY', 'AXFR', 'UNKNOWN_65'];
const MAX_AMPLIFICATION = 4;

export interface Tally {
  /** Over both transports. */
  packets: number;
  /** Responses by RCODE. */
  rcodes: Record<string, number>;
  unanswered: number;
  /** The largest response over UDP as a multiple of its query. */
  worst: number;
}

/** The server, with zones that have everything. */
function aServer() {
  const challenges = new Map([[LABEL, Array.from({ length: 10 }, (_, i) => `${i}`.padStart(43, 'x'))]]);
  const addresses = Array.from({ length: 16 }, (_, i) => `2001:db8::${i + 1}`);
  const settings = {
    challengeZone: 'acme.example.net',
    cnameZone: 'cname.example.net',
    servers: [{ name: 'a.ns.acme.example.net', addresses: ['192.0.2.53'] }],
    selfCheckName: 'doctor.cname.example.net',
    caaIssuers: ['letsencrypt.org'],
    announcesHttps: true,
  };
  const zones = makeZones(settings, { challenges, addresses });
  return createResponder({
    zones: () => zones,
    cookies: createCookies(Buffer.alloc(32, 1)),
    limit: createResponseLimit(Number.MAX_SAFE_INTEGER, 1),
    clock: { now: () => 0 },
    metrics: dnsServerMetrics(metricFactory()),
  });
}

/** Throws at the first message that makes the server throw, or whose response is malformed or too large. */
export function feed(messages: Iterable<Buffer>): Tally {
  const responder = aServer();
  const tally: Tally = { packets: 0, rcodes: {}, unanswered: 0, worst: 0 };
  for (const message of messages)
    for (const transport of ['udp', 'tcp'] as const) {
      tally.packets += 1;
      try {
        const response = responder.respond(message, '192.0.2.1', transport);
        if (response === null) tally.unanswered += 1;
        else {
          // Another implementation can read it.
          const { rcode } = packet.decode(response) as unknown as { rcode: string };
          tally.rcodes[rcode] = (tally.rcodes[rcode] ?? 0) + 1;
          if (transport === 'udp') tally.worst = Math.max(tally.worst, response.length / message.length);
          if (tally.worst > MAX_AMPLIFICATION) throw new Error(`a response of ${response.length} octets`);
        }
      } catch (cause) {
        throw new Error(`message ${tally.packets}: ${message.toString('hex')}`, { cause });
      }
    }
  return tally;
}

/** So many messages as the seed decides: mutations of the originals, or of queries as clients send them. */
export function* mutatedQueries(count: number, seed: number, originals: readonly Buffer[] = []): Generator<Buffer> {
  const { below, chance, pick, bytes } = seeded(seed);
  const aQuery = (): Buffer => {
    const options = chance(0.5) ? [] : [{ code: pick([3, 10, 15]), data: Buffer.alloc(pick([0, 8, 9, 24]), 7) }];
    const opt = { type: 'OPT', name: '.', udpPayloadSize: pick([0, 512, 1232, 65_535]), flags: 0, options };
    return packet.encode({
      type: 'query',
      id: 1,
      questions: [{ name: pick(NAMES), type: pick(TYPES) as 'A' }],
      additionals: chance(0.5) ? [] : [opt as unknown as Answer],
    });
  };
  const mutated = (octets: Buffer): Buffer => {
    const message = Buffer.from(octets);
    for (let changes = message.length === 0 ? 0 : below(4); changes > 0; changes--)
      message[below(message.length)] = pick([0, 1, 12, 63, 64, 192, 255, below(256)]);
    if (chance(0.02)) return bytes(below(100));
    if (chance(0.1)) return message.subarray(0, below(message.length));
    return chance(0.1) ? Buffer.concat([message, message.subarray(below(message.length))]) : message;
  };

  for (let i = 0; i < count; i++) yield mutated(pick(originals) ?? aQuery());
}

/** A query for a name that nobody has asked for: a target, or none; each with another label. */
export function* randomSubdomains(count: number, seed: number): Generator<Buffer> {
  const { chance, pick, bytes } = seeded(seed);
  for (let i = 0; i < count; i++) {
    const label = bytes(10).toString('hex');
    const name = `${chance(0.5) ? label : `${label}.${label}`}.${pick(['acme.example.net', 'cname.example.net'])}`;
    yield packet.encode({ type: 'query', id: 1, questions: [{ name, type: pick(['A', 'TXT', 'AAAA']) }] });
  }
}
