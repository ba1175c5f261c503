import type { App, Environment, NameplateClient, Project } from '../../client/client.ts';
import { listAll } from './list-all.ts';

export interface ProjectTree {
  project: Project;
  apps: { app: App; environments: Environment[] }[];
}

/** Everything of the workspace that domains can be attached to. */
export async function loadTree(
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
