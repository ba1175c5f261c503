import type { Domain } from '../../server/src/domain/domain.ts';
import type { FindingCode } from '../../server/src/domain/finding.ts';
import { ownershipName, ownershipValue } from '../../server/src/domain/records.ts';
import { ownershipLine, routingLine, txtLine } from './world.ts';

/**
 * Mistakes that customers make in the content of a zone, one by one: the catalogue that scenarios and generated zones
 * draw from.
 */
export interface Mistake {
  code: FindingCode;
  /** The customer's mistake, in words. */
  what: string;
  /** The record that the lines stand in place of. */
  record: 'routing' | 'ownership';
  kinds: Domain['kind'][];
  /** The lines in place of the record, in the notation of zone files. */
  lines(subject: MistakenSubject): string;
  /**
   * `hidden`: the routing record cannot be read back, so that the TXT record is needed. `in_the_way`: nothing can be
   * published at the name of the other record.
   */
  effect?: 'hidden' | 'in_the_way';
}

export interface MistakenSubject {
  domain: Domain;
  /** Apex of the zone. */
  zone: string;
  /** Addresses of every target. */
  targetAddress: string;
  /** Another domain of the same workspace. */
  other: Domain;
}

const SUBDOMAIN: Domain['kind'][] = ['subdomain'];
const EITHER: Domain['kind'][] = ['subdomain', 'apex'];
const ELSEWHERE_ADDRESS = '203.0.113.80';
/** An address of Cloudflare. */
const PROXY_ADDRESS = '104.16.132.229';

/** `shop` of `shop.acme.com`. */
const inZone = ({ domain, zone }: MistakenSubject, name = domain.name) =>
  name === zone ? '@' : name.slice(0, -zone.length - 1);

/** A CNAME of the domain's name to these octets, escaped as zone files want them. */
const cname = ({ domain }: MistakenSubject, value: string) => `${domain.name}. CNAME ${escaped(value)}`;

function escaped(name: string): string {
  return name.replaceAll(/[^\w.*-]/g, (character) =>
    [...Buffer.from(character)].map((octet) => `\\${String(octet).padStart(3, '0')}`).join(''),
  );
}

const routing = (
  code: FindingCode,
  what: string,
  lines: Mistake['lines'],
  more: Partial<Pick<Mistake, 'kinds' | 'effect'>> = {},
): Mistake => ({ code, what, record: 'routing', kinds: SUBDOMAIN, lines, ...more });

export const ROUTING_MISTAKES: Mistake[] = [
  routing('record_missing', 'published nothing', () => ''),
  routing(
    'name_doubled',
    'entered the whole name where the provider appends the zone',
    (subject) => `${subject.domain.name} CNAME ${subject.domain.target}.`,
  ),
  routing('name_doubled', 'entered the name with the first label of the zone', (subject) => {
    const [first = ''] = subject.zone.split('.');
    return `${inZone(subject)}.${first} CNAME ${subject.domain.target}.`;
  }),
  routing(
    'record_at_other_name',
    'published the CNAME at www of the name',
    ({ domain }) => `www.${domain.name}. CNAME ${domain.target}.`,
  ),
  routing(
    'wrong_type',
    'published the target as a TXT record',
    ({ domain }) => `${domain.name}. TXT "${domain.target}"`,
  ),
  routing('cname_elsewhere', 'left the CNAME of the former host', (subject) => cname(subject, 'shops.oldhost.test.')),
  routing('cname_other_target', 'took the target of another domain', (subject) =>
    cname(subject, `${subject.other.target}.`),
  ),
  routing('value_doubled_zone', 'left out the final dot, and the provider appends the zone', (subject) =>
    cname(subject, subject.domain.target),
  ),
  routing('value_is_url', 'entered https:// before the target', (subject) =>
    cname(subject, `https://${subject.domain.target}.`),
  ),
  routing('value_is_url', 'entered a path after the target', (subject) => cname(subject, `${subject.domain.target}/.`)),
  routing('value_is_address', 'entered an address as the value of the CNAME', (subject) =>
    cname(subject, `${ELSEWHERE_ADDRESS}.`),
  ),
  routing('value_whitespace', 'copied a space before the target', (subject) =>
    cname(subject, ` ${subject.domain.target}.`),
  ),
  routing('value_quoted', 'entered the target in quotation marks', (subject) =>
    cname(subject, `"${subject.domain.target}".`),
  ),
  routing('value_is_txt', 'entered the TXT value as the value of the CNAME', (subject) =>
    cname(subject, `${ownershipValue(subject.domain)}.`),
  ),
  routing(
    'cname_loop',
    'let the CNAME lead back to itself',
    (subject) => `${cname(subject, `lb.${subject.zone}.`)}\nlb CNAME ${subject.domain.name}.`,
  ),
  routing('cname_chain_too_long', 'let nine CNAMEs lead to the target', (subject) => {
    const steps = Array.from(
      { length: 8 },
      (_, step) => `s${step} CNAME ${step === 7 ? `${subject.domain.target}.` : `s${step + 1}`}`,
    );
    return [cname(subject, `s0.${subject.zone}.`), ...steps].join('\n');
  }),
  routing('cname_to_broken_zone', 'let the CNAME lead into a zone that nobody serves', (subject) =>
    cname(subject, 'lb.broken.test.'),
  ),
  routing(
    'address_instead_of_cname',
    'left the address of the former server',
    ({ domain }) => `${domain.name}. A ${ELSEWHERE_ADDRESS}`,
    { effect: 'hidden' },
  ),
  routing(
    'proxied_without_txt',
    'lets a proxy answer with its own addresses',
    ({ domain }) => `${domain.name}. A ${PROXY_ADDRESS}`,
    { effect: 'hidden' },
  ),
  routing(
    'proxied_without_txt',
    'lets the provider flatten the CNAME',
    ({ domain, targetAddress }) => `${domain.name}. A ${targetAddress}`,
    { effect: 'hidden' },
  ),
  routing('wildcard_answers', 'has a wildcard that leads elsewhere', () => '* CNAME shops.oldhost.test.'),
];

