import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { joinList } from '../../domain/text.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Empty, Reference } from '../schemas.ts';

const permission = { resource: 'environment', action: 'delete_environment' } as const;

export const deleteEnvironment = defineOperation({
  name: 'environments.deleteEnvironment',
  summary: 'Delete an environment',
  description:
    'Deletes an environment that has no domains. Its deployments go with it. Deleted domains that were in it cannot be restored any more.',
  permission,
  request: Type.Object(
    {
      project: Reference('project'),
      app: Reference('app'),
      environment: Reference('environment'),
      refuseRestorable: Type.Optional(
        Type.Boolean({
          description: 'If true, nothing is deleted while deleted domains of the environment can still be restored.',
        }),
      ),
    },
    closed,
  ),
  response: Empty,
  problems: ['authorization/forbidden', 'data/environment_not_found', 'application/domains_restorable'],
  example: { request: { project: 'demo', app: 'web', environment: 'production' }, response: {} },
  async handle({ principal, input, changes }, { store, clock }) {
    const { workspaceId, grants } = principal;
    const environment = masked(
      await store.findEnvironment(workspaceId, input),
      (found) => permits(grants, permission, found.id),
      'data/environment_not_found',
    );
    if (input.refuseRestorable) {
      const names = await store.listRestorable(workspaceId, environment.id, clock.now());
      if (names.length > 0)
        throw new Problem('application/domains_restorable', {
          detail: `Deleted domains of the environment can still be restored, but not once it is deleted: ${joinList(names, 10)}.`,
        });
    }
    const deleted = await changes.deleteEnvironment(workspaceId, environment.id);
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
