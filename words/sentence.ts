/** The fields that sentences about a finding or a certificate mention. Values from the DNS are marked (`marked`); what is absent is empty. */
export interface Told {
  /** Type of the record, and those of records to delete: `A, AAAA`. */
  type: string;
  removes: string;
  /** The name where the record belongs, and that where it was seen. */
  at: string;
  name: string;
  otherName: string;
  /** The zone of the record, and where it was delegated from. */
  zone: string;
  ownZone: string;
  zoneAbove: string;
  expected: string;
  /** The first value that was seen, and all as a chain of CNAMEs, as a list, and as a list of addresses. */
  first: string;
  chain: string;
  values: string;
  addresses: string;
  /** Number of the values. */
  count: number;
  servers: string;
  seenServers: string;
  onlyDelegated: string;
  onlyInZone: string;
  /** The records at a nameserver. */
  answer: string;
  provider: string;
  proxy: string;
  host: string;
  owner: string;
  /** The first character that differs, counted from 1, and the number of characters before it. */
  position: string;
  before: string;
  found: string;
  wanted: string;
  /** A time, and a duration. */
  until: string;
  lasting: string;
  /** The text to type into the provider's panel. */
  entered: string;
  value: string;
  typeInZone: string;
  flags: string;
  tag: string;
  /** `atProvider` or `inZone`; `atRegistrar` or `inZoneAbove`. */
  where: string;
  delegation: string;
  /** The form for a number (Intl.PluralRules). */
  plural(count: number, forms: PluralForms): string;
}

type PluralForms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

/** A whole sentence, or a part that other sentences contain. */
export type Sentence = string | ((told: Told) => string);
