import packet, { type Answer, type DecodedPacket, type Packet } from 'dns-packet';
import { describe, expect, test } from 'vitest';
import { metricFactory } from '../base/metric-factory.ts';
import { createCookies } from './cookies.ts';
import { dnsServerMetrics } from './dns-server-metrics.ts';
import type { Transport } from './query.ts';
import { createResponder } from './responder.ts';
import { createResponseLimit } from './response-limit.ts';
import { makeZones, type ZoneData, type ZoneSettings } from './zones.ts';

const LABEL = 'k7q2m9x4c1v8b3n6z5t0';
const OTHER = 'a7q2m9x4c1v8b3n6z5t0';
const CHALLENGES = 'acme.platform.com';
const TARGETS = 'cname.platform.com';
const CLIENT = '192.0.2.1';
const NOW = Date.UTC(2026, 10, 24);

const SETTINGS: ZoneSettings = {
  challengeZone: CHALLENGES,
  cnameZone: TARGETS,
  servers: [
    { name: `a.ns.${CHALLENGES}`, addresses: ['192.0.2.53', '2001:db8::53'] },
    { name: 'ns2.platform.net', addresses: [] },
  ],
  selfCheckName: `doctor.${TARGETS}`,
  caaIssuers: ['letsencrypt.org'],
  announcesHttps: true,
};
const DATA: ZoneData = {
  challenges: new Map([[LABEL, ['one', 'two']]]),
  addresses: ['192.0.2.10', '2001:db8::10'],
};
const OPT = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

interface About {
  settings?: Partial<ZoneSettings>;
  data?: Partial<ZoneData>;
  perSecond?: number;
  now?: () => number;
}

function aResponder({ settings, data, perSecond, now = () => NOW }: About = {}) {
  const zones = makeZones({ ...SETTINGS, ...settings }, { ...DATA, ...data });
  return createResponder({
    zones: () => zones,
    cookies: createCookies(Buffer.alloc(32, 1)),
    limit: perSecond === undefined ? null : createResponseLimit(perSecond, 7),
    clock: { now },
    metrics: dnsServerMetrics(metricFactory()),
  });
}

function encode(
  name: string,
  type: string,
  about: Partial<Packet> & { opt?: object | null; class?: string } = {},
): Buffer {
  const { opt = null, class: classWord = 'IN', ...more } = about;
  return packet.encode({
    type: 'query',
    id: 4711,
    questions: [{ name, type: type as 'A', class: classWord as 'IN' }],
    additionals: opt === null ? [] : [{ ...OPT, ...opt } as unknown as Answer],
    ...more,
  });
}

/** A response as a client reads it: code, flags and the records of each section. */
function shown(response: Buffer | null) {
  if (response === null) return null;
  const {
    rcode,
    flag_aa: aa,
    flag_tc: tc,
    answers,
    authorities,
    additionals,
  } = packet.decode(response) as DecodedPacket & { rcode: string };
  const text = (records: Answer[] = []) =>
    records.filter(({ type }) => type !== 'OPT').map((record) => `${record.name} ${record.type} ${textOf(record)}`);
  return { rcode, aa, tc, answers: text(answers), authorities: text(authorities), additionals: text(additionals) };
}

function textOf(record: Answer): string {
  const { data } = record as { data: unknown };
  if (Array.isArray(data)) return data.map(String).join();
  return typeof data === 'string'
    ? data
    : Buffer.isBuffer(data)
      ? data.toString('hex')
      : Object.values(data as object).join(' ');
}

function ask(name: string, type: string, about: About & Parameters<typeof encode>[2] & { transport?: Transport } = {}) {
  const { settings, data, perSecond, now, transport = 'udp', ...query } = about;
  const given = { settings, data, perSecond, now } as About;
  return shown(aResponder(given).respond(encode(name, type, query), CLIENT, transport));
}

const SOA_OF = (zone: string) => [
  expect.stringMatching(new RegExp(`^${zone} SOA a\\.ns\\.${CHALLENGES} hostmaster\\.${zone} 1 `)),
];
const FOUND = { rcode: 'NOERROR', aa: true, tc: false, authorities: [], additionals: [] };
const NOTHING = { aa: true, tc: false, answers: [], additionals: [] };

