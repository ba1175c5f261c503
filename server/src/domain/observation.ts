import type { AbsentReason, Failure, Unreadable } from './reading.ts';

/**
 * One check's view of the DNS, before anything is concluded: `verification/observation/observe.ts` makes it, `read-observation.ts` and `findings/` judge it. Every text in it comes
 * from untrusted nameservers, is limited in length, and must be quoted where it is shown. Names are normalized.
 */
export interface Observation {
  /** The TXT record. */
  ownership: RecordObservation;
  /** The CNAME record; of an apex, its addresses. */
  routing: RecordObservation;
  /** The challenge record, as one nameserver has it; only where the domain has one (`challengeRecordOf`). It leads to `expected`. */
  challenge?: RecordObservation & { expected: string };
  /** The incumbent's own records; only where they matter to the check. */
  incumbent?: { ownership: RecordObservation; routing: RecordObservation };
  /** Other names and types around the records; absent in a check that did not ask for them. */
  probes?: Probe[];
  /** A fingerprint of the first answers, for the next check. Only `verification/observation/observe.ts` makes and reads it. */
  fingerprint?: string;
  /** Nobody off the path can have forged what was seen. */
  decides?: true;
  /** The fingerprint is that of the last check, and nothing else was asked. */
  unchanged?: true;
}

export interface RecordObservation {
  name: string;
  zone: ZoneObservation;
  /**
   * One for each nameserver that was asked, by name. One alone in the steady state; where a match, or the absence of an incumbent, has to be
   * confirmed: of up to six nameservers. Empty when there was none to ask.
   */
  nameservers: NameserverAnswers[];
  /** The validating resolvers' verdict; null where they were not asked. */
  validation: Validation | null;
}

export interface NameserverAnswers {
  /** Host name of the nameserver; of a resolver, its address. */
  server: string;
  /** Null where the nameserver has no address that may be asked. */
  address: string | null;
  /** A recursive resolver, asked because every nameserver of the zone was silent. Absent in recursive mode, where resolvers play the nameservers. */
  isResolver?: true;
  /** The second where it was asked twice. */
  answers: [Answer] | [Answer, Answer];
}

/** `chain`: the targets of the CNAMEs that were followed, in order. */
export type Answer =
  | {
      kind: 'found';
      chain: string[];
      /** TXT: each record with its strings joined. Routing: the addresses at the end of the chain; none where it ends at the target. */
      values: string[];
      /** The records at the record's own name besides its CNAME: addresses, or targets of further CNAMEs. */
      beside?: string[];
    }
  | { kind: 'absent'; reason: AbsentReason; chain: string[] }
  | Unreadable;

/** A zone as its parent delegates it. */
export interface ZoneObservation {
  /** The closest zone that exists. */
  apex: string;
  /** Who names its nameservers: the parent's nameservers; the configured resolvers, in a closed network or in recursive mode. */
  source: 'parent' | 'resolvers';
  /** By the parent's referral, at most six, by name. */
  nameservers: ZoneNameserver[];
  /** Names of further nameservers in the referral, which are never asked; at most `MAX_UNASKED`. Absent: there are none. */
  unasked?: string[];
  /** Names of the nameservers by the zone's own NS records; null where they were not asked for or could not be read. */
  ownNameservers: string[] | null;
  /** Why no nameserver of the zone can be asked; null: some can. `server`: the parent's nameserver that failed. */
  failure: { reason: Failure | 'not_registered'; server?: string } | null;
}

/** Most nameservers of a zone that are listed without being asked. */
export const MAX_UNASKED = 20;

export interface ZoneNameserver {
  name: string;
  /** At most two of each IP version; only those that may be asked. */
  addresses: string[];
  /** Why it has none. */
  problem?: 'no_address' | 'special_address';
}

/**
 * Whether the parent says why no nameserver of a zone can be asked: nobody registered the domain, or none of its nameservers has an address that may
 * be asked. Otherwise the delegation could not be read.
 */
export function isWithoutServer(
  reason: Failure | 'not_registered',
): reason is 'not_registered' | 'no_nameserver' | 'forbidden_address' {
  return ['not_registered', 'no_nameserver', 'forbidden_address'].includes(reason);
}

/** The answer for a name in a zone that cannot be asked: a zone that nobody registered has no names. `chain`: the CNAMEs that led there. */
export function answerOfFailure({ reason, ...rest }: NonNullable<ZoneObservation['failure']>, chain: string[]) {
  if (reason === 'not_registered') return { kind: 'absent', reason: 'nxdomain', chain } as const;
  return { kind: 'unreadable', reason, chain, ...rest } as const;
}

/** The configured resolvers' view of a record. */
export interface Validation {
  /** `unknown`: no resolver validates, or none could say. */
  status: 'secure' | 'insecure' | 'bogus' | 'unknown';
  /** Their answer; null where they failed. */
  answer: Answer | null;
  /** Remaining TTL of the answer in their cache, seconds. */
  ttl: number | null;
  /** The Extended DNS Error of a bogus answer (RFC 8914). */
  error: { code: number; text: string } | null;
  /** Address of the resolver. */
  resolver: string | null;
}

/** Why a name besides the two records was asked for. */
export type ProbePurpose =
  /** At the record's name with the zone, or a part of it, appended. */
  | 'doubled'
  /** The TXT value at the name itself, at the apex, without the underscore, with labels swapped. */
  | 'other_name'
  /** Another type at the record's own name: TXT or NS in place of CNAME, CNAME in place of TXT. */
  | 'other_type'
  /** At `www` of the name, or at the name without `www`. */
  | 'www'
  /** A random sibling, which only a wildcard answers. */
  | 'sibling'
  /** The name as somebody enters it who does not know of Punycode. */
  | 'raw_name'
  /** The addresses of the domain's target. */
  | 'target'
  /** The CAA records that apply to the name. */
  | 'caa'
  /** The DS records of the zone, at its parent. */
  | 'ds'
  /** The record itself, at a nameserver that the parent does not name. */
  | 'other_server';

export interface Probe {
  purpose: ProbePurpose;
  /** The record that it is about. */
  record: 'ownership' | 'routing' | 'challenge';
  name: string;
  type: 'TXT' | 'CNAME' | 'A' | 'NS' | 'CAA' | 'DS';
  answer: Answer;
  /** Name of the nameserver, where the purpose is `other_server`. */
  server?: string;
}
