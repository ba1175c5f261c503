import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Harness, START, startApi, type Tree } from '../support/api-harness.ts';

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

const parents = { project: 'demo', app: 'web' };
const create = (slug: string, more: object = {}) =>
  api.call('environments.createEnvironment', { ...parents, slug, ...more });
const get = (environment: string, more: object = {}) =>
  api.call('environments.getEnvironment', { ...parents, environment, ...more });
const notFound = { status: 404, body: { error: { type: 'not-found' } } };

describe('environments.createEnvironment', () => {
  it('answers with the id; the environment is found by it and by its slug in its app', async () => {
    const { environmentId } = dataOf<{ environmentId: string }>(await create('preview', { name: 'Preview' }));
    expect(environmentId).toMatch(/^env_[0-9a-z]{26}$/);
    const { projectId, appId } = tree;
    const shown = { id: environmentId, projectId, appId, slug: 'preview', name: 'Preview', createdAt: START };
    expect((await get(environmentId)).body.data).toEqual(shown);
    expect((await get('preview', { project: projectId, app: appId })).body.data).toEqual(shown);
  });

  it('answers 404 in an app that does not exist', async () => {
    expect(await create('preview', { app: 'nothing' })).toMatchObject(notFound);
    expect(await create('preview', { project: 'nowhere' })).toMatchObject(notFound);
  });

  it('answers 409 for a slug that the app has', async () => {
    expect(await create('production')).toMatchObject({ status: 409, body: { error: { type: 'conflict' } } });
  });
});

describe('environments.getEnvironment', () => {
  it('shows the deployment that takes the traffic, once there is one', async () => {
    await create('deployed');
    expect((await get('deployed')).body.data).not.toHaveProperty('currentDeploymentId');
    for (const origin of ['http://one.acme.com', 'http://two.acme.com']) {
      const deployed = await api.call('deployments.createDeployment', { ...parents, environment: 'deployed', origin });
      const { deploymentId } = dataOf<{ deploymentId: string }>(deployed);
      expect((await get('deployed')).body.data).toMatchObject({ currentDeploymentId: deploymentId });
    }
  });

  it('answers 404 for an environment that is not in that app', async () => {
    await api.call('apps.createApp', { project: 'demo', slug: 'other' });
    expect(await get('production', { app: 'other' })).toMatchObject(notFound);
    expect(await get(tree.environmentId, { app: 'other' })).toMatchObject(notFound);
    expect(await get('nothing')).toMatchObject(notFound);
  });
});

describe('environments.listEnvironments', () => {
  it('lists the environments of an app in order of creation, page by page', async () => {
    await api.call('apps.createApp', { project: 'demo', slug: 'listed' });
    for (const slug of ['one', 'two', 'three']) await create(slug, { app: 'listed' });
    const where = { project: 'demo', app: 'listed', limit: 2 };
    const first = await api.call('environments.listEnvironments', where);
    expect(first.body).toMatchObject({ data: [{ slug: 'one' }, { slug: 'two' }], pagination: { hasMore: true } });
    const { cursor } = first.body.pagination ?? {};
    const second = await api.call('environments.listEnvironments', { ...where, cursor });
    expect(second.body).toMatchObject({ data: [{ slug: 'three' }], pagination: { hasMore: false } });
  });

  it('answers 404 for an app that does not exist', async () => {
    expect(await api.call('environments.listEnvironments', { project: 'demo', app: 'nothing' })).toMatchObject(
      notFound,
    );
  });
});

describe('environments.deleteEnvironment', () => {
  const remove = (environment: string) => api.call('environments.deleteEnvironment', { ...parents, environment });

  it('with refuseRestorable deletes nothing while deleted domains of it can be restored, and names them', async () => {
    await create('short-lived');
    const where = { ...parents, environment: 'short-lived' };
    await api.call('domains.createDomain', { ...where, domain: 'restorable.example.com' });
    await api.call('domains.deleteDomain', { domain: 'restorable.example.com' });
    const careful = () => api.call('environments.deleteEnvironment', { ...where, refuseRestorable: true });
    expect(await careful()).toMatchObject({
      status: 409,
      body: { error: { type: 'domains-restorable', detail: expect.stringContaining('restorable.example.com') } },
    });
    expect(await get('short-lived')).toMatchObject({ status: 200 });
    api.clock.advance(7 * 86_400_000);
    expect(await careful()).toMatchObject({ status: 200 });
    expect(await get('short-lived')).toMatchObject(notFound);
  });

  it('answers 200 with nothing, its deployments go with it; a second call answers 404', async () => {
    await create('temporary');
    await api.call('deployments.createDeployment', {
      ...parents,
      environment: 'temporary',
      origin: 'http://a.acme.com',
    });
    expect(await remove('temporary')).toMatchObject({ status: 200, body: { data: {} } });
    expect(await remove('temporary')).toMatchObject(notFound);
  });

  it('answers 403 while the environment has domains, and says so', async () => {
    await create('inhabited');
    await api.createDomain({ ...tree, environment: 'inhabited' }, 'www.acme.com');
    expect(await remove('inhabited')).toMatchObject({
      status: 403,
      body: { error: { type: 'forbidden', detail: 'The environment still has domains. Delete them first.' } },
    });
  });
});
