/** Limits on clients; see docs/guides/edge.md. */
export interface EdgeLimits {
  /** Connections, of all threads together. */
  connections: number;
  /** Connections from one address, or one /64 of IPv6; trusted proxies are exempt. */
  connectionsPerAddress: number;
  /** From the connection to the end of its PROXY header, where it has to have one. */
  proxyHeaderMs: number;
  /** From the connection, or its PROXY header, to the end of the TLS handshake. */
  handshakeMs: number;
  /** From the first byte of a request to the end of its header. */
  headerMs: number;
  /** A connection is closed when less than `bodyBytes` of a body arrive within `bodyMs`. */
  bodyMs: number;
  bodyBytes: number;
  /** A connection without a request. */
  idleMs: number;
  /** A connection with a request in flight and no traffic. */
  silenceMs: number;
  /** The target and header fields of a request. */
  headerBytes: number;
  /** Requests in flight on one connection. */
  streams: number;
  /** Reads of the store for unknown names and challenges, from one address within a minute. */
  unknownPerMinute: number;
}

export const LIMITS: EdgeLimits = {
  connections: 50_000,
  connectionsPerAddress: 2000,
  proxyHeaderMs: 5000,
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
