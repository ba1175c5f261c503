import type { Duplex } from 'node:stream';
import type { EdgeLimits } from '../edge-limits.ts';
import type { Client } from './edge-client.ts';
import type { Handler } from './handler.ts';

/** A server of one HTTP version, for connections that were accepted elsewhere. */
export interface HttpServer<Socket extends Duplex> {
  accept(socket: Socket, client: Client): void;
  /** Closes connections without a request in flight; those of HTTP/2 with one accept no more. */
  closeIdle(): void;
  /** Stops checking time limits. */
  stop(): void;
}

export interface HttpServerOptions extends Pick<Handler, 'onRequest' | 'onUpgrade' | 'onUnreadable'> {
  limits: EdgeLimits;
}
