import { Agent, type ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { DialError, type Dialer, type DialTlsOptions } from './dialer.ts';

/**
 * Connections to origins, HTTP/1.1. Node's agent would cost a request 10 µs more, and shows neither how long a
 * connection has been idle nor that unrequested bytes arrived on it (docs/internals/decisions/0013-edge-proxy.md).
 */
export interface OriginConnections {
  /** An open connection that has been idle for at most `maxIdleMs`; null: there is none. */
  take(target: OriginTarget, maxIdleMs: number): OriginConnection | null;
  /** A new connection. Rejects with `DialError`, `TooManyConnections`, or with the reason of the signal. */
  open(target: OriginTarget, signal: AbortSignal): Promise<OriginConnection>;
  /** Returns a connection that was not used. */
  putBack(connection: OriginConnection): void;
  /** Closes connections that have been idle for too long. */
  prune(now: number): void;
  /** Closes idle connections, and others once they become idle. */
  stop(): void;
  counts(): { open: number; idle: number };
}

/** Where connections lead. */
export interface OriginTarget {
  /** `http://host[:port]` or `https://host[:port]`. */
  origin: string;
  /** A connection is used again only for a target with the same key: a client certificate is part of it. */
  key: string;
  /** For an https origin, besides the options of all. */
  tls?: DialTlsOptions;
}

export interface OriginConnectionsOptions {
  dialer: Dialer;
  tls: DialTlsOptions;
  limits: { connections: number; connectionsPerOrigin: number; keepAliveMs: number };
}

/** A limit on connections is reached: of this origin, or of all. */
export class TooManyConnections extends Error {
  override name = 'TooManyConnections';
}

interface Pool {
  /** Connections open and opening. */
  open: number;
  /** The most recently used is last. */
  idle: OriginConnection[];
}

/** How much before the timeout that an origin announces its idle connections are closed. */
const MARGIN_MS = 1000;

/** An open connection; to Node's client, an agent with this one connection. */
export class OriginConnection extends Agent {
  /** The key of its target. */
  readonly key: string;
  readonly socket: Socket;
  /** A request was completed on it. A later error may only mean that the origin closed it while idle. */
  isReused = false;
  /** Bytes have arrived since the current request was sent. */
  isResponding = false;
  /** `performance.now()`; null while in use. */
  idleSince: number | null = null;
  keepAliveMs: number;

  constructor(key: string, socket: Socket, keepAliveMs: number) {
    super({ keepAlive: true });
    this.key = key;
    this.socket = socket;
    this.keepAliveMs = keepAliveMs;
  }

  /** Called by Node for each request that has this agent. */
  addRequest(request: ClientRequest): void {
    this.isResponding = false;
    request.onSocket(this.socket);
  }

  /**
   * Applies an origin's `Keep-Alive: timeout=…`: a request on a connection that the origin is closing would be lost.
   */
  applyKeepAlive(keepAlive: string | undefined): void {
    const seconds = keepAlive && /\btimeout=(\d{1,6})\b/i.exec(keepAlive)?.[1];
    if (seconds) this.keepAliveMs = Math.min(this.keepAliveMs, Number(seconds) * 1000 - MARGIN_MS);
  }
}

export function createOriginConnections({ dialer, tls, limits }: OriginConnectionsOptions): OriginConnections {
  const pools = new Map<string, Pool>();
  /** The least recently used is first. */
  const idle = new Set<OriginConnection>();
  let open = 0;
  let stopped = false;

  /** Counts one more; at a limit, closes the least recently used idle connection. */
  function acquire(key: string): Pool {
    const pool = pools.get(key) ?? { open: 0, idle: [] };
    if (pool.open >= limits.connectionsPerOrigin) {
      const [oldest] = pool.idle;
      if (oldest === undefined) throw new TooManyConnections(`${pool.open} connections to the origin are in use.`);
      close(oldest);
    } else if (open >= limits.connections) {
      const [oldest] = idle;
      if (oldest === undefined) throw new TooManyConnections(`${open} connections to origins are in use.`);
      close(oldest);
    }
    pools.set(key, pool);
    open += 1;
    pool.open += 1;
    return pool;
  }

  function release(key: string, pool: Pool): void {
    open -= 1;
    pool.open -= 1;
    if (pool.open === 0) pools.delete(key);
  }

  async function dial({ origin, tls: own }: OriginTarget, signal: AbortSignal): Promise<Socket> {
    const url = new URL(origin);
    const isTls = url.protocol === 'https:';
    const target = { hostname: url.hostname, port: Number(url.port) || (isTls ? 443 : 80), signal };
    const socket = isTls
      ? await dialer.dialTls(target, { ...tls, ...own, ALPNProtocols: ['http/1.1'] })
      : await dialer.dial(target);
    return socket.setKeepAlive(true, 60_000);
  }

  async function openOne(to: OriginTarget, signal: AbortSignal): Promise<OriginConnection> {
    const pool = acquire(to.key);
    let socket: Socket;
    try {
      socket = await dial(to, signal);
      if (socket.destroyed) throw new DialError('unreachable', 'The connection was closed at once.');
    } catch (error) {
      release(to.key, pool);
      throw error;
    }
    const connection = new OriginConnection(to.key, socket, limits.keepAliveMs);
    socket.on('error', ignore);
    socket.on('data', () => {
      connection.isResponding = true;
      // The next request on the connection would take these bytes for its response.
      if (connection.idleSince !== null) socket.destroy();
    });
    socket.on('free', () => {
      connection.isReused = true;
      keep(connection);
    });
    socket.once('close', () => {
      removeIdle(connection);
      release(to.key, pool);
    });
    return connection;
  }

  function keep(connection: OriginConnection): void {
    if (connection.socket.destroyed) return;
    if (stopped || connection.keepAliveMs <= 0 || !connection.socket.writable) {
      connection.socket.destroy();
      return;
    }
    connection.idleSince = performance.now();
    idle.add(connection);
    pools.get(connection.key)?.idle.push(connection);
  }

  function removeIdle(connection: OriginConnection): void {
    if (connection.idleSince === null) return;
    connection.idleSince = null;
    idle.delete(connection);
    const pool = pools.get(connection.key)?.idle ?? [];
    pool.splice(pool.lastIndexOf(connection), 1);
  }

  function close(connection: OriginConnection): void {
    removeIdle(connection);
    connection.socket.destroy();
  }

  return {
    take({ key }, maxIdleMs) {
      const last = pools.get(key)?.idle.at(-1);
      if (last === undefined) return null;
      const idleMs = performance.now() - (last.idleSince ?? 0);
      if (idleMs > Math.min(maxIdleMs, last.keepAliveMs) || !last.socket.writable) return null;
      removeIdle(last);
      return last;
    },
    open: openOne,
    putBack: keep,
    prune(now) {
      for (const connection of idle) {
        const idleMs = now - (connection.idleSince ?? now);
        if (idleMs >= connection.keepAliveMs) close(connection);
      }
    },
    stop() {
      stopped = true;
      for (const connection of idle) close(connection);
    },
    counts: () => ({ open, idle: idle.size }),
  };
}

function ignore(): void {}
