import type { CaaRecord } from '../domain/certificate-state.ts';
import type { AbsentReason, UnreadableReason } from '../domain/observation.ts';

/**
 * The DNS port. One implementation asks the zone's own nameservers (`dns/authoritative`), one asks recursive resolvers
 * only (`dns/recursive`).
 */
export interface Resolver extends RecordLookups {
  /**
   * Reads all addresses of a name, IPv4 and IPv6, at the end of its CNAME chain: found when it has one, unreadable when
   * either kind could not be read.
   * Never rejects.
   */
  lookupAddresses(name: string, options: LookupOptions): Promise<Lookup<{ addresses: string[] }>>;

  /**
   * Reads the CAA records at a name (RFC 8659 section 4.1), or at the end of its CNAME chain; not those of the names
   * above.
   * Never rejects.
   */
  lookupCaa(name: string, options: LookupOptions): Promise<Lookup<{ records: CaaRecord[] }>>;
}

/** What verification calls. */
export interface RecordLookups {
  /**
   * Reads TXT records at a name. CNAMEs at the name are followed.
   * Never rejects: whatever goes wrong is an `unreadable` answer.
   */
  lookupTxt(name: string, options: LookupOptions): Promise<Lookup<{ values: string[] }>>;

  /**
   * Reads where a name leads: its CNAME chain, and the addresses at the end when there are any.
   * The chain is not followed past `target`: a chain that reaches it has answered the question.
   * Never rejects.
   */
  lookupRoute(name: string, target: string, options: LookupOptions): Promise<Lookup<{ addresses: string[] }>>;
}

export interface LookupOptions {
  /** Ends the look-up; what is still open becomes `unreadable: timeout`. */
  signal: AbortSignal;
  /**
   * Asks for another opinion on what these have answered: the delegation is read anew, without our cache, and another
   * server is asked, at another address, from a new port; the same one again where no other answers.
   * Resolvers never confirm a nameserver.
   */
  confirming?: readonly AnsweredBy[];
}

/** Who answered for the name that was looked up, whatever CNAMEs led to afterwards. */
export interface AnsweredBy {
  /** Host name of the nameserver, or the address where it has none. */
  server: string;
  /** IP address that was asked. */
  address: string;
  /**
   * False when, for the name or anywhere on the chain, no nameserver could be reached and a recursive resolver answered
   * instead.
   */
  authoritative: boolean;
}

export type Lookup<Found> =
  /**
   * `chain`: the CNAMEs that were followed, in order, without the name asked for; canonical (lower case, no final dot).
   */
  | ({ kind: 'found'; chain: string[]; by: AnsweredBy; zone: string } & Found)
  | { kind: 'absent'; reason: AbsentReason; chain: string[]; by: AnsweredBy; zone: string }
  | { kind: 'unreadable'; reason: UnreadableReason; chain: string[]; server?: string };
