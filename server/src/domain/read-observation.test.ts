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
  rightTxt,
  throughResolver,
  twice,
  txt,
  validation,
  zoneOf,
} from '../../../test/support/observations.ts';
import type { Domain } from './domain.ts';
import type { Answer } from './observation.ts';
import { readObservation } from './read-observation.ts';
import type { RecordRole } from './reading.ts';
import { NO_MEMORY, type RecordDoubt } from './status.ts';

const domain = {
  name: 'shop.acme.com',
  kind: 'subdomain',
  service: 'service',
  target: 'k7m.cname.example',
  token: 'TOKEN',
  sharedAddresses: null,
} as Domain;
const incumbent: Domain = { ...domain, target: 'old.cname.example', token: 'OLD' };

const right: Record<RecordRole, Answer> = { ownership: rightTxt(domain), routing: cname(domain.target) };
const other: Record<RecordRole, Answer> = { ownership: txt('x'), routing: cname('old.example.net') };

function read(
  record: RecordRole,
  answers: Answers,
  more: { before?: RecordDoubt; validation?: object; zone?: object } = {},
) {
  const seen = observation(domain, 'acme.com', {
    [record]: answers,
    zone: more.zone ?? {},
    ...(more.validation && { [`${record}Validation`]: validation(more.validation) }),
  });
  const memory = { ...NO_MEMORY, [`${record}Doubt`]: more.before ?? null };
  return readObservation({ domain, incumbent: null, memory }, seen)[record];
}

describe.each(['ownership', 'routing'] as const)('the %s record', (record) => {
  const yes = right[record];
  const no = other[record];

  test('matches when every nameserver has it, in both looks', () => {
    expect(read(record, everywhere(yes))).toMatchObject({ kind: 'matched' });
  });

  test.each<[string, Answers]>([
    ['one nameserver has another value', [twice(yes), twice(no)]],
    ['one nameserver has no record', [twice(yes), twice(NXDOMAIN)]],
    ['two of four nameservers are old', [twice(yes), twice(yes), no, no]],
    ['one nameserver answers differently the second time', [twice(yes), [yes, no]]],
    ['a single nameserver alternates', [[no, yes]]],
  ])('disagrees when %s', (_, answers) => {
    expect(read(record, answers).kind).toBe('disagree');
    expect(read(record, answers.toReversed()).kind).toBe('disagree');
  });

  test('is not confirmed by one look at each nameserver', () => {
    expect(read(record, [yes, yes])).toEqual({ kind: 'unconfirmed', reason: 'asked_once' });
  });

  test('matches although a nameserver fails, or fails in its second look', () => {
    expect(read(record, [twice(yes), twice(yes), fails('timeout')]).kind).toBe('matched');
    expect(read(record, [twice(yes), [yes, fails('timeout')]]).kind).toBe('matched');
  });

  test.each<[string, Answer]>([
    ['a CNAME elsewhere, whose end cannot be read', { ...fails('timeout'), chain: ['old.example.net'] }],
    ['a CNAME to itself', fails('loop')],
  ])('disagrees when one nameserver has %s', (_, answer) => {
    expect(read(record, [twice(yes), twice(yes), answer]).kind).toBe('disagree');
    expect(read(record, [twice(yes), [yes, answer]]).kind).toBe('disagree');
  });

  test.each(['overloaded', 'too_many_queries'] as const)(
    'is not confirmed when a nameserver was not asked: %s',
    (reason) => {
      const unconfirmed = { kind: 'unconfirmed', reason: 'asked_once' };
      expect(read(record, [twice(yes), twice(yes), fails(reason)])).toEqual(unconfirmed);
      expect(read(record, [twice(yes), fails(reason)], { before: 'one_server_twice' })).toEqual(unconfirmed);
    },
  );

  test('matches at the only nameserver of a zone, asked twice', () => {
    const alone = zoneOf('acme.com').nameservers.slice(0, 1);
    expect(read(record, [twice(yes)], { zone: { nameservers: alone } }).kind).toBe('matched');
  });

  describe('where one nameserver of several answers alone', () => {
    const alone: Answers = [twice(yes), fails('timeout')];
    test('waits for two more checks', () => {
      expect(read(record, alone)).toEqual({ kind: 'unconfirmed', reason: 'one_server' });
      expect(read(record, alone, { before: 'one_server' })).toEqual({ kind: 'unconfirmed', reason: 'one_server' });
      expect(read(record, alone, { before: 'one_server_twice' })).toMatchObject({ kind: 'matched', byOneServer: true });
    });

    test('matches at once when the resolvers return the same, and not when they return something else', () => {
      expect(read(record, alone, { validation: { answer: yes } })).toMatchObject({ kind: 'matched' });
      expect(read(record, alone, { validation: { answer: no } }).kind).toBe('unconfirmed');
      expect(read(record, alone, { validation: { answer: null } }).kind).toBe('unconfirmed');
    });

    test('a nameserver without an address counts as one that does not answer', () => {
      const zone = {
        nameservers: [
          { name: 'ns1.acme.com', addresses: ['192.0.2.1'] },
          { name: 'gone.test', addresses: [] },
        ],
      };
      expect(read(record, [twice(yes)], { zone }).kind).toBe('unconfirmed');
    });
  });

  test('never matches while its DNSSEC signature is bogus', () => {
    expect(read(record, everywhere(yes), { validation: { status: 'bogus', answer: yes } })).toEqual({ kind: 'bogus' });
  });

  test('is not vetoed by a resolver that cannot say', () => {
    expect(read(record, everywhere(yes), { validation: { status: 'unknown' } }).kind).toBe('matched');
  });

  test('is unreadable, never absent, when no nameserver could be read', () => {
    const failing = [fails('refused'), fails('timeout')];
    expect(read(record, failing)).toEqual({ kind: 'unreadable', reason: 'refused', chain: [], server: 'ns1.acme.com' });
    expect(read(record, []).kind).toBe('unreadable');
  });

  test('is absent where the registrable domain does not exist', () => {
    const zone = { nameservers: [], failure: { reason: 'not_registered' } };
    expect(read(record, [], { zone })).toEqual({ kind: 'absent', reason: 'nxdomain' });
  });
});

