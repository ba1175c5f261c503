import { describe, expect, test } from 'vitest';
import type { FailedQuery } from './ask-server.ts';
import type { Rcode, RecordType, ResourceRecord } from './protocol/wire.ts';
import { type Ask, recordLookups, type ZoneAnswer } from './record-lookups.ts';

const options = { signal: AbortSignal.timeout(10_000) };
const BY = { server: 'ns1.acme.com', address: '192.0.2.53', authoritative: true };
const TARGET = 't1.cname.test';

/** `www.acme.com CNAME lb.acme.com` */
function record(text: string): ResourceRecord {
  const [name = '', type = '', ...value] = text.split(' ');
  return { name, type: type as RecordType, ttl: 60, value: value.join(' ') };
}

function answer(
  records: string[],
  { rcode = 'noerror' as Rcode, zone = 'acme.com', authoritative = true } = {},
): ZoneAnswer {
  const message = {
    rcode,
    authoritative,
    answers: records.map(record),
    authorities: [],
    additionals: [],
    authenticated: false,
    error: null,
  };
  return { kind: 'answer', response: { transport: 'udp', ...message }, zone, by: { ...BY, authoritative } };
}

/** Answers by name, or by name and type; every other name does not exist. `asked` is the questions. */
function world(answers: Record<string, ZoneAnswer | FailedQuery>) {
  const asked: string[] = [];
  const ask: Ask = async ({ name, type }) => {
    asked.push(`${name} ${type}`);
    const zone = name.split('.').slice(-2).join('.');
    return answers[`${name} ${type}`] ?? answers[name] ?? answer([], { rcode: 'nxdomain', zone });
  };
  return { asked, ...recordLookups(ask) };
}

/** A chain of so many CNAMEs from `www.acme.com` to `end`, all in one answer. */
function chainOf(length: number, end: string): string[] {
  const names = ['www.acme.com', ...Array.from({ length: length - 1 }, (_, index) => `hop${index + 1}.acme.com`), end];
  return names.slice(1).map((name, index) => `${names[index]} CNAME ${name}`);
}

describe('lookupTxt', () => {
  test('gives the records at the name, and only those', async () => {
    const { lookupTxt } = world({
      '_service.acme.com': answer([
        '_service.acme.com TXT one',
        'other.acme.com TXT two',
        '_service.acme.com TXT three',
      ]),
    });
    expect(await lookupTxt('_Service.acme.com.', options)).toEqual({
      kind: 'found',
      values: ['one', 'three'],
      chain: [],
      zone: 'acme.com',
      by: BY,
    });
  });

  test('follows a CNAME into another zone, and names the server that answered for the name itself', async () => {
    const { lookupTxt } = world({
      '_service.acme.com': answer(['_service.acme.com CNAME proof.other.test']),
      'proof.other.test': answer(['proof.other.test TXT one'], { zone: 'other.test' }),
    });
    expect(await lookupTxt('_service.acme.com', options)).toMatchObject({
      kind: 'found',
      values: ['one'],
      chain: ['proof.other.test'],
      zone: 'acme.com',
      by: BY,
    });
  });

  test('is authoritative only if every zone on the chain is', async () => {
    const { lookupTxt } = world({
      '_service.acme.com': answer(['_service.acme.com CNAME proof.other.test']),
      'proof.other.test': answer(['proof.other.test TXT one'], { zone: 'other.test', authoritative: false }),
    });
    expect(await lookupTxt('_service.acme.com', options)).toMatchObject({ by: { ...BY, authoritative: false } });
  });

  test('distinguishes a name that does not exist from one without this record', async () => {
    const { lookupTxt } = world({ 'www.acme.com': answer([]) });
    expect(await lookupTxt('www.acme.com', options)).toEqual({
      kind: 'absent',
      reason: 'nodata',
      chain: [],
      zone: 'acme.com',
      by: BY,
    });
    expect(await lookupTxt('no.acme.com', options)).toMatchObject({ kind: 'absent', reason: 'nxdomain' });
  });

  test('limits the number and the length of values, and marks a cut value', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `_service.acme.com TXT ${index}`);
    const { lookupTxt } = world({
      'long.acme.com': answer([`long.acme.com TXT ${'x'.repeat(5000)}`]),
      '_service.acme.com': answer(many),
    });
    const found = await lookupTxt('_service.acme.com', options);
    expect(found.kind === 'found' && found.values.length).toBe(100);
    const long = await lookupTxt('long.acme.com', options);
    expect(long).toMatchObject({ kind: 'found', values: [`${'x'.repeat(1024)}…`] });
  });
});

