import Type, { type TProperties } from 'typebox';
import { joinList } from '../domain/text.ts';
import type { App, AuditedStore, Changes, Environment, Paged, PageRequest, Project } from '../store/store.ts';
import { Problem, type ProblemCode } from './errors.ts';
import type { Find } from './find.ts';
import type { Create } from './idempotency.ts';
import { defineList, defineOperation, type HandlerContext, type JsonOperation } from './operation.ts';
import {
  closed,
  Empty,
  Id,
  Name,
  ParentReference,
  pageOf,
  pageRequest,
  Reference,
  Slug,
  shownBy,
  Time,
} from './schemas.ts';

/**
 * The operations of projects, apps and environments: each kind has the same four, and its table says how they differ.
 */

/** Names a node. Its parents may be absent where its id is enough. */
type Path = Record<'project' | 'app' | 'environment', string>;
/** Nodes of every kind have these, and a new project nothing else. */
type NewNode = Pick<Project, 'id' | 'workspaceId' | 'slug' | 'name' | 'createdAt'>;

interface Kind<Node extends NewNode, Parent> {
  name: keyof Path;
  prefix: 'proj' | 'app' | 'env';
  /** A phrase for descriptions, such as `the apps of a project`. */
  of: 'the workspace' | 'a project' | 'an app';
  /** An example of what names the parent in a request; empty in the workspace. */
  parentPath: Partial<Path>;
  descriptions: { create: string; get: string; delete: string };
  /** Properties that it shows beside its id, slug, name and creation. */
  properties: { before: TProperties; after: TProperties };
  example: Node;
  /** Sent in the example of a creation, beside the slug. */
  exampleName?: { name: string };
  /** Errors that are thrown for it, and for its parent unless that is the workspace. */
  problems: { exists: ProblemCode; missing: ProblemCode; parentMissing?: ProblemCode };
  findParent(find: Find, path: Path): Promise<Parent>;
  find(find: Find, path: Path): Promise<Node>;
  list(store: AuditedStore, workspaceId: string, parent: Parent, page: PageRequest): Promise<Paged<Node>>;
  create<Made>(
    create: Create,
    made: Made,
    node: NewNode,
    parent: Parent,
  ): Promise<{ made: Made; outcome: 'created' | 'slug_taken' | 'parent_missing' }>;
  delete(changes: Changes, workspaceId: string, id: string): Promise<'deleted' | 'not_empty' | 'missing'>;
  /** A node that has any of these is not deleted. */
  contents: string;
  /** The deletion has this in this kind alone. */
  deletion?: {
    gives: string;
    request: TProperties;
    problem: ProblemCode;
    check(input: object, node: Node, context: HandlerContext): Promise<void>;
  };
}

