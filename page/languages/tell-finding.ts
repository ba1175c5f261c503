import type { Certificate, Finding } from '../../client/client.ts';
import type { Language } from './en.ts';
import { formatsIn } from './formats.ts';
import { marked, type Told } from './sentence.ts';
import type { ToldFinding } from './voice.ts';

/** Chooses the sentences that say a finding, or the problem of a certificate, in any language: from its code and its fields alone. */

type Key = keyof Language['findings'];
type Item = Key | [key: Key, changes: Partial<Told>];
type Facts = NonNullable<Finding['facts']>;
type Action = NonNullable<Finding['action']>;
type Said = Finding & { at: string; facts: Facts; action: Action };
type List = (values: readonly string[]) => string;
type Saying = (said: Said, list: List, say: (items: Item[]) => string) => Item[];

/** Values of a list that are named, and characters of each. */
const MOST = 4;
const LONGEST = 100;

export function tellFinding(finding: Finding, language: Language): ToldFinding {
  if (!Object.hasOwn(MESSAGES, finding.code)) return { ...finding, lang: 'en' };
  const action = finding.action ?? NO_ACTION;
  const said = { ...finding, action, at: action.name ?? finding.name ?? '', facts: finding.facts ?? {} };
  const told = fieldsOf(said, language);
  const say = (items: Item[]) => speak(items, told, language);
  const message = say(MESSAGES[finding.code]?.(said, listIn(language), say) ?? []);
  const fix = say(fixOf(said, listIn(language), say));
  // An action that is not known here.
  if (fix === '' && finding.fix !== '') return { ...finding, lang: 'en' };
  return { ...finding, message, fix };
}

const NO_ACTION: Action = { kind: 'wait', at: 'zone', zone: '' };

function speak(items: Item[], told: Told, { findings, space }: Language): string {
  return items
    .map((item) => {
      const [key, changes] = typeof item === 'string' ? [item, {}] : item;
      const sentence = findings[key];
      return typeof sentence === 'string' ? sentence : sentence({ ...told, ...changes });
    })
    .join(space);
}

function fieldsOf(said: Said, language: Language): Told {
  const { action, facts, seen = [], nameservers = [], name = '', expected = '' } = said;
  const { tag } = language;
  const one = (value = '') => (value === '' ? '' : marked(cut(value)));
  const list = listIn(language);
  const chain = seen.length > MOST ? [...seen.slice(0, MOST - 1), '…', seen.at(-1) ?? ''] : seen;
  const isParked = said.code === 'zone_parked';
  const run = (names: readonly string[], provider?: string) =>
    provider === undefined || names.length === 0 ? list(names) : `${list(names)} (${provider})`;
  const of = (key: Key) => speak([key], told, language);
  // Sentences contain some of its fields: they are added in the end.
  const told: Told = {
    type: action.type ?? '',
    removes: new Intl.ListFormat(tag).format(action.removes ?? []),
    at: one(said.at),
    name: one(name),
    otherName: one(facts.otherName),
    zone: one(action.zone),
    ownZone: one(facts.zone),
    zoneAbove: one(facts.zoneAbove),
    expected: expected === '' ? '' : marked(expected),
    first: one(seen[0]),
    chain: chain.map((each) => (each === '…' ? each : one(each))).join(' → '),
    values: list(seen),
    addresses: list(seen),
    count: seen.length,
    servers: run(nameservers, isParked ? undefined : (facts.provider ?? action.provider)),
    seenServers: run(seen, facts.seenProvider),
    onlyDelegated: list(facts.onlyDelegated ?? []),
    onlyInZone: list(facts.onlyInZone ?? []),
    answer: '',
    provider: facts.provider ?? action.provider ?? '',
    proxy: facts.proxy ?? '',
    host: one(facts.host),
    owner: one(facts.owner),
    position: String(facts.difference?.position ?? 1),
    before: String((facts.difference?.position ?? 1) - 1),
    found: printable(facts.difference?.found),
    wanted: printable(facts.difference?.expected),
    until: new Intl.DateTimeFormat(tag, TIME).format(facts.until ?? 0),
    lasting: formatsIn(tag, 'long').duration(facts.ttlSeconds ?? 0),
    entered: one(action.nameInZone),
    value: one(action.value),
    typeInZone: action.typeInZone ?? '',
    flags: one(action.flags),
    tag: one(action.tag),
    where: '',
    delegation: '',
    plural(count, forms) {
      return forms[new Intl.PluralRules(tag).select(count)] ?? forms.other;
    },
  };
  if (told.servers === '') told.servers = of('itsNameservers');
  told.where = of(action.provider === undefined ? 'inZone' : 'atProvider');
  told.delegation = of(action.at === 'registrar' ? 'atRegistrar' : 'inZoneAbove');
  return told;
}

