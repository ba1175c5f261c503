import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type Socket as Connection, createServer } from 'node:net';
import packet, { type Answer, type DecodedPacket } from 'dns-packet';
import type { Host } from './knot.ts';

/**
 * An authoritative nameserver that misbehaves as no real one does: it contradicts itself, publishes what zone files may
 * not contain, and answers what it was not asked. It has one zone, answers for it like any other, and differs where
 * `respond` says so.
 */
export interface HostileServer extends Host {
  /** Queries that arrived over UDP, TCP not counted. */
  queries(): number;
  close(): Promise<void>;
}

export interface HostileOptions {
  port: number;
  zone: string;
  /** Its content besides SOA and NS; the server calls it for every query. */
  records(): HostileRecord[];
  /** Changes an ordinary answer. */
  respond?(query: HostileQuery, ordinary: HostileResponse): HostileResponse | 'drop' | Buffer;
  /** Datagrams that reach the client before the response, some from an address that was not asked. */
  forge?(query: HostileQuery, response: Buffer): { octets: Buffer; from?: Socket }[];
  /** Answers nothing over TCP; connections are refused. */
  noTcp?: boolean;
}

/** Names in lower case, without a final dot. */
export interface HostileRecord {
  name: string;
  type: 'A' | 'AAAA' | 'CNAME' | 'TXT' | 'NS';
  data: string;
}

export interface HostileQuery {
  name: string;
  type: string;
  tcp: boolean;
  /** Address of the client. */
  from: string;
  /** The query itself. */
  octets: Buffer;
  /** How many queries with this name and type came from this client before. */
  before: number;
}

export interface HostileResponse {
  rcode?: 'NOERROR' | 'FORMERR' | 'SERVFAIL' | 'NXDOMAIN' | 'NOTIMP' | 'REFUSED';
  authoritative: boolean;
  truncated?: boolean;
  answers: (HostileRecord | 'soa')[];
  authorities: (HostileRecord | 'soa')[];
  additionals?: HostileRecord[];
}

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
const TTL_SECONDS = 60;

export async function startHostileServer(host: Host, options: HostileOptions): Promise<HostileServer> {
  const { port, forge = () => [] } = options;
  const counts = new Map<string, number>();
  let queries = 0;

  function answer(octets: Buffer, from: string, tcp: boolean): { query: HostileQuery; response: Buffer } | null {
    const message = packet.decode(octets);
    const question = message.questions?.[0];
    if (question === undefined) return null;
    const key = `${from} ${question.name.toLowerCase()} ${question.type}`;
    const before = counts.get(key) ?? 0;
    counts.set(key, before + 1);
    const query = { name: question.name.toLowerCase(), type: question.type, tcp, from, octets, before };
    const ordinary = ordinaryResponse(query, host, options);
    const response = options.respond?.(query, ordinary) ?? ordinary;
    if (response === 'drop') return null;
    return {
      query,
      response: Buffer.isBuffer(response) ? withId(response, octets) : encode(message, response, options),
    };
  }

  const udp = createSocket('udp4');
  udp.on('message', (octets: Buffer, from: RemoteInfo) => {
    queries += 1;
    const answered = answer(octets, from.address, false);
    if (answered === null) return;
    for (const forged of forge(answered.query, answered.response)) {
      (forged.from ?? udp).send(forged.octets, from.port, from.address);
    }
    udp.send(answered.response, from.port, from.address);
  });
  udp.bind(port, host.address);
  await once(udp, 'listening');
  const closeTcp = options.noTcp
    ? async () => {}
    : await listenTcp(host, port, (octets, from) => answer(octets, from, true)?.response);
  return {
    ...host,
    queries: () => queries,
    async close() {
      udp.close();
      await closeTcp();
    },
  };
}

function ordinaryResponse(
  { name, type }: HostileQuery,
  { host }: Host,
  { zone, records }: HostileOptions,
): HostileResponse {
  const content: HostileRecord[] = [{ name: zone, type: 'NS', data: host }, ...records()];
  if (name === zone && type === 'SOA') return { authoritative: true, answers: ['soa'], authorities: [] };
  const isOurs = name === zone || name.endsWith(`.${zone}`);
  if (!isOurs) return { rcode: 'REFUSED', authoritative: false, answers: [], authorities: [] };
  const here = content.filter((record) => record.name === name);
  const ofType = here.filter((record) => record.type === type);
  const answers = ofType.length > 0 ? ofType : here.filter((record) => record.type === 'CNAME');
  if (answers.length > 0) return { authoritative: true, answers, authorities: [] };
  const exists = name === zone || content.some((record) => record.name === name || record.name.endsWith(`.${name}`));
  return { rcode: exists ? 'NOERROR' : 'NXDOMAIN', authoritative: true, answers: [], authorities: ['soa'] };
}

function encode(query: DecodedPacket, response: HostileResponse, { zone }: HostileOptions): Buffer {
  const { rcode = 'NOERROR', authoritative, truncated = false, answers, authorities, additionals = [] } = response;
  const flags =
    (authoritative ? packet.AUTHORITATIVE_ANSWER : 0) |
    (truncated ? packet.TRUNCATED_RESPONSE : 0) |
    (query.flag_rd ? packet.RECURSION_DESIRED : 0);
  const toRecord = (record: HostileRecord | 'soa') => (record === 'soa' ? soa(zone) : toAnswer(record));
  return packet.encode({
    type: 'response',
    ...(query.id === undefined ? {} : { id: query.id }),
    flags: flags | RCODES.indexOf(rcode),
    questions: query.questions ?? [],
    answers: answers.map(toRecord),
    authorities: authorities.map(toRecord),
    additionals: additionals.map(toAnswer),
  });
}

function toAnswer({ name, type, data }: HostileRecord): Answer {
  if (type === 'TXT') return { name, type, ttl: TTL_SECONDS, data: [data] };
  return { name, type, ttl: TTL_SECONDS, data };
}

function soa(zone: string): Answer {
  const data = {
    mname: `ns.${zone}`,
    rname: `host.${zone}`,
    serial: 1,
    refresh: 3600,
    retry: 600,
    expire: 86_400,
    minimum: TTL_SECONDS,
  };
  return { name: zone, type: 'SOA', ttl: TTL_SECONDS, data };
}

/** The octets as a response to this query: only the id differs. */
export function withId(octets: Buffer, query: Buffer): Buffer {
  const response = Buffer.from(octets);
  query.copy(response, 0, 0, 2);
  return response;
}

async function listenTcp(host: Host, port: number, answer: (octets: Buffer, from: string) => Buffer | undefined) {
  const open = new Set<Connection>();
  const listener = createServer((connection) => {
    open.add(connection);
    connection.on('error', () => connection.destroy());
    connection.once('close', () => open.delete(connection));
    let held = Buffer.alloc(0);
    connection.on('data', (octets) => {
      held = Buffer.concat([held, octets]);
      if (held.length < 2 || held.length < 2 + held.readUInt16BE(0)) return;
      const response = answer(held.subarray(2), connection.remoteAddress ?? '');
      if (response === undefined) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      connection.end(Buffer.concat([length, response]));
    });
  });
  listener.listen(port, host.address);
  await once(listener, 'listening');
  return async () => {
    for (const connection of open) connection.destroy();
    await new Promise((resolve) => listener.close(resolve));
  };
}
