import { setTimeout } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DiagnosisData } from '../../api/domains/diagnosis-schema.ts';
import { Problem } from '../../api/errors.ts';
import { isId } from '../../base/ids.ts';
import { type CallOperation, type Door, unless, VendorProblem } from '../door.ts';
import { attach, check, type ShownSite, siteIn, sitesIn } from '../shown-sites.ts';
import { blockingOf, presentConfig } from './domain-config.ts';
import { listProjectDomains } from './list-project-domains.ts';
import { presentProjectDomain } from './project-domain.ts';
import { type Redirection, readAddition, readListing, readRemoval, readUpdate } from './project-domain-requests.ts';
import { refusalOf } from './vercel-errors.ts';

/** Products in use call all of these; their routes are the same. */
const VERSIONS = ['v8', 'v9', 'v10'];

/** How long a verification waits between looks at the status, once the records are right. Together 3.1 s. */
const LOOKS_MS = [100, 200, 400, 800, 1600];

/** The project, and the domain where the path has one. */
interface Named {
  project: string;
  domain: string;
}

type Handle = (named: Named, call: CallOperation, request: FastifyRequest, reply: FastifyReply) => Promise<object>;

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
    const route = (method: string, url: string, handle: Handle) =>
      app.route({
        method,
        url,
        handler: (request, reply) => {
          const named = request.params as Named;
          // A slug alone names no environment.
          if (named.project !== undefined && !isId(named.project)) throw new Problem('data/environment_not_found');
          return handle(named, callsOf(request, reply), request, reply);
        },
      });
    for (const version of VERSIONS) {
      const all = `/${version}/projects/:project/domains`;
      route('POST', all, add);
      route('GET', all, ({ project }, call, { query }) => listProjectDomains(call, project, readListing(query)));
      route('GET', `${all}/:domain`, show);
      route('PATCH', `${all}/:domain`, update);
      route('DELETE', `${all}/:domain`, remove);
      route('POST', `${all}/:domain/verify`, verify);
    }
    route('GET', '/v6/domains/:domain/config', async ({ domain }, call) => presentConfig(await diagnose(call, domain)));
    route('DELETE', '/v6/domains/:domain', removeFromAccount);
  },
};

const show: Handle = async ({ project, domain }, call) => presentProjectDomain(await siteIn(call, project, domain));

const add: Handle = async ({ project }, call, { body }, reply) => {
  const { name, ...redirection } = readAddition(body);
  const domain = await unless(['data/domain_already_exists'], attach(call, project, { domain: name }));
  if (domain === undefined) {
    // The vendor's API has 409 for the domains of other projects alone.
    const isHere = await unless(['data/domain_not_found'], siteIn(call, project, name));
    const detail = `Cannot add ${name}: ${isHere ? 'the project' : 'another project of the workspace'} already has it.`;
    if (isHere) throw new VendorProblem('data/domain_already_exists', 'domain_already_in_use', detail);
    throw new Problem('data/domain_already_exists', { detail });
  }
  try {
    await redirect(call, domain, redirection);
  } catch (error) {
    // The request adds the domain with its redirect, or not at all; a repeat with an Idempotency-Key added nothing.
    if (!reply.hasHeader('idempotency-replayed')) await call('domains.deleteDomain', { domain });
    throw error;
  }
  return presentProjectDomain(await siteIn(call, project, domain));
};

/** Sets, changes or removes a redirect; without a status it keeps the one that it has, or is 308. */
async function redirect(
  call: CallOperation,
  domain: string,
  { redirect, redirectStatusCode }: Redirection,
  known?: ShownSite,
) {
  const to = redirect === undefined && redirectStatusCode != null ? known?.redirect?.to : redirect;
  if (to === null && known?.redirect) await call('domains.removeRedirect', { domain });
  if (to == null) return;
  const status = redirectStatusCode ?? known?.redirect?.status ?? 308;
  await call('domains.setRedirect', { domain, to, status });
}

const update: Handle = async ({ project, domain }, call, { body }) => {
  const site = await siteIn(call, project, domain);
  await redirect(call, site.domain.id, readUpdate(body), site);
  return presentProjectDomain(await siteIn(call, project, domain));
};

const remove: Handle = async ({ project, domain: named }, call, { body }) => {
  const { removeRedirects = false } = body == null ? {} : readRemoval(body);
  const { domain } = await siteIn(call, project, named);
  if (removeRedirects) {
    for await (const site of sitesIn(call, project)) {
      if (site.redirect?.to === domain.domain) await call('domains.deleteDomain', { domain: site.domain.id });
    }
  }
  await call('domains.deleteDomain', { domain: domain.id });
  return {};
};

/** The vendor's account is the workspace: products delete a domain there once no project needs it. */
const removeFromAccount: Handle = async ({ domain }, call) => {
  const { id } = (await call('domains.getSite', { domain })).data.domain;
  await call('domains.deleteDomain', { domain: id });
  return { uid: id };
};

/**
 * Looks at the DNS at once, as the vendor's API does. Where the records are right, it waits for the check that
 * `domains.verifyDomain` asked for.
 */
const verify: Handle = async ({ project, domain: named }, call) => {
  let site = await siteIn(call, project, named);
  const { id } = site.domain;
  const { isVerified } = await check(call, id);
  if (!isVerified) {
    const [blocking] = blockingOf((await diagnose(call, id)).findings);
    if (blocking !== undefined) {
      const detail = `${blocking.message} ${blocking.fix}`.trim();
      throw new VendorProblem('application/precondition_failed', 'missing_txt_record', detail);
    }
  }
  for (const lookMs of [0, ...LOOKS_MS]) {
    await setTimeout(lookMs);
    site = await siteIn(call, project, id);
    if (site.domain.status === 'verified') break;
  }
  return presentProjectDomain(site);
};

/** Asks the DNS; where too many requests do, takes the last background check. */
async function diagnose(call: CallOperation, domain: string): Promise<DiagnosisData> {
  const now = await unless(['limits/rate_limited', 'limits/overloaded'], call('domains.diagnoseDomain', { domain }));
  return (now ?? (await call('domains.diagnoseDomain', { domain, cached: true }))).data;
}
