import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../server/src/api/operations.ts';
import { type Harness, startApi, type Tree } from '../support/api-harness.ts';

let api: Harness;
let tree: Tree;
let other: { key: string; tree: Tree };

beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
  await api.call('apps.createApp', { project: tree.projectId, slug: 'second' });
  await api.call('projects.createProject', { slug: 'second' });
  const { id } = await api.createWorkspace();
  const { key } = await api.createKey({ workspaceId: id });
  other = { key, tree: await api.createTree('demo', key) };
});
afterAll(() => api.close());

/** Each operation that names an environment or an app needs this beside; each succeeds in this order. */
const INPUTS: Record<string, (at: number) => object> = {
  'domains.createDomain': (at) => ({ domain: `a${at}.example.com` }),
  'domains.createDomains': (at) => ({ domains: [`b${at}.example.com`] }),
  'domains.checkName': () => ({ domain: 'a1.example.com' }),
  'domains.listDomains': () => ({}),
  'domains.moveDomain': () => ({ domain: 'a1.example.com' }),
  'deployments.createDeployment': () => ({ origin: 'https://origin.example.com' }),
  'deployments.listDeployments': () => ({}),
  'environments.getEnvironment': () => ({}),
  'apps.getApp': () => ({}),
  'environments.createEnvironment': (at) => ({ slug: `preview-${at}` }),
  'environments.listEnvironments': () => ({}),
  'environments.getOriginSettings': () => ({}),
  'environments.updateOriginSettings': () => ({ hostHeader: 'origin' }),
  'environments.rotateOriginSecret': () => ({}),
};
const tried = Object.keys(INPUTS);

const namesApp = (operation: string) => operation.startsWith('apps.') || /(create|list)Environment/.test(operation);
/** Names the environment or the app of a call: its own id or slug, and the parents that are given. */
const named = (operation: string, own: 'id' | 'slug', parents: object, of = tree) =>
  namesApp(operation)
    ? { ...parents, app: own === 'id' ? of.appId : of.app }
    : { ...parents, environment: own === 'id' ? of.environmentId : of.environment };
const call = (operation: string, path: object, at = 1) => api.call(operation, { ...INPUTS[operation]?.(at), ...path });

describe('an id names an environment or an app by itself', () => {
  it('in every operation that names one', () => {
    const naming = operations.filter(({ request }) => {
      const { properties = {} } = request as { properties?: object };
      return 'environment' in properties || 'app' in properties;
    });
    const deleting = ['apps.deleteApp', 'environments.deleteEnvironment'];
    expect(naming.map(({ name }) => name).sort()).toEqual([...tried, ...deleting].sort());
  });

  it.each(tried)('%s takes the id alone, and with parents that are its own', async (operation) => {
    const { project, projectId, app, appId } = tree;
    const parents = namesApp(operation)
      ? [{}, { project }]
      : [{}, { project: projectId }, { app: appId }, { project, app }];
    for (const [at, given] of parents.entries()) {
      expect([given, await call(operation, named(operation, 'id', given), at + 1)]).toMatchObject([
        given,
        { status: 200 },
      ]);
    }
  });

  it.each(tried)('%s answers 400 for a slug without its parents, and says what to send', async (operation) => {
    const kind = namesApp(operation) ? 'app' : 'environment';
    const answer = await call(operation, named(operation, 'slug', {}));
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: { errors: [{ location: `body.${kind}`, fix: expect.stringMatching(/^send the id, or "project"/) }] },
      },
    });
  });

  it.each(tried)('%s answers 404 for an id with parents that are not its own', async (operation) => {
    const parents = namesApp(operation)
      ? [{ project: 'second' }]
      : [{ project: 'second' }, { project: 'demo', app: 'second' }];
    for (const given of parents)
      expect(await call(operation, named(operation, 'id', given))).toMatchObject({ status: 404 });
  });

  it.each(tried)("%s answers for another workspace's id as for one that does not exist", async (operation) => {
    const told = async (of: Tree) => {
      const { status, body } = await call(operation, named(operation, 'id', {}, of));
      return { status, error: body.error };
    };
    const foreign = await told(other.tree);
    expect(foreign.status).toBe(404);
    expect(foreign).toEqual(await told({ ...other.tree, environmentId: 'env_none', appId: 'app_none' }));
  });

  it('the slug of an environment needs no project beside the id of its app, and a slug of that does', async () => {
    const get = (path: object) => api.call('environments.getEnvironment', path);
    const { appId, environment, environmentId } = tree;
    expect((await get({ app: appId, environment })).body.data).toMatchObject({ id: environmentId });
    const refused = await get({ app: 'web', environment });
    expect(refused).toMatchObject({ status: 400, body: { error: { errors: [{ location: 'body.app' }] } } });
  });

  it('a filter takes it, and so do deletions', async () => {
    const { environmentId } = tree;
    const listed = await api.call('domains.listWorkspaceDomains', { within: { environment: environmentId }, limit: 1 });
    expect(listed).toMatchObject({ status: 200, body: { data: [{ domain: { environmentId } }] } });
    const created = await api.call('apps.createApp', { project: 'demo', slug: 'third' });
    const { appId } = created.body.data as { appId: string };
    const inside = await api.call('environments.createEnvironment', { app: appId, slug: 'inside' });
    const { environmentId: environment } = inside.body.data as { environmentId: string };
    expect(await api.call('environments.deleteEnvironment', { environment })).toMatchObject({ status: 200 });
    expect(await api.call('apps.deleteApp', { app: appId })).toMatchObject({ status: 200 });
  });
});
