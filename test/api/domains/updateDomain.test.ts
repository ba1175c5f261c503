import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_GRANTS, dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { unique } from '../../support/entities.ts';

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi({ settings: { deletedKeepMs: 60_000 } });
  tree = await api.createTree();
});
afterAll(() => api.close());

const newName = () => `${unique('shop')}.com`;
const path = () => ({ project: tree.project, app: tree.app, environment: tree.environment });
const create = (domain: string, own: object) => api.call('domains.createDomain', { ...path(), domain, ...own });
const update = (input: object, key = api.rootKey) => api.call('domains.updateDomain', input, { key });
/** The platform's own data in getSite and in the list of the workspace, which have the same. */
async function ownOf(domain: string): Promise<object> {
  const { externalId, metadata } = dataOf<Record<string, unknown>>(await api.call('domains.getSite', { domain }));
  const [listed] = dataOf<object[]>(await api.call('domains.listWorkspaceDomains', { search: domain }));
  expect(listed).toEqual(dataOf(await api.call('domains.getSite', { domain })));
  return { externalId, metadata };
}
const NONE = { externalId: undefined, metadata: undefined };

describe("a platform's own data", () => {
  it('is given at creation, and shown by getSite and the list of the workspace, never by getDomain', async () => {
    const own = {
      externalId: 'customer_42',
      metadata: { plan: 'pro', 'team.id': '7', '10': 'b', '9': 'a', empty: '' },
    };
    const name = newName();
    dataOf(await create(name, own));
    expect(await ownOf(name)).toEqual(own);
    const shown = dataOf<object>(await api.call('domains.getDomain', { domain: name }));
    expect(Object.keys(shown)).not.toContain('externalId');
    expect(JSON.stringify(shown)).not.toContain('customer_42');
    const plain = newName();
    dataOf(await create(plain, {}));
    expect(await ownOf(plain)).toEqual(NONE);
  });

  it('is given to each domain of createDomains, of which each is a name or has one', async () => {
    const [plain, given] = [newName(), newName()];
    const domains = [plain, { domain: given, externalId: 'é', metadata: { a: '1' } }, { domain: newName() }];
    const outcomes = dataOf<{ domainId?: string }[]>(await api.call('domains.createDomains', { ...path(), domains }));
    expect(outcomes.map(({ domainId }) => typeof domainId)).toEqual(['string', 'string', 'string']);
    expect(await ownOf(plain)).toEqual(NONE);
    expect(await ownOf(given)).toEqual({ externalId: 'é', metadata: { a: '1' } });
  });

  it('is refused by createDomains for one domain alone where it is too large', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`key${i}`, 'x'.repeat(500)]));
    const domains = [{ domain: newName(), metadata }, newName()];
    const outcomes = dataOf<object[]>(await api.call('domains.createDomains', { ...path(), domains }));
    expect(outcomes).toMatchObject([
      { error: { status: 400, errors: [{ location: 'body.domains.0.metadata' }] } },
      { domainId: expect.any(String) },
    ]);
  });

  it('stays with a domain that is moved, and with one that is deleted and restored', async () => {
    const own = { externalId: 'customer_1', metadata: { plan: 'free' } };
    const name = newName();
    dataOf(await create(name, own));
    const { project, app } = tree;
    const slug = unique('other');
    dataOf(await api.call('environments.createEnvironment', { project, app, slug }));
    dataOf(await api.call('domains.moveDomain', { domain: name, project, app, environment: slug }));
    expect(await ownOf(name)).toEqual(own);
    dataOf(await api.call('domains.deleteDomain', { domain: name }));
    dataOf(await api.call('domains.restoreDomain', { domain: name }));
    expect(await ownOf(name)).toEqual(own);
  });
});

