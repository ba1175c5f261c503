import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Duplex } from 'node:stream';

/** A request that has a route, on its way to the origin. */
export interface Routed {
  /** Its name is the connection's (SNI) where there is TLS. In lower case, without a port. */
  hostname: string;
  /** In origin form, or `*`: what was asked for in absolute form has become that. */
  path: string;
  /** As the client has used it, also where a trusted proxy said so. */
  scheme: 'http' | 'https';
  /** Address of the client, also where a trusted proxy said so. */
  clientAddress: string;
  /** For `X-Forwarded-For`: the client, then the trusted proxies that the request came through, the one that is connected to us last. */
  forwardedFor: readonly string[];
  requestId: string;
  /** `http://host[:port]` or `https://host[:port]`. */
  origin: string;
  environmentId: string;
  /** Of which the origin is; another one means that connections to it may be let go of. */
  deploymentId: string;
}

export interface Exchange extends Routed {
  request: IncomingMessage | Http2ServerRequest;
  response: ServerResponse | Http2ServerResponse;
  /** The client waits for 100 (Continue) before it sends content, and nobody has told it to go on yet (`checkContinue`). */
  expectsContinue?: boolean;
}

/** A request whose destination is not known yet. */
export type Asked = Pick<Exchange, 'request' | 'response' | 'expectsContinue'>;

/** A request that wants to speak another protocol (RFC 9110 section 7.8), such as WebSocket. */
export interface UpgradeExchange extends Routed {
  request: IncomingMessage;
  socket: Duplex;
  /** What came right behind the request. */
  head: Buffer;
}

/** Speaks with origins. Whatever goes wrong there is answered with one of `pages.ts`. */
export interface Forwarder {
  forward(exchange: Exchange): void;
  upgrade(exchange: UpgradeExchange): void;
  /** What there is now: requests and tunnels under way, connections to origins. */
  counts(): { requests: number; tunnels: number; connections: number; idleConnections: number };
  /** Lets go of the connections to origins that nobody uses. */
  stop(): Promise<void>;
}
