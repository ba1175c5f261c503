import { describe, expect, test } from 'vitest';
import type { CaaRecord, SelfCheckAnswer } from '../../domain/certificate-state.ts';
import { TEXT_LIMIT } from '../../domain/text.ts';
import { explain, type Obstacle } from './explain.ts';

const HOST = 'shop.example.com';
const HOSTILE = `"\u202e<script>\u0000\n${'x'.repeat(2000)}`;

const ours: SelfCheckAnswer = { address: '192.0.2.1', outcome: 'ours', seen: null };
const another: SelfCheckAnswer = { address: '2001:db8::1', outcome: 'another', seen: 'HTTP 404 "not here"' };
const closed: SelfCheckAnswer = {
  address: '192.0.2.2',
  outcome: 'unreachable',
  seen: '192.0.2.2:80 refused the connection',
};
const inside: SelfCheckAnswer = { address: '10.0.0.1', outcome: 'not_public', seen: null };
const issue: CaaRecord = { critical: false, tag: 'issue', value: 'digicert.com' };
const caa = {
  reason: 'caa_forbids',
  at: 'example.com',
  record: issue,
  ca: 'letsencrypt.org',
  account: 'https://ca.test/acct/1',
} as const;
const budget = { reason: 'budget_spent', ca: 'ca.test', registeredDomain: 'example.com' } as const;
const said = 'ca.test said: "no".';

