import { Agent, type ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { DialFailed, type Dialler, type TlsOptions } from '../../net/dialer.ts';

/**
 * Connections to origins, of HTTP/1.1. Node's agent would cost a request 10 µs more, and tell neither how long a connection has been idle nor
 * that bytes came over it that nobody asked for (docs/decisions/0013-edge-proxy.md).
 */
export interface Connections {
  /** One that is open and idle, and has not been idle for longer than this; null where there is none. */
  take(origin: string, idleMs: number): Connection | null;
  /** A new one. Rejects with `DialFailed`, `TooManyConnections`, or with the reason of the signal. */
  open(origin: string, signal: AbortSignal): Promise<Connection>;
  /** Puts back what was taken and not used. */
  putBack(connection: Connection): void;
  /** Closes what has been idle for too long. */
  prune(now: number): void;
  /** Closes what is idle, now and later. */
  stop(): void;
  counts(): { open: number; idle: number };
}

export interface ConnectionsOptions {
  dialler: Dialler;
  tls: TlsOptions;
  limits: { connections: number; connectionsPerOrigin: number };
  keepAliveMs: number;
}

/** There is no room for another connection: to this origin, or at all. */
export class TooManyConnections extends Error {
  override name = 'TooManyConnections';
}

interface Pool {
  /** Connections, also those that are being opened. */
  open: number;
  /** The one that became idle last is at the end: it is the likeliest to be open still. */
  idle: Connection[];
}

/** How much earlier than it says an origin is believed to close an idle connection. */
const MARGIN_MS = 1000;

/** An open connection. To Node's client it is an agent that has this one to give. */
export class Connection extends Agent {
  readonly origin: string;
  readonly socket: Socket;
  /** Requests were answered over it. Then an error may mean no more than that the origin closed what was idle. */
  isReused = false;
  /** Something came over it in answer to the request under way. */
  isAnswering = false;
  /** `performance.now()`; null while it is in use. */
  idleSince: number | null = null;
  keepAliveMs: number;

  constructor(origin: string, socket: Socket, keepAliveMs: number) {
    super({ keepAlive: true });
    this.origin = origin;
    this.socket = socket;
    this.keepAliveMs = keepAliveMs;
  }

  /** Called by Node for each request that has this agent. */
  addRequest(request: ClientRequest): void {
    this.isAnswering = false;
    request.onSocket(this.socket);
  }

  /** Heeds `Keep-Alive: timeout=…` of an origin: sent over a connection that it is about to close, a request would be lost. */
  heed(keepAlive: string | undefined): void {
    const seconds = keepAlive && /\btimeout=(\d{1,6})\b/i.exec(keepAlive)?.[1];
    if (seconds) this.keepAliveMs = Math.min(this.keepAliveMs, Number(seconds) * 1000 - MARGIN_MS);
  }
}

export function createConnections({ dialler, tls, limits, keepAliveMs }: ConnectionsOptions): Connections {
  const pools = new Map<string, Pool>();
  /** In the order in which they became idle. */
  const idle = new Set<Connection>();
  let open = 0;
  let stopped = false;

  /** Counts one more, in place of one that is idle where there are as many as there may be. */
  function enter(origin: string): Pool {
    const pool = pools.get(origin) ?? { open: 0, idle: [] };
    if (pool.open >= limits.connectionsPerOrigin) {
      const [eldest] = pool.idle;
      if (eldest === undefined) throw new TooManyConnections(`${pool.open} connections to the origin are in use.`);
      discard(eldest);
    } else if (open >= limits.connections) {
      const [eldest] = idle;
      if (eldest === undefined) throw new TooManyConnections(`${open} connections to origins are in use.`);
      discard(eldest);
    }
    pools.set(origin, pool);
    open += 1;
    pool.open += 1;
    return pool;
  }

  function leave(origin: string, pool: Pool): void {
    open -= 1;
    pool.open -= 1;
    if (pool.open === 0) pools.delete(origin);
  }

  async function dial(origin: string, signal: AbortSignal): Promise<Socket> {
    const url = new URL(origin);
    const isTls = url.protocol === 'https:';
    const target = { hostname: url.hostname, port: Number(url.port) || (isTls ? 443 : 80), signal };
    const socket = isTls
      ? await dialler.dialTls(target, { ...tls, ALPNProtocols: ['http/1.1'] })
      : await dialler.dial(target);
    return socket.setKeepAlive(true, 60_000);
  }

  async function openOne(origin: string, signal: AbortSignal): Promise<Connection> {
    const pool = enter(origin);
    let socket: Socket;
    try {
      socket = await dial(origin, signal);
      if (socket.destroyed) throw new DialFailed('unreachable', 'The connection was closed at once.');
    } catch (error) {
      leave(origin, pool);
      throw error;
    }
    const connection = new Connection(origin, socket, keepAliveMs);
    socket.on('error', ignore);
    socket.on('data', () => {
      connection.isAnswering = true;
      // An answer to nothing: whoever used the connection next would take it for theirs.
      if (connection.idleSince !== null) socket.destroy();
    });
    socket.on('free', () => {
      connection.isReused = true;
      rest(connection);
    });
    socket.once('close', () => {
      wake(connection);
      leave(origin, pool);
    });
    return connection;
  }

  /** Nobody uses it any more. */
  function rest(connection: Connection): void {
    if (connection.socket.destroyed) return;
    if (stopped || connection.keepAliveMs <= 0 || !connection.socket.writable) {
      connection.socket.destroy();
      return;
    }
    connection.idleSince = performance.now();
    idle.add(connection);
    pools.get(connection.origin)?.idle.push(connection);
  }

  /** It is idle no more. */
  function wake(connection: Connection): void {
    if (connection.idleSince === null) return;
    connection.idleSince = null;
    idle.delete(connection);
    const pool = pools.get(connection.origin)?.idle ?? [];
    pool.splice(pool.lastIndexOf(connection), 1);
  }

  function discard(connection: Connection): void {
    wake(connection);
    connection.socket.destroy();
  }

  return {
    take(origin, idleMs) {
      const last = pools.get(origin)?.idle.at(-1);
      if (last === undefined) return null;
      const idleFor = performance.now() - (last.idleSince ?? 0);
      if (idleFor > Math.min(idleMs, last.keepAliveMs) || !last.socket.writable) return null;
      wake(last);
      return last;
    },
    open: openOne,
    putBack: rest,
    prune(now) {
      for (const connection of idle) {
        const idleFor = now - (connection.idleSince ?? now);
        if (idleFor >= connection.keepAliveMs) discard(connection);
      }
    },
    stop() {
      stopped = true;
      for (const connection of idle) discard(connection);
    },
    counts: () => ({ open, idle: idle.size }),
  };
}

function ignore(): void {}
