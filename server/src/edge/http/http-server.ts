import type { Duplex } from 'node:stream';
import type { EdgeLimits } from '../edge-limits.ts';
import type { Client } from './edge-client.ts';
import type { Handler } from './handler.ts';

/** A server of one HTTP version, for connections that were accepted elsewhere. */
export interface HttpServer<Socket extends Duplex> {
  accept(socket: Socket, client: Client): void;
  /**
   * The next response on each connection, also on those that are accepted from now on, tells the client to open another
   * one.
   */
  drain(): void;
  /** While it drains: closes connections that have had no request in flight for so long. */
  closeIdle(idleMs: number): void;
  /** Stops checking time limits. */
  stop(): void;
}

export interface HttpServerOptions extends Pick<Handler, 'onRequest' | 'onUpgrade' | 'onUnreadable'> {
  limits: EdgeLimits;
}
