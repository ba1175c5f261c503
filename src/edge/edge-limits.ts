/** What clients may take. Times are milliseconds. docs/edge.md says why each is as it is. */
export interface EdgeLimits {
  /** Connections in all, of all threads. */
  connections: number;
  /** Connections from one address, or from one /64 of IPv6; trusted proxies may have any number. */
  connectionsPerAddress: number;
  /** From the connection to the end of the TLS handshake. */
  handshakeMs: number;
  /** From the first byte of a request to the end of its header. */
  headerMs: number;
  /** A body of which less than `bodyBytes` arrive within this time, while we wait for it, ends the connection. */
  bodyMs: number;
  bodyBytes: number;
  /** A connection without a request. */
  idleMs: number;
  /** A connection whose request or answer is under way, on which nothing moves. */
  silenceMs: number;
  /** Header fields of a request with its target, HTTP/1.1 and HTTP/2 alike. */
  headerBytes: number;
  /** Requests under way on one HTTP/2 connection. */
  streams: number;
  /** Names that turned out not to be ours, or challenges that nobody set, from one address within a minute; beyond, the store is not asked on its behalf. */
  unknownPerMinute: number;
}

export const LIMITS: EdgeLimits = {
  connections: 50_000,
  connectionsPerAddress: 2000,
  handshakeMs: 10_000,
  headerMs: 15_000,
  bodyMs: 20_000,
  bodyBytes: 2000,
  idleMs: 60_000,
  silenceMs: 300_000,
  headerBytes: 32_768,
  streams: 128,
  unknownPerMinute: 120,
};
