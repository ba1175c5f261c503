import packet, { type Packet } from 'dns-packet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DnsListener } from '../../../playground/dns/dns-listener.ts';
import { listenAt, loopbackClient } from '../../../test/support/simulators.ts';
import { systemClock } from '../base/clock.ts';
import { queryBudget } from './query-budget.ts';
import { recursiveResolver } from './recursive.ts';
import type { RecordQuestion } from './resolver.ts';
import type { DnsClient } from './transport/dns-client.ts';

const NAME = 'www.acme.com';
const TARGET = 't1.cname.test';
const TXT: RecordQuestion = { name: `_service.${NAME}`, type: 'TXT' };
const ROUTE: RecordQuestion = { name: NAME, type: 'ADDRESS', stopAt: TARGET };
const SERVFAIL = 2;
const NXDOMAIN = 3;
const AD = packet.AUTHENTIC_DATA;
const [ONE, TWO] = ['127.0.0.1', '127.0.0.2'] as const;

type Reply = Omit<Packet, 'id' | 'questions' | 'type'> & { error?: number };

let client: DnsClient;
let resolvers: DnsListener[];
/** The resolver's replies, by `name type`, `name type CD`, or address before either; DS of "com" says whether it validates. */
let replies: Record<string, Reply | null>;
let asked: string[];

beforeEach(async () => {
  client = loopbackClient();
  asked = [];
  replies = { 'com DS': { flags: AD } };
  resolvers = [];
  for (const address of [ONE, TWO]) {
    const port = resolvers[0]?.port ?? 0;
    resolvers.push(
      await listenAt(address, port, (octets, _from, _transport, reply) => {
        const query = packet.decode(octets);
        const [question] = query.questions ?? [];
        const key = `${question?.name} ${question?.type}`;
        if (!query.flag_cd) expect(query.flag_ad).toBe(true);
        asked.push(query.flag_cd ? `${key} CD` : key);
        const keys = query.flag_cd ? [`${key} CD`, key] : [key];
        const found = [...keys.map((each) => `${address} ${each}`), ...keys].find((each) => each in replies);
        const { error, ...response } = replies[found ?? ''] ?? {};
        if (found !== undefined && replies[found] === null) return;
        const option = { code: 15, data: Buffer.from([0, error ?? 0, ...Buffer.from('a text')]) } as never;
        const opt = {
          type: 'OPT',
          name: '.',
          udpPayloadSize: 1232,
          extendedRcode: 0,
          ednsVersion: 0,
          flags: 0,
        } as const;
        const additionals = error === undefined ? [] : [{ ...opt, flag_do: false, options: [option] }];
        reply(
          packet.encode({
            type: 'response',
            id: query.id ?? 0,
            questions: query.questions ?? [],
            additionals,
            ...response,
          }),
        );
      }),
    );
  }
});
afterEach(async () => {
  client.close();
  await Promise.all(resolvers.map((resolver) => resolver.close()));
});

function validate(question: RecordQuestion, count = 2, queries = 40) {
  const port = resolvers[0]?.port ?? 0;
  const servers = [ONE, TWO].slice(0, count).map((address) => ({ address, port }));
  const { validate } = recursiveResolver({ client, resolvers: servers, clock: systemClock, random: () => 0 });
  return validate(question, { signal: AbortSignal.timeout(10_000), budget: queryBudget(queries) });
}

const txt = (data: string, ttl = 60) => ({ type: 'TXT' as const, name: TXT.name, ttl, data });
const cname = (name: string, data: string) => ({ type: 'CNAME' as const, name, ttl: 60, data });

test('an answer with AD is secure', async () => {
  replies[`${TXT.name} TXT`] = { flags: AD, answers: [txt('x', 1234)] };
  expect(await validate(TXT)).toEqual({
    status: 'secure',
    answer: { kind: 'found', chain: [], values: ['x'] },
    ttl: 1234,
    error: null,
    resolver: ONE,
  });
});

test('an answer without AD is insecure where the resolver validates, and unknown where it does not', async () => {
  replies[`${TXT.name} TXT`] = { answers: [txt('x')] };
  expect(await validate(TXT)).toMatchObject({ status: 'insecure', answer: { values: ['x'] } });
  replies['com DS'] = {
    answers: [
      { type: 'DS', name: 'com', ttl: 60, data: { keyTag: 1, algorithm: 13, digestType: 2, digest: Buffer.alloc(32) } },
    ],
  };
  expect(await validate(TXT)).toMatchObject({ status: 'unknown', answer: { values: ['x'] } });
});

test('whether a resolver validates is asked once', async () => {
  replies[`${TXT.name} TXT`] = { answers: [txt('x')] };
  const port = resolvers[0]?.port ?? 0;
  const { validate } = recursiveResolver({ client, resolvers: [{ address: ONE, port }] });
  for (let times = 0; times < 3; times++) {
    await validate(TXT, { signal: AbortSignal.timeout(10_000), budget: queryBudget() });
  }
  expect(asked.filter((key) => key === 'com DS')).toHaveLength(1);
});

