import { isIPv4 } from 'node:net';
import packet, { type DecodedPacket } from 'dns-packet';
import { type Clock, systemClock } from '../../server/src/base/clock.ts';
import { type DnsTransport, listen } from './dns-listener.ts';
import { emptyResponse, encodeResponse, udpOctets } from './encode-response.ts';
import { FAULTS, type Fault, type SimulatedFault } from './simulated-fault.ts';
import { InvalidRecord, parseName, parseRecord, parseType, type SimulatedRecord } from './simulated-record.ts';
import {
  createZones,
  DEFAULT_NAMESERVER,
  type ResponseCode,
  type SimulatedResponse,
  type SimulatedZone,
} from './simulated-zones.ts';

/**
 * A DNS server on loopback, over UDP and TCP: authoritative nameserver and recursive resolver in one. Names may be in
 * any case, with or without the final dot. Methods throw `InvalidRecord` for invalid arguments.
 */
export interface Simulator {
  readonly address: string;
  readonly port: number;

  /**
   * Replaces the name's records of that type with one record for each value. A name may begin with `*.`. `ttl`:
   * seconds, 60 by default.
   */
  set(name: string, type: string, values: readonly string[], ttl?: number): void;
  /** Removes the name's records of one type; without a type, all of them and its faults. False if there was nothing. */
  remove(name: string, type?: string): boolean;
  list(): SimulatedRecord[];

  /**
   * Makes `apex` a zone. By default the zone of a name is its last two labels, with the simulator as its only
   * nameserver.
   */
  setZone(apex: string, nameservers?: readonly string[]): void;
  /** Delegates a zone to other nameservers: queries without RD for names in it get a referral to them. */
  delegate(apex: string, nameservers: readonly string[]): void;
  /** The apexes of the zones that were made or have records, sorted. */
  zones(): string[];

  /** Makes every query for exactly this name fail, until `unfail`. */
  fail(name: string, fault: Fault): void;
  /** Delays responses to queries for exactly this name. */
  delay(name: string, delayMs: number): void;
  /** Removes faults and delays of the name. False if there was nothing. */
  unfail(name: string): boolean;
  faults(): SimulatedFault[];

  /** The latest queries, oldest first; at most 1,000. */
  log(): LoggedQuery[];
  /** Calls `prepare` before each answer, and waits for it unless it returns null. */
  beforeAnswers(prepare: (name: string) => Promise<void> | null): void;
  /** Everything that was set, as plain JSON. */
  snapshot(): Snapshot;
  /** Replaces everything that was set. */
  restore(snapshot: Snapshot): void;
  close(): Promise<void>;
}

export interface LoggedQuery {
  /** Unix milliseconds. */
  at: number;
  /** Address and port of the client. */
  from: string;
  transport: DnsTransport;
  name: string;
  type: string;
  /** `dropped`: no response was sent. */
  rcode: ResponseCode | 'dropped';
}

export interface Snapshot {
  records: SimulatedRecord[];
  zones: SimulatedZone[];
  faults: SimulatedFault[];
}

interface SimulatorOptions {
  /** 0: any port that is free. */
  port: number;
  /** A loopback address; 127.0.0.1 by default. */
  host?: string;
  clock?: Clock;
}

/** An Extended DNS Error (RFC 8914 section 4.7). */
const DNSSEC_BOGUS = 6;
const LOGGED_QUERIES = 1000;
const MAX_DELAY_MS = 60_000;

/** Rejects with the system's error if the port is in use. */
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
  let prepare: (name: string) => Promise<void> | null = () => null;

  const listener = await listen(host, port, (octets, from, transport, send) => {
    const query = decodeQuery(octets);
    if (query === null) return;
    const [question] = query.questions ?? [];
    const name = question?.name.toLowerCase() ?? '.';
    const proceed = () => answer(query, name, question?.type ?? 'NONE', from, transport, send);
    const prepared = prepare(name);
    if (prepared === null) proceed();
    else prepared.then(proceed, proceed);
  });

  function answer(
    query: DecodedPacket,
    name: string,
    type: string,
    from: string,
    transport: DnsTransport,
    send: (octets: Buffer) => void,
  ): void {
    const { fault, delayMs } = faults.get(name) ?? { fault: null, delayMs: 0 };
    const response = respond(query, name, type, fault);
    log.push({ at: clock.now(), from, transport, name: printable(name), type, rcode: response?.rcode ?? 'dropped' });
    if (log.length > LOGGED_QUERIES) log.shift();
    if (response === null) return;
    const limit = transport === 'tcp' ? 0xffff : udpOctets(query);
    const encoded = encodeResponse(query, response, limit, fault === 'truncate' && transport === 'udp');
    if (delayMs === 0) {
      send(encoded);
      return;
    }
    const timer = setTimeout(() => {
      delayed.delete(timer);
      send(encoded);
    }, delayMs);
    delayed.add(timer);
  }

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
      case 'bogus':
        return query.flag_rd && !query.flag_cd
          ? { ...emptyResponse('SERVFAIL'), error: DNSSEC_BOGUS }
          : zones.answer(name, type, query.flag_rd);
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
    zones: () => zones.apexes(),
    fail: (name, fault) => setFault(name, { fault: parseFault(fault) }),
    delay: (name, delayMs) => setFault(name, { delayMs: parseDelay(delayMs) }),
    unfail: (name) => faults.delete(parseName(name)),
    faults: () => [...faults.values()],
    log: () => [...log],
    beforeAnswers(before) {
      prepare = before;
    },
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

/** Names in queries may contain any octets. */
function printable(name: string): string {
  return name.replaceAll(/[^!-~]/g, '?');
}

/** 0 is an ordinary query. */
function opcodeOf(query: DecodedPacket): number {
  return ((query.flags ?? 0) >> 11) & 0x0f;
}

function parseFault(fault: string): Fault {
  const found = FAULTS.find((each) => each === fault);
  if (found !== undefined) return found;
  throw new InvalidRecord(`"${fault}" is not a fault. Use one of ${FAULTS.join(', ')}.`);
}

function parseDelay(delayMs: number): number {
  if (!Number.isInteger(delayMs) || delayMs < 0 || delayMs > MAX_DELAY_MS) {
    throw new InvalidRecord(`A delay must be 0 to ${MAX_DELAY_MS} milliseconds, not ${delayMs}.`);
  }
  return delayMs;
}
