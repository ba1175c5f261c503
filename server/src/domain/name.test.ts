import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalName, type NamePolicy, type NameRule, parseName, unicodeName } from './name.ts';

const policy: NamePolicy = { service: 'service', reserved: ['cname.nameplate.dev', 'nameplate.example'] };

const label = (length: number) => 'a'.repeat(length);
/** A name of exactly this many characters, 200 to 255. */
const long = (length: number) => `${label(63)}.${label(63)}.${label(63)}.${label(length - 196)}.com`;

/** The message of each rule; the offending part follows it. */
const MUST: Record<NameRule, string> = {
  empty: 'must not be empty',
  too_long: 'must not have more than 253 characters in ASCII form',
  label_too_long: 'must not have a label of more than 63 characters in ASCII form',
  scheme: 'must be a name without a scheme',
  user: 'must be a name without a user',
  port: 'must be a name without a port',
  path: 'must be a name without a path',
  query: 'must be a name without a query',
  fragment: 'must be a name without a fragment',
  quotation_mark: 'must not contain a quotation mark',
  white_space: 'must not contain white space',
  control_character: 'must not contain a control character',
  wildcard: 'must have "*" only as its whole first label, which stands for one label ("*.example.com")',
  no_certificate:
    'must not be a wildcard, for which no certificate could be had (the operator of this service has not set NAMEPLATE_CHALLENGE_ZONE)',
  ip_address: 'must be a name, not an IP address',
  trailing_dot: 'must not end with a dot',
  full_stop: 'must have plain dots (".") between its labels',
  empty_label: 'must not have an empty label',
  single_label: 'must have at least two labels with a dot between them',
  last_label_short: 'must have at least two characters in its last label',
  last_label_numeric: 'must not have a number as its last label',
  underscore: 'must not have an underscore in a label',
  hyphen_at_edge: 'must not begin or end a label with a hyphen',
  hyphen_pair: 'must not have hyphens as the third and fourth characters of a label',
  character: 'must have letters, digits and hyphens only',
  combining_mark: 'must not begin a label with a combining mark',
  punycode: 'must not have a label with invalid Punycode',
  joiner: 'must not have a zero-width joiner or non-joiner where the script has no use for one',
  bidi: 'must not mix left-to-right and right-to-left characters (RFC 5893)',
  special_use: 'must not be a special-use name, or below one',
  reserved: 'must not be a name that this service keeps for itself',
  public_suffix: 'must not be a public suffix, below which anyone may have a name',
  ownership_too_long: 'must not have more than 253 characters together with the label of its ownership record',
};

