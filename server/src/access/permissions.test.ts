import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseGrant, permits } from './permissions.ts';

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
