import Type, { type Static } from 'typebox';
import type { Project } from '../../store/contract/store.ts';
import { closed, Id, Name, Slug, Time } from '../schemas.ts';

export const ProjectSchema = Type.Object(
  { id: Id('proj', 'The project.'), slug: Slug, name: Type.Optional(Name), createdAt: Time('Creation.') },
  { ...closed, title: 'Project' },
);

export function presentProject({ id, slug, name, createdAt }: Project): Static<typeof ProjectSchema> {
  return { id, slug, ...(name !== null && { name }), createdAt };
}

/** A project for the examples of the documentation. */
export const exampleProject: Project = {
  id: 'proj_01kaghm8z1c2v3b4n5m6a7s8d9',
  workspaceId: 'ws_01kaghm5q6e8x9b2c3d4f5g6h7',
  slug: 'demo',
  name: 'Demo',
  createdAt: Date.UTC(2026, 10, 20, 11),
};
