import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Empty, Reference } from '../schemas.ts';

const permission = { resource: 'project', action: 'delete_project' } as const;

export const deleteProject = defineOperation({
  name: 'projects.deleteProject',
  summary: 'Delete a project',
  description: 'Deletes a project that has no apps.',
  permission,
  request: Type.Object({ project: Reference('project') }, closed),
  response: Empty,
  problems: ['authorization/forbidden', 'data/project_not_found'],
  example: { request: { project: 'demo' }, response: {} },
  async handle({ principal, input, changes }, { store }) {
    const { workspaceId, grants } = principal;
    const project = masked(
      await store.findProject(workspaceId, input.project),
      (found) => permits(grants, permission, found.id),
      'data/project_not_found',
    );
    const deleted = await changes.deleteProject(workspaceId, project.id);
    switch (deleted) {
      case 'deleted':
        return {};
      case 'not_empty':
        throw new Problem('authorization/forbidden', { detail: 'The project still has apps. Delete them first.' });
      case 'missing':
        throw new Problem('data/project_not_found');
      default:
        return deleted satisfies never;
    }
  },
});
