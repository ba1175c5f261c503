import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id, Name, Reference, Slug } from '../schemas.ts';
import { exampleEnvironment } from './present-environment.ts';

const permission = { resource: 'environment', action: 'create_environment' } as const;

export const createEnvironment = defineOperation({
  name: 'environments.createEnvironment',
  summary: 'Create an environment',
  description: 'Creates an environment in an app.',
  permission,
  onAll: true,
  creates: true,
  request: Type.Object(
    { project: Reference('project'), app: Reference('app'), slug: Slug, name: Type.Optional(Name) },
    closed,
  ),
  response: Type.Object({ environmentId: Id('env', 'The new environment.') }, closed),
  problems: ['data/app_not_found', 'data/environment_already_exists'],
  example: {
    request: { project: 'demo', app: 'web', slug: 'production' },
    response: { environmentId: exampleEnvironment.id },
  },
  async handle({ principal, input, create }, { store, clock, newId }) {
    const { workspaceId, grants } = principal;
    const app = masked(
      await store.findApp(workspaceId, input),
      () => permits(grants, permission),
      'data/app_not_found',
    );
    const environment = {
      id: newId('env'),
      workspaceId,
      projectId: app.projectId,
      appId: app.id,
      currentDeploymentId: null,
      slug: input.slug,
      name: input.name ?? null,
      createdAt: clock.now(),
    };
    const { made, outcome } = await create({ environmentId: environment.id }, (changes) =>
      changes.createEnvironment(environment),
    );
    switch (outcome) {
      case 'created':
        return made;
      case 'slug_taken':
        throw new Problem('data/environment_already_exists');
      case 'parent_missing':
        throw new Problem('data/app_not_found');
      default:
        return outcome satisfies never;
    }
  },
});
