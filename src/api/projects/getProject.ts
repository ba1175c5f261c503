import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Reference } from '../schemas.ts';
import { exampleProject, ProjectSchema, presentProject } from './present-project.ts';

const permission = { resource: 'project', action: 'read_project' } as const;

export const getProject = defineOperation({
  name: 'projects.getProject',
  summary: 'Get a project',
  description: 'Retrieves a project by its id or slug.',
  permission,
  request: Type.Object({ project: Reference('project') }, closed),
  response: ProjectSchema,
  problems: ['data/project_not_found'],
  example: { request: { project: 'demo' }, response: presentProject(exampleProject) },
  async handle({ principal, input }, { store }) {
    const project = masked(
      await store.findProject(principal.workspaceId, input.project),
      (found) => permits(principal.grants, permission, found.id),
      'data/project_not_found',
    );
    return presentProject(project);
  },
});
