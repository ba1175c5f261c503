import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { newDomain } from '../../domain/domain.ts';
import { type InvalidName, type NameRule, parseName } from '../../domain/name.ts';
import { dnsRecords } from '../../domain/records.ts';
import { windowEndsAt } from '../../domain/status.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id, Reference } from '../schemas.ts';
import { invalid } from '../validation.ts';
import { dnsRecordsSchema, exampleDomain } from './present-domain.ts';
import { newTarget, newToken } from './record-values.ts';

const permission = { resource: 'environment', action: 'create_domain' } as const;

export const createDomain = defineOperation({
  name: 'domains.createDomain',
  summary: 'Attach a domain to an environment',
  description:
    'Stores the domain and returns the DNS records it needs. Checks of the records start at once and repeat about once a minute, for at most 24 hours.',
  permission,
  request: Type.Object(
    {
      project: Reference('project'),
      app: Reference('app'),
      environment: Reference('environment'),
      domain: Type.String({
        minLength: 4,
        maxLength: 253,
        description: 'Fully qualified name, in Unicode or Punycode, without scheme, port, path or final dot.',
      }),
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
    request: { project: 'demo', app: 'web', environment: 'production', domain: exampleDomain.name },
    response: { domainId: exampleDomain.id, dnsRecords: dnsRecords({ ...exampleDomain, ownershipVerifiedAt: null }) },
  },
  async handle({ principal, input }, { store, clock, settings, newId, randomBytes, apexNote }) {
    const environment = masked(
      await store.findEnvironment(principal.workspaceId, input),
      (found) => permits(principal.grants, permission, found.id),
      'data/environment_not_found',
    );
    const { service, cnameZone, reservedNames, windowMs } = settings;
    const parsed = parseName(input.domain, { service, reserved: [...reservedNames, cnameZone] });
    if (!parsed.ok) throw nameProblem(parsed);

    const domain = newDomain({
      id: newId('dom'),
      workspaceId: principal.workspaceId,
      projectId: environment.projectId,
      appId: environment.appId,
      environmentId: environment.id,
      name: parsed.name,
      kind: parsed.kind,
      service,
      target: newTarget(cnameZone, randomBytes),
      token: newToken(randomBytes),
      createdAt: clock.now(),
    });
    const created = await store.createDomain(domain, windowEndsAt(domain, windowMs), principal.actor);
    switch (created.kind) {
      case 'created':
        return { domainId: domain.id, dnsRecords: dnsRecords(domain, apexNote) };
      case 'environment_missing':
        throw new Problem('data/environment_not_found');
      case 'held':
        throw new Problem('data/domain_already_exists', {
          detail: `The workspace already has the domain ${domain.name}.`,
        });
      case 'quota':
        throw new Problem('limits/custom_domain_limit_exceeded', {
          detail: `The workspace has reached its domain limit of ${created.limit}.`,
        });
      default:
        return created satisfies never;
    }
  },
});

/** Names reserved by the operator or the Internet are forbidden; any other invalid name is a mistake in the input. */
const FORBIDDEN: readonly NameRule[] = ['reserved', 'special_use'];

function nameProblem({ rule, message, fix }: InvalidName): Problem {
  if (FORBIDDEN.includes(rule)) return new Problem('authorization/forbidden', { detail: `The domain ${message}.` });
  return invalid('body.domain', message, fix);
}
