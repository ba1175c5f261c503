import { describe, expect, it } from 'vitest';
import type { Paged, PageRequest } from '../../server/src/store/store.ts';
import { aDeployment, anApp, anEnvironment, aProject } from '../support/entities.ts';
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

    it('of one workspace cannot be deleted from another', async () => {
      const { store } = subject;
      const { workspace, project, app, environment } = await subject.plant();
      const other = (await subject.plant()).workspace.id;
      expect(await store.deleteEnvironment(other, environment.id)).toBe('missing');
      expect(await store.deleteApp(other, app.id)).toBe('missing');
      expect(await store.deleteProject(other, project.id)).toBe('missing');
      expect(await store.findProject(workspace.id, project.id)).toEqual(project);
    });
  });
}
