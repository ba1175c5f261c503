import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { lacksPermission } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id, Name, Slug } from '../schemas.ts';
import { exampleProject } from './present-project.ts';

const permission = { resource: 'project', action: 'create_project' } as const;

export const createProject = defineOperation({
  name: 'projects.createProject',
  summary: 'Create a project',
  description: 'Creates a project in the workspace of the root key.',
  permission,
  onAll: true,
  creates: true,
  request: Type.Object({ slug: Slug, name: Type.Optional(Name) }, closed),
  response: Type.Object({ projectId: Id('proj', 'The new project.') }, closed),
  problems: ['authorization/insufficient_permissions', 'data/project_already_exists'],
  example: { request: { slug: 'demo', name: 'Demo' }, response: { projectId: exampleProject.id } },
  async handle({ principal, input, create }, { clock, newId }) {
    if (!permits(principal.grants, permission)) throw lacksPermission(permission, true);
    const project = {
      id: newId('proj'),
      workspaceId: principal.workspaceId,
      slug: input.slug,
      name: input.name ?? null,
      createdAt: clock.now(),
    };
    const { made, outcome } = await create({ projectId: project.id }, (changes) => changes.createProject(project));
    if (outcome === 'slug_taken') throw new Problem('data/project_already_exists');
    return made;
  },
});