describe('an invalid name is refused with the rule it breaks', () => {
  const refusals: [input: string, rule: NameRule, part?: string, meant?: string][] = [
    ['', 'empty'],
    ['\u00ad', 'empty'],
    [long(254), 'too_long'],
    [`${'üü.'.repeat(60)}com`, 'too_long'],
    [`${label(64)}.com`, 'label_too_long', label(64)],
    [`ü${label(60)}.com`, 'label_too_long', `ü${label(60)}`],

    // Text that people paste
    ['https://api.acme.com/', 'scheme', 'https://', 'api.acme.com'],
    ['HTTP://Api.Acme.com:80/x?y#z', 'scheme', 'http://', 'api.acme.com'],
    ['https://münchen.de/x', 'scheme', 'https://', 'xn--mnchen-3ya.de'],
    ['https://co.uk/', 'scheme', 'https://'],
    ['https：／／acme.com', 'scheme', 'https://', 'acme.com'],
    ['//acme.com', 'scheme', '//', 'acme.com'],
    ['user@acme.com', 'user', 'user@', 'acme.com'],
    ['mailto:user@acme.com', 'user', 'mailto:user@', 'acme.com'],
    ['acme.com:443', 'port', ':443', 'acme.com'],
    ['acme.com/x', 'path', '/x', 'acme.com'],
    ['acme.com\\x', 'path', '\\\\x', 'acme.com'],
    ['acme.com?x=/1', 'query', '?x=/1', 'acme.com'],
    ['acme.com#top', 'fragment', '#top', 'acme.com'],
    ['"acme.com"', 'quotation_mark', '\\"', 'acme.com'],
    ["acme's.com", 'quotation_mark', "'"],
    ['“acme.com”', 'quotation_mark', '“', 'acme.com'],
    ['xn--acme-996ak.com', 'quotation_mark', '“'],
    [' acme.com', 'white_space', ' ', 'acme.com'],
    ['acme.com\n', 'white_space', '\\u{a}', 'acme.com'],
    ['ac me.com', 'white_space', ' '],
    ['ac\u3000me.com', 'white_space', ' '],
    ['acme\0.com', 'control_character', '\\u{0}'],
    ['acme.com\u007f', 'control_character', '\\u{7f}', 'acme.com'],
    ['w*.acme.com', 'wildcard', 'w*'],
    ['a.*.acme.com', 'wildcard', '*'],
    ['*.*.acme.com', 'wildcard', '*', '*.acme.com'],
    ['*acme.com', 'wildcard', '*acme', '*.acme.com'],
    ['*shop.acme.com', 'wildcard', '*shop', '*.shop.acme.com'],
    ['＊.acme.com', 'wildcard', '*', '*.acme.com'],
    ['https://*.acme.com/', 'scheme', 'https://', '*.acme.com'],
    ['*.acme.com.', 'trailing_dot', '.', '*.acme.com'],
    ['*._x.acme.com', 'underscore', '_x'],
    ['*', 'wildcard', '*'],
    ['*.', 'empty'],
    ['*.1.2.3.4', 'ip_address', '1.2.3.4'],

    // IP addresses, in every form that something reads as one
    ['1.2.3.4', 'ip_address', '1.2.3.4'],
    ['1.2.3.4.', 'ip_address', '1.2.3.4'],
    ['1.2.3.4:80', 'ip_address', '1.2.3.4'],
    ['１.２.３.④', 'ip_address', '1.2.3.4'],
    ['127.1', 'ip_address', '127.1'],
    ['0x7f.1', 'ip_address', '0x7f.1'],
    ['0x7f000001', 'ip_address', '0x7f000001'],
    ['2130706433', 'ip_address', '2130706433'],
    ['[::1]', 'ip_address', '[::1]'],
    ['fe80::1', 'ip_address', 'fe80::1'],
    ['::ffff:1.2.3.4', 'ip_address', '::ffff:1.2.3.4'],

    // Dots and labels
    ['acme.com.', 'trailing_dot', '.', 'acme.com'],
    ['acme.com.\u00ad', 'trailing_dot', '.', 'acme.com'],
    ['.', 'trailing_dot', '.'],
    ['acme。com', 'full_stop', '。', 'acme.com'],
    ['acme.com。', 'full_stop', '。', 'acme.com'],
    ['acme．com', 'full_stop', '．', 'acme.com'],
    ['acme｡com', 'full_stop', '｡', 'acme.com'],
    ['.acme.com', 'empty_label', '.'],
    ['acme..com', 'empty_label', '..'],
    ['acme.\u00ad.com', 'empty_label', '..'],
    ['acme', 'single_label', 'acme'],
    ['acme.c', 'last_label_short', 'c'],
    ['acme.123', 'last_label_numeric', '123'],
    ['acme.0x1f', 'last_label_numeric', '0x1f'],
    ['acme.0x', 'last_label_numeric', '0x'],
    ['_dmarc.acme.com', 'underscore', '_dmarc'],
    ['-acme.com', 'hyphen_at_edge', '-acme'],
    ['www.acme-.com', 'hyphen_at_edge', 'acme-'],
    ['ab--cd.com', 'hyphen_pair', 'ab--cd'],

    // IDNA
    ['acme!.com', 'character', '!'],
    ['<b>acme.com</b>', 'path', '/b>'],
    ['javascript:alert(1)', 'character', ':'],
    ['\u202eacme.com', 'character', '\\u{202e}'],
    ['\ud800.com', 'character', '\\u{d800}'],
    ['\u0301acme.com', 'combining_mark', '\\u{301}acme'],
    ['xn--a-.com', 'punycode', 'xn--a-'],
    ['acme.xn--abc', 'punycode', 'xn--abc'],
    ['XN--ABC.com', 'punycode', 'xn--abc'],
    ['xn--.com', 'punycode', 'xn--'],
    ['xn--99999999.com', 'punycode', 'xn--99999999'],
    // Punycode of what IDNA would have mapped: an upper-case letter, a letter and its accent apart.
    ['xn--mnchen-psa.de', 'punycode', 'xn--mnchen-psa'],
    ['xn--munchen-gie.de', 'punycode', 'xn--munchen-gie'],
    ['xn--ü.com', 'punycode', 'xn--ü'],
    ['a\u200db.com', 'joiner', 'a\\u{200d}b'],
    ['👨\u200d👩.ws', 'joiner', '👨\\u{200d}👩'],
    ['אa.com', 'bidi', 'אa'],
    ['1a.א.com', 'bidi', '1a.א.com'],

    // Names that are nobody's to add
    ['localhost', 'special_use', 'localhost'],
    ['app.localhost', 'special_use', 'localhost'],
    ['printer.local', 'special_use', 'local'],
    ['db.prod.internal', 'special_use', 'internal'],
    ['acme.onion', 'special_use', 'onion'],
    ['1.in-addr.ARPA', 'special_use', 'arpa'],
    ['cname.nameplate.dev', 'reserved', 'cname.nameplate.dev'],
    ['x.Cname.nameplate.dev', 'reserved', 'cname.nameplate.dev'],
    ['a.b.nameplate.example', 'reserved', 'nameplate.example'],
    ['co.uk', 'public_suffix', 'co.uk'],
    ['GitHub.io', 'public_suffix', 'github.io'],
    ['公司.cn', 'public_suffix', 'xn--55qx5d.cn'],
    ['anything.ck', 'public_suffix', 'anything.ck'],
    [long(245), 'ownership_too_long', '_service.'],
    ['*.github.io', 'public_suffix', 'github.io'],
    ['*.co.uk', 'public_suffix', 'co.uk'],
    ['*.localhost', 'special_use', 'localhost'],
    ['*.cname.nameplate.dev', 'reserved', 'cname.nameplate.dev'],
  ];
  test.each(refusals)('%j: %s', (input, rule, part, meant) => {
    const message = part === undefined ? MUST[rule] : `${MUST[rule]}: "${part}"`;
    const fix = meant === undefined ? {} : { fix: `use "${meant}"` };
    expect(parseName(input, policy)).toEqual({ ok: false, rule, message, ...fix });
  });

  test('every rule has an example here', () => {
    const message = `${MUST.no_certificate}: "*.acme.com"`;
    const refused = parseName('*.acme.com', { ...policy, refusesWildcards: true });
    expect(refused).toEqual({ ok: false, rule: 'no_certificate', message });
    expect(new Set([...refusals.map(([, rule]) => rule), 'no_certificate'])).toEqual(new Set(Object.keys(MUST)));
  });
});

