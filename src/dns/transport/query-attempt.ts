import type { EncodedQuery } from '../protocol/query.ts';

export interface ServerAddress {
  /** IPv6 addresses in canonical text form. */
  address: string;
  port: number;
}

/** One query to one server. */
export interface QueryAttempt {
  query: EncodedQuery;
  server: ServerAddress;
  timeoutMs: number;
  /** Ends the attempt as `timeout`. */
  signal: AbortSignal;
}

/**
 * Why there is no usable response. `timeout`: none in time, or the query was aborted. `unreachable`: nothing could be sent
 * (no route, no IPv6, connection refused). `tcp_failed`: the response was truncated, and none came over TCP. `malformed`: the response, or the name in the question, is not valid DNS.
 */
export type DnsFailure = 'timeout' | 'unreachable' | 'tcp_failed' | 'malformed';
