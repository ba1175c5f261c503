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
        'The kind of fix. `add`, `change`, `delete`: add, change or delete a record. `replace`: add a record after deleting the records of the types in `removes` at this name. `wait`: wait, and change nothing. `ask`: ask the operator of the nameservers. `create_zone`: create the zone at that provider. `register`: register the domain. `recreate`: delete the domain here and add it again. `repair`: repair the server that visitors reach. More values may be added.',
    }),
    at: Type.Enum(['zone', 'registrar', 'zone_above', 'server'], {
      type: 'string',
      description:
        'Where to do it. `zone`: in the zone, at its DNS provider. `registrar`: at the registrar. `zone_above`: in the parent zone. `server`: at the server that visitors reach. More values may be added.',
    }),
    zone: Name('Name of the zone.'),
    provider: Type.Optional(
      Type.String({ maxLength: 255, description: 'DNS provider of the zone; absent if unknown.' }),
    ),
    type: Type.Optional(
      Type.Enum(['CNAME', 'TXT', 'ALIAS', 'CAA', 'NS', 'DS'], { type: 'string', description: 'Type of the record.' }),
    ),
    typeInZone: Type.Optional(
      Type.String({ maxLength: 64, description: "The provider's name for an ALIAS record; absent if unknown." }),
    ),
    name: Type.Optional(Name('Fully qualified name of the record.')),
    nameInZone: Type.Optional(
      Name('The name as you enter it at the DNS provider. If it is empty, leave the field empty.'),
    ),
    value: Type.Optional(Type.String({ maxLength: SEEN_TEXT_LIMIT, description: 'Exact value.' })),
    valueInZone: Type.Optional(
      Type.String({ maxLength: 512, description: 'The value as you enter it at the DNS provider.' }),
    ),
    addresses: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), { description: 'Addresses to publish in place of an ALIAS record.' }),
    ),
    flags: Type.Optional(Type.String({ maxLength: 3, description: 'The flags of a CAA record.' })),
    tag: Type.Optional(Type.String({ maxLength: 255, description: 'The tag of a CAA record.' })),
    removes: Type.Optional(
      Type.Array(Type.String({ maxLength: 16 }), {
        description: 'Types of the records to delete at this name.',
      }),
    ),
  },
  {
    title: 'FindingAction',
    description:
      'A fix as data. `action` is absent if there is nothing to fix, and `second` if one fix is enough. If there are two, do both; for the code `address_instead_of_cname`, either is enough.',
  },
);

/** One character of the DNS, or none. */
const Character = (description: string) => Type.Optional(Type.String({ maxLength: 2, description }));

const FactsSchema = Type.Object(
  {
    reason: Type.Optional(
      Type.Enum([...new Set([...FINDING_REASONS, ...FAILURES, ...LIVE_PROBLEMS])], {
        type: 'string',
        description: 'Which variant of the mistake it is. More values may be added.',
      }),
    ),
    scope: Type.Optional(
      Type.Enum(['zone', 'some', 'delegation', 'name'], {
        type: 'string',
        description:
          'How much could not be read. `zone`: the whole zone. `some`: some of its nameservers. `delegation`: the list of its nameservers. `name`: this name alone.',
      }),
    ),
    zone: Type.Optional(Name('The delegated zone that the name is in.')),
    zoneAbove: Type.Optional(Name('The parent zone, which delegates `zone`.')),
    provider: Type.Optional(Type.String({ maxLength: 255, description: 'DNS provider that runs the `nameservers`.' })),
    seenProvider: Type.Optional(
      Type.String({ maxLength: 255, description: 'DNS provider that runs the nameservers in `seen`.' }),
    ),
    host: Type.Optional(Name('The host that the mistake is about: one of `seen`, or the target.')),
    proxy: Type.Optional(Type.String({ maxLength: 255, description: 'Company whose proxy the name leads to.' })),
    otherName: Type.Optional(Name('Name at which the other record is.')),
    owner: Type.Optional(Name('Domain of this workspace that the value belongs to.')),
    difference: Type.Optional(
      Type.Object(
        {
          position: Type.Optional(
            Type.Integer({ minimum: 1, description: 'Its position in characters, counted from 1.' }),
          ),
          found: Character('The character that is there; absent if there is none.'),
          expected: Character('The character that belongs there; absent if there is none.'),
        },
        { description: 'The first character of the value that differs.' },
      ),
    ),
    isQuoted: Type.Optional(Type.Boolean({ description: 'Whether there are also quotation marks around the value.' })),
    isOptional: Type.Optional(
      Type.Boolean({ description: 'Whether the record is not needed if the CNAME record is correct.' }),
    ),
    answers: Type.Optional(
      Type.Array(
        Type.Object({
          nameserver: Name('Host name.'),
          matches: Type.Boolean({ description: 'Whether the nameserver has the right record.' }),
          looks: Type.Array(
            Type.Object({
              cname: Seen('The names that the CNAMEs lead to, in order.'),
              values: Seen('The TXT values or addresses.'),
              beside: Seen('Other records at the name.'),
              isLoop: Type.Optional(Type.Boolean({ description: 'Whether the CNAMEs lead in a loop.' })),
            }),
            { description: 'Its answers, one for each query. If all lists are empty, there is no record.' },
          ),
        }),
        { description: 'The answers of each nameserver.' },
      ),
    ),
    onlyDelegated: Type.Optional(Seen('Nameservers that only the parent zone names.')),
    onlyInZone: Type.Optional(Seen('Nameservers that only the zone itself names.')),
    until: Type.Optional(Time('When the cached answers have expired.')),
    ttlSeconds: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How long caches may keep a failure, in seconds.' }),
    ),
  },
  { title: 'FindingFacts', description: 'Further facts that `message` and `fix` mention.' },
);

