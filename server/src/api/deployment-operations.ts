import Type from 'typebox';
import type { Deployment } from '../store/store.ts';
import { Problem, type Violation } from './errors.ts';
import { defineList, defineOperation } from './operation.ts';
import { ORIGIN_PATTERN, parseOrigin } from './parse-origin.ts';
import {
  closed,
  environmentPath,
  exampleEnvironmentPath,
  Id,
  pageOf,
  pageRequest,
  pattern,
  shownBy,
  Time,
} from './schemas.ts';
import { exampleEnvironment } from './tree.ts';

const DeploymentSchema = Type.Object(
  {
    id: Id('dep', 'The deployment.'),
    environmentId: Id('env', 'Its environment.'),
    origin: Type.String({ description: 'Where the traffic goes, as scheme, host and port.' }),
    createdAt: Time('Creation.'),
  },
  { title: 'Deployment' },
);
const presentDeployment = shownBy(DeploymentSchema);

/** A deployment for the examples of the documentation. */
export const exampleDeployment: Deployment = {
  id: 'dep_01kaghmk2z3x4c5v6b7n8m9q0w',
  workspaceId: exampleEnvironment.workspaceId,
  environmentId: exampleEnvironment.id,
  origin: 'https://origin.example.com:8443',
  createdAt: exampleEnvironment.createdAt + 1000,
};

/** Rules of an origin in a request. A text that keeps them may still be none: see `canonicalOrigin`. */
export const originRules = { minLength: 8, maxLength: 512, pattern: pattern(ORIGIN_PATTERN, violationsOf) };

export const createDeployment = defineOperation({
  name: 'deployments.createDeployment',
  summary: 'Deploy to an environment',
  description:
    'Creates a deployment, which becomes the current one of the environment: traffic for its domains goes to the origin.',
  permission: { resource: 'environment', action: 'create_deployment' },
  gives:
    'the traffic of every domain of the environment without an origin of its own goes to the new origin, which can read all of it',
  creates: true,
  request: Type.Object(
    {
      ...environmentPath,
      origin: Type.String({
        ...originRules,
        description: 'Where the traffic goes: an http or https URL that consists of scheme, host and port only.',
      }),
    },
    closed,
  ),
  response: Type.Object({ deploymentId: Id('dep', 'The new deployment.') }),
  problems: ['data/environment_not_found'],
  example: {
    request: { ...exampleEnvironmentPath, origin: exampleDeployment.origin },
    response: { deploymentId: exampleDeployment.id },
  },
  async handle({ principal: { workspaceId }, input, find, create }, { clock, newId }) {
    const origin = canonicalOrigin(input.origin, 'body.origin');
    const { id: environmentId } = await find.environment(input);
    const deployment: Deployment = { id: newId('dep'), workspaceId, environmentId, origin, createdAt: clock.now() };
    const { made, outcome } = await create({ deploymentId: deployment.id }, (changes) =>
      changes.createDeployment(deployment),
    );
    if (outcome === 'parent_missing') throw new Problem('data/environment_not_found');
    return made;
  },
});

export const listDeployments = defineList({
  name: 'deployments.listDeployments',
  summary: 'List the deployments of an environment',
  description:
    'Returns the deployments in order of creation, one page at a time. `currentDeploymentId` of the environment names the current one.',
  permission: { resource: 'environment', action: 'read_deployment' },
  request: Type.Object({ ...environmentPath, ...pageRequest }, closed),
  item: DeploymentSchema,
  problems: ['data/environment_not_found'],
  example: { request: { ...exampleEnvironmentPath, limit: 10 }, items: [presentDeployment(exampleDeployment)] },
  async handle({ principal: { workspaceId }, input, find }, { store }) {
    const { id } = await find.environment(input);
    const page = await store.listDeployments(workspaceId, id, pageOf(input));
    return { ...page, items: page.items.map(presentDeployment) };
  },
});

/** The canonical form of an origin. Throws a `Problem` that lists every mistake in it. */
export function canonicalOrigin(text: string, location: string): string {
  const parsed = parseOrigin(text);
  if (parsed.ok) return parsed.origin;
  const errors = violationsOf(text).map((violation) => ({ location, ...violation }));
  throw new Problem('validation/invalid_input', { errors });
}

/** Lists every mistake in an origin. */
function violationsOf(origin: string): Omit<Violation, 'location'>[] {
  const parsed = parseOrigin(origin);
  if (parsed.ok) return [];
  const { messages, fix } = parsed;
  return messages.map((message) => ({ message, ...(fix !== undefined && { fix }) }));
}
