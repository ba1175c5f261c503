/**
 * One check's conclusions about a domain's records: `read-observation.ts` makes it, `status.ts` judges it. Its text comes
 * from untrusted nameservers: the resolver limits its length, and messages quote it.
 */

/** The two records of a domain. */
export type RecordRole = 'ownership' | 'routing';

/** Why a query has no usable answer, or a name could not be read. Never the same as "not there". */
export type Failure =
  /** No response in time, or the query was aborted. */
  | 'timeout'
  /** Nothing could be sent to the address: no route, no IPv6, connection refused. */
  | 'unreachable'
  /** The response was truncated, and could not be read over TCP either. */
  | 'tcp_failed'
  | 'servfail'
  | 'refused'
  | 'lame'
  /** The response, or the name in the question, is not valid DNS. */
  | 'malformed'
  /** Two nameservers of the registry give different referrals: a change has not reached all of them, or one is forged. */
  | 'inconsistent'
  | 'loop'
  | 'chain_too_long'
  | 'no_nameserver'
  | 'forbidden_address'
  | 'overloaded'
  /** The resolvers of this installation gave no usable answer. The domain is not at fault. */
  | 'no_resolver'
  /** One check may send a limited number of queries, and this one needed more. */
  | 'too_many_queries';

/** Whether the limits of this service are the cause: the nameserver was not asked, so it is not at fault, and the next check goes on from here. */
export function isOwnLimit(reason: Failure): boolean {
  return reason === 'overloaded' || reason === 'too_many_queries';
}

/** NXDOMAIN: the name does not exist. NODATA: it exists, without a record of the type asked for. */
export type AbsentReason = 'nxdomain' | 'nodata';

/** `chain`: the CNAME targets up to the name that could not be read; empty where that is the record's own name. */
export interface Unreadable {
  kind: 'unreadable';
  reason: Failure;
  chain: string[];
  /** The nameserver that failed, where it is not the one that was asked, or where only this names it. */
  server?: string;
}

/** The conclusion about one of the two records. */
export type RecordReading =
  /** `byOneServer`: one nameserver of several answered, in three checks in a row. */
  | { kind: 'matched'; byOneServer?: true }
  /** TXT records exist, but none with the expected value. Each value is one record with its strings joined. */
  | { kind: 'wrong'; values: string[] }
  /** A CNAME chain that does not end at the target: every name after the domain itself, in order. */
  | { kind: 'elsewhere'; chain: string[] }
  /** Addresses without a CNAME, or a CNAME into a provider known to proxy: the value cannot be read back. */
  | { kind: 'hidden'; addresses: string[]; chain: string[] }
  /** A CNAME, and beside it addresses or further CNAMEs: resolvers follow either. */
  | { kind: 'conflicting'; chain: string[]; beside: string[] }
  | { kind: 'absent'; reason: AbsentReason }
  /** The nameservers, or two answers of one of them, differ. */
  | { kind: 'disagree' }
  /** The validating resolvers reject it: its DNSSEC signature is wrong, or missing. */
  | { kind: 'bogus' }
  /**
   * It matches (an incumbent's: it is gone) as far as it was read, and that is not enough. `one_server`: one nameserver of several answered.
   * `asked_once`: no nameserver answered twice. `resolver`: in a takeover, no nameserver answered, but a recursive resolver did.
   */
  | { kind: 'unconfirmed'; reason: 'one_server' | 'asked_once' | 'resolver' }
  | Unreadable;

/** One check's conclusions: `ownership` about the TXT record, `routing` about the CNAME record or the addresses. */
export interface Reading extends Record<RecordRole, RecordReading> {
  /** About the CNAME that leads a CA's challenge to our DNS servers; absent: nobody looked. It verifies nothing. */
  challenge?: RecordReading;
  /** The incumbent's own records; only present when they matter to the check. */
  incumbent?: Record<RecordRole, RecordReading>;
}
