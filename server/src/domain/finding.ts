import type { LiveProblem } from './live.ts';
import type { Failure } from './reading.ts';

/** Everything that a check may find, by code: a closed list. Each has a page of its own in the documentation. */
export const FINDING_CODES = [
  'record_missing',
  'name_doubled',
  'record_at_other_name',
  'cname_at_txt_name',
  'records_swapped',
  'wrong_type',
  'cname_elsewhere',
  'cname_other_target',
  'value_doubled_zone',
  'value_is_url',
  'value_is_address',
  'value_whitespace',
  'value_quoted',
  'value_is_txt',
  'cname_loop',
  'cname_chain_too_long',
  'cname_to_broken_zone',
  'address_instead_of_cname',
  'conflicting_records',
  'proxied_without_txt',
  'txt_missing',
  'txt_wrong_value',
  'txt_quoted',
  'txt_case',
  'txt_invisible',
  'txt_encoded',
  'txt_stale',
  'txt_other_domain',
  'txt_truncated',
  'wildcard_answers',
  'cname_at_apex',
  'apex_elsewhere',
  'flattened',
  'proxied',
  'name_not_punycode',
  'zone_not_registered',
  'zone_parked',
  'zone_elsewhere',
  'delegation_mismatch',
  'nameservers_disagree',
  'record_below_cut',
  'resolvers_unreachable',
  'nameserver_refused',
  'nameserver_lame',
  'nameserver_servfail',
  'nameserver_timeout',
  'nameserver_not_found',
  'nameserver_unreachable',
  'nameserver_private',
  'nameserver_tcp',
  'nameserver_malformed',
  'dnssec_bogus',
  'caa_forbids',
  'held_elsewhere',
  'stale_cache',
  'other_certificate',
  'certificate_expired_outside',
  'tls_unreachable',
  'challenge_missing',
  'challenge_elsewhere',
  'challenge_proxied',
] as const;

export type FindingCode = (typeof FINDING_CODES)[number];

/** `blocking`: the domain is not verified, or not served, before it is fixed. */
export type FindingSeverity = 'blocking' | 'warning' | 'info';

/** The cases of a code, where its sentences differ. That of a nameserver is a `Failure`, that of visitors a `LiveProblem`. */
export const FINDING_REASONS = [
  'nxdomain',
  'nodata',
  'no_address',
  'values_swapped',
  'names_swapped',
  'wildcard_cname',
  'wildcard_address',
  'wildcard_txt',
  'hidden_by_proxy',
  'hidden_by_flattening',
  'txt_verifies',
  'txt_needed',
  'beginning_missing',
  'end_missing',
  'text_beside',
  'text_before',
  'other_character',
  'other_values',
  'name_not_added',
  'signature_expired',
  'signature_not_yet_valid',
  'key_missing',
  'signature_missing',
  'proof_missing',
  'older_claim',
  'nameservers_silent',
  'other_records_left',
  'both_needed',
  'some_asked',
  'registration_ended',
  'record_there',
] as const;

export type FindingReason = (typeof FINDING_REASONS)[number] | Failure | LiveProblem;

/**
 * `add`, `change`, `replace` (after deleting the records of the types `removes` at this name) and `delete` are of a record. `wait`: nothing has to be
 * changed. `ask`: whoever runs the nameservers. `recreate`: delete the domain here and add it again. `repair`: the
 * server that visitors reach.
 */
export const ACTION_KINDS = [
  'add',
  'change',
  'replace',
  'delete',
  'wait',
  'ask',
  'create_zone',
  'register',
  'recreate',
  'repair',
] as const;

/** The remedy for a finding as fields, from which a program shows it in any language. */
export interface FindingAction {
  kind: (typeof ACTION_KINDS)[number];
  /** Where: in the zone at its DNS provider, at its registrar, in the zone above, or at the server that visitors reach. */
  at: 'zone' | 'registrar' | 'zone_above' | 'server';
  zone: string;
  /** Name of the DNS provider of the zone; absent: unknown. */
  provider?: string;
  type?: 'CNAME' | 'TXT' | 'ALIAS' | 'CAA' | 'NS' | 'DS';
  /** How the provider calls a record of the type ALIAS; absent: it has none, or that is not known. */
  typeInZone?: string;
  /** Fully qualified. */
  name?: string;
  /** As the panel of the provider wants it; empty: nothing is entered. */
  nameInZone?: string;
  value?: string;
  valueInZone?: string;
  /** Addresses that are published in place of an ALIAS record. */
  addresses?: string[];
  /** Flags of a CAA record. */
  flags?: string;
  tag?: string;
  /** Types of the records to delete at this name. */
  removes?: string[];
}

/** The records at one nameserver, in each answer that differs. */
export interface DifferingAnswer {
  nameserver: string;
  matches: boolean;
  /** `cname`: the names that its CNAMEs lead to. All empty: no record. `isLoop`: a CNAME to itself. */
  looks: { cname: string[]; values: string[]; beside: string[]; isLoop?: boolean }[];
}

/** Facts that the sentences of a finding mention besides its other fields. */
export interface FindingFacts {
  reason?: FindingReason;
  /** How much `nameserver_…` is about: none of the zone could be read, some could not, nobody says which they are, or one name alone could not be read. */
  scope?: 'zone' | 'some' | 'delegation' | 'name';
  zone?: string;
  /** The zone from which `zone` was delegated. */
  zoneAbove?: string;
  /** The provider that runs the nameservers. */
  provider?: string;
  /** The provider that runs those in `seen`. */
  seenProvider?: string;
  /** The host that the mistake is about: one of `seen`, or the target. */
  host?: string;
  /** Who proxies the name, where its addresses say so. */
  proxy?: string;
  /** Name at which the other record is. */
  otherName?: string;
  /** The workspace's domain that the value belongs to. */
  owner?: string;
  /** First character of the value that differs: counted from 1. */
  difference?: { position?: number; found?: string; expected?: string };
  /** Whether there are also quotation marks around the value. */
  isQuoted?: boolean;
  /** With a correct CNAME record, the domain does not need this one. */
  isOptional?: boolean;
  answers?: DifferingAnswer[];
  /** Nameservers that only one of the two lists has. */
  onlyDelegated?: string[];
  onlyInZone?: string[];
  /** Unix ms. */
  until?: number;
  ttlSeconds?: number;
}

/** A finding as data: its sentences are made of these fields alone, in any language. */
export interface FindingFields {
  code: FindingCode;
  severity: FindingSeverity;
  /** The record that it is about; absent where it is about the zone. */
  record?: 'routing' | 'ownership' | 'challenge';
  /** The name where it was seen. */
  name?: string;
  /** The values there, as they are: untrusted text, limited in length. */
  seen?: string[];
  /** The value that belongs there. */
  expected?: string;
  /** The nameservers that it was seen at, by name. */
  nameservers?: string[];
  /** The change to make; absent where nothing has to be done. */
  action?: FindingAction;
  /** A second one: done instead in `address_instead_of_cname`, otherwise done too. */
  second?: FindingAction;
  facts?: FindingFacts;
  /** Whether it may go away by itself: a later check is worth waiting for. */
  retryable: boolean;
}

/** One mistake in the DNS of a domain, or something that is good to know. One mistake is one finding: the most specific that applies. */
export interface Finding extends FindingFields {
  /** The mistake in whole sentences, safe to print. */
  message: string;
  /** The remedy at this provider in whole sentences, safe to print. Empty where nothing has to be done. */
  fix: string;
}
