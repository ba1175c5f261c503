import { describe, expect, test } from 'vitest';
import type { Domain } from '../domain.ts';
import { LIVE_PROBLEMS, type Live, type LiveProblem, verdictOf } from '../live.ts';
import { liveFindings } from './live-findings.ts';
import { withSentences } from './sentences.ts';

const HOUR_MS = 3_600_000;
const EDGE = '192.0.2.80';
const THEIRS = '198.51.100.7';

/** Verified by its TXT record: its addresses are not those of its target. */
const shop = {
  name: 'shop.acme.com',
  kind: 'subdomain',
  target: 'k7q2m9x4c1v8b3n6.cname.example',
  status: 'verified',
  verifiedAt: 0,
  routingVerifiedAt: null,
  ownershipVerifiedAt: 0,
  verificationError: null,
  sharedAddresses: null,
} as Domain;

/** `seen`: what is wrong at each address; null: nothing. */
function live(seen: Record<string, LiveProblem | null>, checkedAt = 2 * HOUR_MS): Live {
  const addresses = Object.entries(seen).map(([address, problem]) => ({ address, problem }));
  const verdict = verdictOf({ kind: 'seen', addresses });
  if (verdict === null) throw new Error('nothing was seen');
  return { ...verdict, since: checkedAt, checkedAt, from: 'here' };
}

interface Options {
  domain?: Partial<Domain>;
  edgeAddresses?: string[];
  isServed?: boolean;
}

const find = (seen: Live | null, { domain, edgeAddresses = [EDGE], isServed = true }: Options = {}) =>
  liveFindings({ ...shop, ...domain }, seen, { edgeAddresses, isServed });

test.each([
  [
    'answered_by_another',
    'other_certificate',
    'warning',
    'In the DNS settings of acme.com, delete every A and AAAA record',
  ],
  ['certificate_wrong_name', 'other_certificate', 'blocking', 'replace the certificate'],
  ['certificate_untrusted', 'other_certificate', 'blocking', 'replace the certificate'],
  ['certificate_not_yet_valid', 'other_certificate', 'blocking', 'replace the certificate'],
  ['certificate_expired', 'certificate_expired_outside', 'blocking', 'renew the certificate'],
  ['address_not_public', 'tls_unreachable', 'blocking', 'Open port 443'],
  ['connection_refused', 'tls_unreachable', 'blocking', 'Open port 443'],
  ['tls_failed', 'tls_unreachable', 'blocking', 'Open port 443'],
  ['no_response', 'tls_unreachable', 'blocking', 'Open port 443'],
  ['timeout', 'tls_unreachable', 'blocking', 'Open port 443'],
] as const)('%s at every address is told as %s (%s), with its remedy', (problem, code, severity, fix) => {
  const [found, ...others] = find(live({ [THEIRS]: problem }));
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    ...{ code, severity, name: 'shop.acme.com', seen: [THEIRS], expected: shop.target, facts: { reason: problem } },
    message: expect.stringMatching(
      /^Visitors of shop\.acme\.com do not reach the site at the address 198\.51\.100\.7\. /,
    ),
    fix: expect.stringContaining(fix),
    action: expect.objectContaining({ zone: 'acme.com', name: 'shop.acme.com' }),
  });
  const { message, fix: _, ...fields } = JSON.parse(JSON.stringify(found));
  expect(withSentences(fields)).toEqual(found);
});

test('an apex is told to publish its ALIAS record', () => {
  const domain = { name: 'acme.com', kind: 'apex' } as const;
  expect(find(live({ [THEIRS]: 'answered_by_another' }), { domain })[0]).toMatchObject({
    action: { kind: 'replace', type: 'ALIAS', nameInZone: '@', value: shop.target },
  });
});

test('where some addresses lead here, the others are a warning', () => {
  expect(find(live({ [EDGE]: null, [THEIRS]: 'connection_refused' }))).toMatchObject([
    { code: 'tls_unreachable', severity: 'warning', seen: [THEIRS] },
  ]);
});

test('what is wrong in several ways is told once each', () => {
  const seen = live({ [THEIRS]: 'timeout', '198.51.100.8': 'certificate_expired', '198.51.100.9': 'timeout' });
  expect(find(seen).map(({ code, seen: at }) => [code, at])).toEqual([
    ['certificate_expired_outside', ['198.51.100.8']],
    ['tls_unreachable', [THEIRS, '198.51.100.9']],
  ]);
});

describe('nothing is told', () => {
  const broken = live({ [THEIRS]: 'timeout' });
  test.each<[string, Live | null, Options?]>([
    ['before the first look', null],
    ['of a site that is live', live({ [THEIRS]: null })],
    ['of a name that was switched within the hour', live({ [THEIRS]: 'answered_by_another' }, HOUR_MS - 1)],
    ['of the addresses of the edge', live({ [EDGE]: 'timeout' })],
    [
      'of the addresses of the edge, in another notation',
      live({ '2001:0db8::0080': 'timeout' }),
      { edgeAddresses: ['2001:db8::80'] },
    ],
    ['of a name whose CNAME leads here', broken, { domain: { routingVerifiedAt: 0 } }],
    ['while a mistake in the DNS is told', broken, { domain: { verificationError: 'It drifted.' } }],
    ['while there is no certificate of ours', broken, { isServed: false }],
    ['of a domain that is not verified', broken, { domain: { status: 'failed' } }],
    ['of an address that this machine has no route to', live({ [THEIRS]: null, '2001:db8::7': 'no_route' })],
  ])('%s', (_, seen, options) => {
    expect(find(seen, options)).toEqual([]);
  });

  test('of a name without an address: its DNS says why', () => {
    expect(find({ ...live({ [THEIRS]: 'timeout' }), problem: 'no_address', addresses: [] })).toEqual([]);
  });
});

test('every problem but those of the DNS and of our own network is told', () => {
  const told = LIVE_PROBLEMS.filter(
    (problem) => find({ ...live({ [THEIRS]: 'timeout' }), addresses: [{ address: THEIRS, problem }] }).length > 0,
  );
  expect(LIVE_PROBLEMS.filter((problem) => !told.includes(problem))).toEqual(['no_address', 'no_route']);
});
