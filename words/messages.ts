import type { Finding } from '../client/client.ts';
import type { Known } from './known.ts';
import {
  type Choice,
  chainOf,
  type Facts,
  type Item,
  MOST,
  namesOf,
  type Said,
  type Saying,
  type SentenceKey,
  when,
  withProvider,
} from './said.ts';

/** Which sentences say a mistake. */

const asked = ({ nameservers, action: { provider }, style }: Said): Item[] =>
  when(nameservers.length, [
    ['asked', { servers: withProvider(namesOf(nameservers, style), provider) }],
    ...when(provider, ['otherProviderUnseen']),
  ]);

const optional = ({ isOptional }: Said): Item[] => when(isOptional, ['textOptional']);

const missing: Choice = (said) => [
  said.reason === 'no_address' ? 'noAddress' : 'noRecord',
  ...when(said.reason === 'nxdomain', ['nameAbsent']),
  ...asked(said),
];

/** A CNAME whose value cannot be right, whatever it leads to. */
const misshapen = (why: SentenceKey): Item[] => ['leadsTo', why];

/** The TXT record has one value that resembles the right one. */
const wrongText =
  (why: SentenceKey | ((said: Said) => SentenceKey)): Choice =>
  (said) => {
    const key = typeof why === 'string' ? why : why(said);
    return ['textHas', ...when(said.isQuoted && key !== 'textQuotes', ['textQuotes']), key, ...optional(said)];
  };

const SERVERS: Partial<Record<string, SentenceKey>> = {
  servfail: 'serverFailure',
  refused: 'serverRefused',
  lame: 'serverLame',
  malformed: 'serverMalformed',
  no_nameserver: 'serverWithoutAddress',
  unreachable: 'serverUnreachable',
  forbidden_address: 'serverPrivate',
  tcp_failed: 'serverTcp',
  inconsistent: 'serverInconsistent',
};

const serverOf = ({ reason = 'timeout' }: Said): SentenceKey => SERVERS[reason] ?? 'serverTimeout';

const nameserverFails: Choice = (said) => {
  switch (said.scope) {
    case 'delegation':
      return [
        'delegationUnread',
        [serverOf(said), said.nameservers.length === 0 ? { servers: said.say(['parentNameserver']) } : {}],
      ];
    case 'name':
      return ['nameUnread', serverOf(said), 'othersAnswer', ...optional(said)];
    default:
      return [said.scope === 'zone' ? 'zoneUnread' : 'someUnread', serverOf(said)];
  }
};

const OUTSIDE: Partial<Record<string, SentenceKey>> = {
  answered_by_another: 'outsideOther',
  certificate_wrong_name: 'outsideWrongName',
  certificate_expired: 'outsideExpired',
  certificate_not_yet_valid: 'outsideNotYet',
  certificate_untrusted: 'outsideUntrusted',
  address_not_public: 'outsidePrivate',
  connection_refused: 'outsideRefused',
  tls_failed: 'outsideTls',
  no_response: 'outsideNothing',
};

const outside: Choice = ({ reason = 'timeout' }) => ['outside', OUTSIDE[reason] ?? 'outsideTimeout'];

/** The name at `name` is proxied. */
const proxied = ({ proxy, style }: Said, name: string): Item => [
  proxy === undefined ? 'proxiedTo' : 'proxiedBy',
  { at: style.name(name) },
];

const verifies = ({ reason }: Said): SentenceKey => (reason === 'txt_verifies' ? 'textVerifies' : 'textNeeded');

const firstDifference = ({ difference = {} }: Said): SentenceKey => {
  if (difference.expected === undefined) return 'moreCharacters';
  return difference.found === undefined ? 'fewerCharacters' : 'otherCharacter';
};

const CHARACTERS: Partial<Record<string, SentenceKey>> = {
  ' ': 'hasSpace',
  '\t': 'hasTab',
  '\n': 'hasLineBreak',
  '\r': 'hasLineBreak',
};

const SIGNATURES: Partial<Record<string, SentenceKey>> = {
  signature_expired: 'signatureExpired',
  signature_not_yet_valid: 'signatureNotYetValid',
  key_missing: 'keyMissing',
  signature_missing: 'signatureMissing',
  proof_missing: 'absenceUnproven',
};

