import type { DifferingAnswer, Finding, FindingCode, FindingFields, FindingReason } from '../finding.ts';
import { joinList, quote, TEXT_LIMIT } from '../text.ts';
import { FINDING_TEXTS } from './finding-texts.ts';
import { fixOf } from './fixes.ts';
import {
  capitalized,
  chainOf,
  delegationOf,
  failing,
  filled,
  listServers,
  type Quote,
  type Said,
  shown,
  typed,
  typedValue,
} from './phrases.ts';

/** The English of findings, made of their fields alone. Another language needs another file like this one. */

/** Room for what `verificationError` says around a finding. */
const AROUND = 80;

/** Longest message and fix of a finding together, in characters, so that both fit into `verificationError`. */
export const FINDING_LIMIT = TEXT_LIMIT - AROUND;

/** Longest title, in characters: a message always fits beside the fix. */
export const TITLE_LIMIT = 100;

/** The lengths to which untrusted texts are shortened, until the message fits. */
const QUOTE_LENGTHS = [100, 60, 30, 12];

/** The finding with its sentences: what was seen is shortened until they fit, then sentences are left out. */
export function withSentences(fields: FindingFields): Finding {
  const said = filled(fields);
  const fix = fittedFix(said);
  const room = FINDING_LIMIT - lengthOf(fix) - 1;
  return { ...fields, message: fittedMessage(said, room) || FINDING_TEXTS[fields.code].title, fix };
}

/** The fix, or a shorter one where names have hundreds of characters: with the exact value, where one has to be published. */
function fittedFix(said: Said): string {
  const { code, action, record, expected } = said;
  const publish = `Publish the ${action.type} record exactly as it is listed.`;
  const hasValue = record !== undefined && expected !== '' && action.valueInZone !== undefined;
  const shorter = hasValue ? [`${publish} ${typed(action)}`, `${publish} ${typedValue(action)}.`] : [];
  const texts = [fixOf(said), ...shorter];
  return texts.find((text) => lengthOf(text) < FINDING_LIMIT - TITLE_LIMIT) ?? FINDING_TEXTS[code].fix;
}

function fittedMessage(said: Said, room: number): string {
  const versions = QUOTE_LENGTHS.map((limit) => MESSAGES[said.code](said, (text) => quote(text, limit)));
  const whole = versions.map((sentences) => sentences.join(' ')).find((text) => lengthOf(text) <= room);
  if (whole !== undefined) return whole;
  const shortest = versions.at(-1) ?? [];
  while (shortest.length > 0 && lengthOf(shortest.join(' ')) > room) shortest.pop();
  return shortest.join(' ');
}

function lengthOf(text: string): number {
  return [...text].length;
}

type Look = DifferingAnswer['looks'][number];

/** Whole sentences, the most important first: what does not fit is left out from the end. */
type Message = (said: Said, quoted: Quote) => string[];

const missing: Message = ({ action, at, reason, nameservers }) => [
  reason === 'no_address'
    ? `${at} has no address, so nobody reaches it.`
    : `There is no ${action.type} record at ${at}${reason === 'nodata' ? '' : ': the name does not exist'}.`,
  ...asked(nameservers, action.provider),
];

/** A CNAME whose value cannot be right, whatever it leads to. */
function misshapen(what: string): Message {
  return ({ at, first }, quoted) => [`${at} is a CNAME to ${quoted(first)}, ${what}.`];
}

/** The TXT record has one value that resembles the right one. */
function wrongText(what: (said: Said) => string): Message {
  return (said, quoted) => [
    `The TXT record at ${said.at} has the value ${quoted(said.first)}, ${said.isQuoted ? 'in quotation marks that do not belong to it, and ' : ''}${what(said)}.`,
    ...optional(said),
  ];
}