/** The four operations of a kind. */
function operationsOf<Node extends NewNode, Parent>(kind: Kind<Node, Parent>) {
  const { name, prefix, of, parentPath, descriptions, properties, example, problems, contents, deletion } = kind;
  const a = `${name === 'project' ? 'a' : 'an'} ${name}`;
  const group = `${name}s`;
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  const shown = {
    id: Id(prefix, `The ${name}.`),
    ...properties.before,
    slug: Slug,
    name: Type.Optional(Name),
    ...properties.after,
    createdAt: Time('Creation.'),
  };
  const schema = Type.Object(shown, { title: capital });
  const show = shownBy(schema);
  const parents = Object.keys(parentPath) as (keyof typeof parentPath & ('project' | 'app'))[];
  const optional = Object.fromEntries(parents.map((each) => [each, ParentReference(each)]));
  const inParent = { ...optional, ...Object.fromEntries(parents.slice(-1).map((each) => [each, Reference(each)])) };
  const named = { ...optional, [name]: Reference(name) };
  const examplePath = { ...parentPath, [name]: example.slug };
  const { exists, missing, parentMissing } = problems;
  /** For operations that need the permission on all nodes of the kind. */
  const inAll = { onAll: parentMissing === undefined ? 'workspace' : true } as const;
  const ofParent = parentMissing === undefined ? [] : [parentMissing];

  const create = defineOperation({
    name: `${group}.create${capital}`,
    summary: `Create ${a}`,
    description: descriptions.create,
    permission: { resource: name, action: `create_${name}` },
    ...inAll,
    creates: true,
    request: Type.Object({ ...inParent, slug: Slug, name: Type.Optional(Name) }, closed),
    response: Type.Object({ [`${name}Id`]: Id(prefix, `The new ${name}.`) }),
    problems: [...ofParent, exists],
    example: {
      request: { ...parentPath, slug: example.slug, ...kind.exampleName },
      response: { [`${name}Id`]: example.id },
    },
    async handle({ principal: { workspaceId }, input, find, create }, { clock, newId }) {
      const parent = await kind.findParent(find, input as unknown as Path);
      const node = {
        id: newId(prefix),
        workspaceId,
        slug: input.slug,
        name: input.name ?? null,
        createdAt: clock.now(),
      };
      const { made, outcome } = await kind.create(create, { [`${name}Id`]: node.id }, node, parent);
      if (outcome === 'slug_taken') throw new Problem(exists);
      if (outcome === 'parent_missing' && parentMissing !== undefined) throw new Problem(parentMissing);
      return made;
    },
  });

  const get = defineOperation({
    name: `${group}.get${capital}`,
    summary: `Get ${a}`,
    description: descriptions.get,
    permission: { resource: name, action: `read_${name}` },
    request: Type.Object(named, closed),
    response: schema,
    problems: [missing],
    example: { request: examplePath, response: show(example) },
    handle: async ({ input, find }) => show(await kind.find(find, input as Path)),
  });

  const list = defineList({
    name: `${group}.list${capital}s`,
    summary: `List the ${group} of ${of}`,
    description: `Returns the ${name}s in order of creation, one page at a time.`,
    permission: { resource: name, action: `read_${name}` },
    ...inAll,
    request: Type.Object({ ...inParent, ...pageRequest }, closed),
    item: schema,
    problems: ofParent,
    example: { request: { ...parentPath, limit: 10 }, items: [show(example)] },
    async handle({ principal: { workspaceId }, input, find }, { store }) {
      const parent = await kind.findParent(find, input as unknown as Path);
      const page = await kind.list(store, workspaceId, parent, pageOf(input));
      return { ...page, items: page.items.map(show) };
    },
  });

  const remove = defineOperation({
    name: `${group}.delete${capital}`,
    summary: `Delete ${a}`,
    description: descriptions.delete,
    permission: { resource: name, action: `delete_${name}` },
    ...(deletion && { gives: deletion.gives }),
    request: Type.Object({ ...named, ...deletion?.request }, closed),
    response: Empty,
    problems: ['authorization/forbidden', missing, ...(deletion === undefined ? [] : [deletion.problem])],
    example: { request: examplePath, response: {} },
    async handle({ principal: { workspaceId }, input, find, changes }, context) {
      const node = await kind.find(find, input as Path);
      await deletion?.check(input, node, context);
      const outcome = await kind.delete(changes, workspaceId, node.id);
      if (outcome === 'missing') throw new Problem(missing);
      if (outcome === 'not_empty')
        throw new Problem('authorization/forbidden', {
          detail: `The ${name} still has ${contents}. Delete them first.`,
        });
      return {};
    },
  });

  return [create, get, list, remove] as const satisfies JsonOperation[];
}

const exampleProject: Project = {
  id: 'proj_01kaghm8z1c2v3b4n5m6a7s8d9',
  workspaceId: 'ws_01kaghm5q6e8x9b2c3d4f5g6h7',
  slug: 'demo',
  name: 'Demo',
  createdAt: Date.UTC(2026, 10, 20, 11),
};

const exampleApp: App = {
  id: 'app_01kaghmc3w4e5r6t7y8a9p0s1d',
  workspaceId: exampleProject.workspaceId,
  projectId: exampleProject.id,
  slug: 'web',
  name: 'Web',
  createdAt: exampleProject.createdAt + 1000,
};

/** An environment for the examples of the documentation. */
export const exampleEnvironment: Environment = {
  id: 'env_01kaghmf7g8h9j0k1m2n3b4v5c',
  workspaceId: exampleApp.workspaceId,
  projectId: exampleApp.projectId,
  appId: exampleApp.id,
  slug: 'production',
  name: 'Production',
  currentDeploymentId: 'dep_01kaghmk2z3x4c5v6b7n8m9q0w',
  createdAt: exampleApp.createdAt + 1000,
};

