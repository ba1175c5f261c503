import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Domain } from '../domain.ts';
import { FINDING_CODES } from '../finding.ts';
import type { Answer, Observation, Probe, RecordObservation, Validation, ZoneObservation } from '../observation.ts';
import type { Failure } from '../reading.ts';
import { ownershipName, ownershipValue } from '../records.ts';
import { NO_MEMORY } from '../status.ts';
import { TEXT_LIMIT } from '../text.ts';
import { failureOf, verificationErrorOf } from '../verification-error.ts';
import { findingsOf } from './findings.ts';
import { FINDING_LIMIT, withSentences } from './sentences.ts';

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
const host = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => [...labels, 'test'].join('.'));

const domains: fc.Arbitrary<Domain> = fc
  .record({ host, zone: host, isApex: fc.boolean(), service: label, status: fc.constantFrom('verifying', 'verified') })
  .map(({ host, zone, isApex, service, status }) => {
    const name = isApex ? host.split('.').slice(-2).join('.') : `shop.${host}`;
    return {
      ...{ name, service, status, kind: isApex ? 'apex' : 'subdomain', createdAt: 5, verifiedAt: 4 },
      ...{ target: `k7q2m9x4c1v8b3n6.${zone}`, token: 'Zt4mQ8rV1xKc7NwLb2YpH5sJ' },
      sharedAddresses: null,
    } as Domain;
  });

const REASONS: Failure[] = [
  'timeout',
  'servfail',
  'refused',
  'lame',
  'malformed',
  'loop',
  'chain_too_long',
  'no_nameserver',
  'forbidden_address',
  'overloaded',
  'no_resolver',
];

/** Hostile text of any kind, and texts that resemble what belongs there. */
const texts = (domain: Domain) =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(
      ownershipValue(domain),
      `"${ownershipValue(domain)}"`,
      ownershipValue(domain).toLowerCase(),
      `${ownershipValue(domain)}\u200b`,
      ownershipValue(domain).slice(0, -3),
      domain.target,
      `${domain.target}.${domain.name}`,
      `https://${domain.target}`,
      'v=spf1 -all',
      '192.0.2.80',
      '104.16.1.2',
    ),
  );

function answersOf(domain: Domain): fc.Arbitrary<Answer> {
  const text = texts(domain);
  const chain = fc.oneof(fc.constant<string[]>([]), fc.array(text, { maxLength: 9 }));
  const few = fc.array(text, { minLength: 1, maxLength: 5 });
  return fc.oneof(
    fc.record({ kind: fc.constant('found' as const), chain, values: few }),
    fc.record({ kind: fc.constant('found' as const), chain, values: fc.constant<string[]>([]), beside: few }),
    fc.record({
      kind: fc.constant('absent' as const),
      reason: fc.constantFrom('nxdomain' as const, 'nodata' as const),
      chain,
    }),
    fc.record({ kind: fc.constant('unreadable' as const), reason: fc.constantFrom(...REASONS), chain }),
  );
}

const zones: fc.Arbitrary<ZoneObservation> = fc.record({
  apex: host,
  source: fc.constantFrom('parent' as const, 'resolvers' as const),
  nameservers: fc.array(
    fc.oneof(
      fc.record({ name: host, addresses: fc.constant<string[]>(['192.0.2.1']) }),
      fc.record({
        name: host,
        addresses: fc.constant<string[]>([]),
        problem: fc.constantFrom('no_address' as const, 'special_address' as const),
      }),
    ),
    { maxLength: 6 },
  ),
  ownNameservers: fc.option(fc.array(host, { maxLength: 4 })),
  unasked: fc.array(host, { maxLength: 3 }),
  failure: fc.oneof(
    { weight: 6, arbitrary: fc.constant(null) },
    { weight: 3, arbitrary: fc.record({ reason: fc.constantFrom('not_registered' as const, ...REASONS) }) },
  ),
});

function recordsOf(domain: Domain, name: string): fc.Arbitrary<RecordObservation> {
  const answer = answersOf(domain);
  const looks = fc.oneof(
    fc.tuple(answer),
    fc.tuple(answer, answer),
    answer.map((one): [Answer, Answer] => [one, one]),
  );
  const validation: fc.Arbitrary<Validation> = fc.record({
    status: fc.constantFrom('secure', 'insecure', 'bogus', 'unknown'),
    answer: fc.option(answer),
    ttl: fc.option(fc.nat(100_000)),
    error: fc.option(fc.record({ code: fc.nat(12), text: texts(domain) })),
    resolver: fc.constant('192.0.2.53'),
  });
  return fc.record({
    name: fc.constant(name),
    zone: zones,
    nameservers: fc.array(fc.record({ server: host, address: fc.constant('192.0.2.1'), answers: looks }), {
      maxLength: 4,
    }),
    validation: fc.option(validation),
  });
}

