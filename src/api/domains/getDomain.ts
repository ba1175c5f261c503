import Type from 'typebox';
import { presentDomain } from '../../domain/presented-domain.ts';
import { defineOperation, PresentedOnce } from '../operation.ts';
import { closed } from '../schemas.ts';
import { forCustomer } from '../setup/session-scope.ts';
import { DomainIdentifier, DomainSchema, exampleDomain } from './present-domain.ts';

const permission = { resource: 'environment', action: 'read_domain' } as const;

export const getDomain = defineOperation({
  name: 'domains.getDomain',
  summary: 'Get a domain',
  description: 'Retrieves a domain and its verification status. Poll it to follow the progress of the verification.',
  permission,
  credential: 'key_or_session',
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: DomainSchema,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleDomain.name }, response: presentDomain(exampleDomain) },
  async handle({ principal, input, namedDomain }, { apexNote }) {
    const found = await namedDomain(input.domain);
    const domain = principal.session === undefined ? found : forCustomer(found);
    return new PresentedOnce(domain, () => presentDomain(domain, apexNote));
  },
});