const ownership = (
  code: FindingCode,
  what: string,
  lines: Mistake['lines'],
  more: Partial<Pick<Mistake, 'kinds' | 'effect'>> = {},
): Mistake => ({ code, what, record: 'ownership', kinds: EITHER, lines, ...more });

/** A TXT record at its own name. */
const txt = (code: FindingCode, what: string, value: (right: string, subject: MistakenSubject) => string): Mistake =>
  ownership(code, what, (subject) => txtLine(subject.domain, value(ownershipValue(subject.domain), subject)));

export const OWNERSHIP_MISTAKES: Mistake[] = [
  ownership('txt_missing', 'published no TXT record', () => '', { kinds: ['apex'] }),
  ownership(
    'name_doubled',
    'entered the whole TXT name where the provider appends the zone',
    ({ domain }) => `${ownershipName(domain)} TXT "${ownershipValue(domain)}"`,
  ),
  ownership(
    'record_at_other_name',
    'published the TXT record at the name itself',
    ({ domain }) => `${domain.name}. TXT "${ownershipValue(domain)}"`,
    { effect: 'in_the_way' },
  ),
  ownership(
    'record_at_other_name',
    'left out the underscore',
    ({ domain }) => `${ownershipName(domain).slice(1)}. TXT "${ownershipValue(domain)}"`,
  ),
  ownership(
    'record_at_other_name',
    'published the TXT record at the apex',
    (subject) => `@ TXT "${ownershipValue(subject.domain)}"`,
    { kinds: SUBDOMAIN },
  ),
  ownership(
    'record_at_other_name',
    'left out the name of the host',
    ({ domain, zone }) => `_${domain.service}.${zone}. TXT "${ownershipValue(domain)}"`,
    { kinds: SUBDOMAIN },
  ),
  ownership(
    'cname_at_txt_name',
    'published the CNAME at the TXT name',
    ({ domain }) => `${ownershipName(domain)}. CNAME ${domain.target}.`,
  ),
  txt('txt_wrong_value', 'made the value up', () => 'verified=yes'),
  txt('txt_truncated', 'left out the prefix', (right) => right.slice(right.indexOf('=') + 1)),
  txt('txt_quoted', 'entered the value in quotation marks', (right) => `\\"${right}\\"`),
  txt('txt_case', 'typed the value in lower case', (right) => right.toLowerCase()),
  txt('txt_invisible', 'copied a space after the value', (right) => `${right} `),
  txt('txt_invisible', 'copied a zero-width space', (right) => `\\226\\128\\139${right}`),
  txt('txt_encoded', 'entered the value percent-encoded', (right) => right.replace('=', '%3D')),
  txt('txt_truncated', 'copied a part of the value', (right) => right.slice(0, -5)),
  txt('txt_other_domain', 'took the value of another domain', (_right, { other }) => ownershipValue(other)),
  txt(
    'txt_stale',
    'left the value of an earlier attempt',
    (_right, { domain }) => `${domain.service}-domain-verify=bcdfghjklmnpqrstvwxz2345`,
  ),
];

/** The line that belongs in the zone. */
export function rightLine(record: Mistake['record'], domain: Domain, targetAddress: string): string {
  if (record === 'ownership') return ownershipLine(domain);
  return domain.kind === 'apex' ? `${domain.name}. A ${targetAddress}` : routingLine(domain);
}