describe('the challenge zone', () => {
  test('has a TXT record for each open challenge at the label of a target', () => {
    expect(ask(`${LABEL}.${CHALLENGES}`, 'TXT')).toEqual({
      ...FOUND,
      answers: [`${LABEL}.${CHALLENGES} TXT one`, `${LABEL}.${CHALLENGES} TXT two`],
    });
  });

  test.each([
    ['a well-formed label without a challenge', `${OTHER}.${CHALLENGES}`, 'TXT', 'NOERROR'],
    ['another type beside a challenge', `${LABEL}.${CHALLENGES}`, 'A', 'NOERROR'],
    ['an unknown type', `${LABEL}.${CHALLENGES}`, 'UNKNOWN_4711', 'NOERROR'],
    ['an empty non-terminal', `ns.${CHALLENGES}`, 'A', 'NOERROR'],
    ['any type of an empty non-terminal', `ns.${CHALLENGES}`, 'ANY', 'NOERROR'],
    ['the apex, which has no address', CHALLENGES, 'A', 'NOERROR'],
    ['a label that no target has', `www.${CHALLENGES}`, 'TXT', 'NXDOMAIN'],
    ['a name below a target', `_acme-challenge.${LABEL}.${CHALLENGES}`, 'TXT', 'NXDOMAIN'],
    ['a label with another octet that looks alike', `${LABEL.slice(0, -1)}\u212a.${CHALLENGES}`, 'TXT', 'NXDOMAIN'],
  ])('has nothing for %s, and says so with its SOA', (_, name, type, rcode) => {
    expect(ask(name, type)).toEqual({ ...NOTHING, rcode, authorities: SOA_OF(CHALLENGES) });
  });

  test('has SOA and NS at its apex, and the addresses of nameservers that are in it', () => {
    expect(ask(CHALLENGES, 'SOA')).toEqual({ ...FOUND, answers: SOA_OF(CHALLENGES) });
    expect(ask(CHALLENGES, 'NS', { transport: 'tcp' })).toEqual({
      ...FOUND,
      answers: [`${CHALLENGES} NS a.ns.${CHALLENGES}`, `${CHALLENGES} NS ns2.platform.net`],
      additionals: [`a.ns.${CHALLENGES} A 192.0.2.53`, `a.ns.${CHALLENGES} AAAA 2001:db8::53`],
    });
    expect(ask(`a.ns.${CHALLENGES}`, 'A')?.answers).toEqual([`a.ns.${CHALLENGES} A 192.0.2.53`]);
    expect(ask(`a.ns.${CHALLENGES}`, 'AAAA')?.answers).toEqual([`a.ns.${CHALLENGES} AAAA 2001:db8::53`]);
  });

  test('fails for a challenge while none was read yet, and says no more than that', () => {
    const data = { challenges: null };
    expect(ask(`${LABEL}.${CHALLENGES}`, 'TXT', { data })).toMatchObject({
      rcode: 'SERVFAIL',
      aa: false,
      authorities: [],
    });
    expect(ask(`${LABEL}.${CHALLENGES}`, 'A', { data })).toMatchObject({ rcode: 'NOERROR' });
  });
});

describe('the CNAME zone', () => {
  test('has the addresses of the edges at every well-formed target, whether there is such a domain or not', () => {
    for (const name of [`${LABEL}.${TARGETS}`, `${OTHER}.${TARGETS}`, `doctor.${TARGETS}`]) {
      expect(ask(name, 'A')).toEqual({ ...FOUND, answers: [`${name} A 192.0.2.10`] });
      expect(ask(name, 'AAAA')).toEqual({ ...FOUND, answers: [`${name} AAAA 2001:db8::10`] });
    }
    expect(ask(`www.${TARGETS}`, 'A')).toMatchObject({ rcode: 'NXDOMAIN', authorities: SOA_OF(TARGETS) });
  });

  test('has the open challenges at each target, so that a wildcard CNAME alone leads there', () => {
    expect(ask(`${LABEL}.${TARGETS}`, 'TXT')?.answers).toEqual([
      `${LABEL}.${TARGETS} TXT one`,
      `${LABEL}.${TARGETS} TXT two`,
    ]);
    expect(ask(`${OTHER}.${TARGETS}`, 'TXT')).toEqual({ ...NOTHING, rcode: 'NOERROR', authorities: SOA_OF(TARGETS) });
  });

  test('has CAA and HTTPS records where the operator wants them', () => {
    expect(ask(`${LABEL}.${TARGETS}`, 'CAA')?.answers).toEqual([expect.stringContaining('issue letsencrypt.org')]);
    const https = Buffer.from('\u0000\u0001\u0000\u0000\u0001\u0000\u000c\u0002h2\u0008http/1.1', 'latin1').toString(
      'hex',
    );
    expect(ask(`${LABEL}.${TARGETS}`, 'UNKNOWN_65')?.answers).toEqual([`${LABEL}.${TARGETS} UNKNOWN_65 ${https}`]);
    const settings = { caaIssuers: [], announcesHttps: false };
    expect(ask(`${LABEL}.${TARGETS}`, 'CAA', { settings })?.authorities).toEqual(SOA_OF(TARGETS));
    expect(ask(`${LABEL}.${TARGETS}`, 'UNKNOWN_65', { settings })?.authorities).toEqual(SOA_OF(TARGETS));
  });

  test('is not answered for where it is not delegated here', () => {
    expect(ask(`${LABEL}.${TARGETS}`, 'A', { settings: { cnameZone: null } })).toMatchObject({
      rcode: 'REFUSED',
      aa: false,
    });
  });
});

