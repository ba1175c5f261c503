import { describe, expect, test } from 'vitest';
import type { ChallengeType } from '../../domain/certificate-state.ts';
import { type Blocker, describeCertificateBlocker } from './blocker.ts';
import { type ChallengeFacts, chooseChallenge } from './challenge-choice.ts';
import { challengePlace } from './challenge-place.ts';

const absent: Blocker = { reason: 'no_challenge_record', place: null };
const failing: Blocker = { reason: 'dns_servers_failing', faults: [{ server: 'ns1 (192.0.2.53)', seen: 'timeout' }] };
const elsewhere: Blocker = { reason: 'answered_by_another', answers: [], end: null };
const refused: Blocker = { reason: 'ca_refused', message: 'no' };
const none = new Map<ChallengeType, Blocker>();
const noDns = new Map([['dns-01', refused] as const]);

describe('the challenge of a name is', () => {
  test.each<[string, Omit<ChallengeFacts, 'wildcard'>, object]>([
    ['dns-01 where the challenge record leads to us', { record: null, refusals: none }, { challenge: 'dns-01' }],
    ['unknown until HTTP is checked, without the record', { record: absent, refusals: none }, { check: 'http' }],
    ['http-01 where that succeeds', { record: absent, http: null, refusals: none }, { challenge: 'http-01' }],
    [
      'none with what HTTP found',
      { record: absent, http: elsewhere, tls: elsewhere, refusals: none },
      { blocker: elsewhere },
    ],
    ['none with our fault', { record: failing, http: elsewhere, tls: elsewhere, refusals: none }, { blocker: failing }],
    ['http-01 where dns-01 is refused', { record: null, http: null, refusals: noDns }, { challenge: 'http-01' }],
    [
      'none where nothing else works',
      { record: null, http: elsewhere, tls: elsewhere, refusals: noDns },
      { blocker: refused },
    ],
  ])('%s', (_, facts, choice) => {
    expect(chooseChallenge({ ...facts, wildcard: false })).toEqual(choice);
  });
});

test('a wildcard is validated by dns-01 or not at all', () => {
  expect(chooseChallenge({ wildcard: true, record: null, refusals: none })).toEqual({ challenge: 'dns-01' });
  expect(chooseChallenge({ wildcard: true, record: absent, http: null, refusals: none })).toEqual({ blocker: absent });
  expect(chooseChallenge({ wildcard: true, record: null, http: null, refusals: noDns })).toEqual({ blocker: refused });
});

test('a challenge record leads to the label in a zone of ours; names of the operator have none', () => {
  const own = { challengeZone: 'acme.test', cnameZone: 'cname.test', servers: [] };
  const target = 'abc.cname.test';
  const names = ['abc.acme.test', target];
  expect(challengePlace('shop.example.com', target, own)).toEqual({ label: 'abc', names, record: 'challenge' });
  expect(challengePlace('shop.example.com', 'abc.old.test', { ...own, challengeZone: null })).toBeNull();
  expect(challengePlace('*.example.com', target, { ...own, challengeZone: null })).toMatchObject({
    record: 'wildcard',
  });
  expect(challengePlace('shop.example.com', null, own)).toBeNull();
});

test('each blocker of a challenge in DNS says what was found, and who does what', () => {
  const place = { label: 'abc', names: ['abc.acme.test'], record: 'challenge' } as const;
  const said = (blocker: Blocker) => describeCertificateBlocker('*.shop.example.com', blocker);
  expect(said({ reason: 'no_challenge_record', place })).toBe(
    '_acme-challenge.shop.example.com does not lead to us, so the certificate authority cannot find our challenge. Publish a CNAME record. Full name: `_acme-challenge.shop.example.com`, Value: `abc.acme.test`.',
  );
  expect(said({ reason: 'no_challenge_record', place: { ...place, record: 'wildcard' } })).toContain(
    'Full name: `*.shop.example.com`',
  );
  expect(said(absent)).toContain('set NAMEPLATE_CHALLENGE_ZONE');
  expect(said({ reason: 'challenge_elsewhere', place, end: 'evil"\n.test' })).toContain(
    'leads to "evil\\"\\u{a}.test"',
  );
  expect(said({ reason: 'challenge_elsewhere', place, end: null })).toContain('has a TXT record of its own');
  expect(said({ reason: 'challenge_not_seen', values: ['old'] })).toContain('finds "old"');
  expect(said(failing)).toContain('ns1 (192.0.2.53): timeout');
});
