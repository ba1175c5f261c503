import type { Socket } from 'node:net';
import { clientNetwork } from '../base/client-network.ts';
import type { AddressRule } from './addresses.ts';

/**
 * Limits the open connections of a server. At the limit, a new connection closes the one that has been idle for
 * longest, of its own client network first. So clients that only hold connections open lose them, and clients that send
 * requests are served.
 */
interface ConnectionLimit {
  /**
   * Counts a new connection until it is closed. It is idle at first. `address`: of the client, unless it is the peer's.
   */
  add(socket: Socket, address?: string): void;
  /** A request has begun: until it ends, the connection is not closed for others. */
  busy(socket: Socket): void;
  /** The request has ended. */
  idle(socket: Socket): void;
}

interface ConnectionLimitOptions {
  total: number;
  perAddress: number;
  /** Trusted proxies carry many clients over few addresses: only `total` limits them. */
  isProxy: AddressRule;
  /** Called when the number of open connections changes. */
  onCount?(open: number): void;
}

/** The connections of one client network. A Set keeps the order in which its sockets became idle. */
interface Client {
  open: number;
  idle: Set<Socket>;
}

const client = Symbol('client');

interface CountedSocket extends Socket {
  [client]?: Client;
}

export function limitConnections({
  total,
  perAddress,
  isProxy,
  onCount = () => {},
}: ConnectionLimitOptions): ConnectionLimit {
  const clients = new Map<string, Client>();
  const allIdle = new Set<Socket>();
  let open = 0;

  function add(socket: CountedSocket, address = socket.remoteAddress ?? ''): void {
    const network = clientNetwork(address);
    const own = clients.get(network) ?? { open: 0, idle: new Set() };
    clients.set(network, own);
    socket[client] = own;
    own.open += 1;
    open += 1;
    onCount(open);
    idle(socket);
    socket.once('close', () => {
      busy(socket);
      open -= 1;
      onCount(open);
      own.open -= 1;
      if (own.open === 0) clients.delete(network);
    });
    if (own.open > perAddress && !isProxy(address)) closeLongestIdle(own.idle);
    else if (open > total) closeLongestIdle(allIdle);
  }

  function busy(socket: CountedSocket): void {
    allIdle.delete(socket);
    socket[client]?.idle.delete(socket);
  }

  function idle(socket: CountedSocket): void {
    if (socket.destroyed) return;
    allIdle.add(socket);
    socket[client]?.idle.add(socket);
  }

  return { add, busy, idle };
}

/** Where all others are busy, this is the new connection itself. */
function closeLongestIdle(idle: Set<Socket>): void {
  const [socket] = idle;
  socket?.destroy();
}
