import { describe, expect, test } from 'vitest';
import type { CaaRecord, SelfCheckAnswer } from '../../domain/certificate-state.ts';
import { TEXT_LIMIT } from '../../domain/text.ts';
import { type Blocker, describeCertificateBlocker } from './blocker.ts';

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
  challenge: 'http-01',
} as const;
const budget = { reason: 'budget_spent', ca: 'ca.test', registeredDomain: 'example.com' } as const;
const message = 'ca.test answered: "no".';

const CASES: [Blocker, string][] = [
  [
    { reason: 'no_address', chain: [] },
    'shop.example.com has no address. Publish its routing record: a CNAME, or an ALIAS at an apex.',
  ],
  [
    { reason: 'no_address', chain: ['a.test', 'gone.test'] },
    'shop.example.com points to "gone.test", which has no address. Point it to the target of its routing record.',
  ],
  [
    {
      reason: 'dns_unreadable',
      record: 'address',
      name: HOST,
      seen: { reason: 'timeout', chain: [], server: 'ns1.example.com' },
    },
    'shop.example.com could not be read: its nameserver ns1.example.com did not answer in time. The query was for its addresses.',
  ],
  [
    { reason: 'dns_unreadable', record: 'CAA', name: 'example.com', seen: { reason: 'servfail', chain: [] } },
    'example.com could not be read: the resolver that looked up its zone answered with a failure (SERVFAIL). The query was for its CAA records; no CA may issue a certificate until they can be read.',
  ],
  [
    { reason: 'address_not_public', answers: [inside], end: null },
    'shop.example.com has the address 10.0.0.1, which cannot be reached from the Internet. Replace the A record with its routing record: a CNAME, or an ALIAS at an apex.',
  ],
  [
    { reason: 'unreachable', answers: [closed], end: null },
    'shop.example.com has the address 192.0.2.2, where nothing answers on port 80: 192.0.2.2:80 refused the connection. Replace the A record with its routing record: a CNAME, or an ALIAS at an apex.',
  ],
  [
    { reason: 'answered_by_another', answers: [ours, another], end: null },
    'shop.example.com has the address 2001:db8::1, where another server answers: HTTP 404 "not here". Remove the AAAA record; 192.0.2.1 is right.',
  ],
  [
    { reason: 'answered_by_another', answers: [another, { ...another, address: '2001:db8::2' }], end: null },
    'shop.example.com has the addresses 2001:db8::1 and 2001:db8::2, where another server answers: HTTP 404 "not here". Replace the AAAA records with its routing record: a CNAME, or an ALIAS at an apex. Before the switch, that server has to pass /.well-known/acme-challenge/ on to us, with the Host header kept: in Caddy a "handle" with "reverse_proxy", in nginx a "location" with "proxy_pass".',
  ],
  [
    { reason: 'unreachable', answers: [closed, { ...closed, address: '2001:db8::2' }], end: null },
    'shop.example.com has the addresses 192.0.2.2 and 2001:db8::2, where nothing answers on port 80: 192.0.2.2:80 refused the connection. Replace the A and AAAA records with its routing record: a CNAME, or an ALIAS at an apex.',
  ],
  [
    { reason: 'answered_by_another', answers: [another], end: 'old-host.test' },
    'shop.example.com points to "old-host.test", which has the address 2001:db8::1, where another server answers: HTTP 404 "not here". Point it to the target of its routing record. If it already points there, the operator of this service needs to fix this. Before the switch, that server has to pass /.well-known/acme-challenge/ on to us, with the Host header kept: in Caddy a "handle" with "reverse_proxy", in nginx a "location" with "proxy_pass".',
  ],
  [
    { reason: 'answered_by_another', answers: [ours, another], end: 'target.test' },
    'shop.example.com points to "target.test", which has the address 2001:db8::1, where another server answers: HTTP 404 "not here". The operator of "target.test" needs to remove the AAAA record; 192.0.2.1 is right.',
  ],
  [
    { ...caa, because: 'other', at: 'host.test' },
    'The CAA record 0 issue "digicert.com" of "host.test", to which a CNAME points, does not allow letsencrypt.org to issue for shop.example.com. Its operator needs to add this record beside it: 0 issue "letsencrypt.org".',
  ],
  [
    { ...caa, because: 'other' },
    'The CAA record 0 issue "digicert.com" of example.com does not allow letsencrypt.org to issue for shop.example.com. Add a CAA record beside it. Full name: `example.com`, Flags: `0`, Tag: `issue`, Value: `letsencrypt.org`.',
  ],
  [
    { ...caa, because: 'unknown', record: { critical: true, tag: 'tbs', value: 'x' } },
    'The CAA record 128 tbs "x" of example.com is critical and unknown to certificate authorities, so none may issue for shop.example.com. Remove it.',
  ],
  [
    { ...caa, because: 'account' },
    'The CAA record 0 issue "digicert.com" of example.com does not allow our account at letsencrypt.org to issue for shop.example.com; our account is https://ca.test/acct/1. Correct its accounturi, or remove that parameter.',
  ],
  [
    { ...caa, because: 'account', account: null },
    'The CAA record 0 issue "digicert.com" of example.com does not allow our account at letsencrypt.org to issue for shop.example.com; we have no account there yet. Correct its accounturi, or remove that parameter.',
  ],
  [
    { ...caa, because: 'method' },
    'The CAA record 0 issue "digicert.com" of example.com does not allow letsencrypt.org to validate shop.example.com by http-01. Add http-01 to its validationmethods, or remove that parameter.',
  ],
  [
    { ...budget, limit: 'orders' },
    'Our limit of orders at ca.test is reached. The certificate is ordered when the limit has capacity again.',
  ],
  [
    { ...budget, limit: 'failures' },
    'Our limit of failed orders for shop.example.com at ca.test is reached. The certificate is ordered when the limit has capacity again.',
  ],
  [
    { ...budget, limit: 'certificates' },
    'Our limit of certificates for names of example.com at ca.test is reached. The certificate is ordered when the limit has capacity again.',
  ],
  [
    { ...budget, limit: 'duplicates' },
    'Our limit of certificates for shop.example.com at ca.test is reached. The certificate is ordered when the limit has capacity again.',
  ],
  [
    { reason: 'ca_rate_limited', message },
    'A rate limit of the certificate authority is reached, so we try again later. ca.test answered: "no".',
  ],
  [
    { reason: 'ca_unavailable', message },
    'The certificate authority is not available, so we try again later. ca.test answered: "no".',
  ],
  [
    { reason: 'ca_account', message },
    'The certificate authority does not accept our account. The operator of this service needs to fix this. ca.test answered: "no".',
  ],
  [
    { reason: 'authorization_failed', message },
    'The certificate authority could not read our challenge response at shop.example.com. Make sure that all of its addresses reach us from everywhere on port 80. ca.test answered: "no".',
  ],
  [
    { reason: 'authorization_failed', message, challenge: 'tls-alpn-01' },
    'The certificate authority could not read our challenge response at shop.example.com. Make sure that all of its addresses reach us from everywhere on port 443. ca.test answered: "no".',
  ],
  [
    { reason: 'authorization_failed', message, challenge: 'dns-01' },
    'The certificate authority could not read our challenge response at shop.example.com. Make sure that each of its nameservers has our record at _acme-challenge.shop.example.com. ca.test answered: "no".',
  ],
  [
    { reason: 'ca_refused', message },
    'The certificate authority does not issue for shop.example.com. ca.test answered: "no".',
  ],
];

test.each(CASES)('%j has a message with the mistake and its fix', (blocker, message) => {
  expect(describeCertificateBlocker(HOST, blocker)).toBe(message);
});

describe('text from records and servers', () => {
  const hostile: Blocker[] = [
    { reason: 'no_address', chain: [HOSTILE] },
    { reason: 'unreachable', answers: [closed], end: HOSTILE },
    { ...caa, because: 'other', at: HOSTILE },
    { ...caa, because: 'unknown', record: { critical: true, tag: HOSTILE, value: HOSTILE } },
    { ...caa, because: 'other', record: { ...issue, value: HOSTILE } },
  ];

  test.each(hostile)('is quoted, escaped and bounded (%#)', (blocker) => {
    const message = describeCertificateBlocker(HOST, blocker);
    expect([...message].length).toBeLessThanOrEqual(TEXT_LIMIT);
    expect(message).not.toMatch(/\p{C}/u);
    expect(message).toContain('\\u{202e}');
  });
});