/** Who has the record and who does not comes first, then the answers of those that do not; or of the only one, which changes. */
const disagreement: Choice = (said) => {
  const { answers = [] } = said;
  const { name } = said.style;
  const answersOf = ({ nameserver, looks }: Answers): Item => {
    const published = new Set(looks.map((look) => publishedIn(look, said)));
    return ['answers', { servers: name(nameserver), answer: [...published].join('; ') }];
  };
  if (answers.length === 1) return ['differently', ...answers.map(answersOf)];
  const has = answers.find(({ matches }) => matches);
  const others = answers.filter(({ matches }) => !matches);
  const [other] = others;
  const both: Item[] =
    has === undefined || other === undefined
      ? []
      : [['oneHasIt', { servers: name(has.nameserver), seenServers: name(other.nameserver) }]];
  return ['disagree', ...both, ...others.slice(0, MOST).map(answersOf)];
};

type Answers = NonNullable<Facts['answers']>[number];

function publishedIn(
  { cname, values, beside, isLoop }: Answers['looks'][number],
  { record, style, say }: Said,
): string {
  const to = (names: string[]) => say(when(names.length, [['cnameThere', { chain: chainOf(names.map(style.value)) }]]));
  const isText = record === 'ownership';
  const parts = [
    to(cname),
    style.list(values.map(isText ? style.value : style.name)),
    isText ? to(beside) : namesOf(beside, style),
  ].filter((part) => part !== '');
  return parts.join(', ') || say([isLoop ? 'cnameToItself' : 'nothingThere']);
}

