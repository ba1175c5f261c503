import type { Certificate, CertificateProblem, Finding } from '../client/client.ts';
import type { Wording } from './english.ts';
import type { Known } from './known.ts';
import type { Told } from './sentence.ts';

/** Chooses the sentences that say a finding, or the problem of a certificate, in any language: from its code and its fields alone. */

/** How a text shows what sentences mention: pages mark values, the API quotes untrusted ones. */
export interface Style {
  /** A name or an address. */
  name(text: string): string;
  /** Any text that was found in the DNS. */
  value(text: string): string;
  /** A CAA record, as zone files have it. */
  caa(text: string): string;
  /** The text to type at a provider. */
  typed(text: string): string;
  list(texts: string[]): string;
  /** Unix ms. */
  time(at: number): string;
  duration(seconds: number): string;
}

type Fields = Omit<Finding, 'message' | 'fix'>;
type Key = keyof Wording['findings'];
type Item = Key | [key: Key, changes: Partial<Told>];
type Action = NonNullable<Finding['action']>;
type Facts = NonNullable<Finding['facts']>;
type Saying = (said: Said) => Item[];

/** A finding whose absent fields are empty, and how it is said. */
interface Said extends Fields {
  seen: string[];
  nameservers: string[];
  at: string;
  facts: Facts;
  action: Action;
  style: Style;
  /** As one text. */
  say(items: Item[]): string;
}

/** Names of a chain, and nameservers, that are named. */
const MOST = 4;

/** Returns whole sentences, the most important first. No message: the code is not known here. */
export function tellFinding(fields: Fields, wording: Wording, style: Style): { message: string[]; fix: string[] } {
  if (!Object.hasOwn(MESSAGES, fields.code)) return { message: [], fix: [] };
  const said = saidIn(fields, wording, style);
  const each = (items: Item[]) => items.map((item) => said.say([item]));
  return { message: each(MESSAGES[fields.code as Known<Finding['code']>](said)), fix: each(fixOf(said)) };
}

const NO_ACTION: Action = { kind: 'wait', at: 'zone', zone: '' };

function saidIn(fields: Fields, wording: Wording, style: Style): Said {
  const { name = '', seen = [], nameservers = [], facts = {}, action = NO_ACTION } = fields;
  // A record that was found at another name has its own in the action.
  const said = { ...fields, seen, nameservers, facts, action, style, at: action.name ?? name, say };
  const told = fieldsOf(said, wording);
  // Sentences contain these, which contain other fields.
  if (nameservers.length === 0) told.servers = say(['itsNameservers']);
  told.where = say([action.provider === undefined ? 'inZone' : 'atProvider']);
  told.delegation = say([action.at === 'registrar' ? 'atRegistrar' : 'inZoneAbove']);
  return said;

  function say(items: Item[]): string {
    const sentences = items.map((item) => {
      const [key, changes] = typeof item === 'string' ? [item, {}] : item;
      const sentence = wording.findings[key];
      return typeof sentence === 'string' ? sentence : sentence({ ...told, ...changes });
    });
    return sentences.join(wording.space);
  }
}