/** The predicate of a sentence about nameservers, for one and for several. */
const DOES: Partial<Record<FindingReason, [one: string, several: string]>> = {
  servfail: ['answers with a failure (SERVFAIL)', 'answer with a failure (SERVFAIL)'],
  refused: ['refuses to answer (REFUSED)', 'refuse to answer (REFUSED)'],
  lame: ['does not serve the zone (lame delegation)', 'do not serve the zone (lame delegation)'],
  malformed: ['sends responses that are not valid DNS', 'send responses that are not valid DNS'],
  no_nameserver: ['has no IP address', 'have no IP address'],
  unreachable: ['cannot be reached', 'cannot be reached'],
  forbidden_address: [
    'has a private or special IP address, which is never asked',
    'have private or special IP addresses, which are never asked',
  ],
  tcp_failed: ['does not answer over TCP', 'do not answer over TCP'],
  inconsistent: ['names other nameservers than another one', 'name other nameservers than another one'],
};

function doingOf(reason: FindingReason = 'timeout'): [one: string, several: string] {
  return DOES[reason] ?? ['does not answer in time', 'do not answer in time'];
}

const nameserverFails: Message = (said) => {
  const { name, nameservers, reason, scope, action } = said;
  const [does, several] = doingOf(reason);
  const [one] = nameservers;
  if (scope === 'delegation') {
    const server = one === undefined ? 'a nameserver of the zone above' : shown(one);
    return [`The nameservers of ${name} could not be found: ${server} ${does}.`];
  }
  if (scope === 'name')
    return [
      `${name} could not be read: ${failing(nameservers)} ${nameservers.length === 1 ? does : several} when asked for this name. For other names in the zone ${action.zone} there are answers.`,
      ...optional(said),
    ];
  const read =
    scope === 'zone' ? `The zone ${name} could not be read` : `Not every nameserver of ${name} could be read`;
  return [`${read}: ${failing(nameservers)} ${nameservers.length === 1 ? does : several}.`];
};

/** Visitors find this at an address. */
const FOUND_OUTSIDE: Partial<Record<FindingReason, string>> = {
  answered_by_another: 'another server answers, which does not pass requests on to this service',
  certificate_wrong_name: 'they get a certificate that is not for this name',
  certificate_expired: 'they get a certificate that has expired',
  certificate_not_yet_valid: 'they get a certificate that is not valid yet',
  certificate_untrusted: 'they get a certificate that browsers do not trust',
  address_not_public: 'the Internet has no way there',
  connection_refused: 'nothing listens at port 443',
  tls_failed: 'there is no TLS handshake at port 443',
  no_response: 'the server ends the connection without a response',
  timeout: 'there is no answer in time',
};

const outside: Message = ({ name, seen, reason = 'timeout' }) => [
  `Visitors of ${name} do not reach the site at the ${addressesOf(seen)}: ${FOUND_OUTSIDE[reason]}.`,
];

