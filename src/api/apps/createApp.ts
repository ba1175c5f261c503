import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id, Name, Reference, Slug } from '../schemas.ts';
import { exampleApp } from './present-app.ts';

const permission = { resource: 'app', action: 'create_app' } as const;

export const createApp = defineOperation({
  name: 'apps.createApp',
  summary: 'Create an app',
  description: 'Creates an app in a project.',
  permission,
  onAll: true,
  creates: true,
  request: Type.Object({ project: Reference('project'), slug: Slug, name: Type.Optional(Name) }, closed),
  response: Type.Object({ appId: Id('app', 'The new app.') }, closed),
  problems: ['data/project_not_found', 'data/app_already_exists'],
  example: {
    request: { project: 'demo', slug: 'web' },
    response: { appId: exampleApp.id },
  },
  async handle({ principal, input, create }, { store, clock, newId }) {
    const { workspaceId, grants } = principal;
    const project = masked(
      await store.findProject(workspaceId, input.project),
      () => permits(grants, permission),
      'data/project_not_found',
    );
    const app = {
      id: newId('app'),
      workspaceId,
      projectId: project.id,
      slug: input.slug,
      name: input.name ?? null,
      createdAt: clock.now(),
    };
    const { made, outcome } = await create({ appId: app.id }, (changes) => changes.createApp(app));
    switch (outcome) {
      case 'created':
        return made;
      case 'slug_taken':
        throw new Problem('data/app_already_exists');
      case 'parent_missing':
        throw new Problem('data/project_not_found');
      default:
        return outcome satisfies never;
    }
  },
});
