import type { FastifyInstance, FastifyRequest } from 'fastify';
import { principalOf } from '../../api/request-hooks.ts';
import { type CallOperation, type CallsOf, VendorProblem } from '../door.ts';
import { badInput, enveloped, notAllowed } from './envelope.ts';

type Route = { Params: { zone: string } };

/** Routes beside those of custom hostnames: the zone, its fallback origin, and the check of a token. */
export function zoneRoutes(app: FastifyInstance, callsOf: CallsOf): void {
  app.get('/user/tokens/verify', async (request: FastifyRequest) =>
    enveloped({ id: principalOf(request).actor, status: 'active' }, [
      { code: 10_000, message: 'This API Token is valid and active' },
    ]),
  );
  app.get<Route>('/zones/:zone', async (request, reply) => {
    const { id, name, slug } = await environmentOf(request.params.zone, callsOf(request, reply));
    return enveloped({ id, name: name ?? slug, status: 'active', type: 'full', paused: false });
  });
  app.route<Route>({
    method: ['GET', 'PUT', 'DELETE'],
    url: '/zones/:zone/custom_hostnames/fallback_origin',
    async handler(request, reply) {
      const found = await fallbackOrigin(request.params.zone, callsOf(request, reply));
      const { origin } = (request.body ?? {}) as { origin?: unknown };
      if (request.method === 'PUT' && typeof origin !== 'string')
        throw badInput(1415, 'Invalid fallback origin. origin must be a string.');
      // Scripts set it each time they run.
      const isKept = request.method === 'GET' || (request.method === 'PUT' && origin === found.origin);
      if (isKept) return enveloped(found);
      const instead = 'Deploy with deployments.createDeployment: its origin takes the traffic of the environment.';
      throw notAllowed(1414, `Access to changing the fallback origin has not been granted. ${instead}`);
    },
  });
}

/** A zone is an environment, by its id: a slug would need its parents. */
export function checkZone(zone: string): void {
  if (/^env_[a-z0-9]{1,60}$/.test(zone)) return;
  const message =
    'Could not route to that zone, perhaps your object identifier is invalid? It is the id of an environment (env_…).';
  throw new VendorProblem('data/environment_not_found', 7003, message);
}

async function environmentOf(zone: string, call: CallOperation) {
  checkZone(zone);
  return (await call('environments.getEnvironment', { environment: zone })).data;
}

/** The origin of the environment's current deployment. */
async function fallbackOrigin(zone: string, call: CallOperation) {
  const { currentDeploymentId: cursor } = await environmentOf(zone, call);
  if (cursor === undefined)
    return { origin: '', status: 'initializing', errors: ['The environment has no deployment.'] };
  // A page begins with the id that its cursor names.
  const { data } = await call('deployments.listDeployments', { environment: zone, cursor, limit: 1 });
  const [deployment] = data;
  const createdAt = new Date(deployment.createdAt).toISOString();
  const origin = new URL(deployment.origin).hostname;
  return { origin, status: 'active', errors: [], created_at: createdAt, updated_at: createdAt };
}
