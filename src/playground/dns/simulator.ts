import { isIPv4 } from 'node:net';
import packet, { type DecodedPacket } from 'dns-packet';
import { type Clock, systemClock } from '../../clock.ts';
import { type DnsTransport, listen } from './dns-listener.ts';
import { emptyResponse, encodeResponse, udpOctets } from './encode-response.ts';
import { parseName, parseRecord, parseType, RecordRefused, type SimulatedRecord } from './simulated-record.ts';
import {
  createZones,
  DEFAULT_NAMESERVER,
  type ResponseCode,
  type SimulatedResponse,
  type SimulatedZone,
} from './simulated-zones.ts';

/**
 * A DNS server on loopback, over UDP and TCP, for whatever names are set: the zone's own nameserver and the recursive
 * resolver in one. Names are taken in any case, with or without the final dot. What makes no sense throws
 * `RecordRefused`.
 */
export interface Simulator {
  readonly address: string;
  readonly port: number;

  /**
   * Replaces the name's records of that type. A value of TXT is one record. A name may begin with `*.`. `ALIAS` is
   * answered with the addresses of its value. `ttl` is in seconds, 60 unless given.
   */
  set(name: string, type: string, values: readonly string[], ttl?: number): void;
  /**
   * Removes the name's records of one type; without a type all of them, and its faults too. False when there was
   * nothing.
   */
  remove(name: string, type?: string): boolean;
  list(): SimulatedRecord[];

  /**
   * Makes `apex` a zone. Without it the zone of a name is its last two labels, and the simulator its only nameserver.
   */
  setZone(apex: string, nameservers?: readonly string[]): void;
  /** Leaves a zone to other nameservers: queries without RD for names in it are answered with a referral to them. */
  delegate(apex: string, nameservers: readonly string[]): void;

  /** Lets every query for exactly this name fail, until `unfail`. */
  fail(name: string, fault: Fault): void;
  /** Answers queries for exactly this name so much later. */
  delay(name: string, delayMs: number): void;
  /** Ends faults and delays of the name. False when there was nothing. */
  unfail(name: string): boolean;
  faults(): SimulatedFault[];

  /** The last queries, oldest first; at most 1,000. */
  log(): LoggedQuery[];
  /** Everything that was set, as plain JSON. */
  snapshot(): Snapshot;
  /** Replaces everything that was set. */
  restore(snapshot: Snapshot): void;
  close(): Promise<void>;
}

/**
 * `timeout`: no answer. `truncate`: over UDP only that the answer does not fit. `lame`: an answer without authority, as
 * from a server that was never told about the zone.
 */
export const FAULTS = ['servfail', 'timeout', 'refused', 'truncate', 'lame'] as const;
export type Fault = (typeof FAULTS)[number];

export interface SimulatedFault {
  name: string;
  fault: Fault | null;
  delayMs: number;
}

export interface LoggedQuery {
  /** Unix milliseconds. */
  at: number;
  /** Address and port of the asker. */
  from: string;
  transport: DnsTransport;
  name: string;
  type: string;
  /** `dropped`: no answer was sent. */
  rcode: ResponseCode | 'dropped';
}

export interface Snapshot {
  records: SimulatedRecord[];
  zones: SimulatedZone[];
  faults: SimulatedFault[];
}

export interface SimulatorOptions {
  /** 0: any port that is free. */
  port: number;
  /** A loopback address. 127.0.0.1 unless given. */
  host?: string;
  clock?: Clock;
}

const LOGGED_QUERIES = 1000;
const MAX_DELAY_MS = 60_000;