describe('domains.updateDomain', () => {
  it('changes what it names and nothing else, and answers with all of it; null removes a pair, or all', async () => {
    const { name, id } = await api.createDomain(tree, newName());
    const steps: [change: object, after: object][] = [
      [{ externalId: 'a' }, { externalId: 'a' }],
      [{ metadata: { b: '2', a: '1' } }, { externalId: 'a', metadata: { a: '1', b: '2' } }],
      [{ metadata: { a: null, c: '3', none: null } }, { externalId: 'a', metadata: { b: '2', c: '3' } }],
      [{}, { externalId: 'a', metadata: { b: '2', c: '3' } }],
      [{ externalId: null }, { metadata: { b: '2', c: '3' } }],
      [{ externalId: 'b', metadata: { b: null, c: null } }, { externalId: 'b' }],
      [{ metadata: { d: '4' } }, { externalId: 'b', metadata: { d: '4' } }],
      [{ metadata: null, externalId: null }, {}],
    ];
    for (const [change, after] of steps) {
      expect(dataOf(await update({ domain: name, ...change }))).toEqual({ domainId: id, domain: name, ...after });
      expect(await ownOf(name)).toEqual({ ...NONE, ...after });
    }
  });

  it('changes of getDomain the time of the last change alone, and that only where something differs', async () => {
    const { name } = await api.createDomain(tree, newName());
    const get = async () => dataOf<object>(await api.call('domains.getDomain', { domain: name }));
    const before = await get();
    await update({ domain: name, metadata: { absent: null }, externalId: null });
    expect(await get()).toEqual(before);
    await update({ domain: name, metadata: { a: '1' } });
    expect(await get()).toEqual({ ...before, updatedAt: api.clock.now() });
  });

  it.for([
    ['an empty id', { externalId: '' }, 'body.externalId'],
    ['an id of 256 characters', { externalId: 'x'.repeat(256) }, 'body.externalId'],
    ['an id with a line break', { externalId: 'a\nb' }, 'body.externalId'],
    ['an id with NUL', { externalId: 'a\0' }, 'body.externalId'],
    ['an id with half of a character', { externalId: 'a\uD800' }, 'body.externalId'],
    ['an id that begins with the other half', { externalId: '\uDC00\uD800' }, 'body.externalId'],
    ['a value with half of a character', { metadata: { a: '\uDFFFa' } }, 'body.metadata.a'],
    ['an id that is a number', { externalId: 7 }, 'body.externalId'],
    ['metadata that is a list', { metadata: ['a'] }, 'body.metadata'],
    ['a key with a space', { metadata: { 'a b': '1' } }, 'body.metadata'],
    ['an empty key', { metadata: { '': '1' } }, 'body.metadata'],
    ['a key of 41 characters', { metadata: { ['k'.repeat(41)]: '1' } }, 'body.metadata'],
    ['a value that is a number', { metadata: { a: 1 } }, 'body.metadata.a'],
    ['a value of 501 characters', { metadata: { a: 'x'.repeat(501) } }, 'body.metadata.a'],
    ['a value with NUL', { metadata: { a: '\0' } }, 'body.metadata.a'],
    [
      '51 pairs',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v'])) },
      'body.metadata',
    ],
    [
      'more than 4 KB',
      { metadata: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`k${i}`, 'é'.repeat(250)])) },
      'body.metadata',
    ],
  ] as const)('refuses %s, at creation too, and changes nothing', async ([, change, location]) => {
    const { name } = await api.createDomain(tree, newName());
    const refused = { status: 400, body: { error: { errors: [{ location }] } } };
    expect(await update({ domain: name, ...change })).toMatchObject(refused);
    expect(await ownOf(name)).toEqual(NONE);
    expect(await create(newName(), change)).toMatchObject(refused);
  });

  it('counts the pairs that stay: no number of requests makes metadata larger than it may be', async () => {
    const { name } = await api.createDomain(tree, newName());
    const pairs = (from: number) => Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${from + i}`, 'v']));
    dataOf(await update({ domain: name, metadata: pairs(0) }));
    expect(await update({ domain: name, metadata: pairs(30) })).toMatchObject({ status: 400 });
    expect(dataOf(await update({ domain: name, metadata: pairs(10) }))).toMatchObject({ metadata: pairs(0) });
  });

  it('needs update_domain, and without it finds nothing', async () => {
    const { name } = await api.createDomain(tree, newName());
    const { key } = await api.createKey({
      permissions: ALL_GRANTS.filter((grant) => !/\.(?:update|read)_domain$/.test(grant)),
    });
    expect(await update({ domain: name, externalId: 'a' }, key)).toMatchObject({ status: 404 });
    const here = await api.createKey({ permissions: [`environment.${tree.environmentId}.update_domain`] });
    expect(await update({ domain: name, externalId: 'a' }, here.key)).toMatchObject({ status: 200 });
  });

  it('leaves an entry in the audit log that names the external id, and of metadata the keys alone', async () => {
    const { name } = await api.createDomain(tree, newName());
    await update({ domain: name, externalId: 'a', metadata: { plan: 'secret plan' } });
    await update({ domain: name, externalId: 'a' });
    const entries = dataOf<object[]>(await api.call('audit.listEntries', { target: name }));
    expect(entries).toMatchObject([
      { action: 'domains.updateDomain', detail: { externalId: 'a', metadata: ['plan'] } },
      { action: 'domains.createDomain' },
    ]);
    expect(JSON.stringify(entries)).not.toContain('secret plan');
  });
});
