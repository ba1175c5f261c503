import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DiagnosisData } from '../../api/domains/diagnosis-schema.ts';
import { Problem } from '../../api/errors.ts';
import { isId } from '../../base/ids.ts';
import { sharedTargetOf } from '../chosen-target.ts';
import { type CallOperation, type CallsOf, type Door, dataOf } from '../door.ts';
import { blockingOf, presentConfig } from './domain-config.ts';
import { listProjectDomains, sitesOf } from './list-project-domains.ts';
import { type ProjectDomain, presentProjectDomain, type SiteData } from './project-domain.ts';
import { type Redirection, readAddition, readListing, readRemoval, readUpdate } from './project-domain-requests.ts';
import { refusalOf, type VendorError, vendorError } from './vercel-errors.ts';

/** Products in use call all of these; their routes are the same. */
const VERSIONS = ['v8', 'v9', 'v10'];

/** How long a verification waits between looks at the status, once the records are right. Together 3.1 s. */
const LOOKS_MS = [100, 200, 400, 800, 1600];

/** The project, and the domain where the path has one. */
interface Named {
  project: string;
  domain: string;
}

type Handle<Result> = (
  named: Named,
  call: CallOperation,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Result>;

/** The part of Vercel's API that attaches domains to a project, which is an environment here. */
export const vercel: Door = {
  name: 'compat.vercel',
  prefix: '/compat/vercel',
  refuse(problem, _request, reply) {
    const { status, body } = refusalOf(problem);
    reply.code(status);
    return body;
  },
  routes(app, callsOf) {
    for (const version of VERSIONS) serveProjectDomains(app, callsOf, `/${version}/projects/:project/domains`);
    const serve = served(callsOf);
    app.get(
      '/v6/domains/:domain/config',
      serve(async ({ domain }, call) => presentConfig(await diagnose(call, domain))),
    );
    app.delete('/v6/domains/:domain', serve(removeFromAccount));
  },
};

function serveProjectDomains(app: FastifyInstance, callsOf: CallsOf, path: string): void {
  const serve = served(callsOf);
  const one = `${path}/:domain`;
  app.post(path, serve(add));
  app.get(
    path,
    serve(({ project }, call, { query }) => listProjectDomains(call, project, readListing(query))),
  );
  app.get(
    one,
    serve(async (named, call) => presentProjectDomain(await siteIn(named, call))),
  );
  app.patch(one, serve(update));
  app.delete(one, serve(remove));
  app.post(`${one}/verify`, serve(verify));
}

/** A project that is no environment's id is refused before anything is called: a slug alone names none. */
function served(callsOf: CallsOf) {
  return <Result>(handle: Handle<Result>) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const named = request.params as Named;
      if (named.project !== undefined && !isId(named.project)) throw new Problem('data/environment_not_found');
      return handle(named, callsOf(request, reply), request, reply);
    };
}

/** A domain of the project; another one of the workspace is refused as a missing one is. */
async function siteIn({ project, domain }: Named, call: CallOperation): Promise<SiteData> {
  const site = (await dataOf(call('domains.getSite', { domain }))) as SiteData;
  if (site.domain.environmentId !== project) throw new Problem('data/domain_not_found');
  return site;
}

const add: Handle<ProjectDomain | VendorError> = async ({ project }, call, { body }, reply) => {
  const { name, ...redirection } = readAddition(body);
  const target = await sharedTargetOf(call);
  const created = await call('domains.createDomain', { environment: project, domain: name, ...target });
  if (!created.ok) {
    const { problem } = created;
    if (problem.code !== 'data/domain_already_exists' || !(await isIn(project, name, call))) throw problem;
    // The vendor's API has 409 for the domains of other projects alone.
    reply.code(400);
    return vendorError('domain_already_in_use', `Cannot add ${name}: the project already has it.`);
  }
  const domain = created.data.domainId as string;
  const site = await siteIn({ project, domain }, call);
  if (redirection.redirect == null) return presentProjectDomain(site);
  try {
    await redirect(call, domain, redirection);
  } catch (error) {
    // The request adds the domain with its redirect, or not at all. A repeat with an Idempotency-Key may find it in use.
    if (site.domain.status === 'pending') await call('domains.deleteDomain', { domain });
    throw error;
  }
  return presentProjectDomain(await siteIn({ project, domain }, call));
};

async function isIn(project: string, domain: string, call: CallOperation): Promise<boolean> {
  const found = await call('domains.getSite', { domain });
  return found.ok && found.data.domain.environmentId === project;
}

/** Sets, changes or removes a redirect; without a status it keeps the one that it has, or is 308. */
async function redirect(
  call: CallOperation,
  domain: string,
  { redirect, redirectStatusCode }: Redirection,
  known?: SiteData,
) {
  const to = redirect === undefined && redirectStatusCode != null ? known?.redirect?.to : redirect;
  if (to === null) await dataOf(call('domains.removeRedirect', { domain }));
  if (to == null) return;
  const status = redirectStatusCode ?? known?.redirect?.status ?? 308;
  await dataOf(call('domains.setRedirect', { domain, to, status }));
}

const update: Handle<ProjectDomain> = async (named, call, { body }) => {
  const site = await siteIn(named, call);
  await redirect(call, site.domain.id, readUpdate(body), site);
  return presentProjectDomain(await siteIn(named, call));
};

const remove: Handle<object> = async (named, call, { body }) => {
  const { removeRedirects = false } = body == null ? {} : readRemoval(body);
  const { domain } = await siteIn(named, call);
  if (removeRedirects) {
    for await (const site of sitesOf(call, named.project, {})) {
      if (site.redirect?.to === domain.domain) await dataOf(call('domains.deleteDomain', { domain: site.domain.id }));
    }
  }
  await dataOf(call('domains.deleteDomain', { domain: domain.id }));
  return {};
};

/** The vendor's account is the workspace: products delete a domain there once no project needs it. */
const removeFromAccount: Handle<{ uid: string }> = async ({ domain }, call) => {
  const site = (await dataOf(call('domains.getSite', { domain }))) as SiteData;
  await dataOf(call('domains.deleteDomain', { domain: site.domain.id }));
  return { uid: site.domain.id };
};

/**
 * Looks at the DNS at once, as the vendor's API does. Where the records are right, it waits for the check that
 * `domains.verifyDomain` asked for.
 */
const verify: Handle<ProjectDomain | VendorError> = async (named, call, _request, reply) => {
  const { domain } = await siteIn(named, call);
  const asked = await call('domains.verifyDomain', { domain: domain.id });
  if (!asked.ok && asked.problem.code !== 'application/precondition_failed') throw asked.problem;
  const [blocking] = asked.ok ? blockingOf((await diagnose(call, domain.id)).findings) : [];
  if (blocking !== undefined) {
    reply.code(400);
    return vendorError('missing_txt_record', `${blocking.message} ${blocking.fix}`.trim());
  }
  let site = await siteIn(named, call);
  for (const lookMs of LOOKS_MS) {
    if (site.domain.status === 'verified') break;
    await setTimeout(lookMs);
    site = await siteIn(named, call);
  }
  return presentProjectDomain(site);
};

/** Asks the DNS; where too many requests do, takes the last background check. */
async function diagnose(call: CallOperation, domain: string): Promise<DiagnosisData> {
  const now = await call('domains.diagnoseDomain', { domain });
  if (now.ok || now.status !== 429) return dataOf(Promise.resolve(now));
  return dataOf(call('domains.diagnoseDomain', { domain, cached: true }));
}
