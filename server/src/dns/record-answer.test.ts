import { describe, expect, test } from 'vitest';
import type { DnsMessage, Rcode, RecordType, ResourceRecord } from './protocol/wire.ts';
import { currentName, readAnswer, startChase } from './record-answer.ts';

const NAME = 'www.acme.com';
const TARGET = 't1.cname.test';

/** `www.acme.com CNAME lb.acme.com` */
function record(text: string): ResourceRecord {
  const [name = '', type = '', ...value] = text.split(' ');
  return { name, type: type as RecordType, ttl: 60, value: value.join(' ') };
}

function message(records: string[], rcode: Rcode = 'noerror'): DnsMessage {
  const rest = { transport: 'udp' as const, authorities: [], additionals: [], authenticated: false, error: null };
  return { rcode, authoritative: true, answers: records.map(record), ...rest };
}

function read(
  type: RecordType,
  records: string[],
  { rcode, bailiwick = 'acme.com', name = NAME }: { rcode?: Rcode; bailiwick?: string; name?: string } = {},
) {
  const chase = startChase(name, type, TARGET);
  return { answer: readAnswer(message(records, rcode), chase, bailiwick), next: currentName(chase) };
}

/** A chain of so many CNAMEs from `www.acme.com` to `end`, all in one answer. */
function chainOf(length: number, end: string): string[] {
  const names = [NAME, ...Array.from({ length: length - 1 }, (_, index) => `hop${index + 1}.acme.com`), end];
  return names.slice(1).map((name, index) => `${names[index]} CNAME ${name}`);
}

describe('the values', () => {
  test('are those at the name alone, sorted, because nameservers rotate them', () => {
    const records = [`${NAME} TXT two`, `${NAME} TXT one`, 'acme.com TXT three', `${NAME} A 192.0.2.1`];
    expect(read('TXT', records).answer).toEqual({ kind: 'found', chain: [], values: ['one', 'two'] });
  });

  test('of a name that is written in any case', () => {
    expect(read('TXT', [`${NAME} TXT one`], { name: 'WWW.Acme.COM.' }).answer).toMatchObject({ values: ['one'] });
  });

  test('are limited in number and length, and one that is cut never equals an expected one', () => {
    const many = Array.from({ length: 500 }, (_, index) => `${NAME} TXT ${index}`);
    expect(read('TXT', many).answer).toMatchObject({ values: { length: 100 } });
    expect(
      read(
        'A',
        Array.from({ length: 500 }, (_, index) => `${NAME} A 192.0.2.${index}`),
      ).answer,
    ).toMatchObject({
      values: { length: 20 },
    });
    const [value] = (read('CAA', [`${NAME} CAA 0 issue ca.test; ${'x'.repeat(5000)}`]).answer as { values: string[] })
      .values;
    expect(value).toMatch(/^0 issue ca.test; x{1000,}…$/);
  });
});

describe('absent', () => {
  test.each([
    ['nxdomain', 'nxdomain'],
    ['noerror', 'nodata'],
  ] as const)('with %s is %s', (rcode, reason) => {
    expect(read('TXT', [], { rcode }).answer).toEqual({ kind: 'absent', reason, chain: [] });
  });
});

