import { describe, expect, it } from 'vitest';
import type { Paged, PageRequest } from '../../src/store/contract/store.ts';
import { aDeployment, anApp, anEnvironment, aProject, attach, unique } from '../support/entities.ts';
import type { Subject } from './subject.ts';

/** Every item of a list, read in pages of `limit`, and how many pages it took. */
export async function readAll<T>(limit: number, list: (page: PageRequest) => Promise<Paged<T>>) {
  const items: T[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    const page = await list({ limit, cursor });
    items.push(...page.items);
    pages += 1;
    cursor = page.next;
  } while (cursor !== undefined);
  return { items, pages };
}

export function describeTree(subject: Subject): void {
  describe('projects, apps and environments', () => {
    it('are found by ids, slugs and any mix of both', async () => {
      const { workspace, project, app, environment } = await subject.plant();
      const { store } = subject;
      for (const p of [project.id, project.slug]) {
        expect(await store.findProject(workspace.id, p)).toEqual(project);
        for (const a of [app.id, app.slug]) {
          expect(await store.findApp(workspace.id, { project: p, app: a })).toEqual(app);
          for (const e of [environment.id, environment.slug]) {
            const path = { project: p, app: a, environment: e };
            expect(await store.findEnvironment(workspace.id, path)).toEqual(environment);
          }
        }
      }
    });

    it('are not found from another workspace, nor under another parent', async () => {
      const { store } = subject;
      const mine = await subject.plant();
      const other = await subject.plant();
      const path = { project: mine.project.id, app: mine.app.id, environment: mine.environment.id };
      expect(await store.findProject(other.workspace.id, path.project)).toBeNull();
      expect(await store.findApp(other.workspace.id, path)).toBeNull();
      expect(await store.findEnvironment(other.workspace.id, path)).toBeNull();
      const sibling = aProject({ workspaceId: mine.workspace.id });
      await store.createProject(sibling);
      expect(await store.findApp(mine.workspace.id, { ...path, project: sibling.id })).toBeNull();
      expect(await store.findEnvironment(mine.workspace.id, { ...path, project: sibling.id })).toBeNull();
    });

    it('have a slug that is unique in their parent, and not elsewhere', async () => {
      const { store } = subject;
      const { workspace, project, app, environment } = await subject.plant();
      const other = await subject.plant();
      expect(await store.createProject(aProject({ workspaceId: workspace.id, slug: project.slug }))).toBe('slug_taken');
      expect(await store.createApp(anApp(project, { slug: app.slug }))).toBe('slug_taken');
      expect(await store.createEnvironment(anEnvironment(app, { slug: environment.slug }))).toBe('slug_taken');
      const twin = aProject({ workspaceId: other.workspace.id, slug: project.slug });
      expect(await store.createProject(twin)).toBe('created');
      expect(await store.createApp(anApp(twin, { slug: app.slug }))).toBe('created');
      expect(await store.createEnvironment(anEnvironment(other.app, { slug: environment.slug }))).toBe('created');
      expect(await store.findProject(other.workspace.id, project.slug)).toEqual(twin);
    });

    it('are not created without their parent, nor under a parent of another workspace', async () => {
      const { store } = subject;
      const { workspace, project, app, environment } = await subject.plant();
      const other = await subject.plant();
      const missing = aProject({ workspaceId: workspace.id });
      expect(await store.createApp(anApp(missing))).toBe('parent_missing');
      expect(await store.createEnvironment(anEnvironment(anApp(project)))).toBe('parent_missing');
      expect(await store.createDeployment(aDeployment(anEnvironment(app)))).toBe('parent_missing');
      const workspaceId = other.workspace.id;
      expect(await store.createApp(anApp(project, { workspaceId }))).toBe('parent_missing');
      expect(await store.createEnvironment(anEnvironment(app, { workspaceId }))).toBe('parent_missing');
      expect(await store.createDeployment(aDeployment(environment, { workspaceId }))).toBe('parent_missing');
    });

    it('are deleted only when nothing is in them', async () => {
      const { store } = subject;
      const { workspace, project, app, environment } = await subject.plant();
      const domain = await attach(store, environment);
      await store.createDeployment(aDeployment(environment));
      expect(await store.deleteProject(workspace.id, project.id)).toBe('not_empty');
      expect(await store.deleteApp(workspace.id, app.id)).toBe('not_empty');
      expect(await store.deleteEnvironment(workspace.id, environment.id)).toBe('not_empty');
      await store.deleteDomain(workspace.id, domain.id, 0);
      expect(await store.deleteEnvironment(workspace.id, environment.id)).toBe('deleted');
      expect(await store.listDeployments(workspace.id, environment.id, { limit: 10 })).toEqual({ items: [] });
      expect(await store.deleteApp(workspace.id, app.id)).toBe('deleted');
      expect(await store.deleteProject(workspace.id, project.id)).toBe('deleted');
      expect(await store.deleteProject(workspace.id, project.id)).toBe('missing');
      expect(await store.deleteApp(workspace.id, app.id)).toBe('missing');
      expect(await store.deleteEnvironment(workspace.id, environment.id)).toBe('missing');
      expect(await store.findProject(workspace.id, project.id)).toBeNull();
    });

    it('of one workspace cannot be deleted from another', async () => {
      const { store } = subject;
      const { workspace, project, app, environment } = await subject.plant();
      const other = (await subject.plant()).workspace.id;
      expect(await store.deleteEnvironment(other, environment.id)).toBe('missing');
      expect(await store.deleteApp(other, app.id)).toBe('missing');
      expect(await store.deleteProject(other, project.id)).toBe('missing');
      expect(await store.findProject(workspace.id, project.id)).toEqual(project);
    });

    it('free their slug when they are deleted', async () => {
      const { store } = subject;
      const { workspace, project, app, environment } = await subject.plant();
      await store.deleteEnvironment(workspace.id, environment.id);
      expect(await store.createEnvironment(anEnvironment(app, { slug: environment.slug }))).toBe('created');
      const empty = aProject({ workspaceId: workspace.id, slug: unique('slug') });
      await store.createProject(empty);
      await store.deleteProject(workspace.id, empty.id);
      expect(await store.createProject(aProject({ workspaceId: workspace.id, slug: empty.slug }))).toBe('created');
      expect(await store.findProject(workspace.id, project.slug)).toEqual(project);
    });

    it('are listed in order of creation, page by page, each once', async () => {
      const { store } = subject;
      const { workspace, project, app, environment } = await subject.plant();
      await subject.plant();
      const projects = [project, ...Array.from({ length: 4 }, () => aProject({ workspaceId: workspace.id }))];
      const apps = [app, ...Array.from({ length: 4 }, () => anApp(project))];
      const environments = [environment, ...Array.from({ length: 4 }, () => anEnvironment(app))];
      for (const item of projects.slice(1).reverse()) await store.createProject(item);
      for (const item of apps.slice(1).reverse()) await store.createApp(item);
      for (const item of environments.slice(1).reverse()) await store.createEnvironment(item);
      const ws = workspace.id;
      expect(await readAll(2, (page) => store.listProjects(ws, page))).toEqual({ items: projects, pages: 3 });
      expect(await readAll(2, (page) => store.listApps(ws, project.id, page))).toEqual({ items: apps, pages: 3 });
      expect(await readAll(5, (page) => store.listEnvironments(ws, app.id, page))).toEqual({
        items: environments,
        pages: 1,
      });
    });
  });

  describe('deployments', () => {
    it('replace the current one, and are listed in order of creation', async () => {
      const { store } = subject;
      const { workspace, project, app, environment } = await subject.plant();
      const deployments = [1, 2, 3].map((n) => aDeployment(environment, { origin: `https://origin${n}.example:8443` }));
      for (const deployment of deployments) {
        expect(await store.createDeployment(deployment)).toBe('created');
        const path = { project: project.id, app: app.id, environment: environment.id };
        const found = await store.findEnvironment(workspace.id, path);
        expect(found).toEqual({ ...environment, currentDeploymentId: deployment.id });
      }
      const list = (page: PageRequest) => store.listDeployments(workspace.id, environment.id, page);
      expect(await readAll(2, list)).toEqual({ items: deployments, pages: 2 });
      const other = (await subject.plant()).workspace.id;
      expect(await store.listDeployments(other, environment.id, { limit: 10 })).toEqual({ items: [] });
    });
  });
}