test('a denial has the time for which it is cached', async () => {
  const soa = {
    type: 'SOA',
    name: 'acme.com',
    ttl: 321,
    data: { mname: 'ns1.acme.com', rname: 'h.acme.com' },
  } as const;
  replies[`${TXT.name} TXT`] = { flags: AD | NXDOMAIN, authorities: [soa] };
  expect(await validate(TXT)).toMatchObject({
    status: 'secure',
    answer: { kind: 'absent', reason: 'nxdomain' },
    ttl: 321,
  });
});

describe('bogus', () => {
  test.each([6, 7, 8, 9, 10])('is a SERVFAIL with the Extended DNS Error %i, seen twice', async (error) => {
    replies[`${TXT.name} TXT`] = { flags: SERVFAIL, error };
    expect(await validate(TXT)).toEqual({
      status: 'bogus',
      answer: null,
      ttl: null,
      error: { code: error, text: 'a text' },
      resolver: ONE,
    });
    expect(asked).toEqual([`${TXT.name} TXT`, `${TXT.name} TXT`]);
  });

  test('is a SERVFAIL that turns into an answer when nothing is checked', async () => {
    replies[`${TXT.name} TXT`] = { flags: SERVFAIL };
    replies[`${TXT.name} TXT CD`] = { answers: [txt('x')] };
    expect(await validate(TXT, 1)).toMatchObject({ status: 'bogus', answer: null, error: null });
    replies['com DS'] = {
      answers: [
        {
          type: 'DS',
          name: 'com',
          ttl: 60,
          data: { keyTag: 1, algorithm: 13, digestType: 2, digest: Buffer.alloc(32) },
        },
      ],
    };
    expect(await validate(TXT, 1)).toMatchObject({ status: 'unknown' });
  });

  test('is what one resolver says twice, though another does not', async () => {
    replies[`${ONE} ${TXT.name} TXT`] = { flags: SERVFAIL, error: 6 };
    replies[`${TWO} ${TXT.name} TXT`] = { flags: AD, answers: [txt('x')] };
    expect(await validate(TXT)).toMatchObject({ status: 'bogus', resolver: ONE });
  });

  test('is not what a resolver says once and then no more', async () => {
    let times = 0;
    replies[`${TXT.name} TXT`] = {
      get flags() {
        return times++ === 0 ? SERVFAIL : AD;
      },
      get error() {
        return times === 0 ? 6 : 0;
      },
    };
    expect(await validate(TXT, 1)).toMatchObject({ status: 'secure' });
  });
});

describe('other trouble of a resolver says nothing', () => {
  test.each([
    ['SERVFAIL with and without checking', { flags: SERVFAIL }],
    ['SERVFAIL because no nameserver could be reached', { flags: SERVFAIL, error: 22 }],
    ['REFUSED', { flags: 5 }],
  ])('%s', async (_, reply) => {
    replies[`${TXT.name} TXT`] = reply;
    expect(await validate(TXT)).toMatchObject({ status: 'unknown', answer: null, ttl: null });
  });

  test('another resolver is asked', async () => {
    replies[`${ONE} ${TXT.name} TXT`] = { flags: SERVFAIL };
    replies[`${TWO} ${TXT.name} TXT`] = { flags: AD, answers: [txt('x')] };
    expect(await validate(TXT)).toMatchObject({ status: 'secure', resolver: TWO });
  });

  test('no queries left', async () => {
    expect(await validate(TXT, 2, 0)).toMatchObject({ status: 'unknown', answer: null });
  });
});

describe('a chain of CNAMEs', () => {
  test('is asked for one by one up to the target, so that a broken target says nothing about the record', async () => {
    replies[`${NAME} CNAME`] = { flags: AD, answers: [cname(NAME, 'acme.cdn.test')] };
    replies['acme.cdn.test CNAME'] = { answers: [cname('acme.cdn.test', TARGET)] };
    expect(await validate(ROUTE)).toMatchObject({
      status: 'insecure',
      answer: { kind: 'found', chain: ['acme.cdn.test', TARGET] },
    });
    expect(asked).not.toContain(`${TARGET} CNAME`);
  });

  test('is as secure as its weakest part', async () => {
    replies[`${NAME} CNAME`] = { flags: AD, answers: [cname(NAME, 'acme.cdn.test')] };
    replies['acme.cdn.test CNAME'] = { flags: SERVFAIL, error: 9 };
    expect(await validate(ROUTE)).toMatchObject({ status: 'bogus', error: { code: 9 }, answer: null });
  });

  test('has the addresses at its end', async () => {
    replies[`${NAME} CNAME`] = { flags: AD };
    replies[`${NAME} A`] = { flags: AD, answers: [{ type: 'A', name: NAME, ttl: 60, data: '192.0.2.1' }] };
    expect(await validate(ROUTE)).toMatchObject({ status: 'secure', answer: { chain: [], values: ['192.0.2.1'] } });
  });

  test('that loops ends', async () => {
    replies[`${NAME} CNAME`] = { flags: AD, answers: [cname(NAME, 'a.test')] };
    replies['a.test CNAME'] = { flags: AD, answers: [cname('a.test', NAME)] };
    expect(await validate(ROUTE)).toMatchObject({ answer: { chain: ['a.test', NAME] } });
  });
});
