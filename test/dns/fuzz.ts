import packet, { type Answer } from 'dns-packet';
import { decodeMessage } from '../../server/src/dns/protocol/message.ts';
import { type EncodedQuery, encodeQuery, isResponseTo } from '../../server/src/dns/protocol/query.ts';
import type { DnsMessage, Question } from '../../server/src/dns/protocol/wire.ts';
import { currentName, readAnswer, startChase } from '../../server/src/dns/record-answer.ts';
import type { Answer as RecordAnswer } from '../../server/src/domain/observation.ts';

/**
 * Responses as a hostile or broken nameserver would send them: close to a proof of a domain, with octets changed at
 * random. Each is processed like a real one, from its octets to the answer that a check sees.
 */

const NAME = 'api.acme.com';
const OWNER = `_service.${NAME}`;
const TARGET = 'k7q2m9x4c1v8b3n6.cname.example';
const VALUE = 'service-domain-verify=Zt4mQ8rV1xKc7NwLb2YpH5sJ';

export interface Fuzzed {
  packets: number;
  /** Packets that matched the query. */
  answered: number;
  /** Responses that could be decoded. */
  read: number;
  /** Looks that found the expected record, in responses that contain it by another implementation too. */
  matches: number;
}

/** Throws at the first packet that crashes the decoder, or that matches without containing the expected record. */
export async function fuzz(packets: number, seed: number): Promise<Fuzzed> {
  const random = generator(seed);
  const tally: Fuzzed = { packets: 0, answered: 0, read: 0, matches: 0 };
  /** The responses of the current look. */
  let received: Buffer[] = [];

  const ask = (question: Question): DnsMessage | null => {
    const query = encodeQuery(question, { recursion: false, edns: true });
    if (query === null) return null;
    query.octets.writeUInt16BE(random(0x10000), 0);
    const octets = mutated(answerTo(query, question, random), random);
    received.push(octets);
    tally.packets += 1;
    if (!isResponseTo(query, octets)) return null;
    tally.answered += 1;
    const message = decodeMessage(octets);
    if (message !== null) tally.read += 1;
    return message;
  };
  /** As a look at one nameserver of acme.com reads it; null where a response cannot be read. */
  const look = (name: string, type: 'A' | 'TXT', stopAt?: string): RecordAnswer | null => {
    const chase = startChase(name, type, stopAt);
    for (;;) {
      const message = ask({ name: currentName(chase), type });
      const read = message === null ? null : readAnswer(message, chase, 'acme.com');
      if (message === null || read !== null) return read;
    }
  };
  const judge = (matched: boolean, holds: (octets: Buffer) => boolean) => {
    if (matched) tally.matches += 1;
    if (matched && !received.some(holds)) {
      throw new Error(`a false match with seed ${seed}: ${received.map((octets) => octets.toString('hex'))}`);
    }
    received = [];
  };

  while (tally.packets < packets) {
    const owned = look(OWNER, 'TXT');
    judge(owned?.kind === 'found' && owned.values.includes(VALUE), holdsValue);
    const routed = look(NAME, 'A', TARGET);
    judge(routed?.chain.includes(TARGET) ?? false, holdsTarget);
  }
  return tally;
}

function holdsValue(octets: Buffer): boolean {
  const answers = answersIn(octets);
  if (answers === null) return octets.includes(VALUE);
  return answers.some((answer) => {
    if (answer.type !== 'TXT') return false;
    const strings = [answer.data].flat().map((part) => Buffer.from(part));
    return Buffer.concat(strings).equals(Buffer.from(VALUE));
  });
}

function holdsTarget(octets: Buffer): boolean {
  const answers = answersIn(octets);
  const [label = ''] = TARGET.split('.');
  if (answers === null) return octets.toString('latin1').toLowerCase().includes(label);
  return answers.some((answer) => answer.type === 'CNAME' && answer.data.toLowerCase() === TARGET);
}

/**
 * The answers as read by dns-packet, which shares no code with ours; null where it fails at a record that we ignore.
 */
function answersIn(octets: Buffer): Answer[] | null {
  try {
    return packet.decode(octets).answers ?? [];
  } catch {
    return null;
  }
}

/** Almost always a wrong answer, but close to the right one. */
function answerTo(query: EncodedQuery, question: Question, random: (below: number) => number): Buffer {
  const answers = ALMOST[random(ALMOST.length)]?.(random) ?? [];
  const octets = packet.encode({
    type: 'response',
    id: query.octets.readUInt16BE(0),
    flags: packet.AUTHORITATIVE_ANSWER,
    questions: [question],
    answers,
  });
  return Buffer.from(octets);
}

const txt = (name: string, data: string | string[]): Answer => ({ type: 'TXT', name, data, ttl: 60 });
const cname = (name: string, data: string): Answer => ({ type: 'CNAME', name, data, ttl: 60 });

const ALMOST: ((random: (below: number) => number) => Answer[])[] = [
  () => [txt(OWNER, VALUE)],
  () => [cname(NAME, TARGET)],
  () => [txt(OWNER, `${VALUE.slice(0, -1)}K`)],
  () => [txt(OWNER, VALUE.toLowerCase())],
  () => [txt(OWNER, [VALUE.slice(0, 20), VALUE.slice(21)])],
  () => [txt(OWNER, `"${VALUE}"`)],
  () => [txt(`x${OWNER}`, VALUE)],
  () => [txt(OWNER, 'x'.repeat(250)), txt(OWNER, `${VALUE} `)],
  () => [cname(NAME, `${TARGET}s`)],
  () => [cname(NAME, TARGET.replace('k7', 'k8'))],
  () => [cname(`www.${NAME}`, TARGET)],
  () => [cname(NAME, 'a.acme.com'), cname('a.acme.com', 'b.acme.com'), cname('b.acme.com', NAME)],
  () => [{ type: 'A', name: NAME, data: '192.0.2.1', ttl: 60 }],
  (random) => Array.from({ length: random(40) }, (_, i) => txt(OWNER, `${i}`)),
];

/**
 * Up to four changes: octets overwritten, bits flipped, parts removed or duplicated, counts and pointers overwritten.
 */
function mutated(original: Buffer, random: (below: number) => number): Buffer {
  let octets = original;
  for (let changes = random(5); changes > 0; changes--) {
    // Mostly past the header and the question, or hardly any would count as an answer.
    const at = random(4) === 0 ? random(octets.length) : Math.min(octets.length - 1, 30 + random(octets.length));
    const length = random(30);
    switch (random(7)) {
      case 0:
        octets[at] = random(256);
        break;
      case 1:
        octets[at] = (octets[at] ?? 0) ^ (1 << random(8));
        break;
      case 2:
        octets = Buffer.concat([octets.subarray(0, at), octets.subarray(at + length)]);
        break;
      case 3:
        octets = Buffer.concat([octets.subarray(0, at), octets.subarray(at, at + length), octets.subarray(at)]);
        break;
      case 4:
        octets = octets.subarray(0, at);
        break;
      case 5:
        // A compression pointer to anywhere.
        if (at + 1 < octets.length) octets.writeUInt16BE(0xc000 | random(0x4000), at);
        break;
      default:
        if (octets.length >= 12) octets.writeUInt16BE(random(8) === 0 ? 0xffff : random(50), 4 + 2 * random(4));
    }
    if (octets.length === 0) return Buffer.from([0]);
  }
  return octets;
}

/** A seeded generator of whole numbers below a bound (mulberry32). */
function generator(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000) * below);
  };
}
