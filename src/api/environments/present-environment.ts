import Type, { type Static } from 'typebox';
import type { Environment } from '../../store/contract/store.ts';
import { exampleApp } from '../apps/present-app.ts';
import { closed, Id, Name, Slug, Time } from '../schemas.ts';

export const EnvironmentSchema = Type.Object(
  {
    id: Id('env', 'The environment.'),
    projectId: Id('proj', 'Its project.'),
    appId: Id('app', 'Its app.'),
    slug: Slug,
    name: Type.Optional(Name),
    currentDeploymentId: Type.Optional(Id('dep', 'The deployment that takes the traffic; absent before the first.')),
    createdAt: Time('Creation.'),
  },
  { ...closed, title: 'Environment' },
);

export function presentEnvironment(environment: Environment): Static<typeof EnvironmentSchema> {
  const { id, projectId, appId, slug, name, currentDeploymentId, createdAt } = environment;
  return {
    id,
    projectId,
    appId,
    slug,
    ...(name !== null && { name }),
    ...(currentDeploymentId !== null && { currentDeploymentId }),
    createdAt,
  };
}

/** An environment for the examples of the documentation. */
export const exampleEnvironment: Environment = {
  id: 'env_01kaghmf7g8h9j0k1m2n3b4v5c',
  workspaceId: exampleApp.workspaceId,
  projectId: exampleApp.projectId,
  appId: exampleApp.id,
  slug: 'production',
  name: 'Production',
  currentDeploymentId: 'dep_01kaghmk2z3x4c5v6b7n8m9q0w',
  createdAt: exampleApp.createdAt + 1000,
};
