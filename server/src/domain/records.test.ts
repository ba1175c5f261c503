import { describe, expect, test } from 'vitest';
import type { Domain } from './domain.ts';
import { apexRoutingNote, dnsRecords } from './records.ts';

const subdomain = {
  name: 'api.acme.com',
  kind: 'subdomain',
  service: 'service',
  target: 'k7mtarget.cname.example',
  token: 'Tok3n',
  routingVerifiedAt: null,
  ownershipVerifiedAt: null,
  sharedAddresses: null,
} as Domain;
const apex: Domain = { ...subdomain, name: 'acme.com', kind: 'apex' };

describe('the records of a domain', () => {
  test('a subdomain: type CNAME, name is the domain, value is a generated target host under the CNAME zone', () => {
    expect(dnsRecords(subdomain)[0]).toMatchObject({
      type: 'CNAME',
      name: 'api.acme.com',
      value: 'k7mtarget.cname.example',
    });
  });

  test('an apex domain receives ALIAS where a subdomain receives CNAME', () => {
    expect(dnsRecords(apex)[0]).toMatchObject({ type: 'ALIAS', name: 'acme.com', value: 'k7mtarget.cname.example' });
  });

  test.each([subdomain, apex])(
    'ownership: type TXT, name prefixed with `_service.`, value `service-domain-verify=` followed by the token ($kind)',
    (domain) => {
      expect(dnsRecords(domain)[1]).toMatchObject({
        type: 'TXT',
        name: `_service.${domain.name}`,
        value: 'service-domain-verify=Tok3n',
      });
    },
  );

  test('the service label of creation time stays in the records', () => {
    const [, ownership] = dnsRecords({ ...subdomain, service: 'acme-cloud' });
    expect(ownership).toMatchObject({ name: '_acme-cloud.api.acme.com', value: 'acme-cloud-domain-verify=Tok3n' });
  });

  test("the note of an apex's routing record names the addresses to publish where there is no ALIAS, by type", () => {
    const noteOf = (...addresses: string[]) => dnsRecords(apex, apexRoutingNote(addresses))[0].note;
    expect(noteOf()).toBe(dnsRecords(apex)[0].note);
    expect(noteOf('192.0.2.1')).toContain('If there is none, publish A 192.0.2.1 instead.');
    expect(noteOf('2001:db8::1')).toContain('publish AAAA 2001:db8::1 instead.');
    expect(noteOf('192.0.2.1', '2001:db8::1', '192.0.2.2')).toContain(
      'publish A 192.0.2.1, 192.0.2.2 and AAAA 2001:db8::1 instead.',
    );
    expect(dnsRecords(subdomain, apexRoutingNote(['192.0.2.1']))).toEqual(dnsRecords(subdomain));
  });

  test('ttl is at least 1; a note has at most 512 characters, however many and long the addresses of the edge are', () => {
    const longest = Array.from({ length: 16 }, (_, at) => `2001:db8:1111:2222:3333:4444:5555:66${at + 10}`);
    const note = apexRoutingNote(longest);
    expect(note).toContain(longest[5]);
    for (const record of [...dnsRecords(subdomain), ...dnsRecords(apex), dnsRecords(apex, note)[0]]) {
      expect(record.ttl).toBe(60);
      expect([...record.note].length).toBeLessThanOrEqual(512);
    }
  });

  test('verified is true for exactly the records that were read back with the expected value', () => {
    const flags = (domain: Domain) => dnsRecords(domain).map((record) => record.verified);
    expect(flags(subdomain)).toEqual([false, false]);
    expect(flags({ ...subdomain, routingVerifiedAt: 1 })).toEqual([true, false]);
    expect(flags({ ...subdomain, ownershipVerifiedAt: 1 })).toEqual([false, true]);
  });
});