describe('a name that can be added has one canonical form, and is an apex if it is its own registrable domain', () => {
  const accepted: [input: string, name: string, kind: 'apex' | 'subdomain'][] = [
    ['acme.com', 'acme.com', 'apex'],
    ['*.acme.com', '*.acme.com', 'subdomain'],
    ['*.Shop.acme.com', '*.shop.acme.com', 'subdomain'],
    ['*.MÜNCHEN.de', '*.xn--mnchen-3ya.de', 'subdomain'],
    ['*.acme.github.io', '*.acme.github.io', 'subdomain'],
    [`*.${long(237)}`, `*.${long(237)}`, 'subdomain'],
    ['api.acme.com', 'api.acme.com', 'subdomain'],
    ['API.Acme.COM', 'api.acme.com', 'subdomain'],
    ['a-b.9.1and1.com', 'a-b.9.1and1.com', 'subdomain'],
    ['acme.co.uk', 'acme.co.uk', 'apex'],
    ['www.acme.co.uk', 'www.acme.co.uk', 'subdomain'],
    ['acme.github.io', 'acme.github.io', 'apex'],
    ['www.acme.github.io', 'www.acme.github.io', 'subdomain'],
    ['www.ck', 'www.ck', 'apex'],
    ['acme.公司.cn', 'acme.xn--55qx5d.cn', 'apex'],
    ['acme.unknowntld', 'acme.unknowntld', 'apex'],
    ['www.acme.unknowntld', 'www.acme.unknowntld', 'subdomain'],
    ['acme.test', 'acme.test', 'apex'],
    ['www.acme.example', 'www.acme.example', 'subdomain'],
    ['localhost.acme.com', 'localhost.acme.com', 'subdomain'],
    ['nameplate.dev', 'nameplate.dev', 'apex'],
    ['not-cname.nameplate.dev', 'not-cname.nameplate.dev', 'subdomain'],
    ['münchen.de', 'xn--mnchen-3ya.de', 'apex'],
    ['MU\u0308NCHEN.de', 'xn--mnchen-3ya.de', 'apex'],
    ['XN--MNCHEN-3YA.de', 'xn--mnchen-3ya.de', 'apex'],
    ['ｘｎ－－mnchen-3ya.de', 'xn--mnchen-3ya.de', 'apex'],
    ['straße.de', 'xn--strae-oqa.de', 'apex'],
    ['strasse.de', 'strasse.de', 'apex'],
    ['ＡＣＭＥ.com', 'acme.com', 'apex'],
    ['ac\u00adme.com', 'acme.com', 'apex'],
    ['i❤\ufe0f.ws', 'xn--i-7iq.ws', 'apex'],
    ['क्\u200dष.com', 'xn--11b2ezcw70k.com', 'apex'],
    ['אב1.com', 'xn--1-zhcd.com', 'apex'],
    ['acme.é', 'acme.xn--9ca', 'apex'],
    [`${label(63)}.com`, `${label(63)}.com`, 'apex'],
    [long(244), long(244), 'subdomain'],
  ];
  test.each(accepted)('%j is %s, %s', (input, name, kind) => {
    expect(parseName(input, policy)).toEqual({ ok: true, name, kind });
  });

  test.each([
    ['*.com', 'must not be a wildcard of a public suffix, below which anyone may have a name: "*.com"'],
    // A rule of the list names its wildcard: each name below the base is a suffix.
    ['*.compute.amazonaws.com', expect.stringContaining('must not be a')],
    ['*.nameplate.dev', 'must not stand for a name that this service keeps for itself: "cname.nameplate.dev"'],
    [`*.${long(238)}`, expect.stringContaining('together with the label of its challenge record')],
  ])('the wildcard %s is refused', (input, message) => {
    expect(parseName(input, policy)).toEqual(expect.objectContaining({ ok: false, message }));
  });

  test('a wildcard is written as people write its base name', () => {
    expect(unicodeName('*.xn--mnchen-3ya.de')).toBe('*.münchen.de');
  });

  test('a longer service label leaves fewer characters for the name', () => {
    expect(parseName(long(244), { ...policy, service: 'services' })).toMatchObject({ rule: 'ownership_too_long' });
  });
});