function observationsOf(domain: Domain): fc.Arbitrary<Observation> {
  const records = fc.record({
    ownership: recordsOf(domain, ownershipName(domain)),
    routing: recordsOf(domain, domain.name),
  });
  const probes: fc.Arbitrary<Probe[]> = fc.array(
    fc.record({
      purpose: fc.constantFrom(
        'doubled',
        'other_name',
        'other_type',
        'www',
        'sibling',
        'raw_name',
        'target',
        'caa',
        'ds',
      ),
      record: fc.constantFrom('ownership', 'routing'),
      name: host,
      type: fc.constantFrom('TXT', 'A', 'CAA'),
      answer: answersOf(domain),
    }),
    { maxLength: 6 },
  );
  return fc.tuple(records, probes, fc.boolean()).map(([seen, around, isHeld]) => ({
    ...seen,
    probes: around,
    ...(isHeld && { incumbent: seen }),
  }));
}

const subjects = domains.chain((domain) => observationsOf(domain).map((observation) => ({ domain, observation })));
const context = {
  edgeAddresses: ['192.0.2.80'],
  caNames: ['ca.test'],
  isTarget: (name: string) => name.includes('k7q2'),
  now: 0,
};

function findingsIn({ domain, observation }: { domain: Domain; observation: Observation }) {
  const incumbent = observation.incumbent ? { ...domain, target: 'other.test', token: 'other' } : null;
  return findingsOf({ domain, incumbent, memory: NO_MEMORY }, observation, context);
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const lengthOf = (text: string) => [...text].length;

/** Text outside quotation marks and code, where untrusted text must not be. */
const plainPart = (text: string) => text.replaceAll(/"(?:[^"\\]|\\.)*"|`[^`]*`/g, '');

test('whatever nameservers answer, each finding is short, safe to print, whole, and of a known code', () => {
  fc.assert(
    fc.property(subjects, (subject) => {
      const { domain } = subject;
      const values = [domain.target, ownershipValue(domain), 'ca.test'];
      for (const { code, message, fix, severity } of findingsIn(subject)) {
        expect(FINDING_CODES).toContain(code);
        expect(lengthOf(message) + lengthOf(fix)).toBeLessThan(FINDING_LIMIT);
        expect(`${message}${fix}`).not.toMatch(UNSAFE);
        expect(message).toMatch(/^[^ ].*\.$/s);
        if (severity !== 'info') expect(fix).toMatch(/\.$/);
        for (const [, value = ''] of fix.matchAll(/Value: `([^`]*)`/g))
          expect(values).toContain(value.replace(/\.$/, ''));
        // No quotation mark or code is left open: no value is cut.
        expect(plainPart(message)).not.toMatch(/["`]/);
        expect(plainPart(fix)).not.toMatch(/["`]/);
      }
    }),
    { numRuns: 150 },
  );
});

test('whatever nameservers answer, the sentences of a finding are made of its fields alone', () => {
  fc.assert(
    fc.property(subjects, (subject) => {
      for (const finding of findingsIn(subject)) {
        const { message, fix, ...fields } = JSON.parse(JSON.stringify(finding));
        expect(withSentences(fields)).toMatchObject({ message, fix });
      }
    }),
    { numRuns: 150 },
  );
});

test('blocking findings come first, and no finding is told twice', () => {
  fc.assert(
    fc.property(subjects, (subject) => {
      const found = findingsIn(subject);
      const severities = found.map(({ severity }) => ['blocking', 'warning', 'info'].indexOf(severity));
      expect(severities).toEqual(severities.toSorted());
      const told = found.map(({ code, record, name, nameservers }) =>
        JSON.stringify([code, record, name, nameservers]),
      );
      expect(new Set(told).size).toBe(told.length);
    }),
    { numRuns: 150 },
  );
});

test('verificationError has at most 512 characters, and the whole of the message and the fix that it tells', () => {
  fc.assert(
    fc.property(subjects, fc.boolean(), (subject, reportUnreadable) => {
      const found = findingsIn(subject);
      const error = verificationErrorOf(found, { reportUnreadable });
      const failure = failureOf(found, 86_400_000);
      for (const text of [error ?? '', failure]) {
        expect(lengthOf(text)).toBeLessThanOrEqual(TEXT_LIMIT);
        expect(text).not.toMatch(UNSAFE);
      }
      const first = found.find(({ severity }) => severity === 'blocking');
      if (first !== undefined) expect(failure).toContain(`${first.message} ${first.fix}`);
      if (error !== null) expect(found.map(({ message, fix }) => `${message} ${fix}`)).toContain(error);
    }),
    { numRuns: 150 },
  );
});
