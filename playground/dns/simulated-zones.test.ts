import { beforeEach, describe, expect, test } from 'vitest';
import { InvalidRecord, parseRecord } from './simulated-record.ts';
import { createZones, type Zones } from './simulated-zones.ts';

let zones: Zones;
beforeEach(() => {
  zones = createZones('127.0.0.1');
});

function set(name: string, type: string, ...values: string[]): void {
  zones.set(parseRecord(name, type, values));
}

/** rcode, then the answer as `name type value`. */
function ask(name: string, type: string, recursive = false): string[] {
  const { rcode, answers } = zones.answer(name, type, recursive);
  return [rcode, ...answers.map((record) => `${record.name} ${record.type} ${record.value}`)];
}

describe('existence', () => {
  test('a name without records does not exist; one with other records exists without this one', () => {
    set('www.acme.com', 'A', '192.0.2.1');
    expect(ask('www.acme.com', 'TXT')).toEqual(['NOERROR']);
    expect(ask('api.acme.com', 'TXT')).toEqual(['NXDOMAIN']);
  });

  test('a name that only has records below it exists', () => {
    set('_service.api.acme.com', 'TXT', 'x');
    expect(ask('api.acme.com', 'A')).toEqual(['NOERROR']);
    zones.remove('_service.api.acme.com');
    expect(ask('api.acme.com', 'A')).toEqual(['NXDOMAIN']);
  });

  test('a negative response has the SOA of the zone', () => {
    expect(zones.answer('www.acme.com', 'A', false).authorities).toMatchObject([{ name: 'acme.com', type: 'SOA' }]);
    set('acme.com', 'SOA', 'ns9.acme.com hostmaster.acme.com 7 3600 600 86400 60');
    expect(zones.answer('www.acme.com', 'A', false).authorities).toMatchObject([
      { value: 'ns9.acme.com hostmaster.acme.com 7 3600 600 86400 60' },
    ]);
  });
});

describe('zones', () => {
  test('the zone of a name is its last two labels, with the simulator as its nameserver', () => {
    expect(ask('acme.com', 'NS')).toEqual(['NOERROR', 'acme.com NS ns1.simulator.test']);
    expect(ask('ns1.simulator.test', 'A')).toEqual(['NOERROR', 'ns1.simulator.test A 127.0.0.1']);
    expect(ask('www.acme.com', 'NS')).toEqual(['NXDOMAIN']);
  });

  test('a zone can have its own apex and nameservers', () => {
    zones.setZone({ apex: 'acme.co.uk', nameservers: ['ns1.acme.net', 'ns2.acme.net'], held: 'here' });
    expect(ask('acme.co.uk', 'NS')).toEqual(['NOERROR', 'acme.co.uk NS ns1.acme.net', 'acme.co.uk NS ns2.acme.net']);
    expect(zones.answer('www.acme.co.uk', 'A', false).authorities).toMatchObject([{ name: 'acme.co.uk' }]);
  });

  test('a nameserver refers to a delegated zone, with the addresses it knows; a resolver answers for it', () => {
    set('ns1.sub.acme.com', 'A', '127.0.0.2');
    set('www.sub.acme.com', 'A', '192.0.2.1');
    zones.setZone({ apex: 'sub.acme.com', nameservers: ['ns1.sub.acme.com'], held: 'delegated' });
    expect(zones.answer('www.sub.acme.com', 'A', false)).toEqual({
      rcode: 'NOERROR',
      authoritative: false,
      answers: [],
      authorities: [{ name: 'sub.acme.com', type: 'NS', ttl: 60, value: 'ns1.sub.acme.com' }],
      additionals: [{ name: 'ns1.sub.acme.com', type: 'A', ttl: 60, value: '127.0.0.2' }],
    });
    expect(ask('www.sub.acme.com', 'A', true)).toEqual(['NOERROR', 'www.sub.acme.com A 192.0.2.1']);
  });
});

describe('as the nameserver of a parent', () => {
  beforeEach(() => {
    zones.setZone({ apex: 'com', nameservers: ['a.registry.test'], held: 'here' });
    set('ns1.acme.com', 'A', '127.0.0.2');
    zones.setZone({ apex: 'acme.com', nameservers: ['ns1.acme.com'], held: 'delegated' });
  });

  test('it refers every question for a delegated zone, with glue', () => {
    for (const type of ['NS', 'SOA', 'A']) {
      expect(zones.answer('acme.com', type, false)).toMatchObject({
        authoritative: false,
        answers: [],
        authorities: [{ name: 'acme.com', type: 'NS' }],
        additionals: [{ name: 'ns1.acme.com', value: '127.0.0.2' }],
      });
    }
  });

  test('it denies the DS record of the zone, which is its own', () => {
    expect(zones.answer('acme.com', 'DS', false)).toMatchObject({
      rcode: 'NOERROR',
      authoritative: true,
      answers: [],
      authorities: [{ name: 'com', type: 'SOA' }],
    });
  });

  test('it responds that a zone without a delegation does not exist', () => {
    expect(zones.answer('nobody.com', 'NS', false)).toMatchObject({
      rcode: 'NXDOMAIN',
      authoritative: true,
      authorities: [{ name: 'com', type: 'SOA' }],
    });
  });
});