describe('what a resolver has where no nameserver answers', () => {
  const { ownership, routing } = observation(domain, 'acme.com', {
    ownership: everywhere(right.ownership),
    routing: everywhere(right.routing),
  });
  const seen = { ownership: throughResolver(ownership), routing: throughResolver(routing) };

  test('matches where nobody else holds the name', () => {
    const reading = readObservation({ domain, incumbent: null, memory: NO_MEMORY }, seen);
    expect(reading).toEqual({ ownership: { kind: 'matched' }, routing: { kind: 'matched' } });
  });

  test('does not match against an incumbent', () => {
    const unconfirmed = { kind: 'unconfirmed', reason: 'resolver' };
    const reading = readObservation({ domain, incumbent, memory: NO_MEMORY }, { ...seen, incumbent: seen });
    expect(reading).toMatchObject({ ownership: unconfirmed, routing: unconfirmed });
  });
});

test('one matching TXT value among several is enough', () => {
  expect(read('ownership', everywhere(txt('v=spf1 -all', 'service-domain-verify=TOKEN'))).kind).toBe('matched');
});

test('a chain that one nameserver was too slow to follow to its end is no other one', () => {
  const chain: Answer = { kind: 'found', chain: ['lb.acme.com', domain.target], values: [] };
  const slow: Answer = { ...fails('timeout'), chain: ['lb.acme.com'] };
  expect(read('routing', [twice(chain), twice(chain), slow]).kind).toBe('matched');
});

test.each(['192.0.2.9', 'other.example.net'])('a CNAME with %s beside it never matches', (beside) => {
  const both: Answer = { kind: 'found', chain: [domain.target], values: [], beside: [beside] };
  expect(read('routing', everywhere(both))).toEqual({ kind: 'conflicting', chain: [domain.target], beside: [beside] });
  expect(read('routing', [twice(cname(domain.target)), twice(both)]).kind).toBe('disagree');
});

test('addresses without a CNAME are hidden; where another nameserver has a CNAME elsewhere, that is what counts', () => {
  expect(read('routing', everywhere(addresses('192.0.2.9'))).kind).toBe('hidden');
  expect(read('routing', [twice(addresses('192.0.2.9')), twice(cname('old.example.net'))]).kind).toBe('elsewhere');
});

describe("an incumbent's record", () => {
  const gone = { ownership: everywhere(NXDOMAIN), routing: everywhere(cname(domain.target)) };
  const readIncumbent = (seen: Parameters<typeof observation>[2]) => {
    const { ownership, routing } = observation(incumbent, 'acme.com', { ...gone, ...seen });
    const claim = observation(domain, 'acme.com', { ownership: everywhere(right.ownership) });
    return readObservation({ domain, incumbent, memory: NO_MEMORY }, { ...claim, incumbent: { ownership, routing } })
      .incumbent;
  };

  test('is gone when every nameserver says so, in both looks', () => {
    expect(readIncumbent({})).toMatchObject({ ownership: { kind: 'absent' }, routing: { kind: 'elsewhere' } });
  });

  test.each<[string, Answers, string]>([
    ['one nameserver still has it', [twice(NXDOMAIN), twice(rightTxt(incumbent))], 'disagree'],
    ['one look still has it', [twice(NXDOMAIN), [NXDOMAIN, rightTxt(incumbent)]], 'disagree'],
    ['all still have it', everywhere(rightTxt(incumbent)), 'matched'],
    ['none can be read', [fails('timeout'), fails('timeout')], 'unreadable'],
    ['one alone of two answers', [twice(NODATA), fails('timeout')], 'unconfirmed'],
    ['each was looked at once', [NODATA, NODATA], 'unconfirmed'],
  ])('is not gone when %s', (_, ownership, kind) => {
    expect(readIncumbent({ ownership })?.ownership.kind).toBe(kind);
  });

  test('is not gone when one nameserver leads to it, although what is there cannot be read', () => {
    const unread: Answer = { ...fails('timeout'), chain: [incumbent.target] };
    const routing: Answers = [twice(addresses('192.0.2.9')), unread];
    expect(readIncumbent({ routing })?.routing.kind).toBe('disagree');
  });

  test('is not gone while it is bogus', () => {
    expect(readIncumbent({ ownershipValidation: validation({ status: 'bogus' }) })?.ownership.kind).toBe('bogus');
  });

  test('is not gone when no nameserver answers, whatever a resolver has', () => {
    const claim = observation(domain, 'acme.com', { ownership: everywhere(right.ownership) });
    const theirs = observation(incumbent, 'acme.com', gone);
    const seen = { ownership: throughResolver(theirs.ownership), routing: throughResolver(theirs.routing) };
    const read = readObservation({ domain, incumbent, memory: NO_MEMORY }, { ...claim, incumbent: seen });
    const unconfirmed = { kind: 'unconfirmed', reason: 'resolver' };
    expect(read.incumbent).toEqual({ ownership: unconfirmed, routing: unconfirmed });
  });

  test('is gone when one alone answers and the resolvers say the same', () => {
    const ownershipValidation = validation({ answer: NXDOMAIN });
    const seen = readIncumbent({ ownership: [twice(NXDOMAIN), fails('timeout')], ownershipValidation });
    expect(seen?.ownership.kind).toBe('absent');
  });
});
