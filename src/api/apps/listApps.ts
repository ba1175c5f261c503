import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { masked } from '../masking.ts';
import { defineList } from '../operation.ts';
import { closed, pageOf, pageRequest, Reference } from '../schemas.ts';
import { AppSchema, exampleApp, presentApp } from './present-app.ts';

const permission = { resource: 'app', action: 'read_app' } as const;

export const listApps = defineList({
  name: 'apps.listApps',
  summary: 'List the apps of a project',
  description: 'Apps in order of creation, one page at a time.',
  permission,
  onAll: true,
  request: Type.Object({ project: Reference('project'), ...pageRequest }, closed),
  item: AppSchema,
  problems: ['data/project_not_found'],
  example: { request: { project: 'demo', limit: 10 }, items: [presentApp(exampleApp)] },
  async handle({ principal, input }, { store }) {
    const { workspaceId, grants } = principal;
    const project = masked(
      await store.findProject(workspaceId, input.project),
      () => permits(grants, permission),
      'data/project_not_found',
    );
    const page = await store.listApps(workspaceId, project.id, pageOf(input));
    return { ...page, items: page.items.map(presentApp) };
  },
});
