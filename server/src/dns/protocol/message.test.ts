import packet, { type Answer } from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeMessage } from './message.ts';
import type { ResourceRecord } from './wire.ts';

const QUESTION = { type: 'TXT', name: 'www.acme.com' } as const;
/** Where a record after the question begins, in messages made of octets below. */
const AFTER_QUESTION = 12 + 14 + 4;

function encode(answers: Answer[], flags = 0): Buffer {
  return packet.encode({ type: 'response', id: 1, flags, questions: [QUESTION], answers });
}

/** A message with `QUESTION` and answers written out octet by octet. */
function octets(count: number, ...records: (number | string)[][]): Buffer {
  const message = encode([]);
  message.writeUInt16BE(count, 6);
  const written = records
    .flat()
    .flatMap((part) => (typeof part === 'number' ? [part] : [...Buffer.from(part, 'latin1')]));
  return Buffer.concat([message, Buffer.from(written)]);
}

/** Type, class IN, TTL 60, and the length of what follows. */
function fields(type: number, length: number, ...data: (number | string)[]): (number | string)[] {
  return [type >> 8, type & 0xff, 0, 1, 0, 0, 0, 60, length >> 8, length & 0xff, ...data];
}

const POINTER_TO_QUESTION = [0xc0, 12];
const [A, CNAME, TXT, CAA] = [1, 5, 16, 257];

function firstAnswer(message: Buffer): ResourceRecord | undefined {
  return decodeMessage(message)?.answers[0];
}

