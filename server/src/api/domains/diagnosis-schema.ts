import Type, { type Static } from 'typebox';
import { ACTION_KINDS, FINDING_CODES, FINDING_REASONS } from '../../domain/finding.ts';
import { LIVE_PROBLEMS } from '../../domain/live.ts';
import type { Failure } from '../../domain/reading.ts';
import { Id, Time } from '../schemas.ts';
import { RedirectSchema } from './redirect-operations.ts';
import { SuspensionSchema } from './suspension-operations.ts';

/** Texts that nameservers sent: longer ones are cut, longer lists too. */
export const SEEN_TEXT_LIMIT = 1024;
export const SEEN_LIST_LIMIT = 20;

/** A name in the DNS has at most 255 octets, and each that is no plain character is written `\DDD`. */
const Name = (description: string) => Type.String({ maxLength: SEEN_TEXT_LIMIT, description });
const Seen = (description: string) =>
  Type.Array(Type.String({ maxLength: SEEN_TEXT_LIMIT }), { maxItems: SEEN_LIST_LIMIT, description });

const RecordKind = Type.Enum(['routing', 'ownership', 'challenge'], {
  type: 'string',
  description:
    '`routing`: the CNAME or ALIAS record. `ownership`: the TXT record. `challenge`: the CNAME record that the certificate of a wildcard needs.',
});

/** Why a nameserver could not be read. */
const FAILURES = [
  'timeout',
  'unreachable',
  'tcp_failed',
  'servfail',
  'refused',
  'lame',
  'malformed',
  'inconsistent',
  'loop',
  'chain_too_long',
  'no_nameserver',
  'forbidden_address',
  'overloaded',
  'no_resolver',
  'too_many_queries',
] as const satisfies Failure[];

const ActionSchema = Type.Object(
  {
    kind: Type.Enum([...ACTION_KINDS], {
      type: 'string',
      description:
        'The kind of change. `add`, `change`, `replace` (delete the records of the types in `removes` at this name first) and `delete` concern a record. `wait`: nothing has to be changed. `ask`: ask the operator of the nameservers. `create_zone`: create the zone at that provider. `register`: register the domain. `recreate`: delete the domain here and add it again. `repair`: the server that visitors reach. More values may be added.',
    }),
    at: Type.Enum(['zone', 'registrar', 'zone_above', 'server'], {
      type: 'string',
      description:
        'Where: in the zone at its DNS provider, at its registrar, in the parent zone, or at the server that visitors reach. More values may be added.',
    }),
    zone: Name('Name of the zone.'),
    provider: Type.Optional(Type.String({ maxLength: 255, description: 'Its DNS provider; absent if unknown.' })),
    type: Type.Optional(
      Type.Enum(['CNAME', 'TXT', 'ALIAS', 'CAA', 'NS', 'DS'], { type: 'string', description: 'Type of the record.' }),
    ),
    typeInZone: Type.Optional(
      Type.String({ maxLength: 64, description: "The provider's name for an ALIAS record; absent if unknown." }),
    ),
    name: Type.Optional(Name('Fully qualified name of the record.')),
    nameInZone: Type.Optional(Name('The name as it is entered at the provider; empty: nothing is entered.')),
    value: Type.Optional(Type.String({ maxLength: SEEN_TEXT_LIMIT, description: 'Exact value.' })),
    valueInZone: Type.Optional(Type.String({ maxLength: 512, description: 'The value as it is entered there.' })),
    addresses: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), { description: 'Addresses to publish in place of an ALIAS record.' }),
    ),
    flags: Type.Optional(Type.String({ maxLength: 3, description: 'The flags of a CAA record.' })),
    tag: Type.Optional(Type.String({ maxLength: 255, description: 'The tag of a CAA record.' })),
    removes: Type.Optional(
      Type.Array(Type.String({ maxLength: 16 }), {
        description: 'Types of the records that are deleted at this name.',
      }),
    ),
  },
  { title: 'FindingAction', description: 'The fix, for programs; absent if there is nothing to do.' },
);

/** One character of the DNS, or none. */
const Character = (description: string) => Type.Optional(Type.String({ maxLength: 2, description }));

