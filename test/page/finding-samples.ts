import type { Finding } from '../../client/client.ts';
import {
  FINDING_CODES,
  type FindingAction,
  type FindingCode,
  type FindingFields,
} from '../../server/src/domain/finding.ts';
import { withSentences } from '../../server/src/domain/findings/sentences.ts';

/** Findings of every code, in each case that its sentences know. */

const NAME = 'shop.example.com';
const TXT_NAME = `_service.${NAME}`;
const TARGET = 'k7q2m9x4c1v8b3n6.cname.customers.test';
const PROOF = 'service-domain-verify=Zt4mQ8rV1xKc7NwLb2YpH5sJ';

const cname: FindingAction = {
  kind: 'change',
  at: 'zone',
  zone: 'example.com',
  provider: 'Cloudflare',
  type: 'CNAME',
  name: NAME,
  nameInZone: 'shop',
  value: TARGET,
  valueInZone: TARGET,
};
const txt: FindingAction = {
  ...cname,
  type: 'TXT',
  name: TXT_NAME,
  nameInZone: '_service.shop',
  value: PROOF,
  valueInZone: PROOF,
};
const alias: FindingAction = { ...cname, type: 'ALIAS', name: 'example.com', nameInZone: '' };
const { provider: _, ...unknownProvider } = alias;
const zone: FindingAction = { kind: 'change', at: 'registrar', zone: 'example.com', type: 'NS', name: 'example.com' };
const above: FindingAction = { ...zone, at: 'zone_above' };
const caa: FindingAction = {
  kind: 'add',
  at: 'zone',
  zone: 'example.com',
  type: 'CAA',
  name: 'example.com',
  nameInZone: '@',
  flags: '0',
  tag: 'issue',
  value: 'ca.test',
};

type Case = Partial<FindingFields>;
const routing: Case = { record: 'routing', name: NAME, expected: TARGET, action: cname };
const text: Case = { record: 'ownership', name: TXT_NAME, expected: PROOF, action: txt };
const ofZone: Case = { name: 'example.com', nameservers: ['ns1.provider.test', 'ns2.provider.test'], action: zone };

const withReasons = (common: Case, ...reasons: NonNullable<FindingFields['facts']>['reason'][]): Case[] =>
  reasons.map((reason) => ({ ...common, facts: { ...common.facts, ...(reason && { reason }) } }));

const servers = (reason: NonNullable<FindingFields['facts']>['reason'] & string): Case[] => [
  ...(['zone', 'some', 'delegation'] as const).map((scope): Case => ({ ...ofZone, facts: { reason, scope } })),
  { ...ofZone, nameservers: [], facts: { reason, scope: 'zone' } },
  { ...ofZone, action: above, nameservers: ['ns1.provider.test'], facts: { reason, scope: 'some' } },
  {
    ...text,
    nameservers: ['ns1.provider.test'],
    action: { ...txt, kind: 'ask' },
    facts: { reason, scope: 'name', isOptional: true },
  },
];

const outside = (reason: NonNullable<FindingFields['facts']>['reason'], action: FindingAction): Case[] => [
  { name: NAME, seen: ['192.0.2.7'], expected: TARGET, action, facts: { ...(reason && { reason }) } },
  { name: NAME, seen: ['192.0.2.7', '2001:db8::7'], expected: TARGET, action, facts: { ...(reason && { reason }) } },
];
const repair: FindingAction = { kind: 'repair', at: 'server', zone: 'example.com', name: NAME };
const toReplace: FindingAction = { ...cname, kind: 'replace', removes: ['A', 'AAAA'] };
const other = { position: 27, found: 'O', expected: '0' };

