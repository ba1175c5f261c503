import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { offer } from '../part.ts';
import { addressOf, NAMESERVERS, nameserversOf, recordsOf } from '../zone.ts';

/**
 * A nameserver of the least work, for every zone `z<number>.test`, and the recursive resolver that leads there. It
 * reads no more of a query than its question, and writes answers octet by octet: a real one would be the bottleneck of
 * what is measured.
 *
 * Names that begin with `www` are verified: they have both records. Of the others, `absent`: no record is there.
 * `wrong`: at each question another wrong TXT value, and an address where the CNAME should be.
 */
const methods = {
  async start(records: Unpublished): Promise<number> {
    unpublished = records;
    const resolver = await bind('127.0.0.1', 0);
    const { port } = resolver.address();
    for (let i = 0; i < NAMESERVERS; i++) sockets.push(await bind(addressOf(i), port));
    return port;
  },

  /** From now on both records of the domain are there. Resolves with the time, Unix ms. */
  publish(domain: { name: string; target: string; token: string }): number {
    published.set(domain.name, domain);
    return Date.now();
  },

  /** From now on responses come after so many milliseconds; null: never. The resolver answers at once. */
  delay(ms: number | null): void {
    delayMs = ms;
  },

  /**
   * When the ownership record of each name was asked for, Unix ms, since this was last called. The first call only
   * begins it.
   */
  asked(): { [name: string]: number[] } {
    const before = asked;
    asked = new Map();
    return Object.fromEntries(before ?? []);
  },
};

type Unpublished = 'absent' | 'wrong';

const published = new Map<string, { target: string; token: string }>();
const sockets: Socket[] = [];
let unpublished: Unpublished = 'absent';
let delayMs: number | null = 0;
let wrongValues = 0;
let asked: Map<string, number[]> | undefined;

const A = 1;
const NS = 2;
const CNAME = 5;
const SOA = 6;
const TXT = 16;
const NXDOMAIN = 3;
const TTL_SECONDS = 3600;

async function bind(address: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
  const isResolver = port === 0;
  socket.on('message', (query, from) => {
    const send = () => socket.send(answer(query), from.port, from.address);
    if (isResolver || delayMs === 0) send();
    else if (delayMs !== null) setTimeout(send, delayMs);
  });
  socket.bind(port, address);
  await once(socket, 'listening');
  return socket;
}

interface Record {
  owner: string;
  type: number;
  data: Buffer;
}

function answer(query: Buffer): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const { rcode, answers, denied } = lookUp(labels, type);
  const head = Buffer.from(query.subarray(0, at + 5));
  // A response with authority, to one question, without additional records.
  head.writeUInt16BE(0x8480 | rcode, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(answers.length, 6);
  head.writeUInt16BE(denied === null ? 0 : 1, 8);
  head.writeUInt16BE(0, 10);
  const authority = denied === null ? [] : [{ owner: denied, type: SOA, data: soaData }];
  return Buffer.concat([head, ...[...answers, ...authority].map(encode)]);
}

interface Found {
  rcode: number;
  answers: Record[];
  /** The zone that says that there is no such record. */
  denied: string | null;
}

function lookUp(labels: string[], type: number): Found {
  const name = labels.join('.');
  const found = (...answers: Record[]): Found => ({ rcode: 0, answers, denied: null });
  const [, nameserver] = /^ns(\d+)\.dns\.test$/.exec(name) ?? [];
  if (nameserver !== undefined) {
    if (type !== A) return { rcode: 0, answers: [], denied: 'dns.test' };
    return found({ owner: name, type: A, data: Buffer.from(addressOf(Number(nameserver)).split('.').map(Number)) });
  }
  if (name === 'test' && type === NS) return found({ owner: name, type: NS, data: nameData('ns0.dns.test') });
  const [, below = '', zone, number] = /^(?:(.*)\.)?(z(\d+)\.test)$/.exec(name) ?? [];
  if (zone === undefined) return { rcode: NXDOMAIN, answers: [], denied: 'test' };
  const nodata: Found = { rcode: 0, answers: [], denied: zone };
  if (below === '') {
    const servers = nameserversOf(Number(number)).map((server) => nameData(`ns${server}.dns.test`));
    return type === NS ? found(...servers.map((data) => ({ owner: zone, type: NS, data }))) : nodata;
  }
  const isOwnership = below.startsWith('_service.');
  if (isOwnership && type === TXT && !below.endsWith('.test')) note(name.slice('_service.'.length));
  const host = isOwnership ? name.slice('_service.'.length) : name;
  const there = published.get(host) ?? (below.endsWith('www') ? recordsOf(host) : undefined);
  if (there !== undefined) {
    if (!isOwnership) return found({ owner: name, type: CNAME, data: nameData(there.target) });
    return type === TXT
      ? found({ owner: name, type: TXT, data: textData(`service-domain-verify=${there.token}`) })
      : nodata;
  }
  if (unpublished === 'absent' || below.endsWith('.test')) return { rcode: NXDOMAIN, answers: [], denied: zone };
  if (type === TXT) return found({ owner: name, type: TXT, data: textData(`wrong-${++wrongValues}`) });
  return type === A ? found({ owner: name, type: A, data: Buffer.from([192, 0, 2, 1]) }) : nodata;
}

function note(name: string): void {
  const times = asked?.get(name);
  if (times === undefined) asked?.set(name, [Date.now()]);
  else times.push(Date.now());
}

function encode({ owner, type, data }: Record): Buffer {
  const name = nameData(owner);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(TTL_SECONDS, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, fixed, data]);
}

function nameData(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function textData(text: string): Buffer {
  return Buffer.from(`${String.fromCharCode(text.length)}${text}`, 'latin1');
}

const soaData = Buffer.concat([nameData('ns.test'), nameData('hostmaster.test'), Buffer.alloc(20)]);

export type Nameserver = typeof methods;
offer(methods);