const TOLD: [Obstacle, string][] = [
  [
    { reason: 'no_address', chain: [] },
    'shop.example.com has no address. Publish its routing record: a CNAME, or at an apex an ALIAS.',
  ],
  [
    { reason: 'no_address', chain: ['a.test', 'gone.test'] },
    'shop.example.com leads to "gone.test", which has no address. Let it lead to the target of its routing record.',
  ],
  [
    {
      reason: 'dns_unreadable',
      record: 'address',
      name: HOST,
      seen: { reason: 'timeout', chain: [], server: 'ns1.example.com' },
    },
    'shop.example.com could not be read: its nameserver ns1.example.com did not answer in time. It was asked for its addresses.',
  ],
  [
    { reason: 'dns_unreadable', record: 'CAA', name: 'example.com', seen: { reason: 'servfail', chain: [] } },
    'example.com could not be read: its zone answered with a failure (SERVFAIL). It was asked for its CAA records, without which no certificate may be issued.',
  ],
  [
    { reason: 'address_not_public', answers: [inside], end: null },
    'shop.example.com has the address 10.0.0.1, where nobody on the Internet can reach it. Replace the A record by its routing record: a CNAME, or at an apex an ALIAS.',
  ],
  [
    { reason: 'unreachable', answers: [closed], end: null },
    'shop.example.com has the address 192.0.2.2, where nobody answers on port 80: 192.0.2.2:80 refused the connection. Replace the A record by its routing record: a CNAME, or at an apex an ALIAS.',
  ],
  [
    { reason: 'answered_by_another', answers: [ours, another], end: null },
    'shop.example.com has the address 2001:db8::1, where somebody else answers: HTTP 404 "not here". Remove the AAAA record; 192.0.2.1 is right.',
  ],
  [
    { reason: 'answered_by_another', answers: [another, { ...another, address: '2001:db8::2' }], end: null },
    'shop.example.com has the addresses 2001:db8::1 and 2001:db8::2, where somebody else answers: HTTP 404 "not here". Replace the AAAA records by its routing record: a CNAME, or at an apex an ALIAS.',
  ],
  [
    { reason: 'unreachable', answers: [closed, { ...closed, address: '2001:db8::2' }], end: null },
    'shop.example.com has the addresses 192.0.2.2 and 2001:db8::2, where nobody answers on port 80: 192.0.2.2:80 refused the connection. Replace the A and AAAA records by its routing record: a CNAME, or at an apex an ALIAS.',
  ],
  [
    { reason: 'answered_by_another', answers: [another], end: 'old-host.test' },
    'shop.example.com leads to "old-host.test", which has the address 2001:db8::1, where somebody else answers: HTTP 404 "not here". Let it lead to the target of its routing record. Where it does already, that is for the operator to mend.',
  ],
  [
    { reason: 'answered_by_another', answers: [ours, another], end: 'target.test' },
    'shop.example.com leads to "target.test", which has the address 2001:db8::1, where somebody else answers: HTTP 404 "not here". Whoever runs "target.test" has to remove the AAAA record; 192.0.2.1 is right.',
  ],
  [
    { ...caa, because: 'other', at: 'host.test' },
    'The CAA record 0 issue "digicert.com" of "host.test", which a CNAME leads to, does not allow letsencrypt.org to issue for shop.example.com. Add beside it: 0 issue "letsencrypt.org".',
  ],
  [
    { ...caa, because: 'other' },
    'The CAA record 0 issue "digicert.com" of example.com does not allow letsencrypt.org to issue for shop.example.com. Add beside it: 0 issue "letsencrypt.org".',
  ],
  [
    { ...caa, because: 'unknown', record: { critical: true, tag: 'tbs', value: 'x' } },
    'The CAA record 128 tbs "x" of example.com is critical, and unknown to certificate authorities, so that none may issue for shop.example.com. Remove it.',
  ],
  [
    { ...caa, because: 'account' },
    'The CAA record 0 issue "digicert.com" of example.com does not allow our account at letsencrypt.org to issue for shop.example.com; ours is https://ca.test/acct/1. Correct its accounturi, or leave that out.',
  ],
  [
    { ...caa, because: 'account', account: null },
    'The CAA record 0 issue "digicert.com" of example.com does not allow our account at letsencrypt.org to issue for shop.example.com; we have none there yet. Correct its accounturi, or leave that out.',
  ],
  [
    { ...caa, because: 'method' },
    'The CAA record 0 issue "digicert.com" of example.com does not allow letsencrypt.org to prove by http-01 whose name shop.example.com is. Add http-01 to its validationmethods, or leave them out.',
  ],
  [
    { ...budget, by: 'orders' },
    'As many certificates as we may order from ca.test for now have been ordered. It is ordered as soon as there is room.',
  ],
  [
    { ...budget, by: 'failures' },
    'As many attempts as we may make at ca.test have failed for shop.example.com lately. It is tried again as soon as there is room.',
  ],
  [
    { ...budget, by: 'certificates' },
    'As many certificates as we may order from ca.test for names of example.com have been issued lately. It is ordered as soon as there is room.',
  ],
  [
    { ...budget, by: 'duplicates' },
    'As many certificates as we may order from ca.test for shop.example.com have been issued lately. It is ordered as soon as there is room.',
  ],
  [
    { reason: 'ca_rate_limited', said },
    'Too much was asked of the certificate authority, so we wait. ca.test said: "no".',
  ],
  [
    { reason: 'ca_unavailable', said },
    'The certificate authority does not answer as it should, so we ask again later. ca.test said: "no".',
  ],
  [
    { reason: 'ca_account', said },
    'The certificate authority does not accept our account, which is for the operator to mend. ca.test said: "no".',
  ],
  [
    { reason: 'authorization_failed', said },
    'The certificate authority did not find our answer at shop.example.com. See that all of its addresses lead to us, from everywhere, on port 80. ca.test said: "no".',
  ],
  [
    { reason: 'ca_refused', said },
    'The certificate authority does not issue for shop.example.com. ca.test said: "no".',
  ],
];

test.each(TOLD)('%j is told in words that can be acted on', (obstacle, words) => {
  expect(explain(HOST, obstacle)).toBe(words);
});

describe('what strangers write', () => {
  const hostile: Obstacle[] = [
    { reason: 'no_address', chain: [HOSTILE] },
    { reason: 'unreachable', answers: [closed], end: HOSTILE },
    { ...caa, because: 'other', at: HOSTILE },
    { ...caa, because: 'unknown', record: { critical: true, tag: HOSTILE, value: HOSTILE } },
    { ...caa, because: 'other', record: { ...issue, value: HOSTILE } },
  ];

  test.each(hostile)('is quoted, escaped and bounded (%#)', (obstacle) => {
    const words = explain(HOST, obstacle);
    expect([...words].length).toBeLessThanOrEqual(TEXT_LIMIT);
    expect(words).not.toMatch(/\p{C}/u);
    expect(words).toContain('\\u{202e}');
  });
});