const TIME: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'long',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
};

function listIn({ tag }: Language): List {
  const format = new Intl.ListFormat(tag);
  return (values) =>
    values.length > MOST
      ? [...values.slice(0, MOST).map((value) => marked(cut(value))), '…'].join(', ')
      : format.format(values.map((value) => marked(cut(value))));
}

function cut(value: string): string {
  const characters = [...value];
  return characters.length <= LONGEST ? value : `${characters.slice(0, LONGEST).join('')}…`;
}

function printable(character = ''): string {
  if (/^[!-~]$/.test(character)) return marked(character);
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The text to type for a record. */
function typed({ nameInZone, valueInZone = '' }: Action): Item {
  return [
    nameInZone === '' ? 'entryUnnamed' : 'entry',
    { entered: marked(nameInZone ?? ''), value: marked(valueInZone) },
  ];
}

const typedName = ({ nameInZone }: Action): Item => (nameInZone === '' ? 'entryNameEmpty' : 'entryName');

const when = (condition: unknown, items: Item[]): Item[] => (condition ? items : []);

const asked = ({ nameservers = [], action }: Said): Item[] => {
  if (nameservers.length === 0) return [];
  return action.provider === undefined ? ['asked'] : ['asked', 'otherProviderUnseen'];
};

const optional = ({ facts }: Said): Item[] => when(facts.isOptional, ['textOptional']);

const missing: Saying = (said) => [said.facts.reason === 'no_address' ? 'noAddress' : 'noRecord', ...asked(said)];

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
      return ['delegationUnread', serverOf(said)];
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
const proxied = ({ facts }: Said, name: string): Item => [
  facts.proxy === undefined ? 'proxiedTo' : 'proxiedBy',
  { at: marked(name) },
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

/** The answers of those that do not have the record, or of the only one, which changes. */
const disagreement: Saying = ({ facts: { answers = [] }, record }, list, say) => {
  const others = answers.length === 1 ? answers : answers.filter(({ matches }) => !matches);
  return [
    answers.length === 1 ? 'differently' : 'disagree',
    ...others.slice(0, MOST).map(({ nameserver, looks }): Item => {
      const published = looks.map((look) => publishedIn(look, record === 'ownership', list, say));
      return ['answers', { servers: marked(nameserver), answer: [...new Set(published)].join('; ') }];
    }),
  ];
};

type Look = NonNullable<Facts['answers']>[number]['looks'][number];

function publishedIn(
  { cname, values, beside, isLoop }: Look,
  isText: boolean,
  list: List,
  say: (items: Item[]) => string,
): string {
  const to = (names: string[]) =>
    say(names.length === 0 ? [] : [['cnameThere', { chain: names.map((name) => marked(cut(name))).join(' → ') }]]);
  const parts = [to(cname), list(values), isText ? to(beside) : list(beside)].filter((part) => part !== '');
  return parts.join(', ') || say([isLoop ? 'cnameToItself' : 'nothingThere']);
}

const MESSAGES: Partial<Record<Finding['code'], Saying>> = {
  record_missing: missing,
  txt_missing: missing,
  record_below_cut: (said) => ['noRecord', 'zoneOfItsOwn', ...when(said.nameservers?.length, ['asked'])],
  name_doubled: ({ facts }) => ['atOtherName', 'zoneAppended', ...when(facts.otherName, ['textToo'])],
  record_at_other_name: () => ['atOtherName'],
  name_not_punycode: () => ['notPunycode'],
  cname_at_txt_name: (said) => ['leadsTo', 'textInstead', ...optional(said)],
  records_swapped: ({ facts, second }) =>
    facts.reason === 'values_swapped'
      ? ['valuesSwapped']
      : [['namesSwapped', { otherName: marked(second?.name ?? '') }]],
  wrong_type: ({ record }) => [record === 'ownership' ? 'proofInCname' : 'targetInOther'],
  cname_elsewhere: ({ facts: { reason } }) => [
    'leadsTo',
    ...when(reason === 'nxdomain', ['hostUnknown']),
    ...when(reason === 'no_address', ['hostWithoutAddress']),
    'hasToLead',
  ],
  cname_other_target: () => ['otherTarget', 'otherTargetWhy'],
  value_doubled_zone: misshapen('valueDoubled'),
  value_is_url: misshapen('valueUrl'),
  value_is_address: misshapen('valueAddress'),
  value_whitespace: misshapen('valueSpace'),
  value_quoted: misshapen('valueQuotes'),
  value_is_txt: misshapen('valueText'),
  cname_loop: ({ seen = [] }) => (seen.length === 0 ? ['loop'] : ['loop', 'loopNames']),
  cname_chain_too_long: ({ seen = [] }) => (seen.length === 0 ? ['tooLong'] : ['tooLong', 'tooLongNames']),
  cname_to_broken_zone: (said) => ['leadsTo', 'hostUnread', serverOf(said)],
  address_instead_of_cname: ({ severity }) =>
    severity === 'info' ? ['addressInstead', 'passedOn'] : ['addressInstead'],
  conflicting_records: ({ seen = [] }, list) => [['conflict', { values: list(seen.slice(1)) }], 'byChance'],
  proxied_without_txt: (said) => {
    const { otherName = '', reason } = said.facts;
    const flattened: Item = ['flattenedUnseen', { at: marked(otherName) }];
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
    return [said.facts.reason === 'wildcard_address' ? 'wildcardAddress' : 'wildcardCname'];
  },
  cname_at_apex: () => ['leadsTo', 'apexCname'],
  apex_elsewhere: () => ['apexElsewhere', 'visitorsElsewhere'],
  zone_not_registered: () => ['notRegistered'],
  zone_parked: ({ facts, seen = [] }) => [
    facts.reason === 'registration_ended' ? 'expired' : 'parked',
    ...when(seen.length > 0, ['parkedAddresses']),
  ],
  zone_elsewhere: ({ facts: { provider, reason }, record }) => [
    'nameserversAre',
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
  dnssec_bogus: ({ facts: { reason = '', ttlSeconds }, action }) => {
    const why = SIGNATURES[reason];
    return [
      'bogus',
      ...(why === undefined ? [] : [why]),
      'mostCannotSee',
      ...when(action.value !== undefined, ['dsIs']),
      ...when(ttlSeconds !== undefined, ['noticedAfter']),
    ];
  },
  caa_forbids: ({ seen = [] }, list) => [['caaForbids', { values: list(seen.slice(0, 3)) }]],
  held_elsewhere: ({ facts: { reason } }) => {
    if (reason === 'older_claim') return ['heldLater'];
    if (reason === 'nameservers_silent') return ['held', 'heldSilent'];
    return reason === 'other_records_left' ? ['held', 'heldRecords'] : ['held'];
  },
  challenge_missing: ({ seen = [] }) =>
    seen.length === 0 ? ['challengeMissing'] : ['challengeMissing', 'challengeText'],
  challenge_elsewhere: () => ['leadsTo', 'hasToLeadForCertificate'],
  challenge_proxied: () => ['challengeProxied'],
  stale_cache: () => ['staleCache'],
  other_certificate: outside,
  certificate_expired_outside: outside,
  tls_unreachable: outside,
};

const APEX: Saying = ({ action }) => {
  const { addresses, typeInZone } = action;
  if (addresses === undefined) return [typeInZone === undefined ? 'addAlias' : 'addTyped', typed(action)];
  const each = addresses.map((address) => `${address.includes(':') ? 'AAAA' : 'A'} ${marked(address)}`);
  return [['addAddresses', { addresses: each.join(', ') }], typedName(action)];
};

/** The action alone is enough for most codes. */
function byAction({ action }: Pick<Said, 'action'>): Item[] {
  const kind = (['add', 'change', 'replace'] as const).find((each) => each === action.kind);
  return kind === undefined ? [] : [kind, typed(action)];
}

const NAMESERVER_FIXES: Partial<Record<string, Key>> = {
  servfail: 'checkZone',
  refused: 'createZone',
  lame: 'createZone',
  no_nameserver: 'correctNames',
  forbidden_address: 'publicAddresses',
  tcp_failed: 'openTcp',
  inconsistent: 'registryTakes',
};

const nameserverFix: Saying = ({ facts: { scope, reason = '' }, action, record }) => {
  if (scope === 'delegation') return ['nothingOrRegistrar'];
  if (scope !== 'name') return [NAMESERVER_FIXES[reason] ?? 'askOrRemove'];
  return ['askAboutName', ...when(record === 'ownership', ['underscore']), 'orAddAgain', typed(action)];
};

const held: Saying = ({ facts: { reason }, action, second }) => {
  switch (reason) {
    case 'older_claim':
      return ['recreate'];
    case 'nameservers_silent':
      return ['askSilent'];
    case 'other_records_left':
      return [['removeOthers', { expected: marked(second?.value ?? '') }]];
    default:
      return [reason === 'both_needed' ? 'moveWithBoth' : 'moveWithText', typed(action)];
  }
};

const instead: Saying = ({ severity, action, second }) => {
  if (severity === 'info') return ['ifNoProxy', typed(action)];
  return [
    ...byAction({ action }),
    ...(second?.kind === 'add' ? (['orAddText', typed(second)] as const) : (['orPublishText'] as const)),
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
  record_missing: (said, ...by) => (said.facts.reason === 'no_address' ? APEX(said, ...by) : byAction(said)),
  record_below_cut: (said) =>
    said.action.kind === 'replace' ? ['deleteDelegation', typed(said.action)] : byAction(said),
  name_doubled: ({ action }) => ['changeName', 'zoneIsAdded', typed(action)],
  name_not_punycode: 'punycode',
  record_at_other_name: (said) => (said.action.kind === 'add' ? byAction(said) : ['changeName', typed(said.action)]),
  records_swapped: (said) => {
    const { action, second } = said;
    if (second === undefined) return byAction(said);
    return ['exchangeNames', ['forCname', { entered: entered(second) }], ['forText', { entered: entered(action) }]];
  },
  value_doubled_zone: 'dotAtEnd',
  address_instead_of_cname: instead,
  challenge_proxied: (said) => [...byAction(said), 'doNotProxy'],
  conflicting_records: 'keepOne',
  txt_quoted: ({ action }) => ['change', 'withoutQuotes', typed(action)],
  cname_at_apex: (said, ...by) => ['deleteCname', ...APEX(said, ...by)],
  apex_elsewhere: APEX,
  zone_not_registered: ({ facts }) => ['register', facts.reason === 'name_not_added' ? 'mistypedLook' : 'mistypedAdd'],
  zone_parked: ({ facts }) => [facts.reason === 'registration_ended' ? 'renew' : 'changeNameservers'],
  zone_elsewhere: ({ facts: { reason, seenProvider, provider } }) => [
    ['setNameservers', reason === 'record_there' && seenProvider !== undefined ? { seenServers: seenProvider } : {}],
    ['orPublishAt', provider === undefined ? {} : { servers: provider }],
  ],
  delegation_mismatch: () => ['sameLists'],
  nameservers_disagree: ({ nameservers = [], action }) => [
    'waitMinutes',
    nameservers.length === 1 ? 'askWhyDifferent' : 'publishSame',
    typed(action),
  ],
  resolvers_unreachable: () => ['nothingToDo'],
  dnssec_bogus: bogusFix,
  caa_forbids: ({ action }) =>
    action.kind === 'delete'
      ? ['deleteCaa']
      : ['add', ...when(action.nameInZone !== undefined, [typedName(action)]), 'entryCaa'],
  held_elsewhere: held,
  other_certificate: (said) =>
    said.action.kind === 'repair'
      ? ['replaceCertificate']
      : [...byAction(said), ['orPassOn', { value: marked('/.well-known/acme-challenge/') }]],
  certificate_expired_outside: () => ['renewCertificate'],
  tls_unreachable: (said) => ['openPort', 'orUnused', ...byAction(said)],
  stale_cache: () => ['waitUntilThen'],
};

const entered = ({ nameInZone = '', name = '' }: Action): string => marked(nameInZone || name);

const fixOf: Saying = (said, ...by) => {
  const fix = FIXES[said.code] ?? (said.code.startsWith('nameserver_') ? nameserverFix : byAction);
  return typeof fix === 'string' ? [fix, typed(said.action)] : fix(said, ...by);
};

const PROBLEMS: Partial<Record<string, Key[]>> = {
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

/** Says why there is no certificate. `lang`: that of a reason that is not known here. */
export function tellProblem(
  { domain, problem, selfCheck }: Certificate,
  language: Language,
): { text: string; lang?: 'en' } {
  const { reason = '', message = '' } = problem ?? {};
  const items = Object.hasOwn(PROBLEMS, reason) ? PROBLEMS[reason] : undefined;
  if (items === undefined) return { text: message, lang: 'en' };
  const answers = selfCheck?.answers.filter(({ outcome }) => outcome === OUTCOMES[reason]) ?? [];
  const seen = answers.map(({ address }) => address);
  const finding = { code: '', severity: '', name: domain, seen, message, fix: '', retryable: true };
  const told = fieldsOf({ ...finding, at: domain, facts: {}, action: NO_ACTION }, language);
  return { text: speak(items, told, language) };
}
