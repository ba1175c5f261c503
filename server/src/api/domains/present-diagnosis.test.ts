import { describe, expect, test } from 'vitest';
import type { Domain } from '../../domain/domain.ts';
import type { Answer, NameserverAnswers, Observation, RecordObservation } from '../../domain/observation.ts';
import { ownershipName, ownershipValue } from '../../domain/records.ts';
import { presentDiagnosis } from './present-diagnosis.ts';
import { exampleDomain } from './present-domain.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const domain: Domain = { ...exampleDomain, name: 'shop.acme.com', ownershipVerifiedAt: null };
const schedule = { attempts: 3, lastCheckAt: NOW - 20_000, nextCheckAt: NOW + 40_000, windowEndsAt: null };

const nodata: Answer = { kind: 'absent', reason: 'nodata', chain: [] };
const timeout: Answer = { kind: 'unreadable', reason: 'timeout', chain: [] };
const cname = (...chain: string[]): Answer => ({ kind: 'found', chain, values: ['192.0.2.9'] });
const txt = (...values: string[]): Answer => ({ kind: 'found', chain: [], values });
const addresses = txt;

type Look = Answer | [Answer, Answer];

/** Each nameserver, `ns1` and so on, gives one answer, or two where it was asked twice. */
function record(name: string, ...answers: Look[]): RecordObservation {
  const nameservers = answers.map((each, at): NameserverAnswers => {
    const looks: NameserverAnswers['answers'] = Array.isArray(each) ? each : [each];
    return { server: `ns${at + 1}.acme.com`, address: `192.0.2.${at + 1}`, answers: looks };
  });
  const named = ['ns1.acme.com', 'ns2.acme.com', 'ns3.acme.com'];
  const zone: RecordObservation['zone'] = {
    apex: 'acme.com',
    source: 'parent',
    nameservers: named.map((server, at) => ({ name: server, addresses: [`192.0.2.${at + 1}`] })),
    ownNameservers: null,
    failure: null,
  };
  return { name, zone, nameservers, validation: null };
}

const routing = (...answers: Look[]) => record(domain.name, ...answers);
const ownership = (...answers: Look[]) => record(ownershipName(domain), ...answers);
const of = (observation: Observation, about = domain) =>
  presentDiagnosis(about, { observation, findings: [], checkedAt: NOW }, schedule, NOW);

