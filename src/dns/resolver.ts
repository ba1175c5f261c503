import type { CaaRecord } from '../domain/certificate-state.ts';
import type { AbsentReason, UnreadableReason } from '../domain/reading.ts';

/** The DNS port: `authoritative.ts` asks the zone's own nameservers, `recursive.ts` only recursive resolvers. Never rejects. */
export interface Resolver extends RecordLookups {
  /**
   * Reads all IPv4 and IPv6 addresses at the end of a name's CNAME chain; unreadable when either kind could not be read.
   */
  lookupAddresses(name: string, options: LookupOptions): Promise<Lookup<{ addresses: string[] }>>;

  /** Reads the CAA records at the end of a name's CNAME chain (RFC 8659 section 4.1), not those of the names above. */
  lookupCaa(name: string, options: LookupOptions): Promise<Lookup<{ records: CaaRecord[] }>>;
}

/** The lookups of verification. Never rejects: every failure is `unreadable`. */
export interface RecordLookups {
  /** Reads the TXT records at the end of a name's CNAME chain. */
  lookupTxt(name: string, options: LookupOptions): Promise<Lookup<{ values: string[] }>>;

  /**
   * Reads the CNAME chain of a name, and the addresses at its end when there are any. The chain is not followed past
   * `target`.
   */
  lookupRoute(name: string, target: string, options: LookupOptions): Promise<Lookup<{ addresses: string[] }>>;
}

export interface LookupOptions {
  /** Ends the lookup as `unreadable: timeout`. */
  signal: AbortSignal;
  /**
   * Confirms the answer of these servers: reads the delegation again, past our cache, and asks another server at another
   * address, from a new port; the same server where no other answers. Resolvers never confirm a nameserver.
   */
  confirming?: readonly AnsweredBy[];
}

/** The server that answered for the name itself, not for the targets of its CNAMEs. */
export interface AnsweredBy {
  /** Host name of the nameserver, or the address where it has none. */
  server: string;
  address: string;
  /** False when a recursive resolver answered, for the name or any target on the chain. */
  authoritative: boolean;
}

/** `chain`: the targets of the CNAMEs that were followed, in order; lower case, no final dot. */
export type Lookup<Found> =
  | ({ kind: 'found'; chain: string[]; by: AnsweredBy; zone: string } & Found)
  | { kind: 'absent'; reason: AbsentReason; chain: string[]; by: AnsweredBy; zone: string }
  | { kind: 'unreadable'; reason: UnreadableReason; chain: string[]; server?: string };
