import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EdgeLimits } from '../edge-limits.ts';
import type { Client } from './edge-client.ts';
import type { Asked } from './edge-exchange.ts';
import type { PageName } from './pages.ts';

/** One version of HTTP, on connections that were accepted elsewhere. */
export interface Speaker<Socket extends Duplex> {
  accept(socket: Socket, client: Client): void;
  /** Ends the connections that have no request under way; those of HTTP/2 that have one take no more. */
  closeIdle(): void;
  /** Looks after time limits no more. */
  stop(): void;
}

export interface SpeakerOptions {
  limits: EdgeLimits;
  onRequest(client: Client, asked: Asked): void;
  onUpgrade(client: Client, request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** What was sent never became a request. */
  onUnreadable(page: PageName): { requestId: string };
}