describe('each record', () => {
  test('is verified only where every nameserver that answered has it', () => {
    const match = cname(domain.target);
    const seen = (...answers: Look[]) => of({ routing: routing(...answers), ownership: ownership(nodata) }).records[0];
    expect(seen(match, timeout)).toMatchObject({
      verified: true,
      seen: [
        { nameserver: 'ns1.acme.com', outcome: 'matched', values: [domain.target] },
        { nameserver: 'ns2.acme.com', outcome: 'timeout', values: [] },
      ],
    });
    expect(seen(match, cname('old.example.net'))).toMatchObject({ verified: false });
    expect(seen(timeout)).toMatchObject({ verified: false });
    expect(seen()).toMatchObject({ verified: false, seen: [] });
  });

  test('has its value as the provider wants it: a host ends with a dot where the zone would be appended', () => {
    const at = (server: string) => {
      const zone = { ...routing(nodata).zone, nameservers: [{ name: server, addresses: ['192.0.2.1'] }] };
      const { records } = of({ routing: { ...routing(nodata), zone }, ownership: { ...ownership(nodata), zone } });
      return records.map(({ valueInZone }) => valueInZone);
    };
    expect(at('ns-1-a.gandi.net')).toEqual([`${domain.target}.`, ownershipValue(domain)]);
    expect(at('kip.ns.cloudflare.com')).toEqual([domain.target, ownershipValue(domain)]);
  });

  test('that changes between two looks at one nameserver shows both values', () => {
    const { records } = of({ routing: routing([cname(domain.target), cname('b.test')]), ownership: ownership(nodata) });
    expect(records[0]).toMatchObject({
      verified: false,
      seen: [{ outcome: 'changing', values: [domain.target, 'b.test'] }],
    });
  });

  test('whose signature is bogus is never verified, and its zone says so', () => {
    const bogus = {
      status: 'bogus',
      answer: null,
      ttl: null,
      error: { code: 6, text: '' },
      resolver: '9.9.9.9',
    } as const;
    const match = txt(ownershipValue(domain));
    const { records, zone } = of({ routing: routing(nodata), ownership: { ...ownership(match), validation: bogus } });
    expect(records[1]).toMatchObject({ verified: false, seen: [{ outcome: 'matched' }] });
    expect(zone).toMatchObject({ dnssec: 'bogus' });
  });

  test('shows the addresses of both looks, and an address beside the CNAME that one of them saw', () => {
    const seen = (first: Answer, second: Answer) =>
      of({ routing: routing([first, second]), ownership: ownership(nodata) }).records[0];
    expect(seen(addresses('192.0.2.7'), addresses('2001:db8::7'))).toMatchObject({
      seen: [{ outcome: 'other', values: ['192.0.2.7', '2001:db8::7'] }],
    });
    const match = cname(domain.target);
    expect(seen(match, { ...match, kind: 'found', values: [], beside: ['2001:db8::7'] })).toMatchObject({
      verified: false,
      seen: [{ outcome: 'other', values: [domain.target, '2001:db8::7'] }],
    });
  });

  test('shows what stands beside a CNAME, and the CNAME where the TXT record should be', () => {
    const { records } = of({
      routing: routing({ kind: 'found', chain: ['a.test'], values: [], beside: ['192.0.2.7'] }),
      ownership: ownership({ kind: 'absent', reason: 'nxdomain', chain: ['b.test'] }),
    });
    expect(records.map(({ seen }) => seen)).toMatchObject([
      [{ outcome: 'other', values: ['a.test', '192.0.2.7'] }],
      [{ outcome: 'nxdomain', values: [], cname: ['b.test'] }],
    ]);
  });

  test('tells a CNAME at the name of the TXT record from texts, also beside them and at its end', () => {
    const seen = (answer: Answer) => of({ routing: routing(nodata), ownership: ownership(answer) }).records[1]?.seen;
    expect(seen(txt('a'))?.[0]).not.toHaveProperty('cname');
    expect(seen({ kind: 'found', chain: [], values: ['a'], beside: ['b.test'] })).toMatchObject([
      { outcome: 'other', values: ['a'], cname: ['b.test'] },
    ]);
    expect(seen({ kind: 'found', chain: ['b.test'], values: ['a'] })).toMatchObject([
      { outcome: 'other', values: ['a'], cname: ['b.test'] },
    ]);
  });

  test('is cut where a nameserver sends more than a person reads', () => {
    const { records } = of({
      routing: routing(nodata),
      ownership: ownership(txt('x'.repeat(5000), ...Array.from({ length: 100 }, (_, at) => String(at)))),
    });
    const [seen] = records[1]?.seen ?? [];
    expect(seen?.values).toHaveLength(20);
    expect([...(seen?.values[0] ?? '')]).toHaveLength(1024);
  });

  test('names a resolver that still has another answer, until that expires', () => {
    const stale = {
      status: 'insecure',
      answer: cname('old.test'),
      ttl: 300,
      error: null,
      resolver: '9.9.9.9',
    } as const;
    const observation = {
      routing: { ...routing(cname(domain.target)), validation: stale },
      ownership: ownership(nodata),
    };
    expect(of(observation).records[0]).toMatchObject({ visible: { resolver: '9.9.9.9', until: NOW + 300_000 } });
    const dns = { observation, findings: [], checkedAt: NOW - 300_000 };
    expect(presentDiagnosis(domain, dns, schedule, NOW).records[0]).not.toHaveProperty('visible');
    const current = { ...stale, answer: cname(domain.target) };
    const same = { ...observation, routing: { ...observation.routing, validation: current } };
    expect(of(same).records[0]).not.toHaveProperty('visible');
  });
});

