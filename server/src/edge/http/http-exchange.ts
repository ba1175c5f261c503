import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { OriginSettings } from '../../store/store.ts';

/** A request of a client, and the response to it. */
export interface ClientExchange {
  request: IncomingMessage | Http2ServerRequest;
  response: ServerResponse | Http2ServerResponse;
  /** The client waits for 100 (Continue) before it sends content, and none has been sent yet (`checkContinue`). */
  expectsContinue?: boolean;
}

/** Who sent a request, and where it goes. */
export interface RoutingInfo {
  /** In lower case, without a port. With TLS, the server name of the connection (SNI). */
  hostname: string;
  /** In origin form, or `*`; absolute form was converted. */
  path: string;
  /** Scheme of the client's request; trusted proxies may set it. */
  scheme: 'http' | 'https';
  /** Address of the client; trusted proxies may set it. */
  clientAddress: string;
  /** For `X-Forwarded-For`: the client, then the trusted proxies, the one that is connected to the edge last. */
  forwardedFor: readonly string[];
  requestId: string;
  /** `http://host[:port]` or `https://host[:port]`. */
  origin: string;
  /** How it is asked; null: in no special way. */
  settings: OriginSettings | null;
  /** Proves to the origin that the request came through the edge (`EDGE_SECRET`). */
  edgeSecret: string | null;
  /** These three are `OPERATOR` for the API. */
  workspaceId: string;
  domainId: string;
  environmentId: string;
  deploymentId: string;
  /** As `Site.usageNumber`. */
  usageNumber: number;
  /** The domain's external id, where its origin gets it. */
  externalId?: string;
  /** Value of `Strict-Transport-Security` in place of the origin's; null: the origin's is passed on. */
  hsts: string | null;
  /** Sent with requests to this program's own API: it proves that the edge forwards them (`FORWARDED_BY_EDGE`). */
  apiSecret?: string;
}

/** An exchange that is proxied to an origin. */
export interface ProxiedExchange extends ClientExchange, RoutingInfo {}

/** A request to switch to another protocol (RFC 9110 section 7.8), such as WebSocket. */
export interface UpgradeExchange extends RoutingInfo {
  request: IncomingMessage;
  socket: Duplex;
  /** Bytes that came right behind the request. */
  head: Buffer;
}
