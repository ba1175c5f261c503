import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { masked } from '../masking.ts';
import { defineList } from '../operation.ts';
import { closed, pageOf, pageRequest, Reference } from '../schemas.ts';
import { EnvironmentSchema, exampleEnvironment, presentEnvironment } from './present-environment.ts';

const permission = { resource: 'environment', action: 'read_environment' } as const;

export const listEnvironments = defineList({
  name: 'environments.listEnvironments',
  summary: 'List the environments of an app',
  description: 'Environments in order of creation, one page at a time.',
  permission,
  onAll: true,
  request: Type.Object({ project: Reference('project'), app: Reference('app'), ...pageRequest }, closed),
  item: EnvironmentSchema,
  problems: ['data/app_not_found'],
  example: { request: { project: 'demo', app: 'web', limit: 10 }, items: [presentEnvironment(exampleEnvironment)] },
  async handle({ principal, input }, { store }) {
    const { workspaceId, grants } = principal;
    const app = masked(
      await store.findApp(workspaceId, input),
      () => permits(grants, permission),
      'data/app_not_found',
    );
    const page = await store.listEnvironments(workspaceId, app.id, pageOf(input));
    return { ...page, items: page.items.map(presentEnvironment) };
  },
});