const MESSAGES: Record<FindingCode, Message> = {
  record_missing: missing,
  txt_missing: missing,
  record_below_cut: ({ action, at, zone, zoneAbove, nameservers }) => [
    `There is no ${action.type} record at ${at}.`,
    `${zone} is a zone of its own: what is published in the zone ${zoneAbove} is not seen there.`,
    ...asked(nameservers),
  ],
  name_doubled: ({ action, name, at, otherName }) => [
    `The ${action.type} record is at ${name}; it belongs at ${at}. The DNS provider adds "${action.zone}" to every name that is entered.`,
    ...(otherName === undefined ? [] : [`The TXT record is at ${otherName}.`]),
  ],
  record_at_other_name: ({ action, name, at }) => [`The ${action.type} record is at ${name}; it belongs at ${at}.`],
  name_not_punycode: ({ action, at }) => [
    `The ${action.type} record is at a name with special characters. In DNS that is another name than ${at}.`,
  ],
  cname_at_txt_name: (said, quoted) => [
    `${said.at} is a CNAME to ${chainOf(said.seen, quoted)}.`,
    'A TXT record has to be there instead: nothing else can be beside a CNAME.',
    ...optional(said),
  ],
  records_swapped: ({ at, first, second, reason }, quoted) =>
    reason === 'values_swapped'
      ? [`The TXT record at ${at} has the value of the CNAME record, ${quoted(first)}.`]
      : [
          `The names of the two records are exchanged: the CNAME record is at ${at}, and the TXT record at ${second?.name}.`,
        ],
  wrong_type: ({ at, record, expected, action }) =>
    record === 'ownership'
      ? [`The value that proves ownership is in a CNAME record at ${at}; it belongs in a TXT record.`]
      : [
          `At ${at} the value ${expected} is in ${action.removes?.[0] === 'NS' ? 'an NS' : 'a TXT'} record; it belongs in a CNAME record.`,
        ],
  cname_elsewhere: ({ at, seen, expected, reason }, quoted) => [
    `${at} is a CNAME to ${chainOf(seen, quoted)}${reason === 'nxdomain' ? ', which does not exist' : reason === 'no_address' ? ', which has no address' : ''}.`,
    `It has to lead to ${expected}.`,
  ],
  cname_other_target: ({ at, host = '' }, quoted) => [
    `${at} is a CNAME to ${quoted(host)}, which is not the target of this domain.`,
    'It belongs to another domain, to this one before it was deleted and added again, or is mistyped.',
  ],
  value_doubled_zone: (said, quoted) =>
    misshapen(`because the DNS provider has added the zone ${said.action.zone} to its end`)(said, quoted),
  value_is_url: misshapen('which is a web address (URL), not a host name'),
  value_is_address: misshapen('which is an IP address, not a host name'),
  value_whitespace: misshapen('with white space that does not belong to it'),
  value_quoted: misshapen('with quotation marks that do not belong to it'),
  value_is_txt: misshapen('which is the value of the TXT record'),
  cname_loop: ({ at, seen }, quoted) => [
    `The CNAME records of ${at} lead in a circle.`,
    ...(seen.length === 0 ? [] : [`Each leads to the next: ${[at, ...seen.map(quoted)].join(' → ')}.`]),
  ],
  cname_chain_too_long: ({ at, seen }, quoted) => [
    `${at} leads over more than 8 CNAME records${seen.length === 0 ? '' : `: ${chainOf(seen, quoted)}`}.`,
  ],
  cname_to_broken_zone: ({ at, seen, nameservers: [server], reason }, quoted) => [
    `${at} is a CNAME to ${chainOf(seen, quoted)}, which could not be read: ${server === undefined ? 'a nameserver of its zone' : shown(server)} ${doingOf(reason)[0]}.`,
  ],
  address_instead_of_cname: ({ at, seen, expected, severity }) => [
    `${at} has the ${addressesOf(seen)}, not a CNAME record to ${expected}.`,
    ...(severity === 'info'
      ? [`The TXT record verifies the domain. Visitors reach it only if these addresses pass them on to ${expected}.`]
      : []),
  ],
  conflicting_records: ({ at, seen: [first = '', ...beside] }, quoted) => [
    `${at} has a CNAME record to ${quoted(first)} and other records beside it: ${joinList(beside.map(quoted))}.`,
    'Visitors reach one or the other by chance.',
  ],
  proxied_without_txt: (said) => [
    said.reason === 'hidden_by_proxy'
      ? `${said.otherName} ${proxiedBy(said)}, so its CNAME record cannot be seen.`
      : `${said.otherName} has the addresses of ${said.host} in place of a CNAME record (the DNS provider flattens it).`,
    `Only a TXT record can verify the domain then, and there is none at ${said.at}.`,
  ],
  proxied: (said) => [`${said.at} ${proxiedBy(said)}, so it cannot be seen whether it leads here. ${verifies(said)}`],
  flattened: (said) => [`${said.at} has the addresses of ${said.host}, so it leads here. ${verifies(said)}`],
  txt_wrong_value: (said, quoted) => {
    switch (said.reason) {
      case 'text_beside':
        return wrongText(() => 'with other text beside it')(said, quoted);
      case 'text_before':
        return wrongText(() => 'with other text before it, and with another token')(said, quoted);
      case 'other_character':
        return wrongText((one) => `in which ${firstDifference(one)}`)(said, quoted);
      default:
        return otherValues(said, quoted);
    }
  },
  txt_quoted: wrongText(() => 'with quotation marks that do not belong to it'),
  txt_case: wrongText((said) => `with upper and lower case mixed up: ${firstDifference(said)}`),
  txt_invisible: wrongText(({ difference }) => `with ${invisible(difference?.found)} that does not belong to it`),
  txt_encoded: wrongText(() => 'in which a program has replaced characters by codes'),
  txt_stale: wrongText(() => OF_UNKNOWN),
  txt_other_domain: wrongText(({ owner }) => `which is the value of ${owner}`),
  txt_truncated: wrongText(
    ({ reason }) => `of which the ${reason === 'beginning_missing' ? 'beginning' : 'end'} is missing`,
  ),
  wildcard_answers: (said, quoted) => {
    const { at, seen, first, record, reason } = said;
    const star = at.startsWith('*.') ? 'a wildcard record above it' : 'a wildcard record (*)';
    if (reason === 'wildcard_txt') {
      return [
        `The TXT record at ${at} comes from a wildcard record (*) and has the value ${quoted(first)}.`,
        'The value that proves ownership is missing.',
        ...optional(said),
      ];
    }
    const gives =
      reason === 'wildcard_address'
        ? `gives it the ${addressesOf(seen)}`
        : `makes it a CNAME to ${record === 'ownership' ? quoted(first) : chainOf(seen, quoted)}`;
    return [`${at} has no record of its own: ${star} ${gives}.`];
  },
  cname_at_apex: ({ at, seen }, quoted) => [
    `${at} is a CNAME to ${chainOf(seen, quoted)}.`,
    'The name of a zone must not be a CNAME: other records there, such as those for e-mail, may stop working.',
  ],
  apex_elsewhere: ({ at, seen }) => [
    `${at} has the ${addressesOf(seen)}, which ${seen.length > 1 ? 'are' : 'is'} not of this service.`,
    'Visitors go to another server, unless a proxy of yours passes them on.',
  ],
  zone_not_registered: ({ name }) => [
    `The domain ${name} does not exist: it is not registered, it has expired, or it has no nameservers.`,
  ],
  zone_parked: ({ name, provider, nameservers, seen, reason }) => [
    reason === 'registration_ended'
      ? `The registration of ${name} seems to have expired: its nameservers (${listServers(nameservers)}) are those of ${provider} for domains that were not renewed, or that nobody uses.`
      : `The domain ${name} is parked at ${provider}: its nameservers (${listServers(nameservers)}) belong to a service that shows advertisements. No records can be published there.`,
    ...(seen.length === 0 ? [] : [`Every name in it, also ${name} itself, has the ${addressesOf(seen)}.`]),
  ],
  zone_elsewhere: ({ action, nameservers, seen, provider, seenProvider, reason, record, otherName }) => [
    `${capitalized(delegationOf(action))}, the nameservers are ${listServers(nameservers)}${provider ? ` (${provider})` : ''}. ${
      reason === 'record_there'
        ? `The ${record === 'ownership' ? 'TXT' : 'CNAME'} record at ${otherName} is at ${listServers(seen)}`
        : `The zone itself names ${listServers(seen)}`
    }${seenProvider ? ` (${seenProvider})` : ''}.`,
    `Only what is published at ${provider ?? 'the first ones'} is seen.`,
  ],
  delegation_mismatch: ({ name, action, onlyDelegated = [], onlyInZone = [] }) => {
    const who = action.at === 'registrar' ? 'the registrar' : 'the zone above';
    return [
      `${capitalized(who)} and the zone ${name} name different nameservers.`,
      ...(onlyDelegated.length > 0 ? [`Only ${who} names ${listServers(onlyDelegated)}.`] : []),
      ...(onlyInZone.length > 0 ? [`Only the zone names ${listServers(onlyInZone)}.`] : []),
    ];
  },
  nameservers_disagree: disagreement,
  resolvers_unreachable: ({ name }) => [
    `The DNS resolvers of this service give no usable answer, so ${name} could not be read.`,
  ],
  nameserver_refused: nameserverFails,
  nameserver_lame: nameserverFails,
  nameserver_servfail: nameserverFails,
  nameserver_timeout: nameserverFails,
  nameserver_not_found: nameserverFails,
  nameserver_unreachable: nameserverFails,
  nameserver_private: nameserverFails,
  nameserver_tcp: nameserverFails,
  nameserver_malformed: nameserverFails,
  dnssec_bogus: ({ action, reason, ttlSeconds }, quoted) => {
    const why = reason && VALIDATION_ERRORS[reason];
    return [
      `DNSSEC (the signatures of DNS records) of the zone ${action.zone} is broken${why === undefined ? '' : `: ${why}`}. Most of the Internet does not see its records.`,
      ...(action.value === undefined ? [] : [`Its DS record is ${quoted(action.value)}.`]),
      ...(ttlSeconds === undefined ? [] : [`After the fix it may take ${ttlSeconds} seconds until that is noticed.`]),
    ];
  },
  caa_forbids: ({ name, seen }, quoted) => [
    `The CAA records at ${name} forbid our certificate authority to issue a certificate: ${seen
      .slice(0, 3)
      .map((text) => quotedCaa(text, quoted))
      .join(', ')}.`,
  ],
  held_elsewhere: ({ name, reason, action, nameservers }) => {
    const held = `Another account of this service holds ${name} as verified`;
    switch (reason) {
      case 'older_claim':
        return [
          `Another account of this service verified ${name} after you added it here, so your records may be out of date.`,
        ];
      case 'nameservers_silent':
        return [
          `${held}.`,
          `None of the nameservers of ${action.zone} answers (${listServers(nameservers)}), and what resolvers have in their caches is not enough to move the name.`,
        ];
      case 'other_records_left':
        return [`${held}, and its records are still in place.`];
      default:
        return [`${held}.`];
    }
  },
  challenge_missing: ({ at, first }, quoted) => [
    `There is no CNAME record at ${at}, so this service cannot get the certificate.`,
    ...(first === '' ? [] : [`There is a TXT record instead, ${quoted(first)}: nothing else can be beside a CNAME.`]),
  ],
  challenge_elsewhere: ({ at, seen, expected }, quoted) => [
    `${at} is a CNAME to ${chainOf(seen, quoted)}.`,
    `It has to lead to ${expected}, so that this service can get the certificate.`,
  ],
  challenge_proxied: ({ at, seen, expected }, quoted) => [
    `${at} leads to a proxy (${joinList(seen.slice(0, 4).map(quoted))}), not to ${expected}, so this service cannot get the certificate.`,
  ],
  stale_cache: ({ name, action, until = 0, reason }) => [
    `${reason === 'some_asked' ? 'The nameservers that were asked' : 'The nameservers'} have the ${action.type} record of ${name}, but public resolvers may answer from their cache until ${new Date(until).toISOString().replace(/\.\d+Z$/, 'Z')}.`,
  ],
  other_certificate: outside,
  certificate_expired_outside: outside,
  tls_unreachable: outside,
};

