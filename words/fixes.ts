import type { Finding } from '../client/client.ts';
import {
  type Action,
  type Choice,
  type Item,
  namesOf,
  type Said,
  type Saying,
  type SentenceKey,
  when,
} from './said.ts';

/** Which sentences say how a mistake is fixed. */

/** The text to type for a record. */
const typed = ({ action, style }: Said, { nameInZone, valueInZone = '' } = action): Item => [
  nameInZone === '' ? 'entryUnnamed' : 'entry',
  { entered: style.typed(nameInZone ?? ''), value: style.typed(valueInZone) },
];

const typedName = ({ action }: Said): Item => (action.nameInZone === '' ? 'entryNameEmpty' : 'entryName');

/** Says what leads an apex here: a record of its own type where the provider has one, the addresses of the edge where they are known. */
const apexFix: Choice = (said) => {
  const { addresses, typeInZone } = said.action;
  if (addresses === undefined) return [typeInZone === undefined ? 'addAlias' : 'addTyped', typed(said)];
  const each = addresses.map((address) => `${address.includes(':') ? 'AAAA' : 'A'} ${said.style.typed(address)}`);
  return [['addAddresses', { addresses: each.join(', ') }], typedName(said)];
};

/** The action alone is enough for most codes. */
const byAction: Choice = (said) => {
  const kind = (['add', 'change', 'replace'] as const).find((each) => each === said.action.kind);
  return kind === undefined ? [] : [kind, typed(said)];
};

const NAMESERVER_FIXES: Partial<Record<string, SentenceKey>> = {
  servfail: 'checkZone',
  refused: 'createZone',
  lame: 'createZone',
  no_nameserver: 'correctNames',
  forbidden_address: 'publicAddresses',
  tcp_failed: 'openTcp',
  inconsistent: 'registryTakes',
};

const nameserverFix: Choice = (said) => {
  const { scope, reason = '' } = said;
  if (scope === 'delegation') return ['nothingOrRegistrar'];
  if (scope === 'name')
    return ['askAboutName', ...when(said.record === 'ownership', ['underscore']), 'orAddAgain', typed(said)];
  if (reason === 'no_nameserver' && said.nameservers.length === 0) return ['changeNameservers'];
  return [NAMESERVER_FIXES[reason] ?? 'askOrRemove'];
};

const held: Choice = (said) => {
  const { reason, second, style } = said;
  switch (reason) {
    case 'older_claim':
      return ['recreate'];
    case 'nameservers_silent':
      return ['askSilent'];
    case 'other_records_left':
      return [['removeOthers', { expected: style.name(second?.value ?? '') }]];
    default:
      return [reason === 'both_needed' ? 'moveWithBoth' : 'moveWithText', typed(said)];
  }
};

/** Behind a proxy the CNAME cannot be seen, and the TXT record is what counts. */
const instead: Choice = (said) => {
  const { severity, second } = said;
  if (severity === 'info') return ['ifNoProxy', typed(said)];
  return [
    ...byAction(said),
    ...(second?.kind === 'add' ? (['orAddText', typed(said, second)] as const) : (['orPublishText'] as const)),
  ];
};

/** Signatures that are out of date are made anew by the provider; otherwise the DS record mostly belongs to a former provider. */
const bogusFix: Choice = ({ reason, action }) => {
  const ds = action.at === 'registrar' ? 'mendDsRegistrar' : 'mendDsAbove';
  const isOutOfDate = reason === 'signature_expired' || reason === 'signature_not_yet_valid';
  return isOutOfDate ? ['signAgain', ds] : [ds, 'orSignAgain'];
};

/** A key alone is followed by the text to type. */
const FIXES: Partial<Record<Finding['code'], Saying | SentenceKey>> = {
  record_missing: (said) => (said.reason === 'no_address' ? apexFix : byAction)(said),
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
  zone_not_registered: ({ reason }) => ['register', reason === 'name_not_added' ? 'mistypedLook' : 'mistypedAdd'],
  zone_parked: ({ reason }) => [reason === 'registration_ended' ? 'renew' : 'changeNameservers'],
  zone_elsewhere: ({ reason, seenProvider, provider, seen, style }) => [
    reason === 'record_there' && seenProvider !== undefined
      ? ['setNameserversOf', { provider: seenProvider }]
      : ['setNameservers', { seenServers: namesOf(seen, style) }],
    ['orPublishAt', provider === undefined ? {} : { servers: provider }],
  ],
  delegation_mismatch: ['sameLists'],
  nameservers_disagree: (said) => [
    'waitMinutes',
    said.nameservers.length === 1 ? 'askWhyDifferent' : 'publishSame',
    typed(said),
  ],
  resolvers_unreachable: ['nothingToDo'],
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
  certificate_expired_outside: ['renewCertificate'],
  tls_unreachable: (said) => ['openPort', 'orUnused', ...byAction(said)],
  stale_cache: ['waitUntilThen'],
};

export const fixOf: Choice = (said) => {
  const fix = FIXES[said.code] ?? (said.code.startsWith('nameserver_') ? nameserverFix : byAction);
  return typeof fix === 'string' ? [fix, typed(said)] : typeof fix === 'function' ? fix(said) : fix;
};
