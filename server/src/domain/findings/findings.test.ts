import { describe, expect, test } from 'vitest';
import {
  type Answers,
  addresses,
  cname,
  everywhere,
  fails,
  NODATA,
  NXDOMAIN,
  observation,
  probe,
  rightTxt,
  type Seen,
  throughResolver,
  twice,
  txt,
  validation,
} from '../../../../test/support/observations.ts';
import type { Domain } from '../domain.ts';
import type { FindingCode } from '../finding.ts';
import type { Answer } from '../observation.ts';
import type { Failure } from '../reading.ts';
import { NO_MEMORY } from '../status.ts';
import { findingsOf } from './findings.ts';
import { withoutOwner, withSentences } from './sentences.ts';
import type { FindingContext } from './subject.ts';

const TOKEN = 'Zt4mQ8rV1xKc7NwLb2YpH5sJ';
const OTHER_TOKEN = 'aaaabbbbccccddddeeeeffff';
const VALUE = `service-domain-verify=${TOKEN}`;
const TARGET = 'k7q2m9x4c1v8b3n6.cname.example';

const shop = {
  name: 'shop.acme.com',
  kind: 'subdomain',
  service: 'service',
  target: TARGET,
  token: TOKEN,
  status: 'verifying',
  createdAt: 1000,
  verifiedAt: null,
  sharedAddresses: null,
} as Domain;
const apex: Domain = { ...shop, name: 'acme.com', kind: 'apex' };
const holder: Domain = {
  ...shop,
  id: 'dom_0',
  target: 'old.cname.example',
  token: OTHER_TOKEN,
  status: 'verified',
  verifiedAt: 500,
};

const context: FindingContext = {
  edgeAddresses: ['192.0.2.80', '2001:db8::80'],
  caNames: ['letsencrypt.org'],
  isTarget: (host) => host.endsWith('.cname.example'),
  now: Date.UTC(2026, 0, 1),
};

interface Options {
  domain?: Domain;
  incumbent?: Domain;
  context?: Partial<FindingContext>;
}

function find(seen: Seen, { domain = shop, incumbent, ...options }: Options = {}) {
  const observed = observation(domain, 'acme.com', seen);
  const records = incumbent && { incumbent: { ownership: observed.ownership, routing: observed.routing } };
  const subject = { domain, incumbent: incumbent ?? null, memory: NO_MEMORY };
  return findingsOf(subject, { ...observed, ...records }, { ...context, ...options.context });
}

const codesOf = (seen: Seen, options?: Options) => find(seen, options).map(({ code }) => code);
const blockingIn = (seen: Seen, options?: Options) =>
  find(seen, options).flatMap(({ code, severity }) => (severity === 'blocking' ? [code] : []));

const routing = (...answers: Parameters<typeof cname>): Seen => ({ routing: everywhere(cname(...answers)) });
const ownership = (...values: string[]): Seen => ({ ownership: everywhere(txt(...values)) });
const right: Seen = { routing: everywhere(cname(TARGET)), ownership: everywhere(rightTxt(shop)) };

/** `*.shop.acme.com`, whose certificate needs a record of its own. */
const wild: Domain = { ...shop, name: '*.shop.acme.com', challengeZone: 'acme.example' };
const CHALLENGE = '_acme-challenge.shop.acme.com';
const LABEL = TARGET.slice(0, TARGET.indexOf('.'));
const rightWild: Seen = { routing: everywhere(cname(TARGET)), challenge: everywhere(cname(`${LABEL}.acme.example`)) };