test('values and addresses are sorted', async () => {
  const turned = (type: string, values: string[]) =>
    world({ 'www.acme.com': answer(values.map((value) => `www.acme.com ${type} ${value}`)) });
  const [one, two] = ['192.0.2.1', '192.0.2.2'];
  for (const values of [
    [one, two],
    [two, one],
  ]) {
    expect(await turned('TXT', values).lookupTxt('www.acme.com', options)).toMatchObject({ values: [one, two] });
    expect(await turned('A', values).lookupRoute('www.acme.com', TARGET, options)).toMatchObject({
      addresses: [one, two],
    });
  }
});

describe('lookupRoute', () => {
  test('gives the chain, and stops at the target without a query for it', async () => {
    const { asked, lookupRoute } = world({ 'www.acme.com': answer([`www.acme.com CNAME ${TARGET}`]) });
    expect(await lookupRoute('www.acme.com', 'T1.CNAME.test.', options)).toEqual({
      kind: 'found',
      chain: [TARGET],
      addresses: [],
      zone: 'acme.com',
      by: BY,
    });
    expect(asked).toEqual(['www.acme.com A']);
  });

  test('reaches the target over other zones', async () => {
    const { asked, lookupRoute } = world({
      'www.acme.com': answer(['www.acme.com CNAME acme.cdn.test']),
      'acme.cdn.test': answer([`acme.cdn.test CNAME ${TARGET}`], { zone: 'cdn.test' }),
    });
    expect(await lookupRoute('www.acme.com', TARGET, options)).toMatchObject({ chain: ['acme.cdn.test', TARGET] });
    expect(asked).toEqual(['www.acme.com A', 'acme.cdn.test A']);
  });

  test('gives the addresses where the chain ends, or those of the name itself', async () => {
    const { lookupRoute } = world({
      'www.acme.com': answer(['www.acme.com CNAME lb.acme.com', 'lb.acme.com A 192.0.2.1', 'lb.acme.com A 192.0.2.2']),
      'flat.acme.com': answer(['flat.acme.com A 192.0.2.1']),
    });
    expect(await lookupRoute('www.acme.com', TARGET, options)).toMatchObject({
      chain: ['lb.acme.com'],
      addresses: ['192.0.2.1', '192.0.2.2'],
    });
    expect(await lookupRoute('flat.acme.com', TARGET, options)).toMatchObject({ chain: [], addresses: ['192.0.2.1'] });
  });

  test('asks for IPv6 addresses only where there are none for IPv4', async () => {
    const { asked, lookupRoute } = world({
      'six.acme.com A': answer([]),
      'six.acme.com AAAA': answer(['six.acme.com AAAA 2001:db8::1']),
      'none.acme.com': answer([]),
    });
    expect(await lookupRoute('six.acme.com', TARGET, options)).toMatchObject({ addresses: ['2001:db8::1'] });
    expect(await lookupRoute('none.acme.com', TARGET, options)).toMatchObject({ kind: 'absent', reason: 'nodata' });
    expect(await lookupRoute('no.acme.com', TARGET, options)).toMatchObject({ kind: 'absent', reason: 'nxdomain' });
    expect(asked.at(-1)).toBe('no.acme.com A');
  });

  test.each(['nxdomain', 'noerror'] as const)('finds a CNAME whose target has no address (%s)', async (rcode) => {
    const { lookupRoute } = world({
      'www.acme.com': answer(['www.acme.com CNAME gone.other.test']),
      'gone.other.test': answer([], { rcode, zone: 'other.test' }),
    });
    expect(await lookupRoute('www.acme.com', TARGET, options)).toEqual({
      kind: 'found',
      chain: ['gone.other.test'],
      addresses: [],
      zone: 'acme.com',
      by: BY,
    });
  });

  test('gives the chain up to a zone that cannot be read', async () => {
    const { lookupRoute } = world({
      'www.acme.com': answer(['www.acme.com CNAME lb.other.test']),
      'lb.other.test': { kind: 'failed', reason: 'servfail', server: 'ns1.other.test' },
    });
    expect(await lookupRoute('www.acme.com', TARGET, options)).toEqual({
      kind: 'unreadable',
      reason: 'servfail',
      chain: ['lb.other.test'],
      server: 'ns1.other.test',
    });
  });
});