export const FindingSchema = Type.Object(
  {
    code: Type.Enum([...FINDING_CODES], {
      type: 'string',
      description:
        'Which mistake it is. The server explains each code at `/docs/findings/{code}`. More values may be added.',
    }),
    severity: Type.Enum(['blocking', 'warning', 'info'], {
      type: 'string',
      description:
        '`blocking`: the domain is not verified, or not served, until you fix it. `warning`: it may cause trouble. `info`: nothing needs to be fixed.',
    }),
    record: Type.Optional(RecordKind),
    name: Type.Optional(Name('The name at which the mistake was seen.')),
    seen: Type.Optional(Seen('The values that are there, as they are in DNS.')),
    expected: Type.Optional(Type.String({ maxLength: 512, description: 'The value that belongs there.' })),
    nameservers: Type.Optional(
      Type.Array(Name('A nameserver.'), {
        maxItems: SEEN_LIST_LIMIT,
        description: 'The nameservers at which the mistake was seen.',
      }),
    ),
    action: Type.Optional(ActionSchema),
    second: Type.Optional(ActionSchema),
    facts: Type.Optional(FactsSchema),
    message: Type.String({
      maxLength: 4096,
      description: 'The mistake in English sentences, built from the other properties.',
    }),
    fix: Type.String({ maxLength: 4096, description: 'The fix in English; empty if there is nothing to fix.' }),
    retryable: Type.Boolean({ description: 'Whether the mistake may disappear without a change of the records.' }),
  },
  { title: 'Finding', description: 'One mistake in the DNS of a name, or something worth knowing.' },
);

const ScheduleSchema = Type.Object(
  {
    attempts: Type.Integer({
      minimum: 0,
      description: 'Number of checks in this verification window; for a verified domain, since it was verified.',
    }),
    lastCheckAt: Type.Optional(Time('When the last check began; absent before the first.')),
    nextCheckAt: Type.Optional(Time('When the next check is due; absent if none is.')),
    windowEndsAt: Type.Optional(
      Time('When the domain fails if it is not verified by then; absent if no verification window is open.'),
    ),
  },
  { title: 'DiagnosisSchedule', description: 'The background checks of the domain.' },
);

export const ZoneSchema = Type.Object(
  {
    name: Name('Name of the zone. If the domain is not registered: the name to register.'),
    registered: Type.Boolean({ description: 'False if the parent zone says that the domain does not exist.' }),
    nameservers: Type.Array(
      Type.Object({
        name: Name('Host name.'),
        addresses: Type.Array(Type.String({ maxLength: 64 }), {
          description: 'Its addresses that Nameplate may query.',
        }),
        outcome: Type.Enum(['answered', 'not_asked', 'no_address', ...FAILURES], {
          type: 'string',
          description:
            '`answered`: it answered. `not_asked`: it was not queried. Any other value: why it gave no usable answer.',
        }),
      }),
      { description: 'The nameservers that the parent zone names.' },
    ),
    provider: Type.Optional(
      Type.Object(
        {
          id: Type.String({ maxLength: 64, description: 'Identifier of the provider, such as `cloudflare`.' }),
          name: Type.String({ maxLength: 255, description: 'For people.' }),
          panel: Type.Optional(Type.String({ maxLength: 2048, description: 'URL where its DNS records are edited.' })),
        },
        { description: 'The DNS provider that runs the nameservers; absent if unknown.' },
      ),
    ),
    dnssec: Type.Optional(
      Type.Enum(['unsigned', 'secure', 'bogus'], {
        type: 'string',
        description:
          'Whether the zone is signed. `bogus`: signatures are wrong, so validating resolvers do not answer. Absent if unknown.',
      }),
    ),
  },
  { title: 'DiagnosisZone', description: 'The DNS zone that the name is in.' },
);

