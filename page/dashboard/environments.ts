import type { App, Environment, NameplateClient, Project } from '../../client/client.ts';
import { mayDo, useDashboard } from './context.ts';
import { listAll } from './list-all.ts';
import { type Loaded, useLoad } from './load.ts';

export interface ProjectTree {
  project: Project;
  apps: { app: App; environments: Environment[] }[];
}

/** Everything of the workspace that domains can be attached to. It fails for somebody who may not read it. */
export function useTree(): Loaded<ProjectTree[]> {
  const { client } = useDashboard();
  return useLoad('environments', (signal) => loadTree(client, signal));
}

/** The same to choose from: nothing for somebody who may not read it. */
export function useChoices(): Loaded<ProjectTree[]> {
  const { client, person } = useDashboard();
  const isAllowed = mayDo(person, 'project', 'read_project') && mayDo(person, 'app', 'read_app');
  return useLoad('environments', async (signal) => (isAllowed ? loadTree(client, signal) : []));
}

async function loadTree(
  { projects, apps, environments }: NameplateClient,
  signal: AbortSignal,
): Promise<ProjectTree[]> {
  const all = await listAll(projects.listProjects, {}, signal);
  return Promise.all(
    all.map(async (project) => ({
      project,
      apps: await Promise.all(
        (await listAll(apps.listApps, { project: project.id }, signal)).map(async (app) => ({
          app,
          environments: await listAll(environments.listEnvironments, { app: app.id }, signal),
        })),
      ),
    })),
  );
}

/** The environments by their ids, as `project / app / environment`, to choose from. `value`: one that is chosen, seen or not. */
export function environmentOptions(tree: readonly ProjectTree[] = [], value = ''): [id: string, title: string][] {
  const titleOf = ({ name, slug }: { name?: string | undefined; slug: string }) => name ?? slug;
  const found = tree.flatMap(({ project, apps }) =>
    apps.flatMap(({ app, environments }) =>
      environments.map((each): [string, string] => [each.id, [project, app, each].map(titleOf).join(' / ')]),
    ),
  );
  const isKnown = value === '' || found.some(([id]) => id === value);
  return isKnown ? found : [[value, value], ...found];
}