test('the zone has the nameservers that its parent names, and says which were not asked', () => {
  const seen = routing(nodata);
  const { zone } = of({
    routing: { ...seen, zone: { ...seen.zone, unasked: ['ns7.acme.com'] } },
    ownership: ownership(nodata),
  });
  expect(zone?.nameservers.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['ns1.acme.com', 'answered'],
    ['ns2.acme.com', 'not_asked'],
    ['ns3.acme.com', 'not_asked'],
    ['ns7.acme.com', 'not_asked'],
  ]);
});

describe('whether a record is needed', () => {
  const needed = (...args: Parameters<typeof of>) => of(...args).records.map((each) => each.needed);

  test('the TXT record is not once the CNAME matches, and is where that is proxied or flattened', () => {
    const missing = ownership(nodata);
    expect(needed({ routing: routing(nodata), ownership: missing })).toEqual(['yes', 'alternative']);
    expect(needed({ routing: routing(cname('b.test')), ownership: missing })).toEqual(['yes', 'alternative']);
    expect(needed({ routing: routing(cname(domain.target)), ownership: missing })).toEqual(['yes', 'no']);
    expect(needed({ routing: routing(addresses('192.0.2.9')), ownership: missing })).toEqual(['yes', 'yes']);
  });

  test('both are for an apex, and against another workspace that holds the name', () => {
    const observation = { routing: routing(cname(domain.target)), ownership: ownership(nodata) };
    expect(needed(observation, { ...domain, kind: 'apex' })).toEqual(['yes', 'yes']);
    expect(needed({ ...observation, incumbent: observation })).toEqual(['yes', 'yes']);
  });
});

describe('the zone', () => {
  test('says what each nameserver that the parent names did', () => {
    const { zone } = of({ routing: routing(nodata, timeout), ownership: ownership(nodata, timeout) });
    expect(zone).toMatchObject({
      name: 'acme.com',
      registered: true,
      nameservers: [
        { name: 'ns1.acme.com', outcome: 'answered' },
        { name: 'ns2.acme.com', outcome: 'timeout' },
        { name: 'ns3.acme.com', outcome: 'not_asked' },
      ],
    });
    expect(zone).not.toHaveProperty('dnssec');
  });

  test('does not blame a nameserver for another one, further down the chain', () => {
    const further: Answer = { kind: 'unreadable', reason: 'servfail', chain: ['a.test'], server: 'ns.a.test' };
    const { zone } = of({ routing: routing(further), ownership: ownership(nodata) });
    expect(zone?.nameservers[0]).toMatchObject({ outcome: 'answered' });
  });

  test('that is not registered is named as it could be registered', () => {
    const seen = routing();
    seen.zone = { ...seen.zone, apex: 'com', nameservers: [], failure: { reason: 'not_registered' } };
    const { zone } = of({ routing: seen, ownership: ownership() });
    expect(zone).toEqual({ name: 'acme.com', registered: false, nameservers: [] });
  });
});

test('before the first check, a diagnosis has the records and the schedule, and nothing that was seen', () => {
  const waiting = { attempts: 0, lastCheckAt: null, nextCheckAt: NOW, windowEndsAt: NOW + 1 };
  expect(presentDiagnosis(domain, null, waiting, NOW)).toEqual({
    domainId: domain.id,
    domain: domain.name,
    status: domain.status,
    schedule: { attempts: 0, nextCheckAt: NOW, windowEndsAt: NOW + 1 },
    records: [
      expect.objectContaining({ record: 'routing', type: 'CNAME', verified: false, seen: [] }),
      expect.objectContaining({ record: 'ownership', type: 'TXT', verified: false, seen: [] }),
    ],
    findings: [],
  });
});
