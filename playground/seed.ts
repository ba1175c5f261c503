import { createLinkSecret } from '../server/src/access/dashboard-secrets.ts';
import { createRootKey, hashRootKey } from '../server/src/access/secret-text.ts';
import { operations } from '../server/src/api/operations.ts';
import type { Clock } from '../server/src/base/clock.ts';
import type { NewId } from '../server/src/base/ids.ts';
import type { Ready } from '../server/src/cli/data-dir.ts';
import { ensureTree } from '../server/src/cli/store/ensure-tree.ts';
import type { Store } from '../server/src/store/store.ts';
import { PRESETS } from '../words/presets.ts';
import { type HelloOrigin, startHello } from './hello.ts';

/** The initial data of a playground. */
export type Seeded = Pick<Ready, 'rootKey' | 'workspaceId' | 'project' | 'app' | 'environment'>;

export interface SeedDeps {
  store: Store;
  clock: Clock;
  newId: NewId;
  /** From a CSPRNG. */
  randomBytes: (bytes: number) => Uint8Array;
}

/** Every permission that an operation requires, some of them for an option. */
const ALL_PERMISSIONS = [
  ...new Set(
    operations
      .flatMap(({ permission, needs = [] }) => [permission, ...needs.map((need) => need.permission)])
      .map(({ resource, action }) => `${resource}.*.${action}`),
  ),
].sort();

const WORKSPACE = 'playground';

/**
 * Finds or creates the playground's workspace, project, app and environment. Keeps `rootKey` if it still works; else
 * creates a new key.
 */
export async function seed(deps: SeedDeps, rootKey: string | undefined): Promise<Seeded> {
  const workspaceId = await ensureWorkspace(deps);

  const slugs = { project: 'demo', app: 'web', environment: 'production' };
  const tree = await ensureTree(deps, workspaceId, slugs);
  return { rootKey: await ensureKey(deps, workspaceId, rootKey), workspaceId, ...tree };
}

const LINK_LIFE_MS = 86_400_000;

/** A link that signs in to the dashboard, once, with every permission; for longer than one of the command, since people look around first. */
export async function createSignInLink(
  { store, clock, newId, randomBytes }: SeedDeps,
  workspaceId: string,
): Promise<string> {
  const { text, hash } = createLinkSecret(randomBytes);
  const createdAt = clock.now();
  const times = { createdAt, openedAt: null, expiresAt: createdAt + LINK_LIFE_MS };
  const person = { subject: 'you', permissions: [...PRESETS.owner] };
  await store.createDashboardSession({ id: newId('ses'), workspaceId, ...person, ...times }, hash);
  return text;
}

async function ensureWorkspace({ store, clock, newId }: SeedDeps): Promise<string> {
  const found = (await store.listWorkspaces()).find(({ name }) => name === WORKSPACE);
  if (found !== undefined) return found.id;
  const id = newId('ws');
  const limits = { rates: {}, domains: null };
  await store.createWorkspace({ id, name: WORKSPACE, disabledAt: null, limits, createdAt: clock.now() });
  return id;
}

async function ensureKey(deps: SeedDeps, workspaceId: string, rootKey: string | undefined): Promise<string> {
  const { store, clock, newId, randomBytes } = deps;
  if (rootKey !== undefined && (await allowsEverything(deps, rootKey))) return rootKey;
  const { key, hash, start } = createRootKey(randomBytes);
  const about = { name: WORKSPACE, start, permissions: ALL_PERMISSIONS, expiresAt: null, disabledAt: null };
  await store.createRootKey({ id: newId('key'), workspaceId, ...about, createdAt: clock.now() }, hash);
  return key;
}

async function allowsEverything({ store }: SeedDeps, rootKey: string): Promise<boolean> {
  const found = await store.findPrincipal(Buffer.from(hashRootKey(rootKey), 'hex'));
  if (found === null || found.key.disabledAt !== null || found.key.expiresAt !== null) return false;
  return ALL_PERMISSIONS.every((permission) => found.key.permissions.includes(permission));
}

/**
 * Starts the origin server, on the port of the last start (`before`) if that is still free. Deploys it, unless another
 * origin has been deployed in its place.
 */
export async function deployHello(deps: SeedDeps, seeded: Seeded, before: string | undefined): Promise<HelloOrigin> {
  const hello = await startHello(before === undefined ? 0 : Number(new URL(before).port));
  const current = await currentOrigin(deps, seeded, seeded.environment.id);
  if (current === undefined || current === before) await deploy(deps, seeded, seeded.environment.id, hello.origin);
  return hello;
}

/** Deploys an origin to an environment of the app, unless it is the current one. */
export async function deploy(deps: SeedDeps, seeded: Seeded, environmentId: string, origin: string): Promise<void> {
  if ((await currentOrigin(deps, seeded, environmentId)) === origin) return;
  const { store, clock, newId } = deps;
  const deployment = { id: newId('dep'), workspaceId: seeded.workspaceId, environmentId, origin };
  await store.createDeployment({ ...deployment, createdAt: clock.now() });
}

async function currentOrigin(
  { store }: SeedDeps,
  { workspaceId, project, app }: Seeded,
  environmentId: string,
): Promise<string | undefined> {
  const path = { project: project.id, app: app.id, environment: environmentId };
  const current = (await store.findEnvironment(workspaceId, path))?.currentDeploymentId ?? undefined;
  if (current === undefined) return undefined;
  const { items } = await store.listDeployments(workspaceId, environmentId, { limit: 1, cursor: current });
  return items[0]?.origin;
}