describe('a message', () => {
  test('is read into RCODE, AA, AD and its sections', () => {
    const message = packet.encode({
      type: 'response',
      flags: packet.AUTHORITATIVE_ANSWER,
      questions: [QUESTION],
      answers: [
        { type: 'CNAME', name: 'WWW.acme.com', ttl: 5, data: 'LB.acme.com' },
        { type: 'A', name: 'LB.acme.com', ttl: 60, data: '192.0.2.1' },
        { type: 'AAAA', name: 'LB.acme.com', ttl: 60, data: '2001:db8:0:0::1' },
      ],
      authorities: [
        { type: 'NS', name: 'acme.com', ttl: 60, data: 'ns1.acme.com' },
        { type: 'SOA', name: 'acme.com', ttl: 60, data: { mname: 'ns1.acme.com', rname: 'h.acme.com' } },
      ],
      additionals: [{ type: 'A', name: 'ns1.acme.com', ttl: 60, data: '192.0.2.1' }],
    });
    expect(decodeMessage(message)).toEqual({
      transport: 'udp',
      rcode: 'noerror',
      authoritative: true,
      answers: [
        { type: 'CNAME', name: 'www.acme.com', ttl: 5, value: 'lb.acme.com' },
        { type: 'A', name: 'lb.acme.com', ttl: 60, value: '192.0.2.1' },
        { type: 'AAAA', name: 'lb.acme.com', ttl: 60, value: '2001:db8::1' },
      ],
      authorities: [
        { type: 'NS', name: 'acme.com', ttl: 60, value: 'ns1.acme.com' },
        { type: 'SOA', name: 'acme.com', ttl: 60, value: 'ns1.acme.com' },
      ],
      additionals: [{ type: 'A', name: 'ns1.acme.com', ttl: 60, value: '192.0.2.1' }],
      authenticated: false,
      error: null,
    });
  });

  test.each([
    [0, 'noerror'],
    [1, 'formerr'],
    [2, 'servfail'],
    [3, 'nxdomain'],
    [4, 'notimp'],
    [5, 'refused'],
    [9, 'other'],
  ])('with rcode %i is %s', (rcode, name) => {
    expect(decodeMessage(encode([], rcode))?.rcode).toBe(name);
  });

  test('that EDNS marks as an error is no answer without records (BADVERS looks like NOERROR in the header)', () => {
    const opt: Answer = {
      type: 'OPT',
      name: '.',
      udpPayloadSize: 1232,
      extendedRcode: 1,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
      options: [],
    };
    const message = packet.encode({ type: 'response', questions: [QUESTION], additionals: [opt] });
    expect(decodeMessage(message)?.rcode).toBe('other');
  });

  test('may hold records of other types and classes, which are left out', () => {
    const message = encode([
      { type: 'MX', name: 'acme.com', data: { exchange: 'mail.acme.com', preference: 10 } },
      { type: 'TXT', name: 'acme.com', class: 'CH', data: 'chaos' },
      { type: 'TXT', name: 'acme.com', ttl: 1, data: 'x' },
    ]);
    expect(decodeMessage(message)?.answers).toEqual([{ type: 'TXT', name: 'acme.com', ttl: 1, value: 'x' }]);
  });

  test('from a resolver that has validated it has AD', () => {
    expect(decodeMessage(encode([], packet.AUTHENTIC_DATA))?.authenticated).toBe(true);
  });

  test('may have an Extended DNS Error, of which the text is limited', () => {
    const withOptions = (...options: { code: number; data: Buffer }[]) => {
      const opt = { type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode: 0, ednsVersion: 0, flags: 0 } as const;
      const additionals = [{ ...opt, flag_do: false, options: options as never }];
      return decodeMessage(packet.encode({ type: 'response', flags: 2, questions: [QUESTION], additionals }))?.error;
    };
    const error = (code: number, text: string) => ({ code: 15, data: Buffer.from([0, code, ...Buffer.from(text)]) });
    expect(withOptions()).toBeNull();
    expect(withOptions({ code: 10, data: Buffer.alloc(8) }, error(7, 'expired\0'), error(22, ''))).toEqual({
      code: 7,
      text: 'expired',
    });
    expect(withOptions(error(6, 'x'.repeat(1000)))?.text).toHaveLength(200);
    expect(withOptions({ code: 15, data: Buffer.from([6]) })).toBeNull();
  });

  test('may hold DS records', () => {
    const digest = Buffer.from('1f98', 'hex');
    const message = encode([
      { type: 'DS', name: 'acme.com', ttl: 60, data: { keyTag: 2371, algorithm: 13, digestType: 2, digest } },
    ]);
    expect(firstAnswer(message)).toEqual({ type: 'DS', name: 'acme.com', ttl: 60, value: '2371 13 2 1f98' });
  });

  test('with a TTL above 2^31 - 1 has a TTL of zero', () => {
    expect(firstAnswer(encode([{ ...QUESTION, ttl: 0x8000_0000, data: 'x' }]))?.ttl).toBe(0);
    expect(firstAnswer(encode([{ ...QUESTION, ttl: 0x7fff_ffff, data: 'x' }]))?.ttl).toBe(0x7fff_ffff);
  });

  test('with names that are compressed reads as without', () => {
    const target = [3, 'api', 0xc0, 16];
    const message = octets(1, [...POINTER_TO_QUESTION, ...fields(CNAME, 6, ...target)]);
    expect(firstAnswer(message)).toEqual({ type: 'CNAME', name: 'www.acme.com', ttl: 60, value: 'api.acme.com' });
  });
});

describe('names are the same text only if they are the same octets', () => {
  test.each([
    ['a dot inside a label', [12, 'www.acme.com', 0], 'www\\046acme\\046com'],
    ['a backslash', [5, '\\0461', 0], '\\0920461'],
    ['the Kelvin sign, whose lower case is "k"', [3, 0xe2, 0x84, 0xaa, 0], '\\226\\132\\170'],
    ['control characters and spaces', [3, 0, 10, 32, 0], '\\000\\010\\032'],
    ['capitals, which fold', [3, 'WwW', 0], 'www'],
    ['the root', [0], '.'],
  ])('%s', (_, name, canonical) => {
    const message = octets(1, [...name, ...fields(A, 4, 192, 0, 2, 1)]);
    expect(firstAnswer(message)?.name).toBe(canonical);
  });
});