const CASES: Record<FindingCode, Case[]> = {
  record_missing: [
    ...withReasons(
      { ...routing, nameservers: ['ns1.provider.test'], action: { ...cname, kind: 'add' } },
      'nxdomain',
      'nodata',
    ),
    { ...routing, name: 'example.com', action: { ...alias, kind: 'add' }, facts: { reason: 'no_address' } },
    {
      ...routing,
      name: 'example.com',
      action: { ...alias, kind: 'add', typeInZone: 'ANAME' },
      facts: { reason: 'no_address' },
    },
    {
      ...routing,
      name: 'example.com',
      action: { ...unknownProvider, kind: 'add', addresses: ['192.0.2.1', '2001:db8::1'] },
      facts: { reason: 'no_address' },
    },
  ],
  name_doubled: [
    { ...routing, name: `${NAME}.example.com` },
    { ...routing, name: `${NAME}.example.com`, facts: { otherName: `${TXT_NAME}.example.com` } },
  ],
  record_at_other_name: [
    { ...text, name: NAME },
    { ...routing, name: `www.${NAME}`, action: { ...cname, kind: 'add' } },
  ],
  cname_at_txt_name: [
    {
      ...text,
      seen: ['old.example.net'],
      action: { ...txt, kind: 'replace', removes: ['CNAME'] },
      facts: { isOptional: true },
    },
  ],
  records_swapped: [
    { ...text, seen: [TARGET], facts: { reason: 'values_swapped' } },
    { ...text, seen: [TARGET], second: cname, facts: { reason: 'names_swapped' } },
  ],
  wrong_type: [
    { ...routing, seen: [TARGET], action: { ...cname, kind: 'replace', removes: ['NS'] } },
    { ...text, seen: [PROOF], action: { ...txt, kind: 'replace', removes: ['CNAME'] } },
  ],
  cname_elsewhere: withReasons(
    { ...routing, seen: ['a.example.net', 'b.example.net', 'c.example.net', 'd.example.net', 'e.example.net'] },
    undefined,
    'nxdomain',
    'no_address',
  ),
  cname_other_target: [{ ...routing, seen: ['x3.cname.customers.test'], facts: { host: 'x3.cname.customers.test' } }],
  value_doubled_zone: [
    { ...routing, seen: [`${TARGET}.example.com`], action: { ...cname, valueInZone: `${TARGET}.` } },
  ],
  value_is_url: [{ ...routing, seen: [`https://${TARGET}`] }],
  value_is_address: [{ ...routing, seen: ['192.0.2.7'] }],
  value_whitespace: [{ ...routing, seen: [`\\032${TARGET}`] }],
  value_quoted: [{ ...routing, seen: [`"${TARGET}"`] }],
  value_is_txt: [{ ...routing, seen: [PROOF.toLowerCase()] }],
  cname_loop: [
    { ...routing, seen: [] },
    { ...routing, seen: ['www.example.com', NAME] },
  ],
  cname_chain_too_long: [
    { ...routing, seen: [] },
    { ...routing, seen: ['a.test', 'b.test'] },
  ],
  cname_to_broken_zone: [
    { ...routing, seen: ['closed.example.net'], nameservers: ['ns1.provider.test'], facts: { reason: 'refused' } },
    { ...routing, seen: ['closed.example.net'], facts: { reason: 'timeout' } },
  ],
  address_instead_of_cname: [
    { ...routing, seen: ['192.0.2.7'], action: toReplace, second: { ...txt, kind: 'add' } },
    { ...routing, seen: ['192.0.2.7', '192.0.2.8'], action: toReplace, second: txt },
    { ...routing, severity: 'info', seen: ['192.0.2.7'], action: toReplace },
  ],
  conflicting_records: [
    {
      ...routing,
      seen: [TARGET, '192.0.2.7', '192.0.2.8'],
      action: { ...cname, kind: 'replace', removes: ['CNAME', 'A', 'AAAA'] },
    },
  ],
  proxied_without_txt: [
    {
      ...text,
      action: { ...txt, kind: 'add' },
      facts: { reason: 'hidden_by_proxy', proxy: 'Cloudflare', otherName: NAME },
    },
    {
      ...text,
      action: { ...txt, kind: 'add' },
      facts: { reason: 'hidden_by_proxy', host: 'edge.proxy.test', otherName: NAME },
    },
    {
      ...text,
      action: { ...txt, kind: 'add' },
      facts: { reason: 'hidden_by_flattening', host: TARGET, otherName: NAME },
    },
  ],
  txt_missing: withReasons(
    { ...text, nameservers: ['ns1.provider.test'], action: { ...txt, kind: 'add' } },
    'nxdomain',
    'nodata',
  ),
  txt_wrong_value: [
    ...withReasons(
      { ...text, seen: [`x ${PROOF}`], facts: { difference: other, isQuoted: true } },
      'text_beside',
      'text_before',
      'other_character',
    ),
    { ...text, seen: [`${PROOF}x`], facts: { reason: 'other_character', difference: { position: 47, found: 'x' } } },
    {
      ...text,
      seen: [PROOF.slice(0, 20)],
      facts: { reason: 'other_character', difference: { position: 21, expected: 'f' } },
    },
    {
      ...text,
      seen: ['v=spf1 -all'],
      action: { ...txt, kind: 'add' },
      facts: { reason: 'other_values', isOptional: true },
    },
    { ...text, seen: ['v=spf1 -all', 'other'], action: { ...txt, kind: 'add' }, facts: { reason: 'other_values' } },
  ],
  txt_quoted: [{ ...text, seen: [`"${PROOF}"`] }],
  txt_case: [
    { ...text, seen: [PROOF.toLowerCase()], facts: { difference: { position: 23, found: 'z', expected: 'Z' } } },
  ],
  txt_invisible: [' ', '\t', '\n', '\u200b'].map((found) => ({
    ...text,
    seen: [`${PROOF}${found}`],
    facts: { difference: { position: 47, found } },
  })),
  txt_encoded: [{ ...text, seen: [PROOF.replace('=', '%3D')] }],
  txt_stale: [{ ...text, seen: ['service-domain-verify=Aa1'], facts: { isOptional: true } }],
  txt_other_domain: [{ ...text, seen: ['service-domain-verify=Aa1'], facts: { owner: 'blog.example.com' } }],
  txt_truncated: withReasons({ ...text, seen: [PROOF.slice(4)] }, 'beginning_missing', 'end_missing'),
  wildcard_answers: [
    { ...routing, seen: ['old.example.net'], action: { ...cname, kind: 'add' }, facts: { reason: 'wildcard_cname' } },
    { ...routing, seen: ['192.0.2.7'], action: { ...cname, kind: 'add' }, facts: { reason: 'wildcard_address' } },
    { ...text, seen: ['v=spf1 -all'], action: { ...txt, kind: 'add' }, facts: { reason: 'wildcard_txt' } },
  ],
  cname_at_apex: [
    { ...routing, name: 'example.com', seen: [TARGET], action: { ...alias, kind: 'replace', removes: ['CNAME'] } },
  ],
  apex_elsewhere: [['192.0.2.7'], ['192.0.2.7', '192.0.2.8']].map((seen) => ({
    ...routing,
    name: 'example.com',
    seen,
    action: { ...unknownProvider, kind: 'replace', removes: ['A', 'AAAA'] },
  })),
  flattened: withReasons({ ...routing, severity: 'info', facts: { host: TARGET } }, 'txt_verifies', 'txt_needed').map(
    withoutAction,
  ),
  proxied: [
    ...withReasons({ ...routing, severity: 'info', facts: { host: 'edge.proxy.test' } }, 'txt_verifies').map(
      withoutAction,
    ),
    ...withReasons({ ...routing, severity: 'info', facts: { proxy: 'Cloudflare' } }, 'txt_needed').map(withoutAction),
  ],
  name_not_punycode: [{ ...routing, name: 'm\\195\\188ller.example.com' }],
  zone_not_registered: withReasons(
    { name: 'example.com', action: { ...zone, kind: 'register' } },
    undefined,
    'name_not_added',
  ),
  zone_parked: [
    { ...ofZone, facts: { provider: 'Sedo' } },
    { ...ofZone, seen: ['192.0.2.7'], facts: { provider: 'Sedo' } },
    { ...ofZone, action: above, facts: { provider: 'GoDaddy', reason: 'registration_ended' } },
  ],
  zone_elsewhere: [
    { ...ofZone, seen: ['ns1.other.test'], facts: {} },
    { ...ofZone, action: above, seen: ['ns1.other.test'], facts: { provider: 'IONOS', seenProvider: 'Cloudflare' } },
    {
      ...ofZone,
      record: 'routing',
      seen: ['ns1.other.test'],
      facts: { reason: 'record_there', otherName: NAME, seenProvider: 'Cloudflare' },
    },
    {
      ...ofZone,
      record: 'ownership',
      seen: ['ns1.other.test'],
      facts: { reason: 'record_there', otherName: TXT_NAME },
    },
  ],
  delegation_mismatch: [
    { ...ofZone, facts: { onlyDelegated: ['ns3.provider.test'], onlyInZone: ['ns4.provider.test'] } },
    { ...ofZone, action: above, facts: { onlyInZone: ['ns4.provider.test'] } },
  ],
  nameservers_disagree: [
    {
      ...routing,
      nameservers: ['ns1.provider.test', 'ns2.provider.test', 'ns3.provider.test'],
      facts: {
        answers: [
          { nameserver: 'ns1.provider.test', matches: true, looks: [{ cname: [TARGET], values: [], beside: [] }] },
          { nameserver: 'ns2.provider.test', matches: false, looks: [{ cname: [], values: [], beside: [] }] },
          {
            nameserver: 'ns3.provider.test',
            matches: false,
            looks: [{ cname: ['old.example.net'], values: [], beside: ['192.0.2.7'] }],
          },
        ],
      },
    },
    {
      ...text,
      nameservers: ['ns1.provider.test'],
      facts: {
        answers: [
          {
            nameserver: 'ns1.provider.test',
            matches: false,
            looks: [
              { cname: [], values: [], beside: [], isLoop: true },
              { cname: [], values: ['v=spf1 -all'], beside: [] },
              { cname: [], values: [], beside: ['old.example.net'] },
            ],
          },
        ],
      },
    },
  ],
  record_below_cut: [
    {
      ...text,
      nameservers: ['ns1.other.test'],
      action: { ...txt, kind: 'add' },
      facts: { zone: 'shop.example.com', zoneAbove: 'example.com' },
    },
    {
      ...routing,
      action: { ...cname, kind: 'replace', removes: ['NS'] },
      facts: { zone: NAME, zoneAbove: 'example.com' },
    },
  ],
  resolvers_unreachable: [
    { name: NAME, severity: 'warning', action: { kind: 'wait', at: 'zone', zone: 'example.com' } },
  ],
  nameserver_refused: servers('refused'),
  nameserver_lame: servers('lame'),
  nameserver_servfail: servers('servfail'),
  nameserver_timeout: [...servers('timeout'), ...servers('inconsistent')],
  nameserver_not_found: servers('no_nameserver'),
  nameserver_unreachable: servers('unreachable'),
  nameserver_private: servers('forbidden_address'),
  nameserver_tcp: servers('tcp_failed'),
  nameserver_malformed: servers('malformed'),
  dnssec_bogus: [zone, above].flatMap((at) =>
    withReasons(
      {
        ...routing,
        action: { ...at, kind: 'replace', type: 'DS', value: '2371 13 2 1F98' },
        facts: { ttlSeconds: 300 },
      },
      undefined,
      'signature_expired',
      'signature_not_yet_valid',
      'key_missing',
      'signature_missing',
      'proof_missing',
    ),
  ),
  caa_forbids: [
    { name: 'example.com', seen: ['0 issue "other-ca.test"'], expected: '0 issue "ca.test"', action: caa },
    {
      name: 'example.com',
      seen: ['128 new "x"'],
      expected: '0 issue "ca.test"',
      action: { kind: 'delete', at: 'zone', zone: 'example.com', type: 'CAA', name: 'example.com', tag: 'new' },
    },
  ],
  held_elsewhere: [
    ...withReasons({ name: NAME, action: { ...txt, kind: 'add' } }, undefined, 'both_needed'),
    { name: NAME, action: { kind: 'recreate', at: 'zone', zone: 'example.com' }, facts: { reason: 'older_claim' } },
    { ...ofZone, name: NAME, action: { ...zone, kind: 'ask' }, facts: { reason: 'nameservers_silent' } },
    { name: NAME, action: { ...txt, kind: 'delete' }, second: cname, facts: { reason: 'other_records_left' } },
  ],
  stale_cache: withReasons(
    { ...routing, severity: 'info', action: { ...cname, kind: 'wait' }, facts: { until: 1_900_000_000_000 } },
    undefined,
    'some_asked',
  ),
  other_certificate: [
    ...outside('answered_by_another', toReplace),
    ...(['certificate_wrong_name', 'certificate_not_yet_valid', 'certificate_untrusted'] as const).flatMap((reason) =>
      outside(reason, repair),
    ),
  ],
  certificate_expired_outside: outside('certificate_expired', repair),
  tls_unreachable: (
    ['address_not_public', 'connection_refused', 'tls_failed', 'no_response', 'timeout'] as const
  ).flatMap((reason) => outside(reason, toReplace)),
  challenge_missing: [
    { ...routing, record: 'challenge', action: { ...cname, kind: 'add' } },
    { ...routing, record: 'challenge', seen: ['other'], action: { ...cname, kind: 'replace', removes: ['TXT'] } },
  ],
  challenge_elsewhere: [{ ...routing, record: 'challenge', seen: ['old.example.net'] }],
  challenge_proxied: [{ ...routing, record: 'challenge', seen: ['104.16.1.2'], action: toReplace }],
};

function withoutAction({ action: _, ...fields }: Case): Case {
  return fields;
}

export const SAMPLES: { code: FindingCode; sample: number; finding: Finding }[] = FINDING_CODES.flatMap((code) =>
  CASES[code].map((fields, sample) => ({
    code,
    sample,
    finding: withSentences({ code, severity: 'blocking', retryable: false, ...fields }),
  })),
);
