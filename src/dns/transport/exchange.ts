import type { Query } from '../protocol/query.ts';

/** Where a DNS server listens. */
export interface Endpoint {
  /** IPv6 addresses in canonical text form. */
  address: string;
  port: number;
}

/** One message to one server, and its answer. */
export interface Exchange {
  query: Query;
  server: Endpoint;
  timeoutMs: number;
  signal: AbortSignal;
}

/** `octets` carry the id and the question of the query; nothing else about them has been checked. */
export type Exchanged = { kind: 'reply'; octets: Buffer } | { kind: 'failed'; reason: ExchangeFailure };

/**
 * `timeout`: no answer in time, or the signal ended. `unreachable`: nothing could be sent (no route, no IPv6,
 * connection refused). `malformed`: what came over TCP is no answer. `closed`: the client was closed.
 */
export type ExchangeFailure = 'timeout' | 'unreachable' | 'malformed' | 'closed';
