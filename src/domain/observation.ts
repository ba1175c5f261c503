/**
 * What one check saw. Plain values: `verification/observe` fills them in, `domains/status` judges them.
 * Text in them comes from strangers' nameservers: bounded by the DNS client, escaped wherever it is shown.
 */

/** Why a name could not be read. Never the same as "not there". */
export type UnreadableReason =
  | 'timeout'
  | 'servfail'
  | 'refused'
  | 'lame'
  | 'malformed'
  | 'loop'
  | 'chain_too_long'
  | 'no_nameserver'
  | 'forbidden_address'
  | 'overloaded';

/** NXDOMAIN: the name does not exist. NODATA: it exists, without a record of the type asked for. */
export type AbsentReason = 'nxdomain' | 'nodata';

/** What one nameserver said, for telling the customer who disagrees with whom. */
export interface ServerAnswer {
  /** Name of the nameserver, or its address where it has no name. */
  server: string;
  /** Short description of its answer: the values it gave, or `no record`. */
  saw: string;
}

/** `chain`: the CNAMEs that lead to the name that could not be read, itself the last one; empty where it is the record's own name. */
export interface UnreadableObservation {
  kind: 'unreadable';
  reason: UnreadableReason;
  chain: string[];
  /** Who failed, where that is known. */
  server?: string;
}

export type OwnershipObservation =
  | { kind: 'matched' }
  /** TXT records are there, none is the expected one. Each value is one record with its strings joined. */
  | { kind: 'wrong'; values: string[] }
  /** `doubledAt`: the expected value stands at this name instead, whose zone was appended twice by a DNS panel. */
  | { kind: 'absent'; reason: AbsentReason; doubledAt?: string }
  | { kind: 'disagree'; answers: ServerAnswer[] }
  | UnreadableObservation;

export type RoutingObservation =
  | { kind: 'matched'; chain: string[] }
  /** A CNAME chain that does not end at the target: every name after the domain itself, in order. */
  | { kind: 'elsewhere'; chain: string[] }
  /** Addresses without a CNAME, or a CNAME into a provider known to proxy: the value cannot be read back. */
  | { kind: 'hidden'; addresses: string[]; chain: string[] }
  | { kind: 'absent'; reason: AbsentReason; doubledAt?: string }
  | { kind: 'disagree'; answers: ServerAnswer[] }
  | UnreadableObservation;

/** What one check of a domain saw of its two records. */
export interface Observation {
  ownership: OwnershipObservation;
  routing: RoutingObservation;
  /** The same look at the incumbent's own records; only present when there is an incumbent. */
  incumbent?: { ownership: OwnershipObservation; routing: RoutingObservation };
}
