import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Exchange, Exchanged } from './exchange.ts';
import { type Family, openUdpPort, type UdpPort } from './udp-port.ts';

/** Source ports to send from. A forger off the path must guess the port that was picked and the id on it. */
export interface UdpPorts {
  /** Sends from one of a few ports that are renewed all the time. */
  exchange(exchange: Exchange): Promise<Exchanged>;
  /**
   * Sends from a port that is new and is closed afterwards. Each nameserver that we ask sees our shared ports, and
   * could tell them to whoever wants to forge the answers of another.
   */
  exchangeFromNewPort(exchange: Exchange): Promise<Exchanged>;
  /** Ends what is open and closes every port. */
  close(): void;
}

/** Shared ports for each IP version. */
const SHARED_PORTS = 8;
/** A port is renewed after this many queries, after this time, or when this many are open. */
const QUERIES_PER_PORT = 1000;
const PORT_LIFE_MS = 30_000;
/** So that ids stay hard to guess, and that all answers fit into the socket's buffer: 208 KiB on Linux, where one takes up to 2.3. */
const WAITING_PER_PORT = 64;

export function udpPorts(): UdpPorts {
  const shared: Record<Family, (UdpPort | undefined)[]> = { udp4: [], udp6: [] };
  const open = new Set<UdpPort>();

  function openPort(family: Family): UdpPort {
    const port = openUdpPort(family, () => {
      open.delete(port);
      const slot = shared[family].indexOf(port);
      if (slot !== -1) shared[family][slot] = undefined;
    });
    open.add(port);
    return port;
  }

  function sharedPort(family: Family): UdpPort {
    const slot = randomInt(SHARED_PORTS);
    const present = shared[family][slot];
    if (present !== undefined && present.sent < QUERIES_PER_PORT && present.waiting < WAITING_PER_PORT) return present;
    const port = openPort(family);
    shared[family][slot] = port;
    present?.retire();
    setTimeout(() => port.retire(), PORT_LIFE_MS).unref();
    return port;
  }

  return {
    exchange: (exchange) => sharedPort(familyOf(exchange)).exchange(exchange),
    exchangeFromNewPort(exchange) {
      const port = openPort(familyOf(exchange));
      const exchanged = port.exchange(exchange);
      port.retire();
      return exchanged;
    },
    close() {
      for (const port of [...open]) port.close();
    },
  };
}

function familyOf({ server }: Exchange): Family {
  return isIPv6(server.address) ? 'udp6' : 'udp4';
}
