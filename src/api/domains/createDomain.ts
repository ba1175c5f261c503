import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { dnsRecords } from '../../domain/records.ts';
import { windowEndsAt } from '../../domain/status.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id, Reference } from '../schemas.ts';
import { creationProblem, domainIn, nameProblem, parseNewName } from './new-domain.ts';
import { dnsRecordsSchema, exampleDomain } from './present-domain.ts';

const permission = { resource: 'environment', action: 'create_domain' } as const;

export const createDomain = defineOperation({
  name: 'domains.createDomain',
  summary: 'Attach a domain to an environment',
  description:
    'Stores the domain and returns the DNS records it needs. Checks of the records start at once and repeat about once a minute, for at most 24 hours.',
  permission,
  creates: true,
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
  async handle({ principal, input, create, noteDomain }, context) {
    const { store, settings, apexNote } = context;
    const environment = masked(
      await store.findEnvironment(principal.workspaceId, input),
      (found) => permits(principal.grants, permission, found.id),
      'data/environment_not_found',
    );
    const parsed = parseNewName(input.domain, settings);
    if (!parsed.ok) throw nameProblem(parsed, 'body.domain');

    const domain = domainIn(environment, parsed, context);
    const response = { domainId: domain.id, dnsRecords: dnsRecords(domain, apexNote) };
    const windowEnd = windowEndsAt(domain, settings.windowMs);
    const { made, outcome } = await create(response, (changes) =>
      changes.createDomain(domain, windowEnd, principal.actor),
    );
    const problem = creationProblem(outcome, domain.name);
    if (problem !== null) throw problem;
    noteDomain(made.domainId);
    return made;
  },
});
