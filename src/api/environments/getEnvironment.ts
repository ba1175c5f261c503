import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Reference } from '../schemas.ts';
import { EnvironmentSchema, exampleEnvironment, presentEnvironment } from './present-environment.ts';

const permission = { resource: 'environment', action: 'read_environment' } as const;

export const getEnvironment = defineOperation({
  name: 'environments.getEnvironment',
  summary: 'Get an environment',
  description: 'Retrieves an environment by its id or slug and those of its project and app.',
  permission,
  request: Type.Object(
    { project: Reference('project'), app: Reference('app'), environment: Reference('environment') },
    closed,
  ),
  response: EnvironmentSchema,
  problems: ['data/environment_not_found'],
  example: {
    request: { project: 'demo', app: 'web', environment: 'production' },
    response: presentEnvironment(exampleEnvironment),
  },
  async handle({ principal, input }, { store }) {
    const environment = masked(
      await store.findEnvironment(principal.workspaceId, input),
      (found) => permits(principal.grants, permission, found.id),
      'data/environment_not_found',
    );
    return presentEnvironment(environment);
  },
});
