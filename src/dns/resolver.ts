import type { AbsentReason, UnreadableReason } from '../domains/observation.ts';

/**
 * The DNS port: what verification calls. One implementation asks the zone's own nameservers (`dns/authoritative`),
 * one asks recursive resolvers only (`dns/recursive`).
 */
export interface Resolver {
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
   * Asks for a second opinion: the delegation is read anew, without any cache, and a nameserver at another address than this
   * answered by (the same address from a new port where there is only one).
   */
  confirming?: string;
}

/** Who answered a look-up. */
export interface AnsweredBy {
  /** Host name of the nameserver, or the address where it has none. */
  server: string;
  /** IP address that was asked. */
  address: string;
  /** False when no nameserver of the zone could be reached and a recursive resolver answered instead. */
  authoritative: boolean;
}

export type Lookup<Found> =
  /** `chain`: the CNAMEs that were followed, in order, without the name asked for; canonical (lower case, no final dot). */
  | ({ kind: 'found'; chain: string[]; by: AnsweredBy; zone: string } & Found)
  | { kind: 'absent'; reason: AbsentReason; chain: string[]; by: AnsweredBy; zone: string }
  | { kind: 'unreadable'; reason: UnreadableReason; chain: string[]; server?: string };
