import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { masked } from '../masking.ts';
import { defineList } from '../operation.ts';
import { closed, pageOf, pageRequest, Reference } from '../schemas.ts';
import { DeploymentSchema, exampleDeployment, presentDeployment } from './present-deployment.ts';

const permission = { resource: 'environment', action: 'read_deployment' } as const;

export const listDeployments = defineList({
  name: 'deployments.listDeployments',
  summary: 'List the deployments of an environment',
  description: 'Deployments in order of creation, one page at a time. The environment names its current one.',
  permission,
  request: Type.Object(
    { project: Reference('project'), app: Reference('app'), environment: Reference('environment'), ...pageRequest },
    closed,
  ),
  item: DeploymentSchema,
  problems: ['data/environment_not_found'],
  example: {
    request: { project: 'demo', app: 'web', environment: 'production', limit: 10 },
    items: [presentDeployment(exampleDeployment)],
  },
  async handle({ principal, input }, { store }) {
    const { workspaceId, grants } = principal;
    const environment = masked(
      await store.findEnvironment(workspaceId, input),
      (found) => permits(grants, permission, found.id),
      'data/environment_not_found',
    );
    const page = await store.listDeployments(workspaceId, environment.id, pageOf(input));
    return { ...page, items: page.items.map(presentDeployment) };
  },
});