function fieldsOf({ style, action, facts, seen, nameservers, ...said }: Said, { tag }: Wording): Told {
  const one = (text = '') => (text === '' ? '' : style.name(text));
  const typed = (text = '') => (text === '' ? '' : style.typed(text));
  const { position = 1, found, expected } = facts.difference ?? {};
  return {
    type: action.type ?? '',
    removes: style.list(action.removes ?? []),
    at: one(said.at),
    name: one(said.name),
    otherName: one(facts.otherName),
    zone: one(action.zone),
    ownZone: one(facts.zone),
    zoneAbove: one(facts.zoneAbove),
    expected: one(said.expected),
    first: style.value(seen[0] ?? ''),
    chain: chainOf(seen, style),
    values: style.list(seen.map(style.value)),
    addresses: namesOf(seen, style),
    count: seen.length,
    servers: namesOf(nameservers, style),
    seenServers: withProvider(namesOf(seen, style), facts.seenProvider),
    onlyDelegated: namesOf(facts.onlyDelegated, style),
    onlyInZone: namesOf(facts.onlyInZone, style),
    answer: '',
    provider: facts.provider ?? action.provider ?? '',
    proxy: facts.proxy ?? '',
    host: one(facts.host),
    owner: one(facts.owner),
    position: String(position),
    before: String(position - 1),
    found: printable(found, style),
    wanted: printable(expected, style),
    until: style.time(facts.until ?? 0),
    lasting: style.duration(facts.ttlSeconds ?? 0),
    entered: typed(action.nameInZone),
    value: typed(action.value),
    typeInZone: action.typeInZone ?? '',
    flags: typed(action.flags),
    tag: typed(action.tag),
    where: '',
    delegation: '',
    plural: (count, forms) => forms[new Intl.PluralRules(tag).select(count)] ?? forms.other,
  };
}

function namesOf(names: readonly string[] = [], style: Style): string {
  return style.list(names.map(style.name));
}

function withProvider(servers: string, provider: string | undefined): string {
  return provider === undefined ? servers : `${servers} (${provider})`;
}

function chainOf(names: readonly string[], { value }: Style): string {
  const [last = ''] = names.slice(-1);
  const shown = names.length > MOST ? [...names.slice(0, MOST - 1).map(value), '…', value(last)] : names.map(value);
  return shown.join(' → ');
}