describe('a wildcard', () => {
  const mistakes = (seen: Seen, about: Partial<Domain> = {}) =>
    find({ ...rightWild, ...seen }, { domain: { ...wild, ...about } }).map(({ code, record, name, action }) => ({
      ...{ code, record, name, enter: action?.nameInZone },
    }));

  test.each<[string, Seen]>([
    ['its CNAME and the record for its certificate', {}],
    ['its CNAME, which answers at the name of the TXT record too', { ownership: everywhere(cname(TARGET)) }],
    ['all three records', { ownership: everywhere(rightTxt(wild)) }],
    [
      'a proxy and the TXT record',
      { routing: everywhere(addresses('198.51.100.7')), ownership: everywhere(rightTxt(wild)) },
    ],
  ])('has no mistake with %s', (_, seen) => {
    const all = find({ ...rightWild, ...seen }, { domain: wild });
    expect(all.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });

  test.each<[string, Seen, { code: FindingCode; record: string; name?: string; enter: string }]>([
    ['is nowhere', { routing: everywhere(NXDOMAIN) }, { code: 'record_missing', record: 'routing', enter: '*.shop' }],
    [
      'is at the base name, without the star',
      { routing: everywhere(NXDOMAIN), probes: [probe('other_name', 'routing', 'shop.acme.com', cname(TARGET))] },
      { code: 'record_at_other_name', record: 'routing', name: 'shop.acme.com', enter: '*.shop' },
    ],
    [
      'is of one name below it',
      { routing: everywhere(NXDOMAIN), probes: [probe('www', 'routing', 'www.shop.acme.com', cname(TARGET))] },
      { code: 'record_at_other_name', record: 'routing', name: 'www.shop.acme.com', enter: '*.shop' },
    ],
    [
      'has the zone twice in its name',
      {
        routing: everywhere(NXDOMAIN),
        probes: [probe('doubled', 'routing', '*.shop.acme.com.acme.com', cname(TARGET))],
      },
      { code: 'name_doubled', record: 'routing', name: '*.shop.acme.com.acme.com', enter: '*.shop' },
    ],
    [
      'is hidden by nothing but a broader wildcard',
      {
        routing: everywhere(cname('old.example.net')),
        probes: [probe('sibling', 'routing', 'np1.acme.com', cname('old.example.net'))],
      },
      { code: 'wildcard_answers', record: 'routing', enter: '*.shop' },
    ],
    [
      'leads elsewhere itself',
      {
        routing: everywhere(cname('old.example.net')),
        probes: [probe('sibling', 'routing', 'np1.acme.com', NXDOMAIN)],
      },
      { code: 'cname_elsewhere', record: 'routing', enter: '*.shop' },
    ],
  ])('is told what is wrong where its CNAME %s', (_, seen, expected) => {
    expect(mistakes(seen)).toEqual([{ name: '*.shop.acme.com', ...expected }]);
  });

  test.each<[string, Seen, { code: FindingCode; name?: string }]>([
    ['is not there', { challenge: everywhere(NXDOMAIN) }, { code: 'challenge_missing' }],
    [
      'is not there, so that the wildcard answers',
      { challenge: everywhere(cname(TARGET)) },
      { code: 'challenge_missing' },
    ],
    ['leads elsewhere', { challenge: everywhere(cname('x.acme.example')) }, { code: 'challenge_elsewhere' }],
    ['is proxied', { challenge: everywhere(addresses('104.16.1.2')) }, { code: 'challenge_proxied' }],
    [
      'has the zone twice in its name',
      {
        challenge: everywhere(NXDOMAIN),
        probes: [probe('doubled', 'challenge', `${CHALLENGE}.acme.com`, cname(`${LABEL}.acme.example`))],
      },
      { code: 'name_doubled', name: `${CHALLENGE}.acme.com` },
    ],
    [
      'is a TXT record',
      {
        challenge: everywhere(NODATA),
        probes: [probe('other_type', 'challenge', CHALLENGE, txt(`${LABEL}.acme.example`))],
      },
      { code: 'wrong_type' },
    ],
    [
      'is kept out by the TXT record of another program',
      { challenge: everywhere(NODATA), probes: [probe('other_type', 'challenge', CHALLENGE, txt('gfj9Xq'))] },
      { code: 'challenge_missing' },
    ],
  ])('is told what is wrong where the record for its certificate %s', (_, seen, expected) => {
    const name = '_acme-challenge.shop';
    expect(mistakes(seen)).toEqual([{ record: 'challenge', name: CHALLENGE, enter: name, ...expected }]);
  });

  test('is verified without the record for its certificate, and not served', () => {
    const severity = (status: Domain['status']) =>
      find({ ...rightWild, challenge: everywhere(NXDOMAIN) }, { domain: { ...wild, status } })[0]?.severity;
    expect([severity('verifying'), severity('verified')]).toEqual(['warning', 'blocking']);
  });

  test('is not told to overwrite the TXT value of its base name, which is at the same name', () => {
    const seen = {
      routing: everywhere(addresses('198.51.100.7')),
      ...ownership(`service-domain-verify=${OTHER_TOKEN}`),
    };
    const domainOfToken = () => 'shop.acme.com';
    const found = find({ ...rightWild, ...seen }, { domain: wild, context: { domainOfToken } });
    expect(found.find(({ record }) => record === 'ownership')).toMatchObject({
      code: 'txt_wrong_value',
      action: { kind: 'add' },
    });
  });

  test('has issuewild in CAA records judged, where there is any', () => {
    const caa = (...values: string[]) => ({ probes: [probe('caa', 'routing', 'acme.com', txt(...values))] });
    expect(mistakes(caa('0 issue "letsencrypt.org"', '0 issuewild ";"'))).toMatchObject([{ code: 'caa_forbids' }]);
    expect(mistakes(caa('0 issue "other.test"', '0 issuewild "letsencrypt.org"'))).toEqual([]);
    expect(mistakes(caa('0 issue "other.test"'))).toMatchObject([{ code: 'caa_forbids' }]);
  });

  test('that another TXT value belongs to is not named to a customer of somebody else', () => {
    const domainOfToken = () => '*.blog.acme.com';
    const [told] = find(ownership(`service-domain-verify=${OTHER_TOKEN}`), { context: { domainOfToken } });
    expect(told?.message).toContain('That is the value of *.blog.acme.com.');
    expect(withoutOwner(told?.message ?? '')).not.toContain('blog.acme.com');
  });

  test('whose CNAME zone we serve is not asked for a record for its certificate', () => {
    const { challenge: _, ...others } = rightWild;
    expect(find(others, { domain: { ...wild, challengeZone: null } })).toEqual([]);
  });
});

describe('nothing but information is found in a healthy zone', () => {
  test.each<[string, Seen, Domain?]>([
    ['both records', right],
    ['the CNAME alone', routing(TARGET)],
    ['a chain of CNAMEs', routing('www.acme.net', 'lb.acme.net', TARGET)],
    ['a CNAME, and another TXT record', { ...routing(TARGET), ...ownership('v=spf1 -all') }],
    ['a wildcard that leads to us', { ...routing(TARGET), ownership: everywhere(cname(TARGET)) }],
    ['one nameserver down', { routing: [twice(cname(TARGET)), twice(cname(TARGET)), fails('timeout')] }],
    ['a proxied name with its TXT record', { ...right, routing: everywhere(addresses('104.16.1.2')) }],
    ['a name at an unknown proxy with its TXT record', { ...right, routing: everywhere(addresses('198.51.100.7')) }],
    ['a name in a CDN with its TXT record', { ...right, routing: everywhere(cname('d1.cloudfront.net')) }],
    ['a flattened name with its TXT record', { ...right, routing: everywhere(addresses('192.0.2.80')) }],
    [
      'a signed zone',
      { ...right, routingValidation: validation({ status: 'secure', answer: cname(TARGET), ttl: 60 }) },
    ],
    ['an apex that is flattened', { ...right, routing: everywhere(addresses('192.0.2.80')) }, apex],
    ['an apex whose edge is not known', { ...right, routing: everywhere(addresses('198.51.100.7')) }, apex],
    ['a record that is looked at once', { routing: [cname(TARGET)] }],
  ])('%s', (_, seen, domain = shop) => {
    const found = find({ ...seen }, { domain, ...(_.includes('not known') && { context: { edgeAddresses: [] } }) });
    expect(found.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });
});

describe('the TXT value is compared character by character', () => {
  test.each<[string, string, FindingCode, string]>([
    ['quotation marks', `"${VALUE}"`, 'txt_quoted', 'quotation marks'],
    ['typographic quotation marks', `“${VALUE}”`, 'txt_quoted', 'quotation marks'],
    ['a space at the end', `${VALUE} `, 'txt_invisible', 'a space'],
    ['a zero-width space', `\u200b${VALUE}`, 'txt_invisible', 'U+200B'],
    ['a line break', `${VALUE}\n`, 'txt_invisible', 'a line break'],
    ['lower case', VALUE.toLowerCase(), 'txt_case', 'Character 23 is "z" instead of "Z"'],
    ['percent encoding', VALUE.replace('=', '%3D'), 'txt_encoded', 'codes'],
    ['an HTML entity', VALUE.replace('=', '&#61;'), 'txt_encoded', 'codes'],
    ['quoted-printable', VALUE.replace('=', '=3D'), 'txt_encoded', 'codes'],
    ['a missing end', VALUE.slice(0, -4), 'txt_truncated', 'end is missing'],
    ['the token alone', TOKEN, 'txt_truncated', 'beginning is missing'],
    ['the token of an earlier creation', `service-domain-verify=${OTHER_TOKEN}`, 'txt_stale', 'added again'],
    [
      'another token in quotation marks',
      `"service-domain-verify=${OTHER_TOKEN}"`,
      'txt_stale',
      'It has quotation marks',
    ],
    ['lower case in quotation marks', `"${VALUE.toLowerCase()}"`, 'txt_case', 'Character 23'],
    [
      'other text before another token',
      `TXT service-domain-verify=${OTHER_TOKEN}`,
      'txt_wrong_value',
      'text before the value',
    ],
    ['one character mistyped', VALUE.replace('Q8', 'O8'), 'txt_wrong_value', 'Character 27 is "O" instead of "Q"'],
    ['text around it', `TXT:${VALUE}`, 'txt_wrong_value', 'other text beside the right value'],
    ['another value', 'v=spf1 -all', 'txt_wrong_value', 'may stay'],
    ['the value of the CNAME', TARGET, 'records_swapped', 'the value of the CNAME record'],
  ])('%s', (_, value, code, says) => {
    for (const domain of [shop, apex]) {
      const [first] = find(ownership(value), { domain });
      expect(first).toMatchObject({ code, severity: 'blocking', record: 'ownership', seen: [value], expected: VALUE });
      expect(first?.message).toContain(says);
      expect(first?.fix).toContain(`Value: \`${VALUE}\``);
      expect(first?.message).not.toContain('must be');
    }
  });

  test('a token of another domain of the workspace is named', () => {
    const domainOfToken = (token: string) => (token === OTHER_TOKEN ? 'blog.acme.com' : null);
    const [first] = find(ownership(`service-domain-verify=${OTHER_TOKEN}`), { context: { domainOfToken } });
    expect(first).toMatchObject({ code: 'txt_other_domain', message: expect.stringContaining('blog.acme.com') });
  });

  test('a wrong value beside others is the one that is told', () => {
    expect(find(ownership('v=spf1 -all', VALUE.slice(0, -1)))[0]).toMatchObject({ code: 'txt_truncated' });
  });

  test('a wrong value blocks nothing where the CNAME is right', () => {
    expect(find({ ...routing(TARGET), ...ownership(VALUE.slice(0, -1)) })).toMatchObject([
      { code: 'txt_truncated', severity: 'warning' },
    ]);
  });
});

describe('whether a wrong TXT record has to be fixed', () => {
  const wrong = ownership(VALUE.slice(0, -1));
  test.each<[string, Seen, Options, boolean]>([
    ['beside a wrong CNAME it does not', { ...routing('old.example.net'), ...wrong }, {}, false],
    ['where a proxy hides the CNAME it does', { ...wrong, routing: everywhere(addresses('104.16.1.2')) }, {}, true],
    ['of an apex it does', wrong, { domain: apex }, true],
    ['of a name that another workspace holds it does', wrong, { incumbent: holder }, true],
  ])('%s', (_, seen, options, isNeeded) => {
    const message = find(seen, options).find(({ code }) => code === 'txt_truncated')?.message ?? '';
    expect(message.endsWith('With a correct CNAME record, the domain needs no TXT record.')).toBe(!isNeeded);
  });

  test('what hides the CNAME is not said to be enough', () => {
    const seen = { ...wrong, routing: everywhere(addresses('104.16.1.2')) };
    const proxied = find(seen).find(({ code }) => code === 'proxied');
    expect(proxied?.message).toContain('Only the TXT record can verify the domain.');
  });
});

describe('the value of a CNAME', () => {
  test.each<[string, string, FindingCode]>([
    ['another host', 'old.example.net', 'cname_elsewhere'],
    ['the target of another domain', 'x3x3x3x3x3x3x3x3.cname.example', 'cname_other_target'],
    ['the zone appended', `${TARGET}.acme.com`, 'value_doubled_zone'],
    ['a URL', `https://${TARGET}/`, 'value_is_url'],
    ['a URL with the zone appended', `https://${TARGET}.acme.com`, 'value_is_url'],
    ['a path', `${TARGET}/`, 'value_is_url'],
    ['an IPv4 address', '192.0.2.80', 'value_is_address'],
    ['an IPv4 address with the zone appended', '192.0.2.80.acme.com', 'value_is_address'],
    ['white space', `\\032${TARGET}`, 'value_whitespace'],
    ['quotation marks', `"${TARGET}"`, 'value_quoted'],
    ['the TXT value', VALUE.toLowerCase(), 'value_is_txt'],
  ])('%s', (_, value, code) => {
    const [first] = find(routing(value));
    expect(first).toMatchObject({ code, severity: 'blocking', record: 'routing', seen: [value], expected: TARGET });
    expect(first?.fix).toContain('Name: `shop`, Value: `');
    expect(first?.fix).toContain(TARGET);
    expect(blockingIn(routing(value))).toEqual([code]);
    const dangling: Answer = { kind: 'absent', reason: 'nxdomain', chain: [value] };
    expect(codesOf({ routing: everywhere(dangling) })).toEqual([code]);
    const broken = code === 'cname_elsewhere' ? 'cname_to_broken_zone' : code;
    expect(codesOf({ routing: everywhere(fails('servfail', value)) })).toEqual([broken]);
  });

  test('shows a chain with arrows', () => {
    const [first] = find(routing('a.example.net', 'b.example.net'));
    expect(first?.message).toContain('"a.example.net" → "b.example.net"');
  });

  test.each<[string, string[], string]>([
    ['to itself', ['shop.acme.com'], 'shop.acme.com → "shop.acme.com"'],
    ['back to the name', ['a.acme.com', 'shop.acme.com'], 'shop.acme.com → "a.acme.com" → "shop.acme.com"'],
    [
      'further down, over nine names',
      [...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => `h${n}.acme.com`), 'h1.acme.com'],
      'shop.acme.com → "h1.acme.com" → "h2.acme.com" → "h3.acme.com" → "h4.acme.com" → "h5.acme.com" → "h6.acme.com" → "h7.acme.com" → "h8.acme.com" → "h1.acme.com"',
    ],
  ])('shows the whole of a circle: %s', (_, chain, circle) => {
    const [first] = find({ routing: everywhere(fails('loop', ...chain)) });
    expect(first?.message).toBe(
      `The CNAME records of shop.acme.com lead in a circle. Each leads to the next: ${circle}.`,
    );
  });

  test.each<[string, Answer, FindingCode]>([
    ['a loop', fails('loop', 'a.acme.com'), 'cname_loop'],
    ['too many CNAMEs', fails('chain_too_long'), 'cname_chain_too_long'],
    [
      'a zone that cannot be read',
      { ...fails('refused', 'lb.broken.test'), server: 'ns1.broken.test' } as Answer,
      'cname_to_broken_zone',
    ],
    ['resolvers of ours that fail on the way', fails('no_resolver', 'lb.other.test'), 'resolvers_unreachable'],
  ])('%s', (_, answer, code) => {
    expect(codesOf({ routing: everywhere(answer) })).toEqual([code]);
  });

  test('that has an address beside it conflicts', () => {
    const both: Answer = { kind: 'found', chain: [TARGET], values: [], beside: ['192.0.2.9'] };
    expect(find({ routing: everywhere(both) })).toMatchObject([
      { code: 'conflicting_records', seen: [TARGET, '192.0.2.9'] },
    ]);
  });
});

describe('records in the wrong place', () => {
  test.each<[string, Seen, FindingCode[], Domain?]>([
    [
      'a doubled name',
      { probes: [probe('doubled', 'ownership', '_service.shop.acme.com.acme.com', txt(VALUE))] },
      ['name_doubled'],
    ],
    [
      'a doubled name with a wrong value',
      { probes: [probe('doubled', 'ownership', '_service.shop.acme.com.acme.com', txt(`"${VALUE}"`))] },
      ['name_doubled', 'txt_quoted'],
    ],
    [
      'a doubled name of a CNAME',
      { probes: [probe('doubled', 'routing', 'shop.acme.com.acme.com', cname(TARGET))] },
      ['name_doubled'],
    ],
    [
      'a doubled name of a CNAME to another host',
      { probes: [probe('doubled', 'routing', 'shop.acme.com.acme.com', cname('old.example.net'))] },
      ['name_doubled', 'cname_elsewhere'],
    ],
    [
      'the TXT record at the host',
      { probes: [probe('other_name', 'ownership', 'shop.acme.com', txt(VALUE))] },
      ['record_at_other_name'],
    ],
    [
      'the TXT record at the zone',
      { probes: [probe('other_name', 'ownership', 'acme.com', txt('v=spf1 -all', VALUE))] },
      ['record_at_other_name'],
      apex,
    ],
    [
      'the CNAME at www',
      { probes: [probe('www', 'routing', 'www.shop.acme.com', cname(TARGET))] },
      ['record_at_other_name'],
    ],
    [
      'the CNAME at www of the zone, in place of the name',
      { probes: [probe('other_name', 'routing', 'www.acme.com', cname(TARGET))] },
      ['record_at_other_name'],
    ],
    [
      'the target in a TXT record',
      { probes: [probe('other_type', 'routing', 'shop.acme.com', txt(TARGET))] },
      ['wrong_type'],
    ],
    [
      'the target in an NS record',
      {
        zone: { apex: 'shop.acme.com', nameservers: [{ name: TARGET, addresses: ['192.0.2.1'] }] },
        routing: [twice(fails('timeout'))],
        ownership: [twice(fails('timeout'))],
      },
      ['wrong_type'],
    ],
    ['the token in a CNAME', { ownership: everywhere(cname(`${VALUE.toLowerCase()}.acme.com`)) }, ['wrong_type']],
    ['a CNAME at the name of the TXT record', { ownership: everywhere(cname(TARGET)) }, ['cname_at_txt_name']],
    [
      'the two names exchanged',
      { ownership: everywhere(cname(TARGET)), probes: [probe('other_name', 'ownership', 'shop.acme.com', txt(VALUE))] },
      ['records_swapped'],
    ],
    [
      'special characters in the name',
      { probes: [probe('raw_name', 'ownership', '_service.m\\195\\188ller.acme.com', txt(VALUE))] },
      ['name_not_punycode'],
    ],
  ])('%s', (_, seen, codes, domain = shop) => {
    expect(blockingIn(seen, { domain }).filter((code) => code !== 'record_missing')).toEqual(codes);
  });

  test('the fix names what to type, never the doubled name', () => {
    const [first] = find({ probes: [probe('doubled', 'ownership', '_service.shop.acme.com.acme.com', txt(VALUE))] });
    expect(first?.fix).toContain(`Name: \`_service.shop\`, Value: \`${VALUE}\`.`);
  });

  test.each<[string, Seen]>([
    [
      'an SPF wildcard',
      { probes: [probe('doubled', 'ownership', '_service.shop.acme.com.acme.com', txt('v=spf1 -all'))] },
    ],
    [
      'a wildcard CNAME, where another record hides it',
      {
        routing: everywhere(NODATA),
        probes: [probe('doubled', 'routing', 'shop.acme.com.acme.com', cname('old.example.net'))],
      },
    ],
  ])('%s is not taken for a doubled name', (_, seen) => {
    expect(codesOf(seen)).toEqual(['record_missing']);
  });
});

describe('addresses in place of the CNAME', () => {
  const nothingBehind = (...chain: string[]): Answer => ({ kind: 'absent', reason: 'nodata', chain });
  const sibling = (answer: Answer) => probe('sibling', 'routing', 'np1.acme.com', answer);
  test.each<[string, Seen, FindingCode[]]>([
    ['unknown addresses', { routing: everywhere(addresses('198.51.100.7')) }, ['address_instead_of_cname']],
    ['a proxy, and no TXT record', { routing: everywhere(addresses('104.16.1.2')) }, ['proxied_without_txt']],
    ['flattened, and no TXT record', { routing: everywhere(addresses('2001:DB8:0:0::80')) }, ['proxied_without_txt']],
    ['a CDN, and no TXT record', routing('d1.cloudfront.net'), ['proxied_without_txt']],
    [
      'a proxy, and a wrong TXT record',
      { routing: everywhere(addresses('104.16.1.2')), ...ownership(`"${VALUE}"`) },
      ['txt_quoted', 'proxied'],
    ],
    [
      'a wildcard',
      { routing: everywhere(addresses('198.51.100.7')), probes: [sibling(addresses('198.51.100.7'))] },
      ['wildcard_answers'],
    ],
    [
      'a wildcard CNAME',
      { ...routing('old.example.net'), probes: [sibling(cname('old.example.net'))] },
      ['wildcard_answers'],
    ],
    [
      'a wildcard CNAME, which the TXT name has too',
      {
        ...routing('old.example.net'),
        ownership: everywhere(nothingBehind('old.example.net')),
        probes: [
          sibling(cname('old.example.net')),
          probe('sibling', 'ownership', '_np1.shop.acme.com', nothingBehind('old.example.net')),
        ],
      },
      ['wildcard_answers'],
    ],
  ])('%s', (_, seen, codes) => {
    expect(codesOf(seen)).toEqual(codes);
  });

  test('of a proxy and with the TXT record are information', () => {
    expect(find({ ...right, routing: everywhere(addresses('104.16.1.2')) })).toMatchObject([
      { code: 'proxied', severity: 'info' },
    ]);
    expect(find({ ...right, routing: everywhere(addresses('192.0.2.80')) })).toMatchObject([
      { code: 'flattened', severity: 'info' },
    ]);
  });
});

describe('an apex', () => {
  test('without a TXT record is told to publish it', () => {
    expect(find({ routing: everywhere(addresses('198.51.100.7')) }, { domain: apex })).toMatchObject([
      { code: 'txt_missing', severity: 'blocking', fix: expect.stringContaining('Name: `_service`') },
      { code: 'apex_elsewhere', severity: 'warning' },
    ]);
  });

  test('whose addresses are not ours is told once it is verified', () => {
    const verified: Domain = { ...apex, status: 'verified' };
    expect(find({ ...right, routing: everywhere(addresses('198.51.100.7')) }, { domain: verified })).toMatchObject([
      {
        code: 'apex_elsewhere',
        severity: 'blocking',
        fix: expect.stringContaining('A `192.0.2.80`, AAAA `2001:db8::80`'),
      },
    ]);
  });

  test('with a CNAME is warned', () => {
    expect(find({ ...right, routing: everywhere(cname('old.example.net')) }, { domain: apex })).toMatchObject([
      { code: 'cname_at_apex', severity: 'warning' },
    ]);
  });

  test('that has no address yet is warned', () => {
    expect(find({ ...right, routing: everywhere(NODATA) }, { domain: apex })).toMatchObject([
      { code: 'record_missing', severity: 'warning' },
    ]);
  });
});

describe('the zone', () => {
  const both = (answers: Answers): Seen => ({ routing: answers, ownership: answers });
  test.each<[string, Seen, FindingCode[]]>([
    [
      'not registered',
      { ...both([]), zone: { nameservers: [], failure: { reason: 'not_registered' } } },
      ['zone_not_registered'],
    ],
    ['parked', { zone: { nameservers: [{ name: 'ns1.sedoparking.com', addresses: ['192.0.2.1'] }] } }, ['zone_parked']],
    ['nameservers that refuse', both([fails('refused'), fails('refused')]), ['nameserver_refused']],
    ['nameservers that are lame', both([fails('lame'), fails('lame')]), ['nameserver_lame']],
    ['nameservers that fail', both([fails('servfail'), fails('servfail')]), ['nameserver_servfail']],
    ['nameservers that are silent', both([fails('timeout'), fails('timeout')]), ['nameserver_timeout']],
    [
      'nameservers that cannot be reached',
      both([fails('unreachable'), fails('unreachable')]),
      ['nameserver_unreachable'],
    ],
    ['nameservers without TCP', both([fails('tcp_failed'), fails('tcp_failed')]), ['nameserver_tcp']],
    ['nameservers that speak no DNS', both([fails('malformed'), fails('malformed')]), ['nameserver_malformed']],
    ['two troubles', both([fails('refused'), fails('timeout')]), ['nameserver_refused', 'nameserver_timeout']],
    [
      'nameservers without addresses',
      {
        ...both([]),
        zone: {
          nameservers: [{ name: 'ns1.gone.test', addresses: [], problem: 'no_address' }],
          failure: { reason: 'no_nameserver' },
        },
      },
      ['nameserver_not_found'],
    ],
    [
      'nameservers with private addresses',
      {
        ...both([]),
        zone: {
          nameservers: [{ name: 'ns1.acme.com', addresses: [], problem: 'special_address' }],
          failure: { reason: 'forbidden_address' },
        },
      },
      ['nameserver_private'],
    ],
    [
      'a delegation that cannot be read',
      { ...both([]), zone: { nameservers: [], failure: { reason: 'servfail' } } },
      ['nameserver_servfail'],
    ],
    ['nameservers that disagree', { routing: [twice(cname(TARGET)), twice(NXDOMAIN)] }, ['nameservers_disagree']],
    ['a server that alternates', { routing: [[cname(TARGET), cname('old.example.net')]] }, ['nameservers_disagree']],
    [
      'edited at another provider',
      { zone: { ownNameservers: ['a.ns.cloudflare.com', 'b.ns.cloudflare.com'] } },
      ['zone_elsewhere', 'record_missing'],
    ],
    [
      'broken DNSSEC',
      {
        ...right,
        routingValidation: validation({ status: 'bogus', error: { code: 7, text: '' }, ttl: 300 }),
        ownershipValidation: validation({ status: 'bogus' }),
      },
      ['dnssec_bogus'],
    ],
  ])('%s', (_, seen, codes) => {
    expect(blockingIn(seen)).toEqual(codes);
  });

  test('nameservers that disagree are told by one that has the record and one that does not', () => {
    const answers: Answers = [twice(NXDOMAIN), twice(cname(TARGET)), twice(cname('old.example.net')), twice(NXDOMAIN)];
    const nameservers = [1, 2, 3, 4].map((n) => ({ name: `ns${n}.acme.com`, addresses: [`192.0.2.${n}`] }));
    const [first] = find({ routing: answers, zone: { nameservers } });
    expect(first?.message).toBe(
      'The nameservers of acme.com do not agree on the CNAME record at shop.acme.com. ns2.acme.com has it, and ns1.acme.com does not. ns1.acme.com answers: no record. ns3.acme.com answers: a CNAME to "old.example.net". ns4.acme.com answers: no record.',
    );
    expect(first?.seen).toEqual([TARGET, 'old.example.net']);
    expect(first?.facts?.answers?.map(({ nameserver, matches }) => [nameserver, matches])).toEqual([
      ['ns1.acme.com', false],
      ['ns2.acme.com', true],
      ['ns3.acme.com', false],
      ['ns4.acme.com', false],
    ]);
  });

  test('of nameservers that disagree, both are named where their answers are too long to be told', () => {
    const long = 'x'.repeat(100);
    const other = txt(...[1, 2, 3].map((n) => `${n}${long}`));
    const name = `${'a'.repeat(40)}.acme.com`;
    const [first] = find({ ownership: [twice(rightTxt(shop)), twice(other)] }, { domain: { ...shop, name } });
    expect(first?.message).toMatch(/\. ns1\.acme\.com has it, and ns2\.acme\.com does not\./);
  });

  test('a CNAME at the name of the TXT record is told as a CNAME by those that disagree', () => {
    const [first] = find({ ownership: [twice(rightTxt(shop)), twice(cname(TARGET))] });
    expect(first?.message).toContain(`ns2.acme.com answers: a CNAME to "${TARGET}".`);
  });

  describe.each(['overloaded', 'too_many_queries'] as const)('a limit of this service (%s) is no finding', (reason) => {
    test('at the nameservers of a zone', () => {
      expect(codesOf({ routing: [fails(reason)], ownership: [fails(reason)] })).toEqual([]);
    });

    test('in a zone further down a chain', () => {
      expect(codesOf({ routing: everywhere(fails(reason, 'a.glueless.test', 'b.glueless.test')) })).toEqual([]);
    });

    test('where the zone itself could not be found', () => {
      const failure = { reason };
      expect(codesOf({ routing: [], ownership: [], zone: { nameservers: [], failure } })).toEqual([]);
    });
  });

  test('one nameserver that fails while others answer is information', () => {
    expect(
      find({
        ...right,
        routing: [twice(cname(TARGET)), fails('timeout')],
        ownership: [twice(rightTxt(shop)), fails('timeout')],
        routingValidation: validation({ answer: cname(TARGET) }),
      }),
    ).toMatchObject([{ code: 'nameserver_timeout', severity: 'info', nameservers: ['ns2.acme.com'] }]);
  });

  test('one nameserver that answers alone is not enough yet', () => {
    expect(find({ routing: [twice(cname(TARGET)), fails('timeout')] })[0]).toMatchObject({
      code: 'nameserver_timeout',
    });
  });

  test('lists of nameservers that differ are a warning', () => {
    const zone = { ownNameservers: ['ns1.acme.com', 'ns3.acme.com'] };
    expect(find({ ...right, zone })).toMatchObject([{ code: 'delegation_mismatch', severity: 'warning' }]);
  });

  test('a nameserver that was not asked is no difference between the lists', () => {
    const own = ['ns1.acme.com', 'ns2.acme.com', 'ns7.acme.com'];
    expect(find({ ...right, zone: { ownNameservers: own, unasked: ['ns7.acme.com'] } })).toEqual([]);
    expect(find({ ...right, zone: { ownNameservers: own, unasked: ['ns8.acme.com'] } })).toMatchObject([
      {
        code: 'delegation_mismatch',
        nameservers: ['ns1.acme.com', 'ns2.acme.com', 'ns8.acme.com'],
        message: expect.stringContaining('Only in the zone itself: ns7.acme.com.'),
      },
    ]);
  });

  test('a zone of its own hides what is published above', () => {
    const below = { ...observation(shop, 'shop.acme.com') };
    const found = findingsOf({ domain: shop, incumbent: null, memory: NO_MEMORY }, below, context);
    expect(found).toMatchObject([{ code: 'record_below_cut', severity: 'blocking' }]);
  });

  test('DNSSEC that is broken says why, and since when it may be seen', () => {
    const routingValidation = validation({ status: 'bogus', error: { code: 7, text: '' }, ttl: 300 });
    expect(find({ ...right, routingValidation })[0]?.message).toBe(
      'DNSSEC (the signatures of DNS records) of the zone acme.com is broken. The signature has expired. Most of the Internet does not see its records. After the fix it may take 5 minutes until that is noticed.',
    );
  });
});

describe('what stands in the way besides the records', () => {
  test.each<[string, Seen, Domain, RegExp]>([
    ['a name that is held, without records', {}, holder, /publish both records/],
    ['a name that is held, with the CNAME alone', routing(TARGET), holder, /publish the TXT record/],
    ['an older claim', right, { ...holder, verifiedAt: 2000 }, /delete the domain, add it again/],
    [
      "the incumbent's record beside ours",
      { ...right, ownership: everywhere(txt(VALUE, `service-domain-verify=${OTHER_TOKEN}`)) },
      holder,
      /remove every other TXT record/,
    ],
  ])('%s', (_, seen, incumbent, fix) => {
    const held = find(seen, { incumbent }).find(({ code }) => code === 'held_elsewhere');
    expect(held).toMatchObject({ severity: 'blocking', fix: expect.stringMatching(fix) });
  });

  test('a name that is held while no nameserver answers, whatever a resolver has', () => {
    const { ownership, routing: route } = observation(shop, 'acme.com', right);
    const records = { ownership: throughResolver(ownership), routing: throughResolver(route) };
    const observed = { domain: shop, incumbent: holder, memory: NO_MEMORY };
    const [first, ...others] = findingsOf(observed, { ...records, incumbent: records }, context);
    expect(first).toMatchObject({
      code: 'held_elsewhere',
      severity: 'blocking',
      nameservers: ['ns1.acme.com', 'ns2.acme.com'],
      message: expect.stringContaining('None of the nameservers of acme.com answers (ns1.acme.com and ns2.acme.com)'),
      retryable: true,
    });
    expect(others.map(({ code, severity }) => [code, severity])).toEqual([['nameserver_timeout', 'info']]);
  });

  test('who owns the domain is told of an account, not of a workspace', () => {
    const older: Domain = { ...holder, verifiedAt: 2000 };
    const beside = everywhere(txt(VALUE, `service-domain-verify=${OTHER_TOKEN}`));
    for (const [seen, incumbent] of [
      [{}, holder],
      [routing(TARGET), holder],
      [{ ...right, ownership: beside }, holder],
      [right, older],
    ] as [Seen, Domain][]) {
      const held = find(seen, { incumbent }).find(({ code }) => code === 'held_elsewhere');
      expect(held?.message).toContain('Another account of this service');
      expect(`${held?.message} ${held?.fix}`).not.toContain('workspace');
    }
  });

  test('nothing is in the way of a claimant whose incumbent is gone', () => {
    expect(codesOf(right, { incumbent: holder })).toEqual([]);
  });

  test('CAA records that forbid our certificate authority', () => {
    const probes = [
      probe('caa', 'routing', 'acme.com', txt('0 issue "other.test"')),
      probe('caa', 'routing', 'shop.acme.com', NODATA),
    ];
    expect(find({ ...right, probes })).toMatchObject([
      {
        code: 'caa_forbids',
        severity: 'warning',
        name: 'acme.com',
        message:
          'The CAA records at acme.com forbid our certificate authority to issue a certificate: 0 issue "other.test".',
      },
    ]);
    const allowing = [
      probe('caa', 'routing', 'acme.com', txt('0 issue "letsencrypt.org"', '0 iodef "mailto:a@b.test"')),
    ];
    expect(codesOf({ ...right, probes: allowing })).toEqual([]);
    const overDns = [probe('caa', 'routing', 'acme.com', txt('0 issue "letsencrypt.org; validationmethods=dns-01"'))];
    expect(codesOf({ ...right, probes: overDns })).toEqual(['caa_forbids']);
    expect(codesOf({ ...right, ...rightWild, probes: overDns })).toEqual([]);
    const critical = [probe('caa', 'routing', 'acme.com', txt('128 tbs "x"'))];
    expect(find({ ...right, probes: critical })[0]?.fix).toContain('Delete the CAA record with the tag "tbs"');
  });

  test('resolvers that answer from before', () => {
    const routingValidation = validation({ answer: NXDOMAIN, ttl: 600 });
    expect(find({ ...right, routingValidation })).toMatchObject([
      { code: 'stale_cache', severity: 'info', message: expect.stringContaining('2026-01-01T00:10:00Z') },
    ]);
    const zone = { unasked: ['ns7.acme.com'], ownNameservers: null };
    expect(find({ ...right, zone, routingValidation })[0]?.message).toContain('Not every nameserver was asked.');
  });
});

test('without any record a subdomain is told to publish its CNAME', () => {
  expect(find({})).toMatchObject([
    {
      code: 'record_missing',
      severity: 'blocking',
      record: 'routing',
      message:
        'There is no CNAME record at shop.acme.com. The name does not exist. Asked nameservers: ns1.acme.com and ns2.acme.com.',
      fix: `In the DNS settings of acme.com, add a CNAME record. Name: \`shop\`, Value: \`${TARGET}\`.`,
    },
  ]);
});

test('the fix is written as the panel of the provider wants it', () => {
  const zone = { nameservers: [{ name: 'hydrogen.ns.hetzner.com', addresses: ['192.0.2.1'] }] };
  expect(find({ zone })[0]?.fix).toBe(`At Hetzner, add a CNAME record. Name: \`shop\`, Value: \`${TARGET}.\`.`);
});

test.each([
  ['the CNAME', { name: `${['a', 'b', 'c'].map((letter) => letter.repeat(50)).join('.')}.acme.com` }, TARGET],
  [
    'the CNAME, where only its value fits',
    {
      name: `${['a', 'b', 'c'].map((letter) => letter.repeat(63)).join('.')}.${'d'.repeat(40)}.acme.com`,
      target: `${'t'.repeat(63)}.${'u'.repeat(63)}.example`,
    },
    null,
  ],
])('a fix has the exact value, however long the names are: %s', (_, change, value) => {
  const domain: Domain = { ...shop, ...change };
  const [first] = find({}, { domain });
  expect(first).toMatchObject({
    code: 'record_missing',
    fix: expect.stringContaining(`Value: \`${value ?? domain.target}\`.`),
  });
});

test.each([
  ['warning', 'verifying', ['txt_missing']],
  ['blocking', 'verified', []],
] as const)(
  'the record of an apex at www is found (%s), with what leads the apex itself here',
  (severity, status, others) => {
    const seen = status === 'verified' ? { ownership: everywhere(rightTxt(apex)) } : {};
    const found = find(
      { ...seen, probes: [probe('www', 'routing', 'www.acme.com', cname(TARGET))] },
      { domain: { ...apex, status } },
    );
    expect(
      found
        .filter(({ severity }) => severity !== 'info')
        .map(({ code }) => code)
        .toSorted(),
    ).toEqual(['record_at_other_name', ...others].toSorted());
    expect(found.find(({ code }) => code === 'record_at_other_name')).toMatchObject({
      severity,
      record: 'routing',
      name: 'www.acme.com',
      fix: 'In the DNS settings of acme.com, give acme.com these addresses and no others: A `192.0.2.80`, AAAA `2001:db8::80`. Name: `@`.',
    });
  },
);

/** `live-findings.test.ts` has these. */
type CodeOutside = 'other_certificate' | 'certificate_expired_outside' | 'tls_unreachable';

/** An observation for each code, in which the rules find it. */
const EVERY_CODE: Record<Exclude<FindingCode, CodeOutside>, [seen: Seen, options?: Options]> = {
  record_missing: [{}],
  name_doubled: [{ probes: [probe('doubled', 'routing', 'shop.acme.com.acme.com', cname(TARGET))] }],
  record_at_other_name: [{ probes: [probe('www', 'routing', 'www.shop.acme.com', cname(TARGET))] }],
  cname_at_txt_name: [{ ownership: everywhere(cname(TARGET)) }],
  records_swapped: [
    { ownership: everywhere(cname(TARGET)), probes: [probe('other_name', 'ownership', 'shop.acme.com', txt(VALUE))] },
  ],
  wrong_type: [{ probes: [probe('other_type', 'routing', 'shop.acme.com', txt(TARGET))] }],
  cname_elsewhere: [routing('a.example.net', 'b.example.net')],
  cname_other_target: [routing('x3x3x3x3x3x3x3x3.cname.example')],
  value_doubled_zone: [routing(`${TARGET}.acme.com`)],
  value_is_url: [routing(`https://${TARGET}/`)],
  value_is_address: [routing('192.0.2.80')],
  value_whitespace: [routing(`\\032${TARGET}`)],
  value_quoted: [routing(`"${TARGET}"`)],
  value_is_txt: [routing(VALUE.toLowerCase())],
  cname_loop: [{ routing: everywhere(fails('loop', 'a.acme.com')) }],
  cname_chain_too_long: [{ routing: everywhere(fails('chain_too_long', 'a.acme.com')) }],
  cname_to_broken_zone: [{ routing: everywhere(fails('refused', 'lb.broken.test')) }],
  address_instead_of_cname: [{ routing: everywhere(addresses('198.51.100.7')) }],
  conflicting_records: [{ routing: everywhere({ ...cname(TARGET), beside: ['192.0.2.9'] } as Answer) }],
  proxied_without_txt: [{ routing: everywhere(addresses('104.16.1.2')) }],
  txt_missing: [{}, { domain: apex }],
  txt_wrong_value: [ownership(VALUE.replace('Q8', 'O8'))],
  txt_quoted: [ownership(`"${VALUE}"`)],
  txt_case: [ownership(VALUE.toLowerCase())],
  txt_invisible: [ownership(`\u200b${VALUE}`)],
  txt_encoded: [ownership(VALUE.replace('=', '%3D'))],
  txt_stale: [ownership(`"service-domain-verify=${OTHER_TOKEN}"`)],
  txt_other_domain: [
    ownership(`service-domain-verify=${OTHER_TOKEN}`),
    { context: { domainOfToken: () => 'blog.acme.com' } },
  ],
  txt_truncated: [ownership(VALUE.slice(0, -4))],
  wildcard_answers: [
    {
      routing: everywhere(addresses('198.51.100.7')),
      probes: [probe('sibling', 'routing', 'np1.acme.com', addresses('198.51.100.7'))],
    },
  ],
  cname_at_apex: [{ ...right, routing: everywhere(cname('old.example.net')) }, { domain: apex }],
  apex_elsewhere: [{ ...right, routing: everywhere(addresses('198.51.100.7')) }, { domain: apex }],
  flattened: [{ ...right, routing: everywhere(addresses('192.0.2.80')) }],
  proxied: [{ ...right, routing: everywhere(cname('d1.cloudfront.net')) }],
  name_not_punycode: [{ probes: [probe('raw_name', 'ownership', '_service.m\\195\\188ller.acme.com', txt(VALUE))] }],
  zone_not_registered: [{ zone: { nameservers: [], failure: { reason: 'not_registered' } } }],
  zone_parked: [{ zone: { nameservers: [{ name: 'ns1.sedoparking.com', addresses: ['192.0.2.1'] }] } }],
  zone_elsewhere: [{ zone: { ownNameservers: ['a.ns.cloudflare.com', 'b.ns.cloudflare.com'] } }],
  delegation_mismatch: [{ ...right, zone: { ownNameservers: ['ns1.acme.com', 'ns3.acme.com'] } }],
  nameservers_disagree: [{ ownership: [twice(rightTxt(shop)), [cname(TARGET), txt('a', 'b', 'c', 'd')]] }],
  record_below_cut: [{ zone: { apex: 'shop.acme.com' } }],
  resolvers_unreachable: [{ routing: everywhere(fails('no_resolver')), ownership: everywhere(fails('no_resolver')) }],
  nameserver_refused: [unread('refused')],
  nameserver_lame: [unread('lame')],
  nameserver_servfail: [unread('servfail')],
  nameserver_timeout: [unread('timeout')],
  nameserver_not_found: [unread('no_nameserver')],
  nameserver_unreachable: [unread('unreachable')],
  nameserver_private: [unread('forbidden_address')],
  nameserver_tcp: [unread('tcp_failed')],
  nameserver_malformed: [unread('malformed')],
  dnssec_bogus: [
    {
      ...right,
      routingValidation: validation({ status: 'bogus', error: { code: 9, text: 'no key' }, ttl: 300 }),
      probes: [probe('ds', 'routing', 'acme.com', txt('12345 13 2 AB'))],
    },
  ],
  caa_forbids: [{ ...right, probes: [probe('caa', 'routing', 'acme.com', txt('0 issue "other.test"'))] }],
  held_elsewhere: [{}, { incumbent: holder }],
  challenge_missing: [{ challenge: everywhere(NXDOMAIN) }, { domain: wild }],
  challenge_elsewhere: [{ challenge: everywhere(cname('other.acme.example')) }, { domain: wild }],
  challenge_proxied: [{ challenge: everywhere(addresses('104.16.1.2')) }, { domain: wild }],
  stale_cache: [{ ...right, routingValidation: validation({ answer: NXDOMAIN, ttl: 600 }) }],
};

function unread(reason: Failure): Seen {
  return { routing: everywhere(fails(reason)), ownership: everywhere(fails(reason)) };
}

test.each(Object.entries(EVERY_CODE))(
  '%s can be told in any language: its fields hold all that its sentences say',
  (code, [seen, options]) => {
    const found = find(seen, options).find((finding) => finding.code === code);
    const { message, fix, ...fields } = JSON.parse(JSON.stringify(found));
    expect(withSentences(fields)).toEqual(found);
    expect(fields.action === undefined).toBe(fix === '');
  },
);