const projects = operationsOf<Project, null>({
  name: 'project',
  prefix: 'proj',
  of: 'the workspace',
  parentPath: {},
  descriptions: {
    create: 'Creates a project in the workspace of the root key.',
    get: 'Retrieves a project by its id or slug.',
    delete: 'Deletes a project that has no apps.',
  },
  properties: { before: {}, after: {} },
  example: exampleProject,
  exampleName: { name: 'Demo' },
  problems: { exists: 'data/project_already_exists', missing: 'data/project_not_found' },
  findParent: async () => null,
  find: (find, { project }) => find.project(project),
  list: (store, workspaceId, _, page) => store.listProjects(workspaceId, page),
  create: (create, made, node) => create(made, (changes) => changes.createProject(node)),
  delete: (changes, ...project) => changes.deleteProject(...project),
  contents: 'apps',
});

const apps = operationsOf<App, Project>({
  name: 'app',
  prefix: 'app',
  of: 'a project',
  parentPath: { project: exampleProject.slug },
  descriptions: {
    create: 'Creates an app in a project.',
    get: 'Retrieves an app by its id, or by its slug and project.',
    delete: 'Deletes an app that has no environments.',
  },
  properties: { before: { projectId: Id('proj', 'Its project.') }, after: {} },
  example: exampleApp,
  problems: {
    exists: 'data/app_already_exists',
    missing: 'data/app_not_found',
    parentMissing: 'data/project_not_found',
  },
  findParent: (find, { project }) => find.project(project),
  find: (find, path) => find.app(path),
  list: (store, workspaceId, { id }, page) => store.listApps(workspaceId, id, page),
  create: (create, made, node, { id }) => create(made, (changes) => changes.createApp({ ...node, projectId: id })),
  delete: (changes, ...app) => changes.deleteApp(...app),
  contents: 'environments',
});

const environments = operationsOf<Environment, App>({
  name: 'environment',
  prefix: 'env',
  of: 'an app',
  parentPath: { project: exampleProject.slug, app: exampleApp.slug },
  descriptions: {
    create: 'Creates an environment in an app.',
    get: 'Retrieves an environment by its id, or by its slug, project and app.',
    delete:
      'Deletes an environment that has no domains, and its deployments. Deleted domains that were in it can no longer be restored.',
  },
  properties: {
    before: { projectId: Id('proj', 'Its project.'), appId: Id('app', 'Its app.') },
    after: {
      currentDeploymentId: Type.Optional(Id('dep', 'The deployment that gets the traffic; absent before the first.')),
    },
  },
  example: exampleEnvironment,
  problems: {
    exists: 'data/environment_already_exists',
    missing: 'data/environment_not_found',
    parentMissing: 'data/app_not_found',
  },
  findParent: (find, path) => find.app(path),
  find: (find, path) => find.environment(path),
  list: (store, workspaceId, { id }, page) => store.listEnvironments(workspaceId, id, page),
  create: (create, made, node, { id, projectId }) =>
    create(made, (changes) => changes.createEnvironment({ ...node, projectId, appId: id, currentDeploymentId: null })),
  delete: (changes, ...environment) => changes.deleteEnvironment(...environment),
  contents: 'domains',
  deletion: {
    gives: 'its deployments are deleted too, and deleted domains that were in it can no longer be restored',
    request: {
      refuseRestorable: Type.Optional(
        Type.Boolean({
          description: 'If true, nothing is deleted while deleted domains of the environment can still be restored.',
        }),
      ),
    },
    problem: 'application/domains_restorable',
    async check(input, { id, workspaceId }, { store, clock }) {
      if (!('refuseRestorable' in input && input.refuseRestorable)) return;
      const names = await store.listRestorable(workspaceId, id, clock.now());
      if (names.length === 0) return;
      throw new Problem('application/domains_restorable', {
        detail: `Deleted domains of the environment can still be restored, but not once it is deleted: ${joinList(names, 10)}.`,
      });
    },
  },
});

/** In the order of the documentation. */
export const treeOperations: readonly JsonOperation[] = [...projects, ...apps, ...environments];
