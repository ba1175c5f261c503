import type { Clock } from '../../base/clock.ts';
import type { NewId } from '../../base/ids.ts';
import type { Store } from '../../store/store.ts';

type Level = 'project' | 'app' | 'environment';
type Tree = Record<Level, { id: string; slug: string }>;

interface TreeDeps {
  store: Pick<
    Store,
    'createProject' | 'findProject' | 'createApp' | 'findApp' | 'createEnvironment' | 'findEnvironment'
  >;
  clock: Clock;
  newId: NewId;
}

/** Projects, apps and environments have these fields in common. */
interface TreeFields {
  id: string;
  workspaceId: string;
  slug: string;
  name: null;
  createdAt: number;
}

/** Finds or creates a project, an app in it, and an environment in that. */
export async function ensureTree(
  { store, clock, newId }: TreeDeps,
  workspaceId: string,
  slugs: Record<Level, string>,
): Promise<Tree> {
  async function ensure(
    prefix: 'proj' | 'app' | 'env',
    slug: string,
    found: { id: string } | null,
    create: (fields: TreeFields) => Promise<unknown>,
  ): Promise<{ id: string; slug: string }> {
    const id = found?.id ?? newId(prefix);
    if (found === null) await create({ id, workspaceId, slug, name: null, createdAt: clock.now() });
    return { id, slug };
  }

  const project = await ensure('proj', slugs.project, await store.findProject(workspaceId, slugs.project), (fields) =>
    store.createProject(fields),
  );
  const inProject = { project: project.id, app: slugs.app };
  const app = await ensure('app', slugs.app, await store.findApp(workspaceId, inProject), (fields) =>
    store.createApp({ ...fields, projectId: project.id }),
  );
  const inApp = { project: project.id, app: app.id, environment: slugs.environment };
  const environment = await ensure(
    'env',
    slugs.environment,
    await store.findEnvironment(workspaceId, inApp),
    (fields) => store.createEnvironment({ ...fields, projectId: project.id, appId: app.id, currentDeploymentId: null }),
  );
  return { project, app, environment };
}
