import { randomInt } from 'node:crypto';
import { createSocket, type RemoteInfo } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Failure } from '../../domain/reading.ts';
import { isResponseTo, type QueryAttempt } from '../protocol/query.ts';

/** Source ports to send from. A forger off the path must guess both the port and the id. */
interface UdpPorts {
  /** Sends from one of a few ports that are renewed all the time. */
  query(attempt: QueryAttempt): Promise<Buffer | UdpFailure>;
  /**
   * Sends from a new port that is closed afterwards. Each nameserver sees our shared ports, and could help to forge the
   * responses of another one.
   */
  queryFromNewPort(attempt: QueryAttempt): Promise<Buffer | UdpFailure>;
  /** Closes every port; queries in flight end as `timeout`. */
  close(): void;
}

/** Shared ports for each IP version. */
const SHARED_PORTS = 8;
/** A port is renewed after this many queries, after this time, or with this many in flight. */
const QUERIES_PER_PORT = 1000;
const PORT_LIFE_MS = 5_000;
/** So that ids stay hard to guess, and all responses fit into the socket's buffer: 208 KiB on Linux, up to 2.3 KiB each. */
const IN_FLIGHT_PER_PORT = 64;

export function udpPorts(events: UdpEvents): UdpPorts {
  const shared: Record<Family, (UdpPort | undefined)[]> = { udp4: [], udp6: [] };
  const open = new Set<UdpPort>();

  function openPort(family: Family): UdpPort {
    const onClosed = () => {
      open.delete(port);
      const slot = shared[family].indexOf(port);
      if (slot !== -1) shared[family][slot] = undefined;
    };
    const port = openUdpPort(family, onClosed, events);
    open.add(port);
    return port;
  }

  function sharedPort(family: Family): UdpPort {
    const slot = randomInt(SHARED_PORTS);
    const present = shared[family][slot];
    if (present !== undefined && present.sent < QUERIES_PER_PORT && present.inFlight < IN_FLIGHT_PER_PORT)
      return present;
    const port = openPort(family);
    shared[family][slot] = port;
    present?.retire();
    setTimeout(() => port.retire(), PORT_LIFE_MS).unref();
    return port;
  }

  return {
    query: (attempt) => sharedPort(familyOf(attempt)).query(attempt),
    queryFromNewPort(attempt) {
      const port = openPort(familyOf(attempt));
      const response = port.query(attempt);
      port.retire();
      return response;
    },
    close() {
      for (const port of [...open]) port.close();
    },
  };
}

function familyOf({ server }: QueryAttempt): Family {
  return isIPv6(server.address) ? 'udp6' : 'udp4';
}

type Family = 'udp4' | 'udp6';

/** One UDP source port, chosen at random by the operating system. */
interface UdpPort {
  /** Queries without a response so far. */
  readonly inFlight: number;
  /** Queries sent so far. */
  readonly sent: number;
  /**
   * Sends under a random id. Resolves with the response that has that id and question and comes from the server's address
   * and port. Ignores wrong ones, and resolves with `forged` at the third. Never rejects.
   */
  query(attempt: QueryAttempt): Promise<Buffer | UdpFailure>;
  /** Closes the port once nothing is in flight. Safe to call twice. */
  retire(): void;
  /** Closes the port; queries in flight end as `timeout`. */
  close(): void;
}

/** `forged`: somebody guesses, and the true response may be late or lost in the flood. */
export type UdpFailure = Failure | 'forged';

export interface UdpEvents {
  /** A response came from the address and port of a server, while it was asked, with an id or a question that no query has. */
  onForgery(address: string): void;
}

interface InFlight extends QueryAttempt {
  /** Wrong responses so far. */
  wrong: number;
  settle(result: Buffer | UdpFailure): void;
}

/** One wrong response may be a fault of the server. */
const MAX_WRONG = 3;

function openUdpPort(family: Family, onClosed: () => void, { onForgery }: UdpEvents): UdpPort {
  const socket = createSocket({
    type: family,
    // The server is always an address: the system's resolver must never be asked.
    lookup: (address, _options, done) => done(null, address, family === 'udp4' ? 4 : 6),
  });
  const inFlight = new Map<number, InFlight>();
  /** A response to an earlier query is late, and not forged. */
  const used = new Set<number>();
  let retired = false;
  let closed = false;

  socket.on('message', (octets, from) => {
    if (octets.length < 2) return;
    const id = octets.readUInt16BE(0);
    const match = inFlight.get(id);
    if (match !== undefined && isFrom(match, from) && isResponseTo(match.query, octets)) match.settle(octets);
    else if (match !== undefined || !used.has(id)) noteWrong(from);
  });
  // The socket could not be opened, or broke.
  socket.on('error', () => shut('unreachable'));

  function noteWrong(from: RemoteInfo): void {
    const guessed = [...inFlight.values()].filter((one) => isFrom(one, from));
    if (guessed.length > 0) onForgery(from.address);
    for (const one of guessed) if (++one.wrong === MAX_WRONG) one.settle('forged');
  }

  function shut(reason: Failure): void {
    if (closed) return;
    closed = true;
    for (const one of [...inFlight.values()]) one.settle(reason);
    socket.close();
    onClosed();
  }

  function unusedId(): number {
    let id = randomInt(0x10000);
    while (used.has(id)) id = randomInt(0x10000);
    used.add(id);
    return id;
  }

  return {
    get inFlight() {
      return inFlight.size;
    },
    get sent() {
      return used.size;
    },
    query: (attempt) =>
      new Promise((resolve) => {
        const { query, server, timeoutMs, signal } = attempt;
        if (closed || signal.aborted) return resolve('timeout');
        const id = unusedId();
        const expire = () => settle('timeout');
        const timer = setTimeout(expire, timeoutMs);
        const settle = (result: Buffer | UdpFailure) => {
          if (!inFlight.delete(id)) return;
          clearTimeout(timer);
          signal.removeEventListener('abort', expire);
          resolve(result);
          if (retired && inFlight.size === 0) shut('timeout');
        };
        signal.addEventListener('abort', expire);
        query.octets.writeUInt16BE(id, 0);
        inFlight.set(id, { ...attempt, wrong: 0, settle });
        socket.send(query.octets, server.port, server.address, (error) => {
          if (error !== null) settle('unreachable');
        });
      }),
    retire() {
      retired = true;
      if (inFlight.size === 0) shut('timeout');
    },
    close: () => shut('timeout'),
  };
}

function isFrom({ server }: QueryAttempt, from: RemoteInfo): boolean {
  return from.address === server.address && from.port === server.port;
}
