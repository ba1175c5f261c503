import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sharedTargetOf } from '../chosen-target.ts';
import { type CallOperation, type CallsOf, type Door, dataOf } from '../door.ts';
import { customHostname, type ShownSite } from './custom-hostname.ts';
import { badInput, CloudflareProblem, enveloped, HOSTNAME_NOT_FOUND, notAllowed, refused } from './envelope.ts';
import { findSite, listHostnames } from './list-hostnames.ts';
import { listQuery } from './list-query.ts';
import { pageStarts } from './page-starts.ts';
import { requestedHostname } from './requested-hostname.ts';
import { checkZone, zoneRoutes } from './zone-routes.ts';

/** Custom hostnames of Cloudflare for SaaS: `docs/compat-cloudflare.md` has every field. */
export const cloudflare: Door = {
  name: 'compat.cloudflare',
  prefix: '/compat/cloudflare/client/v4',
  examine,
  refuse: (problem, { id }) => refused(problem, id),
  routes,
};

/** Keys of an account are no tokens, whatever their permissions. */
function examine({ headers }: FastifyRequest): void {
  if (headers['x-auth-email'] === undefined && headers['x-auth-key'] === undefined) return;
  const instead = 'Use a root key as API token: "Authorization: Bearer <ROOT_KEY>".';
  throw new CloudflareProblem(
    'authentication/malformed',
    6003,
    `X-Auth-Email and X-Auth-Key are not supported. ${instead}`,
  );
}

type Route = { Params: { zone: string; id: string }; Querystring: Record<string, unknown> };
type HostnameRequest = FastifyRequest<Route>;

function routes(app: FastifyInstance, callsOf: CallsOf): void {
  const starts = pageStarts();
  const path = '/zones/:zone/custom_hostnames';
  const handled =
    (handle: (request: HostnameRequest, call: CallOperation, reply: FastifyReply) => Promise<unknown>) =>
    (request: HostnameRequest, reply: FastifyReply) => {
      checkZone(request.params.zone);
      return handle(request, callsOf(request, reply), reply);
    };

  zoneRoutes(app, callsOf);
  app.get<Route>(
    path,
    handled(async ({ params: { zone }, query }, call) => {
      const wanted = listQuery(query);
      const { sites, total } = await listHostnames(wanted, zone, call, starts);
      const { page, perPage: per_page } = wanted;
      const info = {
        page,
        per_page,
        count: sites.length,
        total_count: total,
        total_pages: Math.ceil(total / per_page),
      };
      return { ...enveloped(sites.map(customHostname)), result_info: info };
    }),
  );
  app.post<Route>(
    path,
    handled(async ({ params: { zone }, body }, call, reply) => {
      const id = await createHostname(body, zone, call);
      reply.code(201);
      return enveloped(customHostname(await dataOf(call('domains.getSite', { domain: id }))));
    }),
  );
  app.get<Route>(
    `${path}/:id`,
    handled(async ({ params }, call) => enveloped(customHostname(await siteOf(params, call)))),
  );
  app.patch<Route>(
    `${path}/:id`,
    handled(async ({ params, body }, call, reply) => {
      await editHostname(body, await siteOf(params, call), call);
      reply.code(202);
      return enveloped(customHostname(await siteOf(params, call)));
    }),
  );
  app.delete<Route>(
    `${path}/:id`,
    handled(async ({ params }, call) => {
      const { id } = (await siteOf(params, call)).domain;
      await dataOf(call('domains.deleteDomain', { domain: id }));
      // The vendor's own client reads the id beside the envelope.
      return { id, ...enveloped({ id }) };
    }),
  );
}

async function siteOf({ zone, id }: Route['Params'], call: CallOperation): Promise<ShownSite> {
  // By its id alone: the operation would take a name, too.
  if (!/^dom_[a-z0-9]{1,60}$/.test(id)) throw badInput(1435, 'The custom hostname ID is invalid. It begins with dom_.');
  const site = await findSite(id, zone, call);
  if (site === undefined) throw new CloudflareProblem('data/domain_not_found', ...HOSTNAME_NOT_FOUND);
  return site;
}

/** Returns the id of the new domain. */
async function createHostname(body: unknown, zone: string, call: CallOperation): Promise<string> {
  const { hostname, metadata, minTlsVersion } = requestedHostname(body);
  if (typeof hostname !== 'string') throw badInput(1407, 'Invalid custom hostname. hostname must be a string.');
  const { domainId } = await dataOf(
    call('domains.createDomain', {
      environment: zone,
      domain: hostname,
      ...(metadata && { metadata }),
      ...(await sharedTargetOf(call)),
    }),
  );
  // 1.2 is what a new domain has.
  if (minTlsVersion === '1.3') {
    await dataOf(call('domains.updateDomain', { domain: domainId, settings: { minTlsVersion } }));
  }
  return domainId;
}

async function editHostname(body: unknown, site: ShownSite, call: CallOperation): Promise<void> {
  const { id, status } = site.domain;
  const { hostname, metadata, minTlsVersion, validates } = requestedHostname(body);
  if (hostname !== undefined && hostname !== site.domain.domain) {
    throw notAllowed(1439, 'Modifying the custom hostname is not supported. Create another one and delete this one.');
  }
  const differs = minTlsVersion !== undefined && minTlsVersion !== (site.settings?.minTlsVersion ?? '1.2');
  const change = {
    ...(metadata !== undefined && { metadata: replaced(site.metadata ?? {}, metadata) }),
    ...(differs && { settings: { minTlsVersion } }),
  };
  if (Object.keys(change).length > 0) await dataOf(call('domains.updateDomain', { domain: id, ...change }));
  if (!validates || status === 'verified') return;
  const called = await call('domains.verifyDomain', { domain: id });
  // A check may just have verified it.
  if (!called.ok && called.problem.code !== 'application/precondition_failed') throw called.problem;
}

/** The vendor replaces metadata as a whole. */
function replaced(before: Record<string, string>, metadata: Record<string, unknown> | null) {
  if (metadata === null) return null;
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(metadata, key));
  return { ...Object.fromEntries(gone.map((key) => [key, null])), ...metadata };
}