const OF_UNKNOWN = 'which looks like the value of another domain, or of this one before it was deleted and added again';

/** A stored text for a customer, who must not learn of other customers: without the name of the domain that a value belongs to. */
export function withoutOwner(message: string): string {
  return message.replaceAll(/which is the value of (?!the )(?:\*\.)?[a-z0-9.-]*[a-z0-9]/g, OF_UNKNOWN);
}

function asked(nameservers: readonly string[], provider?: string): string[] {
  if (nameservers.length === 0) return [];
  const which = provider === undefined ? '' : ` (${provider}). Records at another provider are not seen`;
  return [`Asked nameservers: ${listServers(nameservers)}${which}.`];
}

/** Says that a right CNAME record makes the TXT record unnecessary. */
function optional({ isOptional }: Said): string[] {
  return isOptional ? ['With a right CNAME record the domain needs no TXT record.'] : [];
}

function proxiedBy({ proxy, host = '' }: Said): string {
  return proxy === undefined ? `leads to a proxy, ${shown(host)}` : `is proxied by ${proxy}`;
}

function verifies({ reason }: Said): string {
  return reason === 'txt_verifies'
    ? 'The TXT record verifies the domain.'
    : 'Only the TXT record can verify the domain.';
}

function addressesOf(addresses: readonly string[]): string {
  return `address${addresses.length > 1 ? 'es' : ''} ${joinList(addresses.map(shown))}`;
}