/** Rejects with the system's error when the port is taken. */
export async function startSimulator({
  port,
  host = '127.0.0.1',
  clock = systemClock,
}: SimulatorOptions): Promise<Simulator> {
  if (!isLoopback(host)) throw new Error(`The DNS simulator binds loopback only, not ${host}.`);
  let zones = createZones(host);
  let faults = new Map<string, SimulatedFault>();
  const log: LoggedQuery[] = [];
  const delayed = new Set<NodeJS.Timeout>();

  const listener = await listen(host, port, (octets, from, transport, send) => {
    const query = decodeQuery(octets);
    if (query === null) return;
    const [question] = query.questions ?? [];
    const name = question?.name.toLowerCase() ?? '.';
    const type = question?.type ?? 'NONE';
    const { fault, delayMs } = faults.get(name) ?? { fault: null, delayMs: 0 };
    const response = respond(query, name, type, fault);
    log.push({ at: clock.now(), from, transport, name: printable(name), type, rcode: response?.rcode ?? 'dropped' });
    if (log.length > LOGGED_QUERIES) log.shift();
    if (response === null) return;
    const limit = transport === 'tcp' ? 0xffff : udpOctets(query);
    const encoded = encodeResponse(query, response, limit, fault === 'truncate' && transport === 'udp');
    if (delayMs === 0) return send(encoded);
    const timer = setTimeout(() => {
      delayed.delete(timer);
      send(encoded);
    }, delayMs);
    delayed.add(timer);
  });

  function respond(query: DecodedPacket, name: string, type: string, fault: Fault | null): SimulatedResponse | null {
    if (opcodeOf(query) !== 0 || type === 'ANY') return emptyResponse('NOTIMP');
    if (query.questions?.length !== 1) return emptyResponse('FORMERR');
    switch (fault) {
      case 'timeout':
        return null;
      case 'servfail':
        return emptyResponse('SERVFAIL');
      case 'refused':
        return emptyResponse('REFUSED');
      case 'lame':
        return { ...emptyResponse('NOERROR'), authoritative: false };
      case 'truncate':
      case null:
        return zones.answer(name, type, query.flag_rd);
      default:
        return fault satisfies never;
    }
  }

  function setFault(name: string, change: Partial<SimulatedFault>): void {
    const parsed = parseName(name);
    faults.set(parsed, { fault: null, delayMs: 0, ...faults.get(parsed), ...change, name: parsed });
  }

  return {
    address: host,
    port: listener.port,
    set: (name, type, values, ttl) => zones.set(parseRecord(name, type, values, ttl)),
    remove(name, type) {
      const parsed = parseName(name);
      const removed = zones.remove(parsed, type === undefined ? undefined : parseType(type)) > 0;
      return (type === undefined && faults.delete(parsed)) || removed;
    },
    list: () => zones.list(),
    setZone: (apex, nameservers = [DEFAULT_NAMESERVER]) =>
      zones.setZone({ apex: parseName(apex), nameservers: nameservers.map(parseName), held: 'here' }),
    delegate: (apex, nameservers) =>
      zones.setZone({ apex: parseName(apex), nameservers: nameservers.map(parseName), held: 'delegated' }),
    fail: (name, fault) => setFault(name, { fault: parseFault(fault) }),
    delay: (name, delayMs) => setFault(name, { delayMs: parseDelay(delayMs) }),
    unfail: (name) => faults.delete(parseName(name)),
    faults: () => [...faults.values()],
    log: () => [...log],
    snapshot: () => structuredClone({ records: zones.list(), zones: zones.listZones(), faults: [...faults.values()] }),
    restore(snapshot) {
      const restored = createZones(host);
      for (const zone of snapshot.zones) restored.setZone({ ...zone });
      for (const { name, type, values, ttl } of snapshot.records) restored.set(parseRecord(name, type, values, ttl));
      zones = restored;
      faults = new Map(snapshot.faults.map((fault) => [fault.name, { ...fault }]));
    },
    async close() {
      for (const timer of delayed) clearTimeout(timer);
      await listener.close();
    },
  };
}

function isLoopback(host: string): boolean {
  return (isIPv4(host) && host.startsWith('127.')) || host === '::1';
}

function decodeQuery(octets: Buffer): DecodedPacket | null {
  try {
    const query = packet.decode(octets);
    return query.type === 'query' ? query : null;
  } catch {
    return null;
  }
}

/** Names in queries may hold any octets; the log is for people. */
function printable(name: string): string {
  return name.replaceAll(/[^!-~]/g, '?');
}

/** 0 is an ordinary query. */
function opcodeOf(query: DecodedPacket): number {
  return ((query.flags ?? 0) >> 11) & 0x0f;
}

function parseFault(fault: string): Fault {
  const known = FAULTS.find((one) => one === fault);
  if (known === undefined)
    throw new RecordRefused(`"${fault}" is not a fault the simulator knows: ${FAULTS.join(', ')}.`);
  return known;
}

function parseDelay(delayMs: number): number {
  if (!Number.isInteger(delayMs) || delayMs < 0 || delayMs > MAX_DELAY_MS) {
    throw new RecordRefused(`A delay is a number of milliseconds from 0 to ${MAX_DELAY_MS}, not ${delayMs}.`);
  }
  return delayMs;
}
