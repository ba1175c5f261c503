import type { FindingCode } from '../../server/src/domain/finding.ts';
import { dnsRecords, ownershipName, ownershipValue } from '../../server/src/domain/records.ts';
import { baseName, challengeName } from '../../server/src/domain/wildcard.ts';
import { ownershipLine, routingLine } from './world.ts';
import type { ZoneMistake, ZoneSubject } from './zone-mistakes.ts';

/** Mistakes in the zone of a wildcard domain, `*.shop` of the zone, and at its CNAME for certificates. */

/** Targets of challenges are in this zone of the platform. */
export const CHALLENGE_ZONE = 'acme.nameplate.test';

const challengeLine = ({ domain }: ZoneSubject) => {
  const [, , challenge] = dnsRecords(domain);
  return challenge === undefined ? '' : `${challenge.name}. CNAME ${challenge.value}.`;
};

/** All records, as they were handed out. */
const all = (subject: ZoneSubject) =>
  [routingLine(subject.domain), ownershipLine(subject.domain), challengeLine(subject)].join('\n');

const wildcard = (
  code: FindingCode,
  what: string,
  lines: (subject: ZoneSubject) => string,
  more: Partial<ZoneMistake> = {},
): ZoneMistake => ({
  ...{ code, what, host: '*.shop' },
  breaks: (subject) => subject.zone.publish(`${lines(subject)}\n${challengeLine(subject)}`),
  mends: (subject) => subject.zone.publish(all(subject)),
  ...more,
});

/** The CNAME for certificates alone is wrong: the domain is verified, and has no certificate. */
const challenge = (
  code: FindingCode,
  what: string,
  lines: (subject: ZoneSubject, name: string) => string,
): ZoneMistake => ({
  ...{ code, what, host: '*.shop', verified: true, isGoneAfterwards: true },
  breaks: (subject) =>
    subject.zone.publish(`${routingLine(subject.domain)}\n${lines(subject, challengeName(subject.domain.name))}`),
  mends: (subject) => subject.zone.publish(all(subject)),
});

const baseOf = ({ domain }: ZoneSubject) => baseName(domain.name);
const PROXIED = '*.shop A 104.16.132.229';

export const WILDCARD_MISTAKES: ZoneMistake[] = [
  wildcard('record_missing', 'published nothing for the wildcard', () => ''),
  wildcard(
    'record_at_other_name',
    'left out the star',
    (subject) => `${baseOf(subject)}. CNAME ${subject.domain.target}.`,
    {
      says: { about: (domain) => [baseName(domain.name)] },
    },
  ),
  wildcard(
    'record_missing',
    'published the wildcard above a name that exists, which it does not apply below (RFC 4592)',
    ({ domain }) => `* CNAME ${domain.target}.\nshop A 203.0.113.80`,
  ),
  wildcard(
    'record_missing',
    'published the wildcard above a name that exists by its TXT record alone',
    ({ domain }) => `* CNAME ${domain.target}.\n${ownershipLine(domain)}`,
  ),
  wildcard(
    'cname_elsewhere',
    'has two wildcards, and the nearer one leads elsewhere',
    ({ domain }) => `* CNAME ${domain.target}.\n*.shop CNAME shops.oldhost.test.`,
  ),
  wildcard('cname_elsewhere', 'left the wildcard of the former host', () => '*.shop CNAME shops.oldhost.test.'),
  wildcard(
    'wildcard_answers',
    'has a wildcard further up alone, which leads elsewhere',
    () => '* CNAME shops.oldhost.test.',
    // The CNAME for certificates would make the name exist.
    { breaks: (subject) => subject.zone.publish('* CNAME shops.oldhost.test.') },
  ),
  wildcard(
    'name_doubled',
    'entered the whole wildcard where the provider appends the zone',
    ({ domain }) => `${domain.name} CNAME ${domain.target}.`,
  ),
  wildcard(
    'value_doubled_zone',
    'left out the final dot in the wildcard',
    ({ domain, zone }) => `*.shop CNAME ${domain.target}.${zone.name}.`,
  ),
  wildcard(
    'value_is_url',
    'entered https:// in the wildcard',
    ({ domain }) => `*.shop CNAME https\\058\\047\\047${domain.target}.`,
  ),
  wildcard('address_instead_of_cname', 'left the addresses of a wildcard', () => '*.shop A 203.0.113.80'),
  wildcard('proxied_without_txt', 'lets a proxy answer for the wildcard', () => PROXIED, {
    mends: (subject) => subject.zone.publish(`${PROXIED}\n${ownershipLine(subject.domain)}\n${challengeLine(subject)}`),
  }),
  wildcard(
    'wildcard_answers',
    'has a wildcard TXT record, which answers for the name of the TXT record',
    () => `${PROXIED}\n*.shop TXT "v=spf1 -all"`,
    { says: { about: (domain) => [ownershipName(domain)] } },
  ),
  wildcard(
    'record_at_other_name',
    'published the TXT record with the star in its name',
    ({ domain }) => `${PROXIED}\n_${domain.service}.*.shop TXT "${ownershipValue(domain)}"`,
  ),
];