describe('refusals', () => {
  const refused = { ...NOTHING, aa: false, rcode: 'REFUSED', authorities: [] };

  test('a name outside of the zones is refused, also above and beside them', () => {
    for (const name of ['platform.com', `x${CHALLENGES}`, 'example.org', '.']) expect(ask(name, 'A')).toEqual(refused);
  });

  test('a transfer and another class are refused', () => {
    for (const type of ['AXFR', 'IXFR']) expect(ask(CHALLENGES, type, { transport: 'tcp' })).toEqual(refused);
    for (const other of ['CH', 'ANY']) expect(ask(CHALLENGES, 'SOA', { class: other })).toEqual(refused);
  });

  test('a query of any type gets one small record (RFC 8482)', () => {
    expect(ask(`${LABEL}.${CHALLENGES}`, 'ANY')?.answers).toEqual([`${LABEL}.${CHALLENGES} HINFO RFC8482 `]);
  });

  test('another opcode gets NOTIMP', () => {
    const query = encode(CHALLENGES, 'SOA');
    for (const opcode of [2, 4, 5]) {
      query.writeUInt16BE(opcode << 11, 2);
      const response = aResponder().respond(query, CLIENT, 'udp');
      expect(response?.toString('hex')).toBe(`1267${(((0x80 | (opcode << 3)) << 8) | 4).toString(16)}0000000000000000`);
    }
  });

  function withCount(query: Buffer, at: number, count: number): Buffer {
    query.writeUInt16BE(count, at);
    return query;
  }

  test.each<[string, (query: Buffer) => Buffer]>([
    ['two questions', (query) => withCount(query, 4, 2)],
    ['no question', (query) => withCount(query, 4, 0)],
    ['a name that goes on beyond the end', (query) => query.subarray(0, 20)],
    ['a compressed question', (query) => Buffer.concat([query.subarray(0, 12), Buffer.of(0xc0, 12, 0, 1, 0, 1)])],
    ['octets after its end', (query) => Buffer.concat([query, Buffer.of(0)])],
    ['records that it does not have', (query) => withCount(query, 10, 1)],
    ['an answer', (query) => withCount(query, 6, 1)],
  ])('a message with %s gets FORMERR, without a record', (_, change) => {
    expect(
      aResponder()
        .respond(change(encode(CHALLENGES, 'SOA')), CLIENT, 'udp')
        ?.toString('hex'),
    ).toBe('126780010000000000000000');
  });

  test('a response, and what is shorter than a header, gets no response: it could begin a loop', () => {
    const response = encode(CHALLENGES, 'SOA', { type: 'response' });
    for (const message of [response, response.subarray(0, 11), Buffer.alloc(0)])
      expect(aResponder().respond(message, CLIENT, 'udp')).toBeNull();
  });
});

describe('a response', () => {
  test('repeats id, question with its letter case, and RD, and offers no recursion', () => {
    const query = encode(`${LABEL.toUpperCase()}.AcMe.pLatForm.COM`, 'TXT', { flags: packet.RECURSION_DESIRED });
    const response = aResponder().respond(query, CLIENT, 'udp') as Buffer;
    expect(response.subarray(12, query.length)).toEqual(query.subarray(12));
    expect(packet.decode(response)).toMatchObject({ id: 4711, flag_rd: true, flag_ra: false, answers: [{}, {}] });
  });

  test('has EDNS where the query has it, with 1,232 octets and the DO bit of the query', () => {
    const optOf = (opt: object | null) =>
      packet.decode(aResponder().respond(encode(CHALLENGES, 'SOA', { opt }), CLIENT, 'udp') as Buffer).additionals;
    expect(optOf(null)).toEqual([]);
    expect(optOf({})).toMatchObject([{ type: 'OPT', udpPayloadSize: 1232, flag_do: false, ednsVersion: 0 }]);
    expect(optOf({ flags: packet.DNSSEC_OK })).toMatchObject([{ flag_do: true }]);
  });

  test('is BADVERS for a later version of EDNS', () => {
    const response = aResponder().respond(
      encode(CHALLENGES, 'SOA', { opt: { ednsVersion: 1 } }),
      CLIENT,
      'udp',
    ) as Buffer;
    expect(packet.decode(response)).toMatchObject({
      rcode: 'NOERROR',
      answers: [],
      additionals: [{ extendedRcode: 1, ednsVersion: 0 }],
    });
  });

  test('over UDP is truncated where it does not fit or is more than four times as long as its query, and whole over TCP', () => {
    const values = Array.from({ length: 40 }, (_, i) => `${i}`.padStart(43, 'x'));
    const data = { challenges: new Map([[LABEL, values]]) };
    for (const opt of [null, {}, { udpPayloadSize: 65_535 }])
      expect(ask(`${LABEL}.${CHALLENGES}`, 'TXT', { data, opt })).toMatchObject({
        tc: true,
        answers: [],
        rcode: 'NOERROR',
      });
    expect(ask(`${LABEL}.${CHALLENGES}`, 'TXT', { data, transport: 'tcp' })?.answers.length).toBe(values.length);
  });
});

