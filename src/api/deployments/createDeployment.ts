import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id, pattern, Reference } from '../schemas.ts';
import { ORIGIN_PATTERN, parseOrigin } from './parse-origin.ts';
import { exampleDeployment } from './present-deployment.ts';

const permission = { resource: 'environment', action: 'create_deployment' } as const;

const ORIGIN = pattern(ORIGIN_PATTERN, violationsOf);

export const createDeployment = defineOperation({
  name: 'deployments.createDeployment',
  summary: 'Deploy to an environment',
  description: "The deployment becomes the environment's current one: traffic to its domains goes to the origin.",
  permission,
  creates: true,
  request: Type.Object(
    {
      project: Reference('project'),
      app: Reference('app'),
      environment: Reference('environment'),
      origin: Type.String({
        minLength: 8,
        maxLength: 512,
        pattern: ORIGIN,
        description: 'Where the traffic goes: an http or https URL of scheme, host and port only.',
      }),
    },
    closed,
  ),
  response: Type.Object({ deploymentId: Id('dep', 'The new deployment.') }, closed),
  problems: ['data/environment_not_found'],
  example: {
    request: { project: 'demo', app: 'web', environment: 'production', origin: exampleDeployment.origin },
    response: { deploymentId: exampleDeployment.id },
  },
  async handle({ principal, input, create }, { store, clock, newId }) {
    const { workspaceId, grants } = principal;
    const parsed = parseOrigin(input.origin);
    if (!parsed.ok) {
      const errors = violationsOf(input.origin).map((violation) => ({ location: 'body.origin', ...violation }));
      throw new Problem('validation/invalid_input', { errors });
    }
    const environment = masked(
      await store.findEnvironment(workspaceId, input),
      (found) => permits(grants, permission, found.id),
      'data/environment_not_found',
    );
    const deployment = {
      id: newId('dep'),
      workspaceId,
      environmentId: environment.id,
      origin: parsed.origin,
      createdAt: clock.now(),
    };
    const { made, outcome } = await create({ deploymentId: deployment.id }, (changes) =>
      changes.createDeployment(deployment),
    );
    if (outcome === 'parent_missing') throw new Problem('data/environment_not_found');
    return made;
  },
});

/** Everything that an origin must not have, and this one has. */
function violationsOf(origin: string): { message: string; fix?: string }[] {
  const parsed = parseOrigin(origin);
  if (parsed.ok) return [];
  const { messages, fix } = parsed;
  return messages.map((message) => ({ message, ...(fix !== undefined && { fix }) }));
}
