import type { Socket } from 'node:net';
import { network } from '../access/failure-limit.ts';
import type { AddressRule } from './addresses.ts';

/**
 * Bounds the connections of a server. One that is over the bound costs the connection that has waited longest for a request, its own address's
 * first: so whoever only holds connections open loses them, and whoever sends requests is answered.
 */
export interface Connections {
  /** Counts a new connection, which waits for a request, until it is closed. */
  hold(socket: Socket): void;
  /** A request has begun on the connection; it is not closed for others meanwhile. */
  busy(socket: Socket): void;
  /** The request was answered. */
  waits(socket: Socket): void;
}

export interface ConnectionBounds {
  total: number;
  perAddress: number;
}

export interface ConnectionRules {
  /** Those bring everybody's requests over few addresses; only the total bounds them. */
  isProxy: AddressRule;
  /** Told whenever the number of open connections has changed. */
  onCount(open: number): void;
}

/** The connections from one address. Sets keep the order in which their sockets began to wait. */
interface Party {
  open: number;
  waiting: Set<Socket>;
}

const party = Symbol('party');

interface HeldSocket extends Socket {
  [party]?: Party;
}

export function boundConnections(bounds: ConnectionBounds, { isProxy, onCount }: ConnectionRules): Connections {
  const parties = new Map<string, Party>();
  const waiting = new Set<Socket>();
  let open = 0;

  function partyOf(address: string): Party {
    const known = parties.get(address);
    if (known !== undefined) return known;
    const made = { open: 0, waiting: new Set<Socket>() };
    parties.set(address, made);
    return made;
  }

  function hold(socket: HeldSocket): void {
    const { remoteAddress = '' } = socket;
    const address = network(remoteAddress);
    const mine = partyOf(address);
    socket[party] = mine;
    mine.open += 1;
    open += 1;
    onCount(open);
    waits(socket);
    socket.once('close', () => {
      busy(socket);
      open -= 1;
      onCount(open);
      mine.open -= 1;
      if (mine.open === 0) parties.delete(address);
    });
    if (mine.open > bounds.perAddress && !isProxy(remoteAddress)) closeEldest(mine.waiting);
    else if (open > bounds.total) closeEldest(waiting);
  }

  function busy(socket: HeldSocket): void {
    waiting.delete(socket);
    socket[party]?.waiting.delete(socket);
  }

  function waits(socket: HeldSocket): void {
    if (socket.destroyed) return;
    waiting.add(socket);
    socket[party]?.waiting.add(socket);
  }

  return { hold, busy, waits };
}

/** Where all others are busy, the eldest is the one that has just come. */
function closeEldest(waiting: Set<Socket>): void {
  for (const socket of waiting) {
    socket.destroy();
    return;
  }
}
