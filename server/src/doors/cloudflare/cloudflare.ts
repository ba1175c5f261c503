import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { canonicalName } from '../../domain/name.ts';
import { type CallOperation, type CallsOf, type Door, VendorProblem } from '../door.ts';
import { attach, check, type ShownSite, siteIn } from '../shown-sites.ts';
import { customHostname } from './custom-hostname.ts';
import { badInput, enveloped, notAllowed, refused } from './envelope.ts';
import { listHostnames } from './list-hostnames.ts';
import { requestedHostname } from './requested-hostname.ts';
import { checkZone, zoneRoutes } from './zone-routes.ts';

/** Custom hostnames of Cloudflare for SaaS: `docs/reference/compat-cloudflare.md` has every field. */
export const cloudflare: Door = {
  name: 'compat.cloudflare',
  prefix: '/compat/cloudflare/client/v4',
  refuse(problem, { id, headers }) {
    const isByAccountKey = problem.code === 'authentication/missing' && headers['x-auth-key'] !== undefined;
    return refused(isByAccountKey ? new VendorProblem(problem.code, 6003, NO_ACCOUNT_KEYS) : problem, id);
  },
  routes,
};

const NO_ACCOUNT_KEYS =
  'X-Auth-Email and X-Auth-Key are not supported. Use a root key as API token: "Authorization: Bearer <ROOT_KEY>".';

/** About 2 MB. */
const MOST_STARTS = 10_000;

type Route = { Params: { zone: string; id: string }; Querystring: Record<string, unknown> };
type Handle = (request: FastifyRequest<Route>, call: CallOperation, reply: FastifyReply) => Promise<unknown>;

function routes(app: FastifyInstance, callsOf: CallsOf): void {
  const handled = (handle: Handle) => (request: FastifyRequest<Route>, reply: FastifyReply) => {
    checkZone(request.params.zone);
    return handle(request, callsOf(request, reply), reply);
  };
  const path = '/zones/:zone/custom_hostnames';
  const starts = new LRUCache<string, string>({ max: MOST_STARTS });
  zoneRoutes(app, callsOf);
  app.get<Route>(
    path,
    handled(({ params, query }, call) => listHostnames(call, params.zone, query, starts)),
  );
  app.post<Route>(path, handled(create));
  app.get<Route>(
    `${path}/:id`,
    handled(async ({ params }, call) => enveloped(customHostname(await siteOf(params, call)))),
  );
  app.patch<Route>(`${path}/:id`, handled(edit));
  app.delete<Route>(
    `${path}/:id`,
    handled(async ({ params }, call) => {
      const { id } = (await siteOf(params, call)).domain;
      await call('domains.deleteDomain', { domain: id });
      // The vendor's own client reads the id beside the envelope.
      return { id, ...enveloped({ id }) };
    }),
  );
}

function siteOf({ zone, id }: Route['Params'], call: CallOperation): Promise<ShownSite> {
  // By its id alone: the operation would take a name, too.
  if (!/^dom_[a-z0-9]{1,60}$/.test(id)) throw badInput(1435, 'The custom hostname ID is invalid. It begins with dom_.');
  return siteIn(call, zone, id);
}

const create: Handle = async ({ params: { zone }, body }, call, reply) => {
  const { hostname, metadata, minTlsVersion } = requestedHostname(body);
  if (typeof hostname !== 'string') throw badInput(1407, 'Invalid custom hostname. hostname must be a string.');
  const domain = await attach(call, zone, { domain: hostname, ...(metadata && { metadata }) });
  // 1.2 is what a new domain has.
  if (minTlsVersion === '1.3') await call('domains.updateDomain', { domain, settings: { minTlsVersion } });
  reply.code(201);
  return enveloped(customHostname(await siteIn(call, zone, domain)));
};

const edit: Handle = async ({ params, body }, call, reply) => {
  const site = await siteOf(params, call);
  const { id, domain } = site.domain;
  const { hostname, metadata, minTlsVersion, validates } = requestedHostname(body);
  if (hostname !== undefined && (typeof hostname !== 'string' || canonicalName(hostname) !== domain)) {
    throw notAllowed(1439, 'Modifying the custom hostname is not supported. Create another one and delete this one.');
  }
  const differs = minTlsVersion !== undefined && minTlsVersion !== (site.settings?.minTlsVersion ?? '1.2');
  const change = {
    ...(metadata !== undefined && { metadata: replaced(site.metadata ?? {}, metadata) }),
    ...(differs && { settings: { minTlsVersion } }),
  };
  if (Object.keys(change).length > 0) await call('domains.updateDomain', { domain: id, ...change });
  if (validates) await check(call, id);
  reply.code(202);
  return enveloped(customHostname(await siteOf(params, call)));
};

/** The vendor replaces metadata as a whole. */
function replaced(before: Record<string, string>, metadata: Record<string, unknown> | null) {
  if (metadata === null) return null;
  return { ...Object.fromEntries(Object.keys(before).map((key) => [key, null])), ...metadata };
}