const FactsSchema = Type.Object(
  {
    reason: Type.Optional(
      Type.Enum([...new Set([...FINDING_REASONS, ...FAILURES, ...LIVE_PROBLEMS])], {
        type: 'string',
        description: 'Which case of the code it is. More values may be added.',
      }),
    ),
    scope: Type.Optional(
      Type.Enum(['zone', 'some', 'delegation', 'name'], {
        type: 'string',
        description: 'Unread: the whole zone, some of its nameservers, which nameservers it has, or one name alone.',
      }),
    ),
    zone: Type.Optional(Name('A zone of its own.')),
    zoneAbove: Type.Optional(Name('The zone from which it was delegated.')),
    provider: Type.Optional(Type.String({ maxLength: 255, description: 'Who runs the `nameservers`.' })),
    seenProvider: Type.Optional(Type.String({ maxLength: 255, description: 'Who runs those in `seen`.' })),
    host: Type.Optional(Name('The host that it is about: one of `seen`, or the target.')),
    proxy: Type.Optional(Type.String({ maxLength: 255, description: 'Who proxies the name.' })),
    otherName: Type.Optional(Name('Where the other record is.')),
    owner: Type.Optional(Name('The domain of this workspace that the value belongs to.')),
    difference: Type.Optional(
      Type.Object(
        {
          position: Type.Optional(Type.Integer({ minimum: 1, description: 'Counted in characters, from 1.' })),
          found: Character('The character that is there; absent: none.'),
          expected: Character('The character that belongs there; absent: none.'),
        },
        { description: 'First character of the value that differs.' },
      ),
    ),
    isQuoted: Type.Optional(Type.Boolean({ description: 'There are quotation marks around the value too.' })),
    isOptional: Type.Optional(Type.Boolean({ description: 'With a correct CNAME record, it is not needed.' })),
    answers: Type.Optional(
      Type.Array(
        Type.Object({
          nameserver: Name('Host name.'),
          matches: Type.Boolean({ description: 'Whether it has the right record.' }),
          looks: Type.Array(
            Type.Object(
              {
                cname: Seen('The names that its CNAMEs lead to, in order.'),
                values: Seen('TXT values, or addresses.'),
                beside: Seen('Other records at the name.'),
                isLoop: Type.Optional(Type.Boolean({ description: 'A CNAME to itself.' })),
              },
              { description: 'All empty: no record.' },
            ),
          ),
        }),
        { description: 'The answers of each nameserver, one for each look.' },
      ),
    ),
    onlyDelegated: Type.Optional(Seen('Nameservers that the zone itself does not name.')),
    onlyInZone: Type.Optional(Seen('Nameservers that only the zone itself names.')),
    until: Type.Optional(Time('When caches have expired.')),
    ttlSeconds: Type.Optional(Type.Integer({ minimum: 0, description: 'How long a failure may stay in caches.' })),
  },
  { title: 'FindingFacts', description: 'Facts that the sentences mention besides the other fields.' },
);

export const FindingSchema = Type.Object(
  {
    code: Type.Enum([...FINDING_CODES], {
      type: 'string',
      description:
        'The kind of mistake, for programs. Each code has a page at `/docs/findings/{code}`. More values may be added.',
    }),
    severity: Type.Enum(['blocking', 'warning', 'info'], {
      type: 'string',
      description: '`blocking`: the domain is not verified, or not served, until it is fixed.',
    }),
    record: Type.Optional(RecordKind),
    name: Type.Optional(Name('Name at which it was seen.')),
    seen: Type.Optional(Seen('The values that are there: text from the DNS, as it is.')),
    expected: Type.Optional(Type.String({ maxLength: 512, description: 'The value that belongs there.' })),
    nameservers: Type.Optional(
      Type.Array(Name('A nameserver.'), { maxItems: SEEN_LIST_LIMIT, description: 'Where it was seen.' }),
    ),
    action: Type.Optional(ActionSchema),
    second: Type.Optional(ActionSchema),
    facts: Type.Optional(FactsSchema),
    message: Type.String({
      maxLength: 4096,
      description: 'The mistake, in whole English sentences, made of the other fields.',
    }),
    fix: Type.String({ maxLength: 4096, description: 'The fix, in English; empty if there is nothing to do.' }),
    retryable: Type.Boolean({ description: 'Whether it may go away without a change of the records.' }),
  },
  { title: 'Finding', description: 'One mistake in the DNS of a name, or something worth knowing.' },
);

const ScheduleSchema = Type.Object(
  {
    attempts: Type.Integer({
      minimum: 0,
      description: 'Checks begun in this window; of a verified domain, since it was verified.',
    }),
    lastCheckAt: Type.Optional(Time('When the last check began; absent before the first.')),
    nextCheckAt: Type.Optional(Time('When the next check is due; absent when none is.')),
    windowEndsAt: Type.Optional(Time('When the domain fails unless it is verified; absent when no window runs.')),
  },
  { title: 'DiagnosisSchedule', description: 'The background checks of the domain.' },
);

