import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Empty, Reference } from '../schemas.ts';

const permission = { resource: 'app', action: 'delete_app' } as const;

export const deleteApp = defineOperation({
  name: 'apps.deleteApp',
  summary: 'Delete an app',
  description: 'Deletes an app that has no environments.',
  permission,
  request: Type.Object({ project: Reference('project'), app: Reference('app') }, closed),
  response: Empty,
  problems: ['authorization/forbidden', 'data/app_not_found'],
  example: { request: { project: 'demo', app: 'web' }, response: {} },
  async handle({ principal, input, changes }, { store }) {
    const { workspaceId, grants } = principal;
    const app = masked(
      await store.findApp(workspaceId, input),
      (found) => permits(grants, permission, found.id),
      'data/app_not_found',
    );
    const deleted = await changes.deleteApp(workspaceId, app.id);
    switch (deleted) {
      case 'deleted':
        return {};
      case 'not_empty':
        throw new Problem('authorization/forbidden', { detail: 'The app still has environments. Delete them first.' });
      case 'missing':
        throw new Problem('data/app_not_found');
      default:
        return deleted satisfies never;
    }
  },
});