export const CHALLENGE_MISTAKES: ZoneMistake[] = [
  challenge('challenge_missing', 'left out the CNAME for certificates', () => ''),
  challenge(
    'name_doubled',
    'entered the whole name where the provider appends the zone',
    (subject, name) => `${name} ${challengeLine(subject).split('. ').slice(1).join('. ')}`,
  ),
  challenge(
    'challenge_missing',
    'has the TXT record of another program at its name',
    (_, name) => `${name}. TXT "Zm9vYmFyYmF6cXV4"`,
  ),
  challenge(
    'wrong_type',
    'published the value as a TXT record',
    (subject, name) => `${name}. TXT "${dnsRecords(subject.domain)[2]?.value}"`,
  ),
  challenge(
    'challenge_elsewhere',
    "lets it lead to another domain's label",
    (_, name) => `${name}. CNAME x3x3x3x3x3x3x3x3x3x3.${CHALLENGE_ZONE}.`,
  ),
  challenge(
    'challenge_elsewhere',
    'lets it lead to the zone for challenges itself',
    (_, name) => `${name}. CNAME ${CHALLENGE_ZONE}.`,
  ),
  challenge(
    'challenge_elsewhere',
    'lets it lead to a name that does not exist',
    (_, name) => `${name}. CNAME gone.nowhere.nameplate.test.`,
  ),
  challenge(
    'challenge_elsewhere',
    'left out the final dot, and the provider appends the zone',
    (subject, name) => `${name}. CNAME ${dnsRecords(subject.domain)[2]?.value}.${subject.zone.name}.`,
  ),
  challenge('challenge_proxied', 'lets a proxy answer in its place', (_, name) => `${name}. A 104.16.132.229`),
  challenge('challenge_proxied', 'lets the provider flatten it', (_, name) => `${name}. A 203.0.113.80`),
  challenge(
    'challenge_missing',
    'published it one level too high',
    (subject) => `_acme-challenge CNAME ${dnsRecords(subject.domain)[2]?.value}.`,
  ),
  challenge(
    'challenge_missing',
    'published it with the star in its name',
    (subject) => `_acme-challenge.*.shop CNAME ${dnsRecords(subject.domain)[2]?.value}.`,
  ),
];

/** Zones in which nothing is wrong. */
export const HEALTHY_ZONES: { what: string; kind?: 'apex'; host?: string; lines(subject: ZoneSubject): string }[] = [
  { what: 'a wildcard domain with all its records', host: '*.shop', lines: all },
  {
    what: 'a wildcard domain directly below the zone',
    host: '*',
    lines: (subject) => `${all(subject)}\n@ A 203.0.113.80`,
  },
  {
    what: 'a wildcard domain with names of its own below it',
    host: '*.shop',
    lines: (subject) => `${all(subject)}\nwww.shop A 203.0.113.80\nshop A 203.0.113.80\na.b.shop TXT "x"`,
  },
  {
    what: 'a wildcard domain behind a proxy, with its TXT record',
    host: '*.shop',
    lines: (subject) => `${PROXIED}\n${ownershipLine(subject.domain)}\n${challengeLine(subject)}`,
  },
  {
    what: 'a wildcard zone in which every name, also its own, has the address of the edge',
    kind: 'apex',
    lines: ({ domain }) => `@ A 203.0.113.10\n* A 203.0.113.10\n${ownershipLine(domain)}`,
  },
  {
    what: 'a zone whose wildcard leads elsewhere, beside a record of its own',
    lines: ({ domain }) => `@ A 203.0.113.80\n* A 203.0.113.80\n${routingLine(domain)}`,
  },
  {
    what: 'a zone with CAA for our CA, and for others',
    lines: ({ domain }) => `${routingLine(domain)}\n@ CAA 0 issue "other-ca.test"\n@ CAA 0 issue "ca.nameplate.test"`,
  },
  {
    what: 'a zone with CAA for reports, mail and wildcards alone',
    lines: ({ domain }) =>
      `${routingLine(domain)}\n@ CAA 0 iodef "mailto:a@b.test"\n@ CAA 0 issuemail ";"\n@ CAA 0 issuewild ";"`,
  },
];