describe('a chain', () => {
  test('of 8 CNAMEs is followed', () => {
    expect(read('A', chainOf(8, TARGET)).answer).toMatchObject({ kind: 'found', chain: { length: 8 }, values: [] });
  });

  test('of 9 is too long, even if the target is the ninth', () => {
    expect(read('A', chainOf(9, TARGET)).answer).toMatchObject({ reason: 'chain_too_long', chain: { length: 8 } });
  });

  test('is limited also when each CNAME comes in its own answer', () => {
    const chase = startChase(NAME, 'TXT');
    const answers: unknown[] = [];
    for (let step = 0; step < 9; step++) {
      const current = currentName(chase);
      answers.push(readAnswer(message([`${current} CNAME x${current}`]), chase, 'acme.com'));
    }
    expect(answers).toEqual([
      ...Array(8).fill(null),
      { kind: 'unreadable', reason: 'chain_too_long', chain: chase.chain },
    ]);
  });

  test.each([
    ['to itself', [`${NAME} CNAME ${NAME}`], [NAME]],
    ['back to the name', [`${NAME} CNAME a.acme.com`, `a.acme.com CNAME ${NAME}`], ['a.acme.com', NAME]],
    [
      'further down',
      [`${NAME} CNAME a.acme.com`, 'a.acme.com CNAME b.acme.com', 'b.acme.com CNAME a.acme.com'],
      ['a.acme.com', 'b.acme.com', 'a.acme.com'],
    ],
  ])('%s is a loop, which is told whole', (_, records, chain) => {
    expect(read('A', records).answer).toEqual({ kind: 'unreadable', reason: 'loop', chain });
    expect(read('TXT', records).answer).toEqual({ kind: 'unreadable', reason: 'loop', chain });
  });

  test('ends at the name that has to be asked for: the rcode is that of another name', () => {
    expect(read('A', [`${NAME} CNAME lb.acme.com`], { rcode: 'nxdomain' })).toEqual({
      answer: null,
      next: 'lb.acme.com',
    });
  });

  test('is not followed for records that a name has itself', () => {
    for (const type of ['NS', 'SOA', 'DS'] as const) {
      expect(read(type, [`${NAME} CNAME lb.acme.com`, 'lb.acme.com NS ns.acme.com']).answer).toMatchObject({
        kind: 'absent',
      });
    }
    expect(read('CNAME', [`${NAME} CNAME lb.acme.com`, `lb.acme.com CNAME ${TARGET}`]).answer).toEqual({
      kind: 'found',
      chain: ['lb.acme.com'],
      values: [],
    });
  });
});

describe('a nameserver is trusted for its own zone only', () => {
  const records = [`${NAME} CNAME lb.other.test`, `lb.other.test CNAME ${TARGET}`, 'lb.other.test A 192.0.2.1'];

  test('records of another zone in the same answer are ignored', () => {
    expect(read('A', records)).toEqual({ answer: null, next: 'lb.other.test' });
    expect(read('A', ['lb.other.test A 192.0.2.1'], { name: 'lb.other.test' }).answer).toMatchObject({
      kind: 'absent',
    });
  });

  test('and a resolver for all of them', () => {
    expect(read('A', records, { bailiwick: '.' }).answer).toMatchObject({
      kind: 'found',
      chain: ['lb.other.test', TARGET],
    });
  });
});

describe('what stands beside', () => {
  test('a CNAME: addresses and further CNAMEs, whatever their order', () => {
    const records = [
      `${NAME} A 192.0.2.1`,
      `${NAME} CNAME ${TARGET}`,
      `${NAME} AAAA 2001:db8::1`,
      `${NAME} CNAME z.old.test`,
    ];
    const expected = { kind: 'found', chain: [TARGET], values: [], beside: ['192.0.2.1', '2001:db8::1', 'z.old.test'] };
    for (const type of ['A', 'AAAA'] as const) {
      expect(read(type, records).answer).toEqual(expected);
      expect(read(type, records.toReversed()).answer).toEqual(expected);
    }
  });

  test('TXT records: a CNAME', () => {
    expect(read('TXT', [`${NAME} TXT x`, `${NAME} CNAME lb.acme.com`]).answer).toEqual({
      kind: 'found',
      chain: [],
      values: ['x'],
      beside: ['lb.acme.com'],
    });
  });

  test('is that of the record itself, not of the names that it leads to', () => {
    const records = [`${NAME} CNAME lb.acme.com`, `lb.acme.com CNAME ${TARGET}`, 'lb.acme.com A 192.0.2.1'];
    expect(read('A', records).answer).toEqual({ kind: 'found', chain: ['lb.acme.com', TARGET], values: [] });
  });

  test('is nothing where one CNAME is repeated', () => {
    expect(read('A', [`${NAME} CNAME ${TARGET}`, `${NAME} CNAME ${TARGET}`]).answer).not.toHaveProperty('beside');
  });
});
