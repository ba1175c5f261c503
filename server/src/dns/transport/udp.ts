import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { QueryAttempt } from './query-attempt.ts';
import { type Family, openUdpPort, type UdpEvents, type UdpFailure, type UdpPort } from './udp-port.ts';

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
