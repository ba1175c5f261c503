import Type from 'typebox';
import { newTarget, newToken } from '../../base/ids.ts';
import { type Domain, newDomain, type OwnData } from '../../domain/domain.ts';
import { type InvalidName, type NameRule, type NewName, type ParsedName, parseName } from '../../domain/name.ts';
import { newOwnData } from '../../domain/own-data.ts';
import { dnsRecords } from '../../domain/records.ts';
import type { DomainTarget } from '../../domain/shared-target.ts';
import { windowEndsAt } from '../../domain/status.ts';
import { isWildcard } from '../../domain/wildcard.ts';
import { wwwCounterpart } from '../../domain/www.ts';
import type { Creation, Environment } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import { type ApiSettings, defineOperation, type HandlerContext } from '../operation.ts';
import { rateLimited } from '../request-hooks.ts';
import { closed, environmentPath, exampleEnvironmentPath, Id } from '../schemas.ts';
import { invalid } from '../validation.ts';
import { excessProblem, ownDataOfNew } from './own-data-schema.ts';
import { dnsRecordsSchema, exampleDomain } from './present-domain.ts';
import { findReplaceable, replacement, replaceUnverified } from './replacement.ts';
import { findTarget, sharedTarget, sharedTargetUse, targetProblem } from './target-option.ts';

/** The operation domains.createDomain, and the parts that domains.createDomains shares. */

export function parseNewName(name: string, settings: ApiSettings): ParsedName {
  const { service, cnameZone, reservedNames, wildcards } = settings;
  const reserved = [...reservedNames, cnameZone];
  return parseName(name, { service, reserved, refusesWildcards: wildcards === undefined });
}

/** A domain that has yet to be stored. */
export function domainIn(
  environment: Environment,
  { name, kind }: Pick<Domain, 'name' | 'kind'>,
  { clock, settings: { service, cnameZone, challengeZone, wildcards }, newId, randomBytes }: HandlerContext,
  own: OwnData,
  shared?: DomainTarget,
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
    ...shared,
    token: newToken(randomBytes),
    challengeZone: isWildcard(name) ? ((shared ? challengeZone : wildcards?.challengeZone) ?? null) : null,
    createdAt: clock.now(),
  });
}

/** Names reserved by the operator or the Internet, and wildcards without a certificate, are forbidden; any other invalid name is a mistake in the input. */
const FORBIDDEN: readonly NameRule[] = ['reserved', 'special_use', 'no_certificate'];

export function nameProblem({ rule, message, fix }: InvalidName, location: string): Problem {
  if (FORBIDDEN.includes(rule)) return new Problem('authorization/forbidden', { detail: `The domain ${message}.` });
  return invalid(location, message, fix);
}

/** The name that `withWww` adds. Throws a `Problem` where there is none, or nobody may have it. */
function counterpartOf(name: string, settings: ApiSettings): NewName {
  const counterpart = wwwCounterpart(name);
  if (counterpart === null) {
    throw invalid(
      'body.withWww',
      `must not be true for ${name}: only a registered name and "www." before it have a counterpart`,
      'leave it out, and attach other names by calls of their own',
    );
  }
  const parsed = parseNewName(counterpart, settings);
  if (!parsed.ok) throw nameProblem(parsed, 'body.withWww');
  return parsed;
}

/** Why the store did not create a domain; null: it did. */
export function creationProblem(creation: Creation, name: string): Problem | null {
  switch (creation.kind) {
    case 'created':
      return null;
    case 'environment_missing':
      return new Problem('data/environment_not_found');
    case 'target_missing':
      return new Problem('data/target_not_found');
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
    'Stores the domain and returns the DNS records that it needs. Nameplate starts to check the records at once, and repeats the check about once a minute for at most 24 hours.',
  permission: { resource: 'environment', action: 'create_domain' },
  needs: [replacement, sharedTargetUse],
  creates: true,
  request: Type.Object(
    {
      ...environmentPath,
      domain: Type.String({
        maxLength: 253,
        description:
          'Fully qualified name, in Unicode or Punycode, without scheme, port, path or final dot. Or a wildcard such as `*.shop.example.com`, which stands for every name one label below `shop.example.com`.',
      }),
      target: sharedTarget,
      replaceUnverified,
      ...ownDataOfNew,
      withWww: Type.Optional(
        Type.Boolean({
          description:
            'If true, the counterpart is attached too: `www.example.com` for `example.com`, or `example.com` for `www.example.com`. No other name has a counterpart. The counterpart redirects (308) to `domain` as soon as both are verified. Either both are attached or neither. Both count against the limits, and both get the `externalId` and `metadata`.',
        }),
      ),
    },
    closed,
  ),
  response: Type.Object({
    domainId: Id('dom', 'The new domain.'),
    dnsRecords: dnsRecordsSchema,
    counterpart: Type.Optional(
      Type.Object(
        {
          domainId: Id('dom', 'The second domain.'),
          domain: Type.String({ description: 'Its canonical name.' }),
          dnsRecords: dnsRecordsSchema,
        },
        { title: 'Counterpart', description: 'With `withWww`: the second domain, which redirects to the new one.' },
      ),
    ),
  }),
  problems: [
    'authorization/forbidden',
    'data/environment_not_found',
    'data/target_not_found',
    'data/domain_already_exists',
    'limits/custom_domain_limit_exceeded',
  ],
  example: {
    request: { ...exampleEnvironmentPath, domain: exampleDomain.name },
    response: { domainId: exampleDomain.id, dnsRecords: dnsRecords({ ...exampleDomain, ownershipVerifiedAt: null }) },
  },
  async handle({ principal, input, find, create, noteDomain }, context) {
    const { store, settings, apexNote, countRequest } = context;
    const environment = await find.environment(input);
    const parsed = parseNewName(input.domain, settings);
    if (!parsed.ok) throw nameProblem(parsed, 'body.domain');

    if (input.withWww && input.replaceUnverified) {
      const fix = 'Create the two domains with a call for each.';
      throw invalid('body.replaceUnverified', 'cannot be combined with "withWww"', fix);
    }
    const counterpart = input.withWww ? counterpartOf(parsed.name, settings) : null;
    const own = newOwnData(input);
    const shared = await findTarget(input.target, input, environment, find, store);
    const excess = excessProblem(own, 'body') ?? targetProblem([parsed, counterpart], shared, 'body.target', settings);
    if (excess !== null) throw excess;
    const domain = domainIn(environment, parsed, context, own, shared);
    const second = counterpart && domainIn(environment, counterpart, context, own, shared);
    const limit = second && countRequest(principal, 'domains.createDomain');
    if (limit && !limit.allowed) throw rateLimited(limit);

    const attached = (each: Domain) => ({ domainId: each.id, dnsRecords: dnsRecords(each, apexNote) });
    const response = {
      ...attached(domain),
      ...(second && { counterpart: { domain: second.name, ...attached(second) } }),
    };
    const windowEnd = windowEndsAt(domain, settings.windowMs);
    const replacing = await findReplaceable(input, [domain], find, context);
    const { made, outcome } = await create<typeof response, Creation & { name?: string }>(response, (changes) =>
      second === null
        ? changes.createDomain(domain, windowEnd, replacing)
        : changes.createDomainWithWww(domain, second, windowEnd),
    );
    const problem = creationProblem(outcome, outcome.name ?? domain.name);
    if (problem !== null) throw problem;
    noteDomain(made.domainId);
    return made;
  },
});
