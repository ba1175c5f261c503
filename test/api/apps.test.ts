import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Harness, START, startApi } from '../support/api-harness.ts';

let api: Harness;
let projectId: string;
beforeAll(async () => {
  api = await startApi();
  ({ projectId } = dataOf<{ projectId: string }>(await api.call('projects.createProject', { slug: 'demo' })));
});
afterAll(() => api.close());

const create = (slug: string, more: object = {}) => api.call('apps.createApp', { project: 'demo', slug, ...more });
const get = (app: string, project = 'demo') => api.call('apps.getApp', { project, app });
const notFound = { status: 404, body: { error: { type: 'not-found' } } };

describe('apps.createApp', () => {
  it('answers with the id; the app is found by it and by its slug in its project', async () => {
    const { appId } = dataOf<{ appId: string }>(await create('web', { name: 'Web' }));
    expect(appId).toMatch(/^app_[0-9a-z]{26}$/);
    const shown = { id: appId, projectId, slug: 'web', name: 'Web', createdAt: START };
    for (const app of [appId, 'web']) {
      for (const project of [projectId, 'demo']) expect((await get(app, project)).body.data).toEqual(shown);
    }
  });

  it('answers 404 in a project that does not exist', async () => {
    expect(await create('web', { project: 'nowhere' })).toMatchObject(notFound);
  });

  it('answers 409 for a slug that the project has, and not for one that another project has', async () => {
    await create('twice');
    expect(await create('twice')).toMatchObject({ status: 409, body: { error: { type: 'conflict' } } });
    await api.call('projects.createProject', { slug: 'other' });
    expect(await create('twice', { project: 'other' })).toMatchObject({ status: 200 });
  });
});

describe('apps.getApp', () => {
  it('answers 404 for an app that is not in that project', async () => {
    await api.call('projects.createProject', { slug: 'elsewhere' });
    const { appId } = dataOf<{ appId: string }>(await create('here'));
    expect(await get('nothing')).toMatchObject(notFound);
    expect(await get('here', 'elsewhere')).toMatchObject(notFound);
    expect(await get(appId, 'elsewhere')).toMatchObject(notFound);
  });
});

describe('apps.listApps', () => {
  it('lists the apps of a project in order of creation, page by page', async () => {
    await api.call('projects.createProject', { slug: 'listed' });
    for (const slug of ['one', 'two', 'three']) await create(slug, { project: 'listed' });
    const first = await api.call('apps.listApps', { project: 'listed', limit: 2 });
    expect(first.body).toMatchObject({ data: [{ slug: 'one' }, { slug: 'two' }], pagination: { hasMore: true } });
    const { cursor } = first.body.pagination ?? {};
    const second = await api.call('apps.listApps', { project: 'listed', limit: 2, cursor });
    expect(second.body).toMatchObject({ data: [{ slug: 'three' }], pagination: { hasMore: false } });
  });

  it('answers 404 for a project that does not exist', async () => {
    expect(await api.call('apps.listApps', { project: 'nowhere' })).toMatchObject(notFound);
  });
});

describe('apps.deleteApp', () => {
  const remove = (app: string) => api.call('apps.deleteApp', { project: 'demo', app });

  it('answers 200 with nothing; a second call answers 404', async () => {
    await create('temporary');
    expect(await remove('temporary')).toMatchObject({ status: 200, body: { data: {} } });
    expect(await remove('temporary')).toMatchObject(notFound);
  });

  it('answers 403 while the app has environments, and says so', async () => {
    await create('inhabited');
    await api.call('environments.createEnvironment', { project: 'demo', app: 'inhabited', slug: 'production' });
    expect(await remove('inhabited')).toMatchObject({
      status: 403,
      body: { error: { type: 'forbidden', detail: 'The app still has environments. Delete them first.' } },
    });
  });
});