describe('CNAME', () => {
  test('is followed within the zones of the server', () => {
    set('www.acme.com', 'CNAME', 'lb.acme.com');
    set('lb.acme.com', 'CNAME', 'edge.cdn.test');
    set('edge.cdn.test', 'A', '192.0.2.1');
    expect(ask('www.acme.com', 'A')).toEqual([
      'NOERROR',
      'www.acme.com CNAME lb.acme.com',
      'lb.acme.com CNAME edge.cdn.test',
      'edge.cdn.test A 192.0.2.1',
    ]);
    expect(ask('www.acme.com', 'CNAME')).toEqual(['NOERROR', 'www.acme.com CNAME lb.acme.com']);
  });

  test('to another zone is not followed by a nameserver, and is NXDOMAIN at a resolver', () => {
    set('www.acme.com', 'CNAME', 'gone.other.test');
    expect(ask('www.acme.com', 'A', false)).toEqual(['NOERROR', 'www.acme.com CNAME gone.other.test']);
    expect(zones.answer('www.acme.com', 'A', false).authorities).toEqual([]);
    expect(ask('www.acme.com', 'A', true)).toEqual(['NXDOMAIN', 'www.acme.com CNAME gone.other.test']);
    expect(zones.answer('www.acme.com', 'A', true).authorities).toMatchObject([{ name: 'other.test', type: 'SOA' }]);
  });

  test('loops end', () => {
    set('a.acme.com', 'CNAME', 'b.acme.com');
    set('b.acme.com', 'CNAME', 'a.acme.com');
    expect(ask('a.acme.com', 'A').length).toBeLessThan(30);
  });
});

describe('ALIAS', () => {
  test('gives the addresses of its value, under its own name', () => {
    set('acme.com', 'ALIAS', 't1.cname.test');
    set('t1.cname.test', 'A', '192.0.2.1', '192.0.2.2');
    expect(ask('acme.com', 'A')).toEqual(['NOERROR', 'acme.com A 192.0.2.1', 'acme.com A 192.0.2.2']);
    expect(ask('acme.com', 'AAAA')).toEqual(['NOERROR']);
    expect(ask('acme.com', 'CNAME')).toEqual(['NOERROR']);
  });

  test('loops end', () => {
    set('a.acme.com', 'ALIAS', 'b.acme.com');
    set('b.acme.com', 'ALIAS', 'a.acme.com');
    expect(ask('a.acme.com', 'A')).toEqual(['NOERROR']);
  });
});

describe('wildcards (RFC 4592)', () => {
  beforeEach(() => {
    set('*.acme.com', 'TXT', 'any');
    set('www.acme.com', 'A', '192.0.2.1');
    set('deep.sub.acme.com', 'A', '192.0.2.1');
  });

  test('match names at any depth that do not exist', () => {
    expect(ask('api.acme.com', 'TXT')).toEqual(['NOERROR', 'api.acme.com TXT any']);
    expect(ask('a.b.acme.com', 'TXT')).toEqual(['NOERROR', 'a.b.acme.com TXT any']);
    expect(ask('api.acme.com', 'A')).toEqual(['NOERROR']);
  });

  test('match no name that exists, and none below one', () => {
    expect(ask('www.acme.com', 'TXT')).toEqual(['NOERROR']);
    expect(ask('sub.acme.com', 'TXT')).toEqual(['NOERROR']);
    expect(ask('other.sub.acme.com', 'TXT')).toEqual(['NXDOMAIN']);
  });
});

describe('a DNS provider rejects', () => {
  test.each([
    ['CNAME', 'x.test', 'A', '192.0.2.1'],
    ['TXT', 'x', 'CNAME', 'x.test'],
    ['ALIAS', 'x.test', 'A', '192.0.2.1'],
    ['A', '192.0.2.1', 'ALIAS', 'x.test'],
    ['ALIAS', 'x.test', 'CNAME', 'x.test'],
  ])('%s %s and then %s %s at the same name', (first, firstValue, second, secondValue) => {
    set('www.acme.com', first, firstValue);
    expect(() => set('www.acme.com', second, secondValue)).toThrow(InvalidRecord);
    expect(() => set('www.acme.com', second, secondValue)).toThrow(/^Remove the .* first/);
    expect(zones.list()).toHaveLength(1);
  });

  test('a CNAME at the apex, whether zone or record is set first', () => {
    expect(() => set('acme.com', 'CNAME', 'x.test')).toThrow(
      /is the apex of its zone, which cannot have a CNAME; set an ALIAS/,
    );
    set('shop.acme.com', 'CNAME', 'x.test');
    expect(() => zones.setZone({ apex: 'shop.acme.com', nameservers: [], held: 'here' })).toThrow(InvalidRecord);
  });

  test('not TXT beside ALIAS, nor another value in place of a CNAME', () => {
    set('acme.com', 'ALIAS', 'x.test');
    set('acme.com', 'TXT', 'x');
    set('www.acme.com', 'CNAME', 'x.test');
    set('www.acme.com', 'CNAME', 'y.test');
    expect(ask('www.acme.com', 'CNAME')).toEqual(['NOERROR', 'www.acme.com CNAME y.test']);
  });
});