function printable(character = '', { value }: Style): string {
  if (/^[!-~]$/.test(character)) return value(character);
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The text to type for a record. */
function typed({ action, style }: Said, { nameInZone, valueInZone = '' }: Action = action): Item {
  return [
    nameInZone === '' ? 'entryUnnamed' : 'entry',
    { entered: style.typed(nameInZone ?? ''), value: style.typed(valueInZone) },
  ];
}

const typedName = ({ action }: Said): Item => (action.nameInZone === '' ? 'entryNameEmpty' : 'entryName');

const when = (condition: unknown, items: Item[]): Item[] => (condition ? items : []);

const asked = ({ nameservers, action: { provider }, style }: Said): Item[] =>
  when(nameservers.length, [
    ['asked', { servers: withProvider(namesOf(nameservers, style), provider) }],
    ...when(provider, ['otherProviderUnseen']),
  ]);

const optional = ({ facts }: Said): Item[] => when(facts.isOptional, ['textOptional']);

const missing: Saying = (said) => [
  said.facts.reason === 'no_address' ? 'noAddress' : 'noRecord',
  ...when(said.facts.reason === 'nxdomain', ['nameAbsent']),
  ...asked(said),
];

/** A CNAME whose value cannot be right, whatever it leads to. */
const misshapen =
  (why: Key): Saying =>
  () => ['leadsTo', why];

/** The TXT record has one value that resembles the right one. */
const wrongText =
  (why: (said: Said) => Key): ((said: Said) => Item[]) =>
  (said) => {
    const key = why(said);
    return ['textHas', ...when(said.facts.isQuoted && key !== 'textQuotes', ['textQuotes']), key, ...optional(said)];
  };

const SERVERS: Partial<Record<string, Key>> = {
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

const serverOf = ({ facts: { reason = 'timeout' } }: Said): Key => SERVERS[reason] ?? 'serverTimeout';

const nameserverFails: Saying = (said) => {
  switch (said.facts.scope) {
    case 'delegation':
      return [
        'delegationUnread',
        [serverOf(said), said.nameservers.length === 0 ? { servers: said.say(['parentNameserver']) } : {}],
      ];
    case 'name':
      return ['nameUnread', serverOf(said), 'othersAnswer', ...optional(said)];
    default:
      return [said.facts.scope === 'zone' ? 'zoneUnread' : 'someUnread', serverOf(said)];
  }
};

const OUTSIDE: Partial<Record<string, Key>> = {
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

const outside: Saying = ({ facts: { reason = 'timeout' } }) => ['outside', OUTSIDE[reason] ?? 'outsideTimeout'];

/** The name at `name` is proxied. */
const proxied = ({ facts, style }: Said, name: string): Item => [
  facts.proxy === undefined ? 'proxiedTo' : 'proxiedBy',
  { at: style.name(name) },
];

const verifies = ({ facts }: Said): Key => (facts.reason === 'txt_verifies' ? 'textVerifies' : 'textNeeded');

const firstDifference = ({ facts: { difference = {} } }: Said): Key => {
  if (difference.expected === undefined) return 'moreCharacters';
  return difference.found === undefined ? 'fewerCharacters' : 'otherCharacter';
};

const CHARACTERS: Partial<Record<string, Key>> = {
  ' ': 'hasSpace',
  '\t': 'hasTab',
  '\n': 'hasLineBreak',
  '\r': 'hasLineBreak',
};

const SIGNATURES: Partial<Record<string, Key>> = {
  signature_expired: 'signatureExpired',
  signature_not_yet_valid: 'signatureNotYetValid',
  key_missing: 'keyMissing',
  signature_missing: 'signatureMissing',
  proof_missing: 'absenceUnproven',
};

/** Who has the record and who does not comes first, then the answers of those that do not; or of the only one, which changes. */
const disagreement: Saying = (said) => {
  const { answers = [] } = said.facts;
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
  const to = (names: string[]) => say(when(names.length, [['cnameThere', { chain: chainOf(names, style) }]]));
  const isText = record === 'ownership';
  const parts = [
    to(cname),
    style.list(values.map(isText ? style.value : style.name)),
    isText ? to(beside) : namesOf(beside, style),
  ].filter((part) => part !== '');
  return parts.join(', ') || say([isLoop ? 'cnameToItself' : 'nothingThere']);
}

const MESSAGES: Record<Known<Finding['code']>, Saying> = {
  record_missing: missing,
  txt_missing: missing,
  record_below_cut: (said) => ['noRecord', 'zoneOfItsOwn', ...when(said.nameservers.length, ['asked'])],
  name_doubled: ({ facts }) => ['atOtherName', 'zoneAppended', ...when(facts.otherName, ['textToo'])],
  record_at_other_name: () => ['atOtherName'],
  name_not_punycode: () => ['notPunycode'],
  cname_at_txt_name: (said) => ['leadsTo', 'textInstead', ...optional(said)],
  records_swapped: ({ facts, second, style }) =>
    facts.reason === 'values_swapped'
      ? ['valuesSwapped']
      : [['namesSwapped', { otherName: style.name(second?.name ?? '') }]],
  wrong_type: ({ record }) => [record === 'ownership' ? 'proofInCname' : 'targetInOther'],
  cname_elsewhere: ({ facts: { reason } }) => [
    'leadsTo',
    ...when(reason === 'nxdomain', ['hostUnknown']),
    ...when(reason === 'no_address', ['hostWithoutAddress']),
    'hasToLead',
  ],
  cname_other_target: ({ facts: { host = '' }, style }) => [
    ['otherTarget', { host: style.value(host) }],
    'otherTargetWhy',
  ],
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
    const { otherName = '', reason } = said.facts;
    const flattened: Item = ['flattenedUnseen', { at: said.style.name(otherName) }];
    return [reason === 'hidden_by_proxy' ? proxied(said, otherName) : flattened, 'onlyText'];
  },
  proxied: (said) => [proxied(said, said.at), verifies(said)],
  flattened: (said) => ['flattened', verifies(said)],
  txt_wrong_value: (said) => {
    const { reason } = said.facts;
    if (reason === 'text_beside') return wrongText(() => 'textBeside')(said);
    if (reason === 'text_before') return wrongText(() => 'textBefore')(said);
    if (reason === 'other_character') return wrongText(firstDifference)(said);
    return ['textsHave', 'proofMissing', 'othersMayStay', ...optional(said)];
  },
  txt_quoted: wrongText(() => 'textQuotes'),
  txt_case: (said) => ['textHas', 'textCase', firstDifference(said), ...optional(said)],
  txt_invisible: wrongText(({ facts }) => CHARACTERS[facts.difference?.found ?? ' '] ?? 'hasInvisible'),
  txt_encoded: wrongText(() => 'textEncoded'),
  txt_stale: wrongText(() => 'textStale'),
  txt_other_domain: wrongText(() => 'textOfOther'),
  txt_truncated: wrongText(({ facts }) => (facts.reason === 'beginning_missing' ? 'beginningMissing' : 'endMissing')),
  wildcard_answers: (said) => {
    if (said.facts.reason === 'wildcard_txt') return ['wildcardText', 'proofMissing', ...optional(said)];
    return [
      said.facts.reason === 'wildcard_address' ? 'wildcardAddress' : 'wildcardCname',
      ...when(said.at.startsWith('*.'), ['wildcardAbove']),
    ];
  },
  cname_at_apex: () => ['leadsTo', 'apexCname'],
  apex_elsewhere: () => ['apexElsewhere', 'visitorsElsewhere'],
  zone_not_registered: () => ['notRegistered'],
  zone_parked: ({ facts, seen }) => [
    facts.reason === 'registration_ended' ? 'expired' : 'parked',
    ...when(seen.length > 0, ['parkedAddresses']),
  ],
  zone_elsewhere: ({ facts: { provider, reason }, nameservers, record, style }) => [
    ['nameserversAre', { servers: withProvider(namesOf(nameservers, style), provider) }],
    reason === 'record_there' ? ['recordIsAt', { type: record === 'ownership' ? 'TXT' : 'CNAME' }] : 'zoneNames',
    provider === undefined ? 'onlySeenAtFirst' : 'onlySeenAt',
  ],
  delegation_mismatch: ({ facts: { onlyDelegated = [], onlyInZone = [] } }) => [
    'listsDiffer',
    ...when(onlyDelegated.length > 0, ['onlyDelegated']),
    ...when(onlyInZone.length > 0, ['onlyInZone']),
  ],
  nameservers_disagree: disagreement,
  resolvers_unreachable: () => ['resolversFail'],
  nameserver_refused: nameserverFails,
  nameserver_lame: nameserverFails,
  nameserver_servfail: nameserverFails,
  nameserver_timeout: nameserverFails,
  nameserver_not_found: nameserverFails,
  nameserver_unreachable: nameserverFails,
  nameserver_private: nameserverFails,
  nameserver_tcp: nameserverFails,
  nameserver_malformed: nameserverFails,
  dnssec_bogus: ({ facts: { reason = '', ttlSeconds }, action: { value }, style }) => {
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
  held_elsewhere: ({ facts: { reason } }) => {
    if (reason === 'older_claim') return ['heldLater'];
    if (reason === 'nameservers_silent') return ['held', 'heldSilent'];
    return reason === 'other_records_left' ? ['held', 'heldRecords'] : ['held'];
  },
  challenge_missing: ({ seen }) => ['challengeMissing', ...when(seen.length, ['challengeText'])],
  challenge_elsewhere: () => ['leadsTo', 'hasToLeadForCertificate'],
  challenge_proxied: () => ['challengeProxied'],
  stale_cache: ({ facts }) => ['staleCache', ...when(facts.reason === 'some_asked', ['notAllAsked'])],
  other_certificate: outside,
  certificate_expired_outside: outside,
  tls_unreachable: outside,
};

/** Says what leads an apex here: a record of its own type where the provider has one, the addresses of the edge where they are known. */
const apexFix: Saying = (said) => {
  const { addresses, typeInZone } = said.action;
  if (addresses === undefined) return [typeInZone === undefined ? 'addAlias' : 'addTyped', typed(said)];
  const each = addresses.map((address) => `${address.includes(':') ? 'AAAA' : 'A'} ${said.style.typed(address)}`);
  return [['addAddresses', { addresses: each.join(', ') }], typedName(said)];
};

/** The action alone is enough for most codes. */
const byAction: Saying = (said) => {
  const kind = (['add', 'change', 'replace'] as const).find((each) => each === said.action.kind);
  return kind === undefined ? [] : [kind, typed(said)];
};

const NAMESERVER_FIXES: Partial<Record<string, Key>> = {
  servfail: 'checkZone',
  refused: 'createZone',
  lame: 'createZone',
  no_nameserver: 'correctNames',
  forbidden_address: 'publicAddresses',
  tcp_failed: 'openTcp',
  inconsistent: 'registryTakes',
};

const nameserverFix: Saying = (said) => {
  const { scope, reason = '' } = said.facts;
  if (scope === 'delegation') return ['nothingOrRegistrar'];
  if (scope === 'name')
    return ['askAboutName', ...when(said.record === 'ownership', ['underscore']), 'orAddAgain', typed(said)];
  if (reason === 'no_nameserver' && said.nameservers.length === 0) return ['changeNameservers'];
  return [NAMESERVER_FIXES[reason] ?? 'askOrRemove'];
};

const held: Saying = (said) => {
  const { facts, second, style } = said;
  switch (facts.reason) {
    case 'older_claim':
      return ['recreate'];
    case 'nameservers_silent':
      return ['askSilent'];
    case 'other_records_left':
      return [['removeOthers', { expected: style.name(second?.value ?? '') }]];
    default:
      return [facts.reason === 'both_needed' ? 'moveWithBoth' : 'moveWithText', typed(said)];
  }
};

/** Behind a proxy the CNAME cannot be seen, and the TXT record is what counts. */
const instead: Saying = (said) => {
  const { severity, second } = said;
  if (severity === 'info') return ['ifNoProxy', typed(said)];
  return [
    ...byAction(said),
    ...(second?.kind === 'add' ? (['orAddText', typed(said, second)] as const) : (['orPublishText'] as const)),
  ];
};

/** Signatures that are out of date are made anew by the provider; otherwise the DS record mostly belongs to a former provider. */
const bogusFix: Saying = ({ facts: { reason }, action }) => {
  const ds = action.at === 'registrar' ? 'mendDsRegistrar' : 'mendDsAbove';
  const isOutOfDate = reason === 'signature_expired' || reason === 'signature_not_yet_valid';
  return isOutOfDate ? ['signAgain', ds] : [ds, 'orSignAgain'];
};

/** A key alone is followed by the text to type. */
const FIXES: Partial<Record<Finding['code'], Saying | Key>> = {
  record_missing: (said) => (said.facts.reason === 'no_address' ? apexFix : byAction)(said),
  record_below_cut: (said) => (said.action.kind === 'replace' ? ['deleteDelegation', typed(said)] : byAction(said)),
  name_doubled: (said) => ['changeName', 'zoneIsAdded', typed(said)],
  name_not_punycode: 'punycode',
  record_at_other_name: (said) => {
    if (said.action.type === 'ALIAS') return apexFix(said);
    return said.action.kind === 'add' ? byAction(said) : ['changeName', typed(said)];
  },
  records_swapped: (said) => {
    const { action, second, style } = said;
    if (second === undefined) return byAction(said);
    const entered = ({ nameInZone, name = '' }: Action) => ({ entered: style.typed(nameInZone || name) });
    return ['exchangeNames', ['forCname', entered(second)], ['forText', entered(action)]];
  },
  value_doubled_zone: 'dotAtEnd',
  address_instead_of_cname: instead,
  challenge_proxied: (said) => [...byAction(said), 'doNotProxy'],
  conflicting_records: 'keepOne',
  txt_quoted: (said) => ['change', 'withoutQuotes', typed(said)],
  cname_at_apex: (said) => ['deleteCname', ...apexFix(said)],
  apex_elsewhere: apexFix,
  zone_not_registered: ({ facts }) => ['register', facts.reason === 'name_not_added' ? 'mistypedLook' : 'mistypedAdd'],
  zone_parked: ({ facts }) => [facts.reason === 'registration_ended' ? 'renew' : 'changeNameservers'],
  zone_elsewhere: ({ facts: { reason, seenProvider, provider }, seen, style }) => [
    reason === 'record_there' && seenProvider !== undefined
      ? ['setNameserversOf', { provider: seenProvider }]
      : ['setNameservers', { seenServers: namesOf(seen, style) }],
    ['orPublishAt', provider === undefined ? {} : { servers: provider }],
  ],
  delegation_mismatch: () => ['sameLists'],
  nameservers_disagree: (said) => [
    'waitMinutes',
    said.nameservers.length === 1 ? 'askWhyDifferent' : 'publishSame',
    typed(said),
  ],
  resolvers_unreachable: () => ['nothingToDo'],
  dnssec_bogus: bogusFix,
  caa_forbids: (said) => {
    const { kind, nameInZone, tag = '' } = said.action;
    if (kind === 'delete') return [['deleteCaa', { tag: said.style.value(tag) }]];
    return ['add', ...when(nameInZone !== undefined, [typedName(said)]), 'entryCaa'];
  },
  held_elsewhere: held,
  other_certificate: (said) =>
    said.action.kind === 'repair'
      ? ['replaceCertificate']
      : [...byAction(said), ['orPassOn', { value: said.style.typed('/.well-known/acme-challenge/') }]],
  certificate_expired_outside: () => ['renewCertificate'],
  tls_unreachable: (said) => ['openPort', 'orUnused', ...byAction(said)],
  stale_cache: () => ['waitUntilThen'],
};

const fixOf: Saying = (said) => {
  const fix = FIXES[said.code] ?? (said.code.startsWith('nameserver_') ? nameserverFix : byAction);
  return typeof fix === 'string' ? [fix, typed(said)] : fix(said);
};

const PROBLEMS: Record<Known<CertificateProblem['reason']>, Key[]> = {
  no_address: ['certificateNoAddress'],
  dns_unreadable: ['certificateUnread'],
  address_not_public: ['certificatePrivate'],
  unreachable: ['certificateUnreachable'],
  answered_by_another: ['certificateOther'],
  caa_forbids: ['certificateCaa'],
  no_challenge_record: ['certificateNoRecord'],
  challenge_elsewhere: ['certificateRecordElsewhere'],
  challenge_not_seen: ['certificateNotSeen'],
  dns_servers_failing: ['certificateLater'],
  budget_spent: ['certificateLater'],
  ca_rate_limited: ['certificateLater'],
  ca_unavailable: ['certificateLater'],
  ca_account: ['certificateLater'],
  not_issued_here: ['certificateLater'],
  authorization_failed: ['certificateUnproved'],
  ca_refused: ['certificateRefused'],
};

/** Outcomes of our own request to each address, by the reason that they give. */
const OUTCOMES: Partial<Record<string, string>> = {
  address_not_public: 'not_public',
  unreachable: 'unreachable',
  answered_by_another: 'another',
};

/** Says why there is no certificate. No sentence: the reason is not known here. */
export function tellProblem({ domain, problem, selfCheck }: Certificate, wording: Wording, style: Style): string[] {
  const { reason = '' } = problem ?? {};
  const items = Object.hasOwn(PROBLEMS, reason) ? PROBLEMS[reason as Known<CertificateProblem['reason']>] : [];
  const answers = selfCheck?.answers.filter(({ outcome }) => outcome === OUTCOMES[reason]) ?? [];
  const seen = answers.map(({ address }) => address);
  const said = saidIn({ code: '', severity: '', name: domain, seen, retryable: true }, wording, style);
  return items.map((item) => said.say([item]));
}
