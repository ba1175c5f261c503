import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Harness, START, startApi } from '../support/api-harness.ts';

let api: Harness;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const create = (slug: unknown, more: object = {}) => api.call('projects.createProject', { slug, ...more });
const get = (project: string) => api.call('projects.getProject', { project });
const notFound = { status: 404, body: { error: { type: 'not-found' } } };

describe('projects.createProject', () => {
  it('answers with the id; the project is found by it and by its slug', async () => {
    const { projectId } = dataOf<{ projectId: string }>(await create('shop', { name: 'The shop ☃' }));
    expect(projectId).toMatch(/^proj_[0-9a-z]{26}$/);
    const shown = { id: projectId, slug: 'shop', name: 'The shop ☃', createdAt: START };
    expect((await get(projectId)).body.data).toEqual(shown);
    expect((await get('shop')).body.data).toEqual(shown);
  });

  it('leaves a name out where none was given', async () => {
    await create('nameless');
    expect((await get('nameless')).body.data).not.toHaveProperty('name');
  });

  it('answers 409 for a slug that the workspace has, and not for one that another workspace has', async () => {
    await create('twice');
    expect(await create('twice')).toMatchObject({
      status: 409,
      body: { error: { title: 'Conflict', type: 'conflict' } },
    });
    const { key } = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
    expect(await api.call('projects.createProject', { slug: 'twice' }, { key })).toMatchObject({ status: 200 });
  });

  it.each([
    ['ab', 'must have at least 3 characters'],
    ['a'.repeat(65), 'must have at most 64 characters'],
    ['Shop', 'may hold only lower-case letters, digits and "-"'],
    ['my_shop', 'may hold only lower-case letters, digits and "-"'],
    ['my shop', 'may hold only lower-case letters, digits and "-"'],
    ['shöp', 'may hold only lower-case letters, digits and "-"'],
  ])('refuses the slug %j', async (slug, message) => {
    expect(await create(slug)).toMatchObject({
      status: 400,
      body: { error: { errors: [{ location: 'body.slug', message }] } },
    });
  });

  it('takes slugs of 3 to 64 characters', async () => {
    expect(await create('abc')).toMatchObject({ status: 200 });
    expect(await create('-'.repeat(64))).toMatchObject({ status: 200 });
  });

  it('takes names in any script', async () => {
    expect(await create('any-script', { name: 'Café 東京 🏪 p{Cc}' })).toMatchObject({ status: 200 });
  });

  it.each(['', 'line\nbreak', 'null\u0000byte', 'half \ud800 pair', 'x'.repeat(256)])(
    'refuses the name %j',
    async (name) => {
      expect(await create('named', { name })).toMatchObject({
        status: 400,
        body: { error: { errors: [{ location: 'body.name' }] } },
      });
    },
  );
});

describe('projects.getProject', () => {
  it('answers 404 for a project that does not exist', async () => {
    expect(await get('nowhere')).toMatchObject(notFound);
    expect(await get('proj_00000000000000000000000000')).toMatchObject(notFound);
  });

  it.each(['ab', 'x'.repeat(256), 'my project', 'a.b', 'a/b'])('refuses the reference %j', async (project) => {
    expect(await get(project)).toMatchObject({
      status: 400,
      body: { error: { errors: [{ location: 'body.project' }] } },
    });
  });
});

describe('projects.listProjects', () => {
  it('lists the projects of the workspace in order of creation, page by page', async () => {
    const { key } = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
    for (const slug of ['one', 'two', 'three']) await api.call('projects.createProject', { slug }, { key });
    const first = await api.call('projects.listProjects', { limit: 2 }, { key });
    expect(first.body).toMatchObject({ data: [{ slug: 'one' }, { slug: 'two' }], pagination: { hasMore: true } });
    const { cursor } = first.body.pagination ?? {};
    const second = await api.call('projects.listProjects', { limit: 2, cursor }, { key });
    expect(second.body).toMatchObject({ data: [{ slug: 'three' }], pagination: { hasMore: false } });
    expect(second.body.pagination).not.toHaveProperty('cursor');
  });

  it('gives pages of 100 where no limit is given', async () => {
    const { key } = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
    const slugs = Array.from({ length: 101 }, (_, i) => `p-${i}`);
    await Promise.all(slugs.map((slug) => api.call('projects.createProject', { slug }, { key })));
    const { body } = await api.call('projects.listProjects', {}, { key });
    expect(body.data).toHaveLength(100);
    expect(body.pagination?.hasMore).toBe(true);
  });
});

describe('projects.deleteProject', () => {
  const remove = (project: string) => api.call('projects.deleteProject', { project });

  it('answers 200 with nothing; a second call answers 404, and the slug is free', async () => {
    await create('temporary');
    expect(await remove('temporary')).toMatchObject({ status: 200, body: { data: {} } });
    expect(await remove('temporary')).toMatchObject(notFound);
    expect(await create('temporary')).toMatchObject({ status: 200 });
  });

  it('answers 403 while the project has apps, and says so', async () => {
    await create('inhabited');
    await api.call('apps.createApp', { project: 'inhabited', slug: 'web' });
    expect(await remove('inhabited')).toMatchObject({
      status: 403,
      body: {
        error: { title: 'Forbidden', type: 'forbidden', detail: 'The project still has apps. Delete them first.' },
      },
    });
  });
});
