import Type, { type Static } from 'typebox';
import type { Deployment } from '../../store/contract/store.ts';
import { exampleEnvironment } from '../environments/present-environment.ts';
import { closed, Id, Time } from '../schemas.ts';

export const DeploymentSchema = Type.Object(
  {
    id: Id('dep', 'The deployment.'),
    environmentId: Id('env', 'Its environment.'),
    origin: Type.String({ description: 'Where the traffic goes: scheme, host and port.' }),
    createdAt: Time('Creation.'),
  },
  { ...closed, title: 'Deployment' },
);

export function presentDeployment({
  id,
  environmentId,
  origin,
  createdAt,
}: Deployment): Static<typeof DeploymentSchema> {
  return { id, environmentId, origin, createdAt };
}

/** A deployment for the examples of the documentation. */
export const exampleDeployment: Deployment = {
  id: 'dep_01kaghmk2z3x4c5v6b7n8m9q0w',
  workspaceId: exampleEnvironment.workspaceId,
  environmentId: exampleEnvironment.id,
  origin: 'https://origin.example.com:8443',
  createdAt: exampleEnvironment.createdAt + 1000,
};
