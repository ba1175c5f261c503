import { describe, expect, test } from 'vitest';
import { aDomain, anApp, anEnvironment, aProject } from '../../../../test/support/entities.ts';
import {
  addresses,
  cname,
  everywhere,
  NODATA,
  observation,
  rightTxt,
  type Seen,
  txt,
  validation,
} from '../../../../test/support/observations.ts';
import type { Domain } from '../../domain/domain.ts';
import type { ProbePurpose } from '../../domain/observation.ts';
import { planProbes } from './probe-plan.ts';

const environment = anEnvironment(anApp(aProject({ workspaceId: 'ws_1' })));
const subdomain = (name: string) => aDomain(environment, { name, kind: 'subdomain' });
const shop = subdomain('shop.acme.com');

/** The names of a purpose, as `type name`. */
function planned(domain: Domain, purpose: ProbePurpose, seen: Seen = {}, zone = 'acme.com'): string[] {
  const probes = planProbes(domain, observation(domain, zone, seen), () => 0.5);
  return probes.filter((probe) => probe.purpose === purpose).map(({ type, name }) => `${type} ${name}`);
}

describe('the name of a record is looked at', () => {
  test('with the zone appended, as a whole and in part', () => {
    expect(planned(shop, 'doubled')).toEqual([
      'TXT _service.shop.acme.com.acme.com',
      'TXT _service.shop.acme.acme.com',
      'A shop.acme.com.acme.com',
      'A shop.acme.acme.com',
    ]);
    expect(planned(subdomain('shop.acme.co.uk'), 'doubled', {}, 'acme.co.uk')).toEqual(
      expect.arrayContaining(['A shop.acme.acme.co.uk', 'A shop.acme.co.acme.co.uk']),
    );
  });

  test('in its raw spelling, where it is in Punycode', () => {
    const domain = subdomain('xn--caf-dma.acme.com');
    expect(planned(domain, 'raw_name')).toEqual(['TXT _service.caf\\195\\169.acme.com', 'A caf\\195\\169.acme.com']);
    expect(planned(shop, 'raw_name')).toEqual([]);
  });
});

test('the TXT record is looked for where people publish it by mistake', () => {
  expect(planned(shop, 'other_name')).toEqual(
    expect.arrayContaining([
      'TXT shop.acme.com',
      'TXT service.shop.acme.com',
      'TXT _service.acme.com',
      'TXT acme.com',
      'TXT shop._service.acme.com',
      'TXT _services.shop.acme.com',
      'TXT _service-domain-verify.shop.acme.com',
    ]),
  );
  const apex = aDomain(environment, { name: 'acme.com', kind: 'apex' });
  expect(planned(apex, 'other_name')).toEqual(expect.arrayContaining(['TXT acme.com', 'TXT _service.www.acme.com']));
});

test('the CNAME is looked for at www of the zone, in place of the name', () => {
  expect(planned(shop, 'other_name')).toContain('A www.acme.com');
  expect(planned(subdomain('www.acme.com'), 'other_name')).not.toContain('A www.acme.com');
  expect(planned(aDomain(environment, { name: 'acme.com', kind: 'apex' }), 'www')).toEqual(['A www.acme.com']);
});

test('the CNAME is looked for at www of the name, at the name without www, and as a TXT record', () => {
  expect(planned(shop, 'www')).toEqual(['A www.shop.acme.com']);
  expect(planned(subdomain('www.acme.com'), 'www')).toEqual(['A acme.com']);
  expect(planned(shop, 'other_type')).toEqual(['TXT shop.acme.com']);
});

describe('a random sibling', () => {
  test('is looked at where something is found that may be a wildcard', () => {
    const seen = { routing: everywhere(cname('parking.example')), ownership: everywhere(txt('wrong')) };
    const [ownership, routing] = planned(shop, 'sibling', seen);
    expect(ownership).toMatch(/^TXT _np\w+\.shop\.acme\.com$/);
    expect(routing).toMatch(/^A np\w+\.acme\.com$/);
  });

  test('is not where nothing is found', () => {
    expect(planned(shop, 'sibling')).toEqual([]);
    expect(planned(shop, 'sibling', { routing: everywhere(NODATA) })).toEqual([]);
  });
});

test("the target's addresses are looked up where the name has addresses: it may be flattened", () => {
  expect(planned(shop, 'target', { routing: everywhere(addresses('192.0.2.1')) })).toHaveLength(1);
  expect(planned(shop, 'target')).toEqual([]);
});

test('nothing is looked for around a record that matches', () => {
  const seen = { ownership: everywhere(rightTxt(shop)), routing: everywhere(cname(shop.target)) };
  const purposes = planProbes(shop, observation(shop, 'acme.com', seen), () => 0.5).map(({ purpose }) => purpose);
  expect(new Set(purposes)).toEqual(new Set(['caa']));
});

test('DS records are read where the resolvers call a record bogus', () => {
  expect(planned(shop, 'ds')).toEqual([]);
  const bogus = { ownershipValidation: validation({ status: 'bogus' }) };
  expect(planned(shop, 'ds', bogus)).toEqual(['DS acme.com']);
});

test('CAA records are read at the name and at those above it, four at most, never of a top-level domain', () => {
  expect(planned(shop, 'caa')).toEqual(['CAA shop.acme.com', 'CAA acme.com']);
  expect(planned(subdomain('a.b.c.d.acme.com'), 'caa')).toHaveLength(4);
});

test('names that are too long for DNS are not looked at', () => {
  const long = subdomain(`${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.acme.com`);
  for (const name of planned(long, 'doubled')) expect(name.length).toBeLessThan(260);
  const label = subdomain(`shop.acme.com`);
  const service = { ...label, service: 's'.repeat(60) };
  expect(planned(service, 'other_name').some((name) => name.includes('domain-verify'))).toBe(false);
});
