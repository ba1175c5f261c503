import type { Brand } from '../../domain/brand.ts';
import type { OriginConnections } from '../../net/origin-connections.ts';
import type { ProxiedExchange, UpgradeExchange } from '../http/http-exchange.ts';
import type { OriginFailure } from './origin-failure.ts';

/** Limits on origins; see docs/guides/edge.md. */
export interface ProxyLimits {
  /** Connections to all origins, and to each. */
  connections: number;
  connectionsPerOrigin: number;
  /** Header fields of a response. */
  responseHeaderBytes: number;
  /** How long idle connections are kept; less where the origin says so (`Keep-Alive`). */
  keepAliveMs: number;
  /** From the request to the response. */
  responseMs: number;
  /** Between two chunks of a response. */
  silenceMs: number;
  /** A client stops reading the response. */
  unreadMs: number;
  /** A tunnel without traffic; `halfOpenMs` once one end has closed its side. */
  tunnelMs: number;
  halfOpenMs: number;
}

export const PROXY_LIMITS: ProxyLimits = {
  connections: 20_000,
  connectionsPerOrigin: 2000,
  responseHeaderBytes: 32_768,
  keepAliveMs: 60_000,
  responseMs: 60_000,
  silenceMs: 300_000,
  unreadMs: 60_000,
  tunnelMs: 3_600_000,
  halfOpenMs: 30_000,
};

/** Bytes of content from the client to an origin, and back, for `Site.usageNumber`. */
export type CountBytes = (usageNumber: number, bytesIn: number, bytesOut: number) => void;

/** Shared by the requests and tunnels of one proxy. */
export interface ProxyContext<Self> {
  connections: OriginConnections;
  limits: ProxyLimits;
  /** For `Via` (`viaPseudonym`). */
  installation: string;
  /** The brand of pages for a workspace. Never rejects. */
  findBrand(workspaceId: string): Promise<Brand | null>;
  /** Notes what may be a fault of the origin, whose response is passed on. */
  onSuspicion(exchange: ProxiedExchange | UpgradeExchange, suspicion: OriginFailure): void;
  /** Called for content that has passed since the last call. */
  onBytes: CountBytes;
  /** `failure`: the origin's failure; null: there was none. */
  onEnd(self: Self, failure: OriginFailure | null): void;
}
