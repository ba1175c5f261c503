import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { lacksPermission } from '../masking.ts';
import { defineList } from '../operation.ts';
import { closed, pageOf, pageRequest } from '../schemas.ts';
import { exampleProject, ProjectSchema, presentProject } from './present-project.ts';

const permission = { resource: 'project', action: 'read_project' } as const;

export const listProjects = defineList({
  name: 'projects.listProjects',
  summary: 'List the projects of the workspace',
  description: 'Projects in order of creation, one page at a time.',
  permission,
  onAll: true,
  request: Type.Object({ ...pageRequest }, closed),
  item: ProjectSchema,
  problems: ['authorization/insufficient_permissions'],
  example: { request: { limit: 10 }, items: [presentProject(exampleProject)] },
  async handle({ principal, input }, { store }) {
    if (!permits(principal.grants, permission)) throw lacksPermission(permission, true);
    const page = await store.listProjects(principal.workspaceId, pageOf(input));
    return { ...page, items: page.items.map(presentProject) };
  },
});
