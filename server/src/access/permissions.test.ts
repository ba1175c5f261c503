import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayGrant, parseGrant, permits } from './permissions.ts';

const read = { resource: 'environment', action: 'read_domain' } as const;
const holds = (grants: string[], id?: string) => permits(new Set(grants), read, id);

describe('a permission', () => {
  it('is held through the grant on all resources of its kind, or on the one', () => {
    expect(holds(['environment.*.read_domain'], 'env_1')).toBe(true);
    expect(holds(['environment.env_1.read_domain'], 'env_1')).toBe(true);
  });

  it.each([
    ['another resource', 'environment.env_2.read_domain'],
    ['another action', 'environment.env_1.create_domain'],
    ['another kind', 'app.env_1.read_domain'],
    ['a parent', 'app.*.read_domain'],
    ['any kind', '*.*.read_domain'],
    ['any action', 'environment.env_1.*'],
    ['everything', '*'],
    ['everything, in three parts', '*.*.*'],
    ['the beginning of an id', 'environment.env_.read_domain'],
    ['an id in another case', 'environment.ENV_1.read_domain'],
    ['a grant in another case', 'Environment.*.read_domain'],
    ['white space around it', ' environment.*.read_domain'],
    ['the resource form', 'acme/environment#read_domain'],
    ['nothing', ''],
  ])('is not held through a grant on %s', (_what, grant) => {
    expect(holds([grant], 'env_1')).toBe(false);
  });

  it('on all resources is held through no grant on one', () => {
    expect(holds(['environment.env_1.read_domain'])).toBe(false);
    expect(holds(['environment.undefined.read_domain'])).toBe(false);
    expect(holds(['environment.*.read_domain'])).toBe(true);
  });

  it('is held through no grant but its two, whatever else a key has', () => {
    const grants = fc.array(fc.string()).map((some) => some.filter((grant) => !grant.startsWith('environment.')));
    fc.assert(fc.property(grants, (some) => !holds(some, 'env_1')));
  });
});

describe('nobody can give what they do not have', () => {
  const id = fc.constantFrom('*', 'env_1', 'env_2');
  const tuple = fc
    .tuple(fc.constantFrom('environment', 'app'), id, fc.constantFrom('read_domain', 'create_domain'))
    .map((parts) => parts.join('.'));
  const grant = fc.oneof(tuple, fc.constantFrom('acme/environment#read_domain', '*/environment#read_domain'));

  it('a key that has only what another one may give it is permitted nothing that the other is not', () => {
    fc.assert(
      fc.property(fc.array(grant), fc.array(grant), id, (giver, wanted, one) => {
        const held = new Set(giver);
        const given = new Set(wanted.filter((each) => mayGrant(held, each)));
        for (const resource of ['environment', 'app'] as const)
          for (const action of ['read_domain', 'create_domain'])
            if (permits(given, { resource, action }, one)) expect(permits(held, { resource, action }, one)).toBe(true);
      }),
    );
  });

  it('everything that they have they can give', () => {
    fc.assert(fc.property(fc.array(grant), (some) => some.every((each) => mayGrant(new Set(some), each))));
  });

  it('what is no grant nobody gives, not even who has it', () => {
    expect(mayGrant(new Set(['everything', '*.*.*']), 'everything')).toBe(false);
    expect(mayGrant(new Set(['*.*.*', '*']), 'environment.*.read_domain')).toBe(false);
  });
});

describe('a grant', () => {
  it('in the tuple form has a resource, an id or *, and an action', () => {
    expect(parseGrant('api.*.create_key')).toEqual({ form: 'tuple', resource: 'api', id: '*', action: 'create_key' });
    expect(parseGrant('environment.env_1.read_domain')).toEqual({
      form: 'tuple',
      resource: 'environment',
      id: 'env_1',
      action: 'read_domain',
    });
  });

  it('in the resource form has a name, a resource and an action', () => {
    expect(parseGrant('acme/environment#read_domain')).toEqual({
      form: 'resource',
      name: 'acme',
      resource: 'environment',
      action: 'read_domain',
    });
    expect(parseGrant('acme/web/production#read_domain')).toMatchObject({ name: 'acme/web', resource: 'production' });
  });

  it.each([
    '',
    '*',
    'environment',
    'environment.*',
    'a.b.c.d',
    'environment..read',
    'a/b',
    'a#b',
    '/a#b',
    'a/b#',
    'a b/c#d',
  ])('is not %j', (text) => {
    expect(parseGrant(text)).toBeNull();
  });
});
