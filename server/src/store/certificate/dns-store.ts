/** The store of our own DNS servers: their challenges, and the addresses of edges. */
export interface DnsStore {
  /** Adds a value to those of its label, or replaces when it expires. Logged as the change `dns_challenge`. (unsynced) */
  addDnsChallenge(challenge: DnsChallenge): Promise<void>;
  /** Removes one value. Logged as above. (unsynced) */
  removeDnsChallenge(label: string, value: string): Promise<void>;
  /** All that have not expired before `now`, in any order. */
  listDnsChallenges(now: number): Promise<DnsChallenge[]>;

  /** An edge is alive and has these addresses; those that nobody has reported for a day are forgotten. (unsynced) */
  recordEdgeAddresses(addresses: readonly string[], at: number): Promise<void>;
  /** Those that were reported after `since`. */
  listEdgeAddresses(since: number): Promise<EdgeAddress[]>;
}

/** A TXT record that proves control to a CA (DNS-01, RFC 8555 section 8.4). Public. */
export interface DnsChallenge {
  /** The first label of the domain's target, in lower case: it is answered there in each zone of ours. */
  label: string;
  /** At most 255 octets. */
  value: string;
  expiresAt: number;
}

export interface EdgeAddress {
  /** IPv6 in its canonical text form. */
  address: string;
  /** By the clock of the edge. */
  seenAt: number;
}