const RecordSchema = Type.Object(
  {
    record: RecordKind,
    type: Type.Enum(['CNAME', 'ALIAS', 'TXT'], { type: 'string', description: 'Type of record to publish.' }),
    name: Name('Fully qualified name of the record.'),
    nameInZone: Name('The name as you enter it at the DNS provider.'),
    expected: Type.String({ maxLength: 512, description: 'The exact value to publish.' }),
    valueInZone: Type.String({
      maxLength: 512,
      description:
        'The value as you enter it at the DNS provider: `expected`, with a final dot if the provider would otherwise append the zone.',
    }),
    addresses: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        description:
          'For an ALIAS record: the addresses to publish instead if the provider has no such record. Absent if unknown.',
      }),
    ),
    verified: Type.Boolean({
      description:
        'Whether this diagnosis found the record with that value; with `cached`, whether the last check did.',
    }),
    needed: Type.Enum(['yes', 'no', 'alternative'], {
      type: 'string',
      description:
        '`yes`: the domain needs it. `no`: the domain does not need it at present. `alternative`: it verifies the domain if the other record cannot be read, for example behind a proxy.',
    }),
    seen: Type.Array(
      Type.Object({
        nameserver: Name('Host name of the nameserver, or address of a resolver.'),
        outcome: Type.Enum(['matched', 'other', 'changing', 'nxdomain', 'nodata', 'no_address', ...FAILURES], {
          type: 'string',
          description:
            '`matched`: the expected value is there. `other`: other values are there. `changing`: two answers differed. `nxdomain`: the name does not exist. `nodata`: the name has no record of this type. Any other value: why the nameserver gave no usable answer.',
        }),
        values: Seen(
          'The values in the answer. For a TXT record: the texts. For a routing record: the names that the CNAMEs lead to, in order, or the addresses if there is no CNAME.',
        ),
        cname: Type.Optional(
          Seen(
            'For a TXT record: the names that a CNAME at the same name leads to, in order. Absent if there is no CNAME.',
          ),
        ),
      }),
      { description: 'The answer of each nameserver that was queried; empty with `cached`.' },
    ),
    visible: Type.Optional(
      Type.Object(
        { resolver: Name('Address of the resolver.'), until: Time('When its cached answer expires.') },
        {
          description: 'A resolver whose cached answer differs from that of the nameservers; absent if none is known.',
        },
      ),
    ),
  },
  { title: 'DiagnosisRecord', description: 'A record that the domain may need, and what its nameservers have.' },
);

export const DiagnosisSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.String({ minLength: 4, maxLength: 253, description: 'Its canonical name.' }),
    status: Type.Enum(['pending', 'verifying', 'verified', 'failed'], {
      type: 'string',
      description: 'Its status, as in domains.getDomain.',
    }),
    checkedAt: Type.Optional(
      Time(
        'When the nameservers were queried; with `cached`, since when checks have found this. Absent before the first check.',
      ),
    ),
    schedule: ScheduleSchema,
    zone: Type.Optional(ZoneSchema),
    records: Type.Array(RecordSchema, {
      minItems: 2,
      description: 'The records that the domain needs, and what is there instead or already.',
    }),
    challengeRecord: Type.Optional(RecordSchema),
    redirect: Type.Optional(RedirectSchema),
    suspension: Type.Optional(SuspensionSchema),
    findings: Type.Array(FindingSchema, {
      description: 'The mistakes in the DNS of the domain, the most important first.',
    }),
  },
  { title: 'Diagnosis' },
);

export type DiagnosisData = Static<typeof DiagnosisSchema>;
export type DiagnosisZone = Static<typeof ZoneSchema>;
export type DiagnosisRecord = DiagnosisData['records'][number];
export type RecordSeen = DiagnosisRecord['seen'][number];