describe('cookies', () => {
  const withCookie = (cookie: Buffer) =>
    encode(`${LABEL}.${CHALLENGES}`, 'TXT', { opt: { options: [{ code: 10, data: cookie }] } });
  const cookieIn = (response: Buffer | null) => {
    const opt = packet.decode(response as Buffer).additionals?.[0] as { options: { data: Buffer }[] };
    return opt.options[0]?.data ?? Buffer.alloc(0);
  };
  const values = Array.from({ length: 12 }, (_, i) => `${i}`.padStart(43, 'x'));
  const data = { challenges: new Map([[LABEL, values]]) };
  const client = Buffer.from('0123456789abcdef', 'hex');

  test('a client that repeats our cookie is not limited, neither in number nor in size', () => {
    const responder = aResponder({ data, perSecond: 1 });
    const first = responder.respond(withCookie(client), CLIENT, 'udp');
    expect(shown(first)?.tc).toBe(true);
    const cookie = cookieIn(first);
    expect(cookie.length).toBe(24);
    expect(cookie.subarray(0, 8)).toEqual(client);
    for (let i = 0; i < 100; i++)
      expect(shown(responder.respond(withCookie(cookie), CLIENT, 'udp'))).toMatchObject({
        tc: false,
        answers: { length: 12 },
      });
  });

  test('is not taken from another address, from another client, altered, or after an hour', () => {
    let now = NOW;
    const responder = aResponder({ data, now: () => now });
    const cookie = cookieIn(responder.respond(withCookie(client), CLIENT, 'udp'));
    const taken = (given: Buffer, address = CLIENT) =>
      shown(responder.respond(withCookie(given), address, 'udp'))?.tc === false;
    expect(taken(cookie)).toBe(true);
    expect(taken(cookie, '192.0.2.2')).toBe(false);
    for (let at = 0; at < cookie.length; at++) {
      const altered = Buffer.from(cookie);
      altered[at] = (altered[at] ?? 0) ^ 1;
      // The reserved octets are part of the hash too.
      expect(taken(altered)).toBe(false);
    }
    expect(taken(cookie.subarray(0, 16))).toBe(false);
    now += 3_600_000;
    expect(taken(cookie)).toBe(true);
    now += 1000;
    expect(taken(cookie)).toBe(false);
  });

  test('of a length that none has is malformed', () => {
    for (const length of [0, 7, 9, 15, 41])
      expect(shown(aResponder().respond(withCookie(Buffer.alloc(length)), CLIENT, 'udp'))?.rcode).toBe('FORMERR');
  });
});

test('beyond its limit a network gets every other response truncated and the rest not at all, others and TCP as before', () => {
  const responder = aResponder({ perSecond: 10 });
  const query = encode(`${LABEL}.${CHALLENGES}`, 'TXT');
  const count = (address: string, transport: Transport = 'udp') => {
    const seen = { whole: 0, truncated: 0, none: 0 };
    for (let i = 0; i < 1000; i++) {
      const response = shown(responder.respond(query, address, transport));
      seen[response === null ? 'none' : response.tc ? 'truncated' : 'whole'] += 1;
    }
    return seen;
  };
  const { whole, truncated, none } = count('198.51.100.1');
  expect(whole).toBeGreaterThanOrEqual(20);
  // The burst, and what is earned in ten seconds at most.
  expect(whole).toBeLessThan(120);
  expect(Math.abs(truncated - none)).toBeLessThanOrEqual(1);
  expect(count('198.51.100.2').whole).toBeLessThan(100);
  expect(count('203.0.113.1').whole).toBeGreaterThanOrEqual(20);
  expect(count('198.51.100.1', 'tcp').whole).toBe(1000);
});
