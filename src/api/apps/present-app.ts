import Type, { type Static } from 'typebox';
import type { App } from '../../store/contract/store.ts';
import { exampleProject } from '../projects/present-project.ts';
import { closed, Id, Name, Slug, Time } from '../schemas.ts';

export const AppSchema = Type.Object(
  {
    id: Id('app', 'The app.'),
    projectId: Id('proj', 'Its project.'),
    slug: Slug,
    name: Type.Optional(Name),
    createdAt: Time('Creation.'),
  },
  { ...closed, title: 'App' },
);

export function presentApp({ id, projectId, slug, name, createdAt }: App): Static<typeof AppSchema> {
  return { id, projectId, slug, ...(name !== null && { name }), createdAt };
}

/** An app for the examples of the documentation. */
export const exampleApp: App = {
  id: 'app_01kaghmc3w4e5r6t7y8a9p0s1d',
  workspaceId: exampleProject.workspaceId,
  projectId: exampleProject.id,
  slug: 'web',
  name: 'Web',
  createdAt: exampleProject.createdAt + 1000,
};
