import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Reference } from '../schemas.ts';
import { AppSchema, exampleApp, presentApp } from './present-app.ts';

const permission = { resource: 'app', action: 'read_app' } as const;

export const getApp = defineOperation({
  name: 'apps.getApp',
  summary: 'Get an app',
  description: 'Retrieves an app by its id or slug and that of its project.',
  permission,
  request: Type.Object({ project: Reference('project'), app: Reference('app') }, closed),
  response: AppSchema,
  problems: ['data/app_not_found'],
  example: { request: { project: 'demo', app: 'web' }, response: presentApp(exampleApp) },
  async handle({ principal, input }, { store }) {
    const app = masked(
      await store.findApp(principal.workspaceId, input),
      (found) => permits(principal.grants, permission, found.id),
      'data/app_not_found',
    );
    return presentApp(app);
  },
});
