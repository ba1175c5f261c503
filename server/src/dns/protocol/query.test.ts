import packet from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EncodedQuery, encodeQuery, isResponseTo } from './query.ts';
import type { Question } from './wire.ts';

function encoded(question: Question, recursion = false, edns = true): EncodedQuery {
  const query = encodeQuery(question, { recursion, edns });
  if (query === null) throw new Error('The question cannot be asked.');
  return query;
}

const QUESTION: Question = { name: '_service.www.acme.com', type: 'TXT' };

describe('a query', () => {
  test('asks one question, with EDNS for 1232 octets', () => {
    expect(packet.decode(encoded(QUESTION).octets)).toMatchObject({
      type: 'query',
      flag_rd: false,
      questions: [QUESTION],
      answers: [],
      authorities: [],
      additionals: [{ type: 'OPT', udpPayloadSize: 1232, ednsVersion: 0, flag_do: false, options: [] }],
    });
  });

  test('has RD for resolvers, and may be without EDNS', () => {
    expect(packet.decode(encoded(QUESTION, true).octets)).toMatchObject({ flag_rd: true });
    expect(packet.decode(encoded(QUESTION, false, false).octets).additionals).toEqual([]);
  });

  test('may ask a resolver whether it has validated the answer, or to answer without validating', () => {
    const flagsOf = (validation: 'wanted' | 'unchecked') => {
      const query = encodeQuery(QUESTION, { recursion: true, edns: true, validation });
      const { flag_ad, flag_cd } = packet.decode(query?.octets ?? Buffer.alloc(12));
      return { flag_ad, flag_cd };
    };
    expect(flagsOf('wanted')).toEqual({ flag_ad: true, flag_cd: false });
    expect(flagsOf('unchecked')).toEqual({ flag_ad: false, flag_cd: true });
    expect(packet.decode(encoded(QUESTION, true).octets)).toMatchObject({ flag_ad: false, flag_cd: false });
  });

  test('may ask a resolver for the signatures too, with DO', () => {
    const query = encodeQuery(QUESTION, { recursion: true, edns: true, validation: 'signatures' });
    expect(packet.decode(query?.octets ?? Buffer.alloc(12)).additionals).toMatchObject([{ flag_do: true }]);
    expect(packet.decode(encoded(QUESTION, true).octets).additionals).toMatchObject([{ flag_do: false }]);
  });

  test('can be for the root', () => {
    expect(packet.decode(encoded({ name: '.', type: 'NS' }).octets).questions).toMatchObject([{ name: '.' }]);
  });

  test('can be for a name with octets that are no plain characters, as somebody may have published it', () => {
    const { octets } = encoded({ name: '\\032b\\195\\188cher\\046.acme.com', type: 'A' });
    const label = Buffer.from(' bücher.');
    expect(octets.subarray(12, 13 + label.length)).toEqual(Buffer.concat([Buffer.from([label.length]), label]));
    expect(octets.subarray(13 + label.length, 18 + label.length)).toEqual(Buffer.from('\x04acme'));
  });

  test.each([
    ['an empty label', 'www..acme.com'],
    ['a label of 64', `${'a'.repeat(64)}.com`],
    ['half an escape', 'www\\04.com'],
    ['an escape that is no octet', 'www\\256.com'],
    ['a label of 64 with an escape', `\\032${'a'.repeat(63)}.com`],
    ['a character that is not ASCII', 'münchen.de'],
    ['nothing', ''],
    ['more than 255 octets', `${'a'.repeat(63)}.`.repeat(4).slice(0, -1)],
  ])('cannot be for a name with %s', (_, name) => {
    expect(encodeQuery({ name, type: 'A' }, { recursion: false, edns: true })).toBeNull();
  });
});

describe('a response', () => {
  const query = encoded(QUESTION);
  query.octets.writeUInt16BE(4711, 0);
  const answer = packet.encode({ type: 'response', id: 4711, questions: [QUESTION] });

  test('matches with the id and the question of the query, in any letter case', () => {
    expect(isResponseTo(query, answer)).toBe(true);
    const capitals = packet.encode({
      type: 'response',
      id: 4711,
      questions: [{ ...QUESTION, name: '_SERVICE.Www.acme.COM' }],
    });
    expect(isResponseTo(query, capitals)).toBe(true);
  });

  test.each([
    ['another id', { id: 4712 }],
    ['another name', { questions: [{ ...QUESTION, name: '_service.api.acme.com' }] }],
    ['another type', { questions: [{ ...QUESTION, type: 'A' as const }] }],
    ['another class', { questions: [{ ...QUESTION, class: 'CH' as const }] }],
    ['no question', { questions: [] }],
    ['two questions', { questions: [QUESTION, QUESTION] }],
    ['another opcode', { flags: 0x2000 }],
  ])('does not match with %s', (_, other) => {
    const forged = packet.encode({ type: 'response', id: 4711, questions: [QUESTION], ...other });
    expect(isResponseTo(query, forged)).toBe(false);
  });

  test('is not the query itself', () => {
    expect(isResponseTo(query, query.octets)).toBe(false);
  });

  test('does not match when any octet of id or question differs', () => {
    const at = fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 12, max: query.questionEnd - 1 }));
    fc.assert(
      fc.property(at, fc.nat(255), (index, octet) => {
        const forged = Buffer.from(answer);
        const before = String.fromCharCode(forged[index] ?? 0);
        forged[index] = octet;
        const inName = index >= 12 && index < query.questionEnd - 4;
        const sameLetter = /[a-z]/.test(before) && String.fromCharCode(octet).toLowerCase() === before;
        return isResponseTo(query, forged) === (forged.equals(answer) || (inName && sameLetter));
      }),
      { numRuns: 2000 },
    );
  });
});