describe('any input', () => {
  /** Letters of several scripts, and everything that IDNA, URLs or people treat in a special way. */
  const piece = fc.constantFrom(
    ...['a', 'B', 'z', '0', '1', '-', '--', '.', '_', '*', ' ', '@', ':', '/', '"', '’', 'xn--', 'XN--', '0x', '\0'],
    ...[
      'ü',
      'u\u0308',
      'ß',
      'ẞ',
      'ς',
      'Ａ',
      '。',
      '．',
      '①',
      'א',
      'ب',
      '١',
      'क',
      '\u094d',
      '\u200c',
      '\u200d',
      '\u00ad',
    ],
    ...['\u0301', '\ud800', '\u202e', '💩', '\ufe0f', '漢', '한', 'ﷺ', 'mnchen-3ya', '4db', '.com', '.co.uk', '.test'],
  );
  const typed = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    fc.array(piece, { maxLength: 6 }).map((pieces) => `${pieces.join('')}.com`),
    fc.string({ unit: 'binary', maxLength: 20 }).map((text) => `${text}.acme.com`),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.webUrl(),
    fc.domain(),
    fc.domain().map((name) => `*.${name}`),
    fc.emailAddress(),
    fc.ipV4Extended(),
    fc.ipV6(),
  );

  test('is parsed or refused, never throws, and no message or fix contains control characters', () => {
    fc.assert(
      fc.property(typed, (input) => {
        const parsed = parseName(input, policy);
        if (parsed.ok) return;
        expect(parsed.message).toMatch(/^must /);
        expect(parsed.message + (parsed.fix ?? '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  test('a stored name is lower-case ASCII, and it and its ownership name fit into DNS', () => {
    fc.assert(
      fc.property(typed, (input) => {
        const parsed = parseName(input, policy);
        if (!parsed.ok) return;
        expect(parsed.name).toMatch(/^(?:\*\.)?[a-z0-9.-]+$/);
        expect(parsed.name.split('.').every((part) => part.length > 0 && part.length <= 63)).toBe(true);
        expect(`_service.${parsed.name}`.length).toBeLessThanOrEqual(253);
      }),
    );
  });

  test('a stored name is found by the input, and by itself', () => {
    fc.assert(
      fc.property(typed, (input) => {
        const parsed = parseName(input, policy);
        if (parsed.ok) expect(canonicalName(input)).toBe(parsed.name);
        const name = canonicalName(input);
        if (name !== null) expect(canonicalName(name)).toBe(name);
      }),
    );
  });

  test('a suggested fix can be added', () => {
    fc.assert(
      fc.property(typed, (input) => {
        const parsed = parseName(input, policy);
        if (parsed.ok || parsed.fix === undefined) return;
        const [, name = ''] = /^use "([^"]+)"$/.exec(parsed.fix) ?? [];
        expect(parseName(name, policy)).toMatchObject({ ok: true, name });
      }),
    );
  });

  test('of a megabyte is refused', () => {
    for (const unit of [
      'a',
      'a.',
      '.',
      '-',
      '1.',
      '\u00ad',
      '\u200c',
      'ü',
      '💩',
      '/',
      ':',
      '"',
      ' ',
      'xn--',
      '\n',
      '。',
    ]) {
      const megabyte = unit.repeat(2 ** 20 / unit.length);
      expect(parseName(megabyte, policy)).toMatchObject({ ok: false, rule: 'too_long' });
      expect(canonicalName(megabyte)).toBeNull();
    }
  });
});

describe('all spellings of one name', () => {
  const respell = fc.constantFrom<(character: string) => string>(
    (c) => c,
    (c) => c.toUpperCase(),
    (c) => c.normalize('NFD'),
    (c) => `${c}\u00ad`,
    // Full-width forms stand in the order of ASCII.
    (c) => (/[a-z0-9]/.test(c) ? String.fromCodePoint(0xfee0 + (c.codePointAt(0) ?? 0)) : c),
  );
  const name = fc
    .array(fc.string({ unit: fc.constantFrom(...'abcxyz0189üéñжяαω漢字'), minLength: 1, maxLength: 12 }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((labels) => `${labels.join('.')}.com`);

  test('find the same domain', () => {
    fc.assert(
      fc.property(name, fc.infiniteStream(respell), (unicode, respellings) => {
        const spelling = Array.from(unicode, (c) => (c === '.' ? c : (respellings.next().value?.(c) ?? c))).join('');
        expect(canonicalName(unicode)).not.toBeNull();
        expect(canonicalName(spelling)).toBe(canonicalName(unicode));
      }),
    );
  });
});

describe('canonicalName', () => {
  test.each([
    'dom_01h455vb4pex5vsknk084sn02q',
    'acme',
    '',
    'acme.com.',
    '1.2.3.4',
    'https://acme.com',
    'ab--cd.com',
    '*.com',
    '*',
    'a.*.com',
    '*.*.com',
  ])('is null for %j', (text) => {
    expect(canonicalName(text)).toBeNull();
  });
});