describe('chains', () => {
  test('of 8 CNAMEs are followed', async () => {
    const { lookupRoute } = world({ 'www.acme.com': answer(chainOf(8, TARGET)) });
    const found = await lookupRoute('www.acme.com', TARGET, options);
    expect(found).toMatchObject({ kind: 'found' });
    expect(found.chain).toHaveLength(8);
    expect(found.chain.at(-1)).toBe(TARGET);
  });

  test('of 9 are too long, even if the target is the ninth', async () => {
    const { lookupRoute } = world({ 'www.acme.com': answer(chainOf(9, TARGET)) });
    const found = await lookupRoute('www.acme.com', TARGET, options);
    expect(found).toMatchObject({ kind: 'unreadable', reason: 'chain_too_long', server: 'ns1.acme.com' });
    expect(found.chain).toHaveLength(8);
  });

  test('are limited also when each CNAME comes in its own answer', async () => {
    const endless: Ask = async ({ name }) => answer([`${name} CNAME x${name}`]);
    expect(await recordLookups(endless).lookupTxt('www.acme.com', options)).toMatchObject({ reason: 'chain_too_long' });
  });

  test.each([
    ['to itself', ['www.acme.com CNAME www.acme.com']],
    ['back to the name', ['www.acme.com CNAME a.acme.com', 'a.acme.com CNAME www.acme.com']],
    ['further down', ['www.acme.com CNAME a.acme.com', 'a.acme.com CNAME b.acme.com', 'b.acme.com CNAME a.acme.com']],
  ])('%s are loops', async (_, records) => {
    const { lookupRoute, lookupTxt } = world({ 'www.acme.com': answer(records) });
    expect(await lookupRoute('www.acme.com', TARGET, options)).toMatchObject({ kind: 'unreadable', reason: 'loop' });
    expect(await lookupTxt('www.acme.com', options)).toMatchObject({ kind: 'unreadable', reason: 'loop' });
  });
});

describe('a nameserver is trusted for its own zone only', () => {
  test('records of another zone in the same answer are ignored, and that zone is asked', async () => {
    const { asked, lookupRoute } = world({
      'www.acme.com': answer([
        'www.acme.com CNAME lb.other.test',
        `lb.other.test CNAME ${TARGET}`,
        'lb.other.test A 192.0.2.1',
      ]),
      'lb.other.test': answer(['lb.other.test A 203.0.113.9'], { zone: 'other.test' }),
    });
    expect(await lookupRoute('www.acme.com', TARGET, options)).toMatchObject({
      chain: ['lb.other.test'],
      addresses: ['203.0.113.9'],
    });
    expect(asked).toEqual(['www.acme.com A', 'lb.other.test A']);
  });

  test('CNAMEs within the zone are followed in the same answer', async () => {
    const { asked, lookupTxt } = world({
      '_service.acme.com': answer(['_service.acme.com CNAME proof.acme.com', 'proof.acme.com TXT one']),
    });
    expect(await lookupTxt('_service.acme.com', options)).toMatchObject({ values: ['one'], chain: ['proof.acme.com'] });
    expect(asked).toHaveLength(1);
  });
});
