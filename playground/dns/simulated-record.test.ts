import { describe, expect, test } from 'vitest';
import { InvalidRecord, parseName, parseRecord } from './simulated-record.ts';

describe('a record', () => {
  test('has a canonical form: lower case, no final dot, type in capitals, TTL 60', () => {
    expect(parseRecord('WWW.Acme.COM.', 'cname', ['Target.Example.'])).toEqual({
      name: 'www.acme.com',
      type: 'CNAME',
      values: ['target.example'],
      ttl: 60,
    });
    expect(parseRecord('acme.com', 'MX', ['10  Mail.Acme.com.']).values).toEqual(['10 mail.acme.com']);
    expect(parseRecord('acme.com', 'AAAA', ['2001:DB8::1']).values).toEqual(['2001:db8::1']);
  });

  test('keeps a TXT value octet for octet, quotes and spaces included', () => {
    const value = ' "Quoted" \\ and MiXed; ';
    expect(parseRecord('_service.acme.com', 'TXT', [value], 1).values).toEqual([value]);
  });

  test('can be a CNAME to an invalid host name, as DNS panels accept it', () => {
    for (const value of ['https://target.example/', '1.2.3.4', 'service-domain-verify=abc', '"target.example"'])
      expect(parseRecord('www.acme.com', 'CNAME', [value]).values).toEqual([value]);
  });

  test.each([
    ['www.acme.com', 'SRV', ['x'], undefined, /does not support type "SRV", only A, AAAA, ALIAS/],
    ['www.acme.com', 'A', ['1.2.3'], undefined, /"1.2.3" is not an IPv4 address/],
    ['www.acme.com', 'A', ['::1'], undefined, /not an IPv4 address/],
    ['www.acme.com', 'AAAA', ['fe80::1%eth0'], undefined, /not an IPv6 address/],
    ['www.acme.com', 'A', [], undefined, /A needs a value/],
    ['www.acme.com', 'CNAME', ['a.test', 'b.test'], undefined, /CNAME takes one value, not 2/],
    ['www.acme.com', 'CNAME', ['a b.test'], undefined, /"a b.test" is not a domain name/],
    ['www.acme.com', 'MX', ['mail.acme.com'], undefined, /not an MX value, such as "10 mail.acme.com"/],
    ['www.acme.com', 'MX', ['65536 mail.acme.com'], undefined, /not an MX value/],
    ['www.acme.com', 'CAA', ['issue letsencrypt.org'], undefined, /not a CAA value/],
    ['www.acme.com', 'CAA', ['0 iss-ue "x"'], undefined, /not a CAA value/],
    ['www.acme.com', 'SOA', ['ns1.acme.com hostmaster.acme.com 1 2 3'], undefined, /not an SOA value/],
    ['www.acme.com', 'TXT', ['x'], -1, /TTL must be 0 to \d+ seconds/],
    ['www.acme.com', 'TXT', ['x'], 1.5, /TTL must be 0 to \d+ seconds/],
    ['www..acme.com', 'TXT', ['x'], undefined, /"www..acme.com" is not a domain name/],
    ['münchen.de', 'TXT', ['x'], undefined, /write Unicode names as xn--/],
    [`${'a'.repeat(64)}.com`, 'TXT', ['x'], undefined, /is not a domain name/],
    [`${'a.'.repeat(127)}com`, 'TXT', ['x'], undefined, /longer than 253 characters/],
    ['www.*.com', 'TXT', ['x'], undefined, /is not a domain name/],
    ['*', 'TXT', ['x'], undefined, /is not a domain name/],
    ['', 'TXT', ['x'], undefined, /is not a domain name/],
  ])('%s %s %j (TTL %s) is rejected with the reason', (name, type, values, ttl, reason) => {
    const refused = () => parseRecord(name, type, values, ttl);
    expect(refused).toThrow(InvalidRecord);
    expect(refused).toThrow(reason);
  });

  test('can be at a wildcard', () => {
    expect(parseName('*.Acme.com')).toBe('*.acme.com');
  });
});
