import Type from 'typebox';
import { createRootKey } from '../../access/secret-text.ts';
import type { Workspace } from '../../store/store.ts';
import { defineList, defineOperation } from '../operation.ts';
import { closed, Id, Name, pageOf, pageRequest, shownBy, Time } from '../schemas.ts';
import {
  EXAMPLE_KEY,
  grantedInRequest,
  MAKING_PROBLEMS,
  madeKey,
  makerOf,
  permissionsOf,
  problemOf,
} from './making.ts';

const WorkspaceSchema = Type.Object(
  {
    id: Id('ws', 'The workspace.'),
    name: Type.String({ description: 'Display name.' }),
    createdAt: Time('Creation.'),
    disabledAt: Type.Optional(
      Time('Since when the workspace is disabled, which only the operator can do. Its keys are refused.'),
    ),
  },
  { title: 'Workspace' },
);

const presentWorkspace = shownBy(WorkspaceSchema);

const exampleWorkspace: Workspace = {
  id: 'ws_01kaghv3w4x5y6z7a8b9c0d1e2',
  name: 'Acme',
  disabledAt: null,
  limits: { rates: {}, domains: null },
  createdAt: Date.UTC(2026, 10, 20, 12),
};

/** Slugs of its project, app and environment: those of `nameplate init`. */
const SLUGS = { project: 'main', app: 'web', environment: 'production' };

export const createWorkspace = defineOperation({
  name: 'workspaces.createWorkspace',
  summary: 'Create a workspace',
  description:
    'Creates a workspace, for example for one of your customers. It has the project `main` with the app `web` and the environment `production`, and a first key, which is shown only once. The key can do no more than the caller. It has the permissions of the preset `platform` unless you give others. The new workspace is separate: it has its own names, keys and quotas. Its limits are those that your workspace has now. Your workspace can list it, and can reach what is inside it only with that key.',
  permission: { resource: 'workspace', action: 'create_workspace' },
  onAll: 'workspace',
  rateLimit: { limit: 60, windowMs: 60_000 },
  creates: 'secret',
  request: Type.Object({ name: Name, ...grantedInRequest }, closed),
  response: Type.Object(
    {
      workspaceId: Id('ws', 'The new workspace.'),
      environmentId: Id('env', 'Its environment.'),
      ...madeKey,
    },
    { title: 'CreatedWorkspace' },
  ),
  problems: [...MAKING_PROBLEMS],
  example: {
    request: { name: exampleWorkspace.name },
    response: {
      workspaceId: exampleWorkspace.id,
      environmentId: 'env_01kaghv5w6x7y8z9a0b1c2d3e4',
      keyId: 'key_01kaghv7w8x9y0z1a2b3c4d5e6',
      key: EXAMPLE_KEY,
    },
  },
  async handle({ principal, input, create }, { store, clock, newId, randomBytes }) {
    const { name, ...granted } = input;
    const maker = await makerOf(principal, store);
    const isNamed = Object.keys(granted).length > 0;
    const permissions = permissionsOf(principal, isNamed ? granted : { preset: 'platform' });
    const { key, hash, start } = createRootKey(randomBytes);
    const createdAt = clock.now();
    const workspaceId = newId('ws');
    const about = { workspaceId, name: null, createdAt };
    const project = { ...about, id: newId('proj'), slug: SLUGS.project };
    const app = { ...about, id: newId('app'), slug: SLUGS.app, projectId: project.id };
    const ids = { projectId: project.id, appId: app.id };
    const environment = { ...about, ...ids, id: newId('env'), slug: SLUGS.environment, currentDeploymentId: null };
    const child = { id: workspaceId, name, tree: { project, app, environment }, createdAt };
    const keyId = newId('key');
    const first = { id: keyId, name: 'first', start, permissions, expiresAt: maker.expiresAt, createdAt };
    const shown = { workspaceId, environmentId: environment.id, keyId, key };
    const { made, outcome } = await create(shown, (changes) =>
      changes.createChildWorkspace(maker.id, child, first, hash),
    );
    if (outcome !== 'created') throw problemOf(outcome);
    return made;
  },
});

export const listWorkspaces = defineList({
  name: 'workspaces.listWorkspaces',
  summary: 'List the workspaces that your workspace created',
  description: 'Returns the workspaces in order of creation, one page at a time.',
  permission: { resource: 'workspace', action: 'read_workspace' },
  onAll: 'workspace',
  request: Type.Object({ ...pageRequest }, closed),
  item: WorkspaceSchema,
  problems: [],
  example: { request: { limit: 10 }, items: [presentWorkspace(exampleWorkspace)] },
  async handle({ principal: { workspaceId }, input }, { store }) {
    const page = await store.listChildWorkspaces(workspaceId, pageOf(input));
    return { ...page, items: page.items.map(presentWorkspace) };
  },
});
