import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../server/src/api/operations.ts';
import { dataOf, type Harness, startApi, type Tree } from '../support/api-harness.ts';

// Typed text is a value, never a part of a statement: on every engine, in every field of every operation.

const ATTEMPTS = [
  "' or '1'='1",
  "'; drop table domains; --",
  "\\'; drop table domains; --",
  '"; delete from domains; --',
  "x') union select private_key from signing_keys --",
  "' || (select name from workspaces limit 1) || '",
  '1); select pg_sleep(10); --',
  "%' escape '' --",
  '%_%',
  '$1 ?1 :name @name',
  "'; attach database '/tmp/injected.db' as x; --",
  "E'\\\\x27' or 1=1 --",
];

let api: Harness;
let tree: Tree;
/** Another workspace, which must stay as it is. */
let stranger: { key: string; tree: Tree };

beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
  await api.createDomain(tree, 'www.acme.com');
  const workspace = await api.createWorkspace({ name: 'Stranger' });
  const { key } = await api.createKey({ workspaceId: workspace.id });
  stranger = { key, tree: await api.createTree('secret', key) };
  await api.createDomain(stranger.tree, 'www.stranger.com', key);
});
afterAll(() => api.close());

/** Everything that the other workspace has. */
async function belongings(): Promise<unknown[]> {
  const { project, app, environment } = stranger.tree;
  const lists: [string, object][] = [
    ['projects.listProjects', {}],
    ['apps.listApps', { project }],
    ['environments.listEnvironments', { project, app }],
    ['deployments.listDeployments', { project, app, environment }],
    ['domains.listDomains', { project, app, environment }],
  ];
  const answers = [];
  for (const [operation, body] of lists) {
    answers.push(dataOf(await api.call(operation, body, { key: stranger.key })));
  }
  return answers;
}

/** Three have no input, and the texts of the others are within (`test/api/setup/brand.test.ts`, `test/api/domains/`). */
const WITHOUT_TEXTS = [
  'setup.getBrand',
  'domains.countDomains',
  'targets.listTargets',
  'setup.setBrand',
  'domains.countSites',
];

const fields = operations.flatMap(({ name, request }) => {
  const { properties } = request as unknown as { properties: Record<string, { type?: string; format?: string }> };
  const texts = Object.entries(properties).filter(([, { type }]) => type === 'string');
  return texts.map(([field]) => ({ name, field }));
});

describe('SQL in the fields of requests', () => {
  it('is tried in every text of every operation', () => {
    expect(new Set(fields.map(({ name }) => name)).size).toBe(operations.length - WITHOUT_TEXTS.length);
    expect(fields.length).toBeGreaterThan(40);
  });

  it.each(fields)('is a text like any other: $name, $field', async ({ name, field }) => {
    const before = await belongings();
    const example = operations.find((operation) => operation.name === name)?.example.request as object;
    const known = { ...tree, domain: name === 'domains.createDomain' ? 'new.acme.com' : 'www.acme.com' };
    const valid = Object.fromEntries(
      Object.entries(example).map(([key, value]) => [key, known[key as keyof typeof known] ?? value]),
    );
    for (const attempt of ATTEMPTS) {
      const { status, body } = await api.call(name, { ...valid, [field]: attempt });
      expect(status, attempt).toBeLessThan(500);
      expect(JSON.stringify(body)).not.toMatch(/stranger|secret/i);
    }
    expect(await belongings()).toEqual(before);
  });

  it('comes back as it was typed, where any text may stand', async () => {
    for (const [i, attempt] of ATTEMPTS.entries()) {
      dataOf(await api.call('projects.createProject', { slug: `typed-${i}`, name: attempt }));
      expect(dataOf(await api.call('projects.getProject', { project: `typed-${i}` }))).toMatchObject({ name: attempt });
    }
  });

  it('finds by a search only names that contain the text', async () => {
    const { project, app, environment } = tree;
    for (const search of ATTEMPTS) {
      expect(dataOf(await api.call('domains.listDomains', { project, app, environment, search }))).toEqual([]);
    }
  });

  it('is no key', async () => {
    for (const key of ATTEMPTS) {
      expect((await api.call('projects.listProjects', {}, { key })).status).toBe(401);
      api.clock.advance(3_600_000);
    }
  });
});
