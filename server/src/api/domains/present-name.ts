import { isIPv4 } from 'node:net';
import Type, { type Static } from 'typebox';
import type { Domain } from '../../domain/domain.ts';
import type { Finding, FindingCode } from '../../domain/finding.ts';
import type { Answer, Observation, RecordObservation } from '../../domain/observation.ts';
import { ownershipName } from '../../domain/records.ts';
import { FindingSchema, SEEN_LIST_LIMIT, SEEN_TEXT_LIMIT, ZoneSchema } from './diagnosis-schema.ts';
import { enteredName, presentFinding, presentZone, shortened } from './present-diagnosis.ts';

const ConflictSchema = Type.Object(
  {
    record: Type.Enum(['routing', 'ownership'], {
      type: 'string',
      description: 'The record of the domain that cannot be published while this one is there.',
    }),
    type: Type.Enum(['CNAME', 'A', 'AAAA'], { type: 'string', description: 'Type of the existing record.' }),
    name: Type.String({ maxLength: 255, description: 'Its name.' }),
    nameInZone: Type.String({
      maxLength: 255,
      description: 'Its name as the DNS provider shows it, without the zone.',
    }),
    values: Type.Array(Type.String({ maxLength: SEEN_TEXT_LIMIT }), {
      maxItems: SEEN_LIST_LIMIT,
      description: 'Its values, as they are in DNS.',
    }),
  },
  { title: 'ConflictingRecord' },
);

export const NameSchema = Type.Object(
  {
    domain: Type.String({
      description:
        'The canonical name. If the name is not valid: the text as you sent it, with invisible characters escaped.',
    }),
    valid: Type.Boolean({ description: 'Whether domains.createDomain accepts the name.' }),
    problem: Type.Optional(
      Type.Object(
        {
          message: Type.String({ description: 'The rule that the name breaks.' }),
          fix: Type.Optional(Type.String({ description: 'The name to send instead, if it is certain.' })),
        },
        { description: 'Why the name is not valid.' },
      ),
    ),
    kind: Type.Optional(
      Type.Enum(['apex', 'subdomain'], {
        type: 'string',
        description:
          '`apex`: the name is a registered domain itself, which cannot have a CNAME and needs an ALIAS record. `subdomain`: any other name.',
      }),
    ),
    held: Type.Boolean({
      description:
        'Whether this workspace already has the domain. In that case DNS is not queried: use domains.diagnoseDomain.',
    }),
    zone: Type.Optional(ZoneSchema),
    conflicts: Type.Array(ConflictSchema, {
      description:
        'Existing records to replace with those of the domain once you have added it. They cannot exist side by side.',
    }),
    caa: Type.Optional(
      Type.Array(Type.String({ maxLength: SEEN_TEXT_LIMIT }), {
        maxItems: SEEN_LIST_LIMIT,
        description:
          'The CAA records that apply to the name. If the list is empty, every CA may issue certificates. Absent if they could not be read.',
      }),
    ),
    findings: Type.Array(FindingSchema, {
      description: 'Mistakes that would prevent the verification or the site, whatever records you publish.',
    }),
  },
  { title: 'NameCheck' },
);

export type NameCheck = Static<typeof NameSchema>;

/** Findings that hold whatever the records of the domain are. */
const REGARDLESS: readonly FindingCode[] = [
  'zone_not_registered',
  'zone_parked',
  'zone_elsewhere',
  'delegation_mismatch',
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
];

type Conflict = NameCheck['conflicts'][number];

/** Presents an observation of a name that is not attached yet. */
export function presentName(
  { name, service }: Pick<Domain, 'name' | 'service'>,
  observation: Observation,
  findings: readonly Finding[],
): Pick<NameCheck, 'zone' | 'conflicts' | 'caa' | 'findings'> {
  const { routing, ownership, probes = [] } = observation;
  const caa = probes.find(({ purpose }) => purpose === 'caa')?.answer;
  const values = caa?.kind === 'found' ? caa.values : [];
  return {
    zone: presentZone(observation),
    conflicts: [
      ...conflictsAt('routing', name, routing),
      ...conflictsAt('ownership', ownershipName({ name, service }), ownership),
    ],
    ...(caa && caa.kind !== 'unreadable' && { caa: shortened(values) }),
    findings: findings.filter(({ code }) => REGARDLESS.includes(code)).map(presentFinding),
  };
}

function conflictsAt(record: Conflict['record'], name: string, { nameservers, zone }: RecordObservation): Conflict[] {
  const answers = nameservers.flatMap((each): Answer[] => each.answers);
  const there = answers.flatMap((answer) => recordsOf(record, answer));
  const types = ['CNAME', 'A', 'AAAA'] as const;
  return types.flatMap((type) => {
    const values = new Set(there.filter((each) => each.type === type).map(({ value }) => value));
    const nameInZone = enteredName(name, zone);
    return values.size === 0 ? [] : [{ record, type, name, nameInZone, values: shortened([...values]) }];
  });
}

/** The records at the name itself, not those at the end of its CNAME chain. Other TXT records may stay. */
function recordsOf(record: Conflict['record'], answer: Answer): { type: Conflict['type']; value: string }[] {
  const [target] = answer.chain;
  if (record === 'ownership') return target === undefined ? [] : [{ type: 'CNAME', value: target }];
  const beside = answer.kind === 'found' ? (answer.beside ?? []) : [];
  const values = target === undefined && answer.kind === 'found' ? answer.values : beside;
  return [
    ...(target === undefined ? [] : [{ type: 'CNAME' as const, value: target }]),
    ...values.map((value) => ({ type: typeOf(value), value })),
  ];
}

function typeOf(value: string): Conflict['type'] {
  if (isIPv4(value)) return 'A';
  return value.includes(':') ? 'AAAA' : 'CNAME';
}
