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