export const ZoneSchema = Type.Object(
  {
    name: Name('Name of the zone; of one that is not registered, the name that could be.'),
    registered: Type.Boolean({ description: 'False if the zone above it says that the domain does not exist.' }),
    nameservers: Type.Array(
      Type.Object({
        name: Name('Host name.'),
        addresses: Type.Array(Type.String({ maxLength: 64 }), { description: 'Its addresses that may be asked.' }),
        outcome: Type.Enum(['answered', 'not_asked', 'no_address', ...FAILURES], {
          type: 'string',
          description: '`answered`, `not_asked`, or why it could not be asked or did not answer.',
        }),
      }),
      { description: 'The nameservers that the zone above it names.' },
    ),
    provider: Type.Optional(
      Type.Object(
        {
          id: Type.String({ maxLength: 64, description: 'For programs, such as `cloudflare`.' }),
          name: Type.String({ maxLength: 255, description: 'For people.' }),
          panel: Type.Optional(Type.String({ maxLength: 2048, description: 'URL where its DNS records are edited.' })),
        },
        { description: 'Who runs the nameservers; absent if unknown.' },
      ),
    ),
    dnssec: Type.Optional(
      Type.Enum(['unsigned', 'secure', 'bogus'], {
        type: 'string',
        description: '`bogus`: signatures do not verify, so validating resolvers answer nothing. Absent if unknown.',
      }),
    ),
  },
  { title: 'DiagnosisZone', description: 'The DNS zone that the name is in.' },
);

const RecordSchema = Type.Object(
  {
    record: RecordKind,
    type: Type.Enum(['CNAME', 'ALIAS', 'TXT'], { type: 'string', description: 'Type to publish.' }),
    name: Name('Fully qualified name of the record.'),
    nameInZone: Name('The name as it is entered at the DNS provider.'),
    expected: Type.String({ maxLength: 512, description: 'Exact value to publish.' }),
    valueInZone: Type.String({
      maxLength: 512,
      description:
        'The value as it is entered at the DNS provider: `expected`. It has a final dot where the provider would append the zone otherwise.',
    }),
    addresses: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        description:
          'For an ALIAS record, the addresses to publish instead, where the provider has no such record. Absent if unknown.',
      }),
    ),
    verified: Type.Boolean({
      description: 'Whether this look found it with that value; with `cached`, whether the last check did.',
    }),
    needed: Type.Enum(['yes', 'no', 'alternative'], {
      type: 'string',
      description:
        '`yes`: the domain needs it. `no`: it does not, as things are. `alternative`: it verifies the domain if the other record cannot be read back, as behind a proxy.',
    }),
    seen: Type.Array(
      Type.Object({
        nameserver: Name('Host name of the nameserver; address of a resolver.'),
        outcome: Type.Enum(['matched', 'other', 'changing', 'nxdomain', 'nodata', 'no_address', ...FAILURES], {
          type: 'string',
          description:
            '`matched`: the expected value is there. `other`: other values are. `changing`: two answers differed. `nxdomain`: the name does not exist. `nodata`: it has no such record. Otherwise why the nameserver did not answer.',
        }),
        values: Seen(
          'Its values. Of a TXT record, the texts. Of a routing record, the names that its CNAMEs lead to, in order, or addresses where there is no CNAME.',
        ),
        cname: Type.Optional(
          Seen('For a TXT record, the names that a CNAME at its name leads to, in order; absent where there is none.'),
        ),
      }),
      { description: 'The answers of each nameserver that was asked; empty with `cached`.' },
    ),
    visible: Type.Optional(
      Type.Object(
        { resolver: Name('Address of the resolver.'), until: Time('When its cached answer expires.') },
        {
          description: 'A resolver that still has another answer than the nameservers; absent if none is known.',
        },
      ),
    ),
  },
  { title: 'DiagnosisRecord' },
);

export const DiagnosisSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.String({ minLength: 4, maxLength: 253, description: 'Its canonical name.' }),
    status: Type.Enum(['pending', 'verifying', 'verified', 'failed'], {
      type: 'string',
      description: 'Its status, as in domains.getDomain. A diagnosis does not change it.',
    }),
    checkedAt: Type.Optional(
      Time('When the DNS was asked; with `cached`, since when checks have found this. Absent before the first check.'),
    ),
    schedule: ScheduleSchema,
    zone: Type.Optional(ZoneSchema),
    records: Type.Array(RecordSchema, { minItems: 2, description: 'The records the domain needs, and what is there.' }),
    challengeRecord: Type.Optional(RecordSchema),
    redirect: Type.Optional(RedirectSchema),
    suspension: Type.Optional(SuspensionSchema),
    findings: Type.Array(FindingSchema, { description: 'The mistakes, the most important first.' }),
  },
  { title: 'Diagnosis' },
);

export type DiagnosisData = Static<typeof DiagnosisSchema>;
export type DiagnosisZone = Static<typeof ZoneSchema>;
export type DiagnosisRecord = DiagnosisData['records'][number];
export type RecordSeen = DiagnosisRecord['seen'][number];
