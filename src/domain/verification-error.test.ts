import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Domain } from './domain.ts';
import type { OwnershipReading, Reading, RoutingReading } from './reading.ts';
import { describeBlocker } from './verification-error.ts';

const domain = {
  name: 'api.acme.com',
  kind: 'subdomain',
  service: 'service',
  target: 'k7m.cname.example',
  token: 'TOKEN',
} as Domain;
const apex: Domain = { ...domain, name: 'acme.com', kind: 'apex' };
const absent = { kind: 'absent', reason: 'nxdomain' } as const;

function blockerOf(reading: Partial<Reading>, of = domain): string | null {
  return describeBlocker(of, { routing: absent, ownership: absent, ...reading });
}

describe('verificationError', () => {
  const ownership: [string, OwnershipReading, string][] = [
    [
      'another value',
      { kind: 'wrong', values: ['abc'] },
      '_service.api.acme.com has the TXT value "abc", not the one that proves ownership. Add a TXT record there with the value "service-domain-verify=TOKEN".',
    ],
    [
      'several values, none of them right',
      { kind: 'wrong', values: ['a', 'b', 'c', 'd', 'e'] },
      '_service.api.acme.com has the TXT values "a", "b", "c" and 2 more, not the one that proves ownership. Add a TXT record there with the value "service-domain-verify=TOKEN".',
    ],
    [
      'the value with quotation marks typed into the panel',
      { kind: 'wrong', values: ['"service-domain-verify=TOKEN"'] },
      '_service.api.acme.com has the TXT value "\\"service-domain-verify=TOKEN\\"", with quotation marks or spaces that do not belong to it. Enter exactly "service-domain-verify=TOKEN".',
    ],
    [
      'the record below a doubled zone',
      { ...absent, doubledAt: '_service.api.acme.com.acme.com' },
      'The TXT record is at _service.api.acme.com.acme.com, because your DNS provider adds the zone to every name. Enter its name there as "_service.api", so that the record is at _service.api.acme.com.',
    ],
    [
      'nameservers that disagree',
      {
        kind: 'disagree',
        answers: [
          { server: 'ns1.acme.com', saw: '"service-domain-verify=TOKEN"' },
          { server: 'ns2.acme.com', saw: 'no record' },
        ],
      },
      'The nameservers do not agree on the TXT record of _service.api.acme.com: ns1.acme.com answers "service-domain-verify=TOKEN" and ns2.acme.com answers no record. Publish the same record at all of them.',
    ],
    [
      'a zone that cannot be read',
      { kind: 'unreadable', reason: 'timeout', chain: [], server: 'ns1.acme.com' },
      '_service.api.acme.com could not be read: its nameserver ns1.acme.com did not answer in time.',
    ],
    [
      'a nameserver that too many domains wait for',
      { kind: 'unreadable', reason: 'overloaded', chain: [], server: 'ns1.acme.com' },
      '_service.api.acme.com could not be read: its nameserver ns1.acme.com could not be queried in time, because too many domains wait for it.',
    ],
    [
      'a CNAME into a zone that cannot be read',
      { kind: 'unreadable', reason: 'refused', chain: ['txt.broken.test'], server: 'ns1.broken.test' },
      '_service.api.acme.com leads to "txt.broken.test", which could not be read: its nameserver ns1.broken.test refused to answer (REFUSED).',
    ],
  ];
  test('records beside the CNAME, and broken DNSSEC, are not told as a missing record', () => {
    expect(blockerOf({ routing: { kind: 'conflicting', chain: ['k7m.cname.example'], beside: ['192.0.2.1'] } })).toBe(
      'api.acme.com has a CNAME record to "k7m.cname.example" and other records beside it: "192.0.2.1". Keep one CNAME record there, with the value k7m.cname.example, and delete the others.',
    );
    expect(blockerOf({ routing: { kind: 'bogus' } })).toMatch(/^Resolvers reject the CNAME record of api\.acme\.com/);
  });

  test.each(ownership)('TXT: %s', (_, seen, expected) => {
    expect(blockerOf({ ownership: seen })).toBe(expected);
  });

  const routing: [string, RoutingReading, string][] = [
    [
      'a CNAME to another host',
      { kind: 'elsewhere', chain: ['old.example.net'] },
      'api.acme.com is a CNAME to "old.example.net"; it must be a CNAME to k7m.cname.example.',
    ],
    [
      'addresses in place of the CNAME',
      { kind: 'hidden', addresses: ['192.0.2.1'], chain: [] },
      'api.acme.com has the address 192.0.2.1 instead of being a CNAME to k7m.cname.example. Publish that CNAME instead; if your provider proxies or flattens it, publish the TXT record _service.api.acme.com too.',
    ],
    [
      'several addresses',
      { kind: 'hidden', addresses: ['192.0.2.1', '192.0.2.2'], chain: [] },
      'api.acme.com has the addresses 192.0.2.1 and 192.0.2.2 instead of being a CNAME to k7m.cname.example. Publish that CNAME instead; if your provider proxies or flattens it, publish the TXT record _service.api.acme.com too.',
    ],
    [
      'a CNAME into a provider that proxies',
      { kind: 'hidden', addresses: [], chain: ['api.acme.com.cdn.cloudflare.net'] },
      'api.acme.com is a CNAME to "api.acme.com.cdn.cloudflare.net" instead of being a CNAME to k7m.cname.example. Publish that CNAME instead; if your provider proxies or flattens it, publish the TXT record _service.api.acme.com too.',
    ],
    [
      'the record below a doubled zone',
      { ...absent, doubledAt: 'api.acme.com.acme.com' },
      'The CNAME record is at api.acme.com.acme.com, because your DNS provider adds the zone to every name. Enter its name there as "api", so that the record is at api.acme.com.',
    ],
    [
      'a CNAME to a host in a zone that cannot be read',
      { kind: 'unreadable', reason: 'timeout', chain: ['lb.broken.test'], server: 'ns1.broken.test' },
      'api.acme.com leads to "lb.broken.test", which could not be read: its nameserver ns1.broken.test did not answer in time. It must lead to k7m.cname.example.',
    ],
    [
      'CNAMEs to such a host',
      { kind: 'unreadable', reason: 'servfail', chain: ['www.acme.com', 'lb.broken.test'] },
      'api.acme.com leads to "lb.broken.test", which could not be read: the resolver that looked up its zone answered with a failure (SERVFAIL). It must lead to k7m.cname.example.',
    ],
    [
      'a CNAME loop',
      { kind: 'unreadable', reason: 'loop', chain: [] },
      'api.acme.com could not be read: a nameserver of its zone gave CNAMEs that form a loop.',
    ],
  ];
  test.each(routing)('CNAME: %s', (_, seen, expected) => {
    expect(blockerOf({ routing: seen })).toBe(expected);
  });

  test('does not mention the routing record of an apex, which decides nothing', () => {
    expect(blockerOf({ routing: { kind: 'hidden', addresses: ['192.0.2.1'], chain: [] } }, apex)).toBe(null);
  });

  test('names both records when both are wrong', () => {
    const told = blockerOf({
      routing: { kind: 'elsewhere', chain: ['a.b'] },
      ownership: { kind: 'wrong', values: ['x'] },
    });
    expect(told).toContain('api.acme.com is a CNAME to "a.b"');
    expect(told).toContain('_service.api.acme.com has the TXT value "x"');
  });
});

test('the error of a domain that was verified has at most 512 characters, whatever a hostile nameserver answers', () => {
  const text = fc.string({ unit: 'binary', maxLength: 600, size: 'max' });
  const texts = fc.array(text, { minLength: 1, maxLength: 12 });
  const server = text.map((saw) => ({ server: saw.slice(0, 253), saw }));
  const seen: fc.Arbitrary<Reading> = fc.record({
    ownership: fc.oneof(
      texts.map((values) => ({ kind: 'wrong' as const, values })),
      fc.array(server, { minLength: 2, maxLength: 2 }).map((answers) => ({ kind: 'disagree' as const, answers })),
    ),
    routing: fc.oneof(
      texts.map((chain) => ({ kind: 'elsewhere' as const, chain })),
      texts.map((addresses) => ({ kind: 'hidden' as const, addresses, chain: [] })),
    ),
  });
  const longest: Domain = {
    ...domain,
    name: `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.com`,
  };
  fc.assert(
    fc.property(seen, (reading) => {
      const told = describeBlocker(longest, reading);
      expect([...(told ?? '')].length).toBeLessThanOrEqual(512);
    }),
  );
});
