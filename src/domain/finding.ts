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
] as const;

export type FindingCode = (typeof FINDING_CODES)[number];

/** `blocking`: the domain is not verified, or not served, before it is fixed. */
export type FindingSeverity = 'blocking' | 'warning' | 'info';

/** One mistake in the DNS of a domain, or something that is good to know. One mistake is one finding: the most specific that applies. */
export interface Finding {
  code: FindingCode;
  severity: FindingSeverity;
  /** The record that it is about; absent where it is about the zone. */
  record?: 'routing' | 'ownership';
  /** The name where it was seen. */
  name?: string;
  /** The values there, as they are: untrusted text, limited in length. */
  seen?: string[];
  /** The value that belongs there. */
  expected?: string;
  /** The nameservers that it was seen at, by name. */
  nameservers?: string[];
  /** What is wrong: whole sentences, safe to print. */
  message: string;
  /** What to do, at this provider: whole sentences, safe to print. Empty where nothing has to be done. */
  fix: string;
  /** Whether it may go away by itself: a later check is worth waiting for. */
  retryable: boolean;
}