describe('a TXT value', () => {
  test('is the strings of its record, joined', () => {
    expect(firstAnswer(encode([{ ...QUESTION, data: ['service-', '', 'verify'] }]))?.value).toBe('service-verify');
  });

  test('equals an expected ASCII value only if its octets do', () => {
    const nearly = fc.tuple(fc.string({ maxLength: 40 }), fc.uint8Array({ maxLength: 4 })).map(([text, more]) => ({
      text,
      data: Buffer.concat([Buffer.from(text, 'latin1'), more]),
    }));
    fc.assert(
      fc.property(nearly, ({ text, data }) => {
        fc.pre(/^[ -~]*$/.test(text));
        const value = firstAnswer(encode([{ ...QUESTION, data: [data] }]))?.value;
        return (value === text) === data.equals(Buffer.from(text));
      }),
    );
  });

  test('keeps a byte order mark and zero octets, so that they spoil a match', () => {
    for (const data of ['\ufeffexpected', 'expected\0']) {
      expect(firstAnswer(encode([{ ...QUESTION, data }]))?.value).toBe(data);
    }
  });
});

describe('a CAA value', () => {
  const caa = (...data: (number | string)[]) => {
    const length = data.reduce<number>((sum, part) => sum + (typeof part === 'number' ? 1 : part.length), 0);
    return firstAnswer(octets(1, [...POINTER_TO_QUESTION, ...fields(CAA, length, ...data)]))?.value;
  };

  test('is flags, tag and value', () => {
    expect(caa(0, 5, 'issue', 'letsencrypt.org')).toBe('0 issue letsencrypt.org');
    expect(caa(128, 5, 'issue', ';')).toBe('128 issue ;');
    expect(caa(255, 3, 'tbs', 'Any "thing"; at = all')).toBe('255 tbs Any "thing"; at = all');
  });

  test('may be empty', () => {
    expect(caa(0, 5, 'issue')).toBe('0 issue ');
  });

  test('has a tag in which capitals fold', () => {
    expect(caa(0, 9, 'IssueWild', 'CA.test')).toBe('0 issuewild CA.test');
  });

  test('is the same text as an expected one only if its octets are', () => {
    expect(caa(0, 5, 'issue', '\xe2\x84\xaaca.test')).toBe('0 issue \u212aca.test');
    expect(caa(0, 5, 'issue', 'ca.test\0')).toBe('0 issue ca.test\0');
    expect(caa(0, 5, 'issue', '\xffca.test')).toBe('0 issue \ufffdca.test');
  });
});

describe('a malformed message is null', () => {
  const name = POINTER_TO_QUESTION;
  test.each([
    ['a pointer to itself', octets(1, [0xc0, AFTER_QUESTION, ...fields(A, 4, 1, 2, 3, 4)])],
    ['a pointer ahead', octets(1, [0xc0, AFTER_QUESTION + 2, ...fields(A, 4, 1, 2, 3, 4)])],
    ['a pointer past the end', octets(1, [0xff, 0xff, ...fields(A, 4, 1, 2, 3, 4)])],
    ['two pointers in a circle', octets(1, [0xc0, AFTER_QUESTION + 2, 0xc0, AFTER_QUESTION, ...fields(A, 0)])],
    ['a label of a kind that does not exist', octets(1, [0x41, 'a', 0, ...fields(A, 4, 1, 2, 3, 4)])],
    ['a label past the end', octets(1, [63, 'a'])],
    ['a name that has no end', octets(1, [1, 'a'])],
    [
      'a name of more than 255 octets',
      octets(1, [...Array(128).fill([1, 'a']).flat(), 0, ...fields(A, 4, 1, 2, 3, 4)]),
    ],
    ['more records than are there', octets(2, [...name, ...fields(A, 4, 1, 2, 3, 4)])],
    ['more records than make sense', octets(0xffff)],
    ['a record without its fields', octets(1, [...name, 0, A])],
    ['a record past the end', octets(1, [...name, ...fields(TXT, 100, 1, 'x')])],
    ['a DS record without a digest', octets(1, [...name, ...fields(43, 4, 0, 1, 13, 2)])],
    ['an RRSIG record that ends before its times', octets(1, [...name, ...fields(46, 4, 0, 1, 13, 2)])],
    ['an address of three octets', octets(1, [...name, ...fields(A, 3, 1, 2, 3)])],
    ['an IPv6 address of four', octets(1, [...name, ...fields(28, 4, 1, 2, 3, 4)])],
    ['a TXT string past its record', octets(1, [...name, ...fields(TXT, 2, 200, 'x')])],
    ['a CAA record without a tag', octets(1, [...name, ...fields(CAA, 3, 0, 0, 'x')])],
    ['a CAA tag past its record', octets(1, [...name, ...fields(CAA, 7, 0, 6, 'issue', 0)])],
    ['a CAA tag of other characters', octets(1, [...name, ...fields(CAA, 7, 0, 5, 'iss e')])],
    ['a CAA record of one octet', octets(1, [...name, ...fields(CAA, 1, 0)])],
    ['a CNAME shorter than its record', octets(1, [...name, ...fields(CNAME, 4, 1, 'a', 0, 0)])],
    ['a CNAME longer than its record', octets(1, [...name, ...fields(CNAME, 2, 1, 'a', 0, 0)])],
  ])('%s', (_, message) => {
    expect(decodeMessage(message)).toBeNull();
  });

  test('cut off anywhere', () => {
    const whole = encode([{ ...QUESTION, data: ['some', 'text'] }]);
    for (let length = 0; length < whole.length; length++) {
      expect(decodeMessage(whole.subarray(0, length))).toBeNull();
    }
  });
});