export const MESSAGES: Record<Known<Finding['code']>, Saying> = {
  record_missing: missing,
  txt_missing: missing,
  record_below_cut: (said) => ['noRecord', 'zoneOfItsOwn', ...when(said.nameservers.length, ['asked'])],
  name_doubled: ({ otherName }) => ['atOtherName', 'zoneAppended', ...when(otherName, ['textToo'])],
  record_at_other_name: ['atOtherName'],
  name_not_punycode: ['notPunycode'],
  cname_at_txt_name: (said) => ['leadsTo', 'textInstead', ...optional(said)],
  records_swapped: ({ reason, second, style }) =>
    reason === 'values_swapped' ? ['valuesSwapped'] : [['namesSwapped', { otherName: style.name(second?.name ?? '') }]],
  wrong_type: ({ record }) => [record === 'ownership' ? 'proofInCname' : 'targetInOther'],
  cname_elsewhere: ({ reason }) => [
    'leadsTo',
    ...when(reason === 'nxdomain', ['hostUnknown']),
    ...when(reason === 'no_address', ['hostWithoutAddress']),
    'hasToLead',
  ],
  cname_other_target: ({ host = '', style }) => [['otherTarget', { host: style.value(host) }], 'otherTargetWhy'],
  value_doubled_zone: misshapen('valueDoubled'),
  value_is_url: misshapen('valueUrl'),
  value_is_address: misshapen('valueAddress'),
  value_whitespace: misshapen('valueSpace'),
  value_quoted: misshapen('valueQuotes'),
  value_is_txt: misshapen('valueText'),
  cname_loop: ({ seen, style }) => [
    'loop',
    ...when(seen.length, [['loopNames', { chain: seen.map(style.value).join(' → ') }]]),
  ],
  cname_chain_too_long: ({ seen }) => ['tooLong', ...when(seen.length, ['tooLongNames'])],
  cname_to_broken_zone: (said) => ['leadsTo', 'hostUnread', serverOf(said)],
  address_instead_of_cname: ({ severity }) =>
    severity === 'info' ? ['addressInstead', 'passedOn'] : ['addressInstead'],
  conflicting_records: ({ seen, style }) => [
    ['conflict', { values: style.list(seen.slice(1).map(style.value)) }],
    'byChance',
  ],
  proxied_without_txt: (said) => {
    const { otherName = '', reason } = said;
    const flattened: Item = ['flattenedUnseen', { at: said.style.name(otherName) }];
    return [reason === 'hidden_by_proxy' ? proxied(said, otherName) : flattened, 'onlyText'];
  },
  proxied: (said) => [proxied(said, said.at), verifies(said)],
  flattened: (said) => ['flattened', verifies(said)],
  txt_wrong_value: (said) => {
    const { reason } = said;
    if (reason === 'text_beside') return wrongText('textBeside')(said);
    if (reason === 'text_before') return wrongText('textBefore')(said);
    if (reason === 'other_character') return wrongText(firstDifference)(said);
    return ['textsHave', 'proofMissing', 'othersMayStay', ...optional(said)];
  },
  txt_quoted: wrongText('textQuotes'),
  txt_case: (said) => ['textHas', 'textCase', firstDifference(said), ...optional(said)],
  txt_invisible: wrongText(({ difference }) => CHARACTERS[difference?.found ?? ' '] ?? 'hasInvisible'),
  txt_encoded: wrongText('textEncoded'),
  txt_stale: wrongText('textStale'),
  txt_other_domain: wrongText('textOfOther'),
  txt_truncated: wrongText(({ reason }) => (reason === 'beginning_missing' ? 'beginningMissing' : 'endMissing')),
  wildcard_answers: (said) => {
    if (said.reason === 'wildcard_txt') return ['wildcardText', 'proofMissing', ...optional(said)];
    return [
      said.reason === 'wildcard_address' ? 'wildcardAddress' : 'wildcardCname',
      ...when(said.at.startsWith('*.'), ['wildcardAbove']),
    ];
  },
  cname_at_apex: ['leadsTo', 'apexCname'],
  apex_elsewhere: ['apexElsewhere', 'visitorsElsewhere'],
  zone_not_registered: ['notRegistered'],
  zone_parked: ({ reason, seen }) => [
    reason === 'registration_ended' ? 'expired' : 'parked',
    ...when(seen.length > 0, ['parkedAddresses']),
  ],
  zone_elsewhere: ({ provider, reason, nameservers, record, style }) => [
    ['nameserversAre', { servers: withProvider(namesOf(nameservers, style), provider) }],
    reason === 'record_there' ? ['recordIsAt', { type: record === 'ownership' ? 'TXT' : 'CNAME' }] : 'zoneNames',
    provider === undefined ? 'onlySeenAtFirst' : 'onlySeenAt',
  ],
  delegation_mismatch: ({ onlyDelegated = [], onlyInZone = [] }) => [
    'listsDiffer',
    ...when(onlyDelegated.length > 0, ['onlyDelegated']),
    ...when(onlyInZone.length > 0, ['onlyInZone']),
  ],
  nameservers_disagree: disagreement,
  resolvers_unreachable: ['resolversFail'],
  nameserver_refused: nameserverFails,
  nameserver_lame: nameserverFails,
  nameserver_servfail: nameserverFails,
  nameserver_timeout: nameserverFails,
  nameserver_not_found: nameserverFails,
  nameserver_unreachable: nameserverFails,
  nameserver_private: nameserverFails,
  nameserver_tcp: nameserverFails,
  nameserver_malformed: nameserverFails,
  dnssec_bogus: ({ reason = '', ttlSeconds, action: { value }, style }) => {
    const why = SIGNATURES[reason];
    return [
      'bogus',
      ...(why === undefined ? [] : [why]),
      'mostCannotSee',
      ...when(value !== undefined, [['dsIs', { value: style.value(value ?? '') }]]),
      ...when(ttlSeconds !== undefined, ['noticedAfter']),
    ];
  },
  caa_forbids: ({ seen, style }) => [['caaForbids', { values: style.list(seen.slice(0, 3).map(style.caa)) }]],
  held_elsewhere: ({ reason }) => {
    if (reason === 'older_claim') return ['heldLater'];
    if (reason === 'nameservers_silent') return ['held', 'heldSilent'];
    return reason === 'other_records_left' ? ['held', 'heldRecords'] : ['held'];
  },
  challenge_missing: ({ seen }) => ['challengeMissing', ...when(seen.length, ['challengeText'])],
  challenge_elsewhere: ['leadsTo', 'hasToLeadForCertificate'],
  challenge_proxied: ['challengeProxied'],
  stale_cache: ({ reason }) => ['staleCache', ...when(reason === 'some_asked', ['notAllAsked'])],
  other_certificate: outside,
  certificate_expired_outside: outside,
  tls_unreachable: outside,
};
