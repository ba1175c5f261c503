import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Empty, Reference } from '../schemas.ts';

const permission = { resource: 'environment', action: 'delete_environment' } as const;

export const deleteEnvironment = defineOperation({
  name: 'environments.deleteEnvironment',
  summary: 'Delete an environment',
  description: 'Deletes an environment that has no domains. Its deployments go with it.',
  permission,
  request: Type.Object(
    { project: Reference('project'), app: Reference('app'), environment: Reference('environment') },
    closed,
  ),
  response: Empty,
  problems: ['authorization/forbidden', 'data/environment_not_found'],
  example: { request: { project: 'demo', app: 'web', environment: 'production' }, response: {} },
  async handle({ principal, input, change }, { store }) {
    const { workspaceId, grants } = principal;
    const environment = masked(
      await store.findEnvironment(workspaceId, input),
      (found) => permits(grants, permission, found.id),
      'data/environment_not_found',
    );
    const deleted = await change('deleteEnvironment', workspaceId, environment.id);
    switch (deleted) {
      case 'deleted':
        return {};
      case 'not_empty':
        throw new Problem('authorization/forbidden', {
          detail: 'The environment still has domains. Delete them first.',
        });
      case 'missing':
        throw new Problem('data/environment_not_found');
      default:
        return deleted satisfies never;
    }
  },
});
