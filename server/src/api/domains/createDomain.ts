import Type from 'typebox';
import { newTarget, newToken } from '../../base/ids.ts';
import { type Domain, newDomain, type OwnData } from '../../domain/domain.ts';
import { type InvalidName, type NameRule, type ParsedName, parseName } from '../../domain/name.ts';
import { newOwnData } from '../../domain/own-data.ts';
import { dnsRecords } from '../../domain/records.ts';
import { windowEndsAt } from '../../domain/status.ts';
import type { Creation, Environment } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import { type ApiSettings, defineOperation, type HandlerContext } from '../operation.ts';
import { closed, environmentPath, exampleEnvironmentPath, Id } from '../schemas.ts';
import { invalid } from '../validation.ts';
import { excessProblem, ownDataOfNew } from './own-data.ts';
import { dnsRecordsSchema, exampleDomain } from './present-domain.ts';

/** The operation domains.createDomain, and the parts that domains.createDomains shares. */

export function parseNewName(name: string, { service, cnameZone, reservedNames }: ApiSettings): ParsedName {
  return parseName(name, { service, reserved: [...reservedNames, cnameZone] });
}

/** A domain that has yet to be stored. */
export function domainIn(
  environment: Environment,
  { name, kind }: Pick<Domain, 'name' | 'kind'>,
  { clock, settings: { service, cnameZone }, newId, randomBytes }: HandlerContext,
  own: OwnData,
): Domain {
  return newDomain({
    ...own,
    id: newId('dom'),
    workspaceId: environment.workspaceId,
    projectId: environment.projectId,
    appId: environment.appId,
    environmentId: environment.id,
    name,
    kind,
    service,
    target: newTarget(cnameZone, randomBytes),
    token: newToken(randomBytes),
    createdAt: clock.now(),
  });
}

/** Names reserved by the operator or the Internet are forbidden; any other invalid name is a mistake in the input. */
const FORBIDDEN: readonly NameRule[] = ['reserved', 'special_use'];

export function nameProblem({ rule, message, fix }: InvalidName, location: string): Problem {
  if (FORBIDDEN.includes(rule)) return new Problem('authorization/forbidden', { detail: `The domain ${message}.` });
  return invalid(location, message, fix);
}

/** Why the store did not create a domain; null: it did. */
export function creationProblem(creation: Creation, name: string): Problem | null {
  switch (creation.kind) {
    case 'created':
      return null;
    case 'environment_missing':
      return new Problem('data/environment_not_found');
    case 'held':
      return new Problem('data/domain_already_exists', { detail: `The workspace already has the domain ${name}.` });
    case 'quota':
      return new Problem('limits/custom_domain_limit_exceeded', {
        detail: `The workspace has reached its domain limit of ${creation.limit}.`,
      });
    default:
      return creation satisfies never;
  }
}

export const createDomain = defineOperation({
  name: 'domains.createDomain',
  summary: 'Attach a domain to an environment',
  description:
    'Stores the domain and returns the DNS records it needs. Checks of the records start at once and repeat about once a minute, for at most 24 hours.',
  permission: { resource: 'environment', action: 'create_domain' },
  creates: true,
  request: Type.Object(
    {
      ...environmentPath,
      domain: Type.String({
        minLength: 4,
        maxLength: 253,
        description: 'Fully qualified name, in Unicode or Punycode, without scheme, port, path or final dot.',
      }),
      ...ownDataOfNew,
    },
    closed,
  ),
  response: Type.Object({ domainId: Id('dom', 'The new domain.'), dnsRecords: dnsRecordsSchema }, closed),
  problems: [
    'authorization/forbidden',
    'data/environment_not_found',
    'data/domain_already_exists',
    'limits/custom_domain_limit_exceeded',
  ],
  example: {
    request: { ...exampleEnvironmentPath, domain: exampleDomain.name },
    response: { domainId: exampleDomain.id, dnsRecords: dnsRecords({ ...exampleDomain, ownershipVerifiedAt: null }) },
  },
  async handle({ input, find, create, noteDomain }, context) {
    const { settings, apexNote } = context;
    const environment = await find.environment(input);
    const parsed = parseNewName(input.domain, settings);
    if (!parsed.ok) throw nameProblem(parsed, 'body.domain');

    const own = newOwnData(input);
    const excess = excessProblem(own, 'body');
    if (excess !== null) throw excess;
    const domain = domainIn(environment, parsed, context, own);
    const response = { domainId: domain.id, dnsRecords: dnsRecords(domain, apexNote) };
    const windowEnd = windowEndsAt(domain, settings.windowMs);
    const { made, outcome } = await create(response, (changes) => changes.createDomain(domain, windowEnd));
    const problem = creationProblem(outcome, domain.name);
    if (problem !== null) throw problem;
    noteDomain(made.domainId);
    return made;
  },
});