describe('whatever the octets', () => {
  test('pointers upon pointers end', () => {
    // A long name, then thousands of pointers each to the one before.
    const parts: (number | string)[] = [63, 'x'.repeat(63), 0];
    for (let at = AFTER_QUESTION + 64; at < 0x3f00; at += 2) parts.push(0xc0 | ((at - 2) >> 8), (at - 2) & 0xff);
    expect(decodeMessage(octets(1000, parts))).toBeNull();
  });

  test('a small message does not become a large one', () => {
    const long = [
      ...Array(3)
        .fill([63, 'x'.repeat(63)])
        .flat(),
      0,
    ];
    const first = [...long, ...fields(CNAME, 2, 0xc0, AFTER_QUESTION)];
    const others = Array.from({ length: 999 }, () => [0xc0, AFTER_QUESTION, ...fields(CNAME, 2, 0xc0, AFTER_QUESTION)]);
    const message = decodeMessage(octets(1000, first, ...others));
    expect(message?.answers).toHaveLength(1000);
    expect(JSON.stringify(message).length).toBeLessThan(1_000_000);
  });

  test('reading does not throw: random octets, and answers with octets changed', () => {
    const whole = encode([
      { type: 'CNAME', name: 'www.acme.com', data: 'lb.acme.com' },
      { type: 'TXT', name: 'lb.acme.com', data: ['some', 'text'] },
      { type: 'SOA', name: 'acme.com', data: { mname: 'ns1.acme.com', rname: 'h.acme.com' } },
      { type: 'AAAA', name: 'acme.com', data: '2001:db8::1' },
      { type: 'CAA', name: 'acme.com', data: { flags: 128, tag: 'issue', value: 'ca.test; x=y' } },
      { type: 'DS', name: 'acme.com', data: { keyTag: 1, algorithm: 13, digestType: 2, digest: Buffer.alloc(32) } },
    ]);
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    const changed = fc.array(change, { maxLength: 8 }).map((changes) => {
      const copy = Buffer.from(whole);
      for (const [at, octet] of changes) copy[at] = octet;
      return copy;
    });
    fc.assert(
      fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 600 }).map(Buffer.from)), (message) => {
        decodeMessage(message);
      }),
      { numRuns: 5000 },
    );
  });

  test('what another implementation writes is read as it was meant', () => {
    const label = fc.stringMatching(/^[a-z0-9_-]{1,20}$/);
    const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'));
    const record = fc.oneof(
      fc.record({ type: fc.constantFrom('CNAME' as const, 'NS' as const), name, ttl: fc.nat(), data: name }),
      fc.record({ type: fc.constant('A' as const), name, ttl: fc.nat(), data: fc.ipV4() }),
      fc.record({ type: fc.constant('TXT' as const), name, ttl: fc.nat(), data: fc.stringMatching(/^[ -~]{0,200}$/) }),
    );
    fc.assert(
      fc.property(fc.array(record, { maxLength: 10 }), (records) => {
        const expected = records.map(({ data, ...others }) => ({ ...others, value: data }));
        expect(decodeMessage(encode(records))?.answers).toEqual(expected);
      }),
    );
  });
});
