import type { CaaRecord } from '../domain/certificate-state.ts';
import type {
  NameserverAnswers,
  RecordObservation,
  Validation,
  ZoneNameserver,
  ZoneObservation,
} from '../domain/observation.ts';
import type { AbsentReason, Failure } from '../domain/reading.ts';

/** The DNS port: `authoritative.ts` asks the zone's own nameservers, `recursive.ts` only recursive resolvers. Never rejects. */
export interface Resolver extends DnsQueries, EndLookups {}

/** `deciding`: the same queries, which cost more, and whose answers nobody off the path can forge. Its zones are cached apart. */
export interface DnsQueries extends RecordQueries {
  deciding: RecordQueries;
}

/** Reads the records at the end of a name's CNAME chain, at whichever nameserver answers, by deciding queries. Never rejects: every failure is `unreadable`. */
export interface EndLookups {
  /** Reads all IPv4 and IPv6 addresses; unreadable when either kind could not be read. */
  lookupAddresses(name: string, options: { signal: AbortSignal }): Promise<EndLookup<{ addresses: string[] }>>;

  /** Reads the CAA records (RFC 8659 section 4.1), not those of the names above. */
  lookupCaa(name: string, options: { signal: AbortSignal }): Promise<EndLookup<{ records: CaaRecord[] }>>;

  /** Reads the TXT records, each with its strings joined. */
  lookupTxt(name: string, options: { signal: AbortSignal }): Promise<EndLookup<{ values: string[] }>>;
}

/** `chain`: the targets of the CNAMEs that were followed, in order; lower case, no final dot. `by`: null where there is no zone to ask. */
export type EndLookup<Found> =
  | ({ kind: 'found'; chain: string[]; by: AnsweredBy } & Found)
  | { kind: 'absent'; reason: AbsentReason; chain: string[]; by: AnsweredBy | null }
  | { kind: 'unreadable'; reason: Failure; chain: string[]; server?: string };

/**
 * Asks for one record, nameserver by nameserver. Nothing is judged here. In recursive mode each configured resolver plays a nameserver of every zone.
 * Never rejects: every failure is part of the answer.
 */
export interface RecordQueries {
  /**
   * Finds the zone that holds the name, from the cache where possible, and asks one of its nameservers, chosen at random; others only after one that
   * fails, three at most. `nameservers`: in the order in which they were asked, so that only the last one can be readable; empty where `zone.failure` is
   * set. `validation` is null.
   */
  query(question: RecordQuestion, options: QueryLimits): Promise<RecordObservation>;

  /** Finds the zone that holds a name anew, past the cache, as its parent delegates it now. */
  findZone(name: string, options: QueryLimits): Promise<ZoneObservation>;

  /** Asks one nameserver of a zone: at one address, and at one of the other IP version where that is silent. Follows CNAMEs out of the zone. */
  askNameserver(
    zone: ZoneObservation,
    nameserver: ZoneNameserver,
    question: RecordQuestion,
    options: AskNameserverOptions,
  ): Promise<NameserverAnswers>;

  /** Names of the nameservers by the zone's own NS records, sorted; null where they cannot be read. */
  ownNameservers(zone: ZoneObservation, options: QueryLimits): Promise<string[] | null>;

  /** Finds the addresses of nameservers that no referral names; without any where none may be asked. In recursive mode there are none. */
  locateNameservers(names: readonly string[], options: QueryLimits): Promise<ZoneNameserver[]>;

  /** Asks the configured resolvers for the record, and whether it is what its zone has signed. Each CNAME up to `stopAt` is asked for on its own. */
  validate(question: RecordQuestion, options: QueryLimits): Promise<Validation>;
}

export interface RecordQuestion {
  name: string;
  /**
   * `ADDRESS`: IPv4 addresses, or IPv6 addresses where the name has none. A CNAME is followed for `TXT`, `CAA`, `A`, `AAAA` and `ADDRESS`; of the other
   * types the name's own records are read. The question for `DS` goes to the parent zone.
   */
  type: 'A' | 'AAAA' | 'ADDRESS' | 'CAA' | 'CNAME' | 'DS' | 'NS' | 'SOA' | 'TXT';
  /** The chain is not followed past this name. */
  stopAt?: string;
}

/** How many queries one check may still send, whatever the zones of its names make it ask (`query-budget.ts`). */
export interface QueryBudget {
  /** Takes one query; false when none is left. */
  take(): boolean;
  /** Takes one query for the address of a nameserver, of which there are fewer. */
  takeForAddress(): boolean;
  /** Whether a query was refused. */
  readonly exhausted: boolean;
}

export interface QueryLimits {
  /** Ends it as `unreadable: timeout`. */
  signal: AbortSignal;
  /** Bounds the queries of one check; all its questions share it. */
  budget: QueryBudget;
}

export interface AskNameserverOptions extends QueryLimits {
  /** For both addresses together; 1.5 s unless given. */
  timeoutMs?: number;
  /**
   * The nameserver is asked once more: from a port that no server has seen, and of `ADDRESS` with IPv6 first, so that an address of either version
   * beside a CNAME is seen.
   */
  second?: boolean;
}

/** The server that answered for the name itself, not for the targets of its CNAMEs. */
export interface AnsweredBy {
  /** Host name of the nameserver, or the address where it has none. */
  server: string;
  address: string;
  /** False when a recursive resolver answered, for the name or any target on the chain. */
  authoritative: boolean;
}