/** Values that have nothing to do with us may stay: several TXT records can be at one name. */
const otherValues: Message = (said, quoted) => {
  const { at, seen } = said;
  const plural = seen.length > 1;
  return [
    `The TXT record${plural ? 's' : ''} at ${at} ${plural ? 'have the values' : 'has the value'} ${seen.slice(0, 3).map(quoted).join(', ')}.`,
    'The value that proves ownership is missing.',
    `${plural ? 'The other values' : 'The other value'} may stay.`,
    ...optional(said),
  ];
};

/** `character 31 is "O" instead of "0"`. */
function firstDifference({ difference = {} }: Said): string {
  const { position = 1, found, expected } = difference;
  if (expected === undefined) return `more text follows after character ${position - 1}`;
  if (found === undefined) return `everything after character ${position - 1} is missing`;
  return `character ${position} is ${printable(found)} instead of ${printable(expected)}`;
}

function printable(character: string): string {
  if (character === '"') return 'a quotation mark';
  return /^[!-~]$/.test(character) ? `"${character}"` : codePoint(character);
}

function invisible(character = ' '): string {
  if (character === ' ') return 'a space';
  if (character === '\t') return 'a tab';
  if (character === '\n' || character === '\r') return 'a line break';
  return `an invisible character (${codePoint(character)})`;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Who has the record and who does not comes first: the rest may be left out. */
function disagreement({ action, at, record: role, answers = [] }: Said, quoted: Quote): string[] {
  const record = `the ${action.type} record at ${at}`;
  const says = ({ nameserver, looks }: DifferingAnswer) =>
    `${shown(nameserver)} answers ${[...new Set(looks.map((look) => publishedIn(look, role === 'ownership', quoted)))].join(', then ')}.`;
  const [only, ...others] = answers;
  if (only !== undefined && others.length === 0)
    return [`The nameserver ${shown(only.nameserver)} gives different answers for ${record}.`, says(only)];
  const without = answers.filter(({ matches }) => !matches);
  const first = answers.find(({ matches }) => matches);
  const [second] = without;
  const who =
    first === undefined || second === undefined
      ? ''
      : `: ${shown(first.nameserver)} has it, ${shown(second.nameserver)} does not`;
  return [`The nameservers of ${action.zone} do not agree on ${record}${who}.`, ...without.map(says)];
}

/** `no record`, or what is there. */
function publishedIn({ cname, values, beside, isLoop }: Look, isText: boolean, quoted: Quote): string {
  const texts = isText ? joinList(values.map(quoted)) : joinList(values.map(shown));
  const others =
    isText && beside.length > 0 ? `a CNAME to ${joinList(beside.map(quoted))}` : joinList(beside.map(shown));
  const parts = [cname.length > 0 ? `a CNAME to ${chainOf(cname, quoted)}` : '', texts, others];
  const published = joinList(parts.filter((part) => part !== ''));
  return published || (isLoop ? 'a CNAME to itself' : 'no record');
}

/** Extended DNS Errors of a failed validation (RFC 8914 section 4). */
const VALIDATION_ERRORS: Partial<Record<FindingReason, string>> = {
  signature_expired: 'the signature has expired',
  signature_not_yet_valid: 'the signature is not valid yet',
  key_missing: 'the zone has no key that fits its DS record',
  signature_missing: 'the signature is missing',
  proof_missing: 'the proof that the name does not exist is missing',
};

/** With its value in quotation marks, as in zone files. A long one is cut, and has no mark at its end. */
function quotedCaa(text: string, quoted: Quote): string {
  const [, property, value] = /^(\d+ [a-z\d]+) "(.*?)"?$/is.exec(text) ?? [];
  return property === undefined || value === undefined ? quoted(text) : `${property} ${quoted(value)}`;
}
