import Type from 'typebox';
import { presentOwnData } from '../../domain/own-data.ts';
import { Problem } from '../errors.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id } from '../schemas.ts';
import { changedOwnData, shownOwnData, tooLarge } from './own-data.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';

const UpdatedDomainSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.String({ minLength: 4, maxLength: 253, description: 'Its canonical name.' }),
    ...shownOwnData,
  },
  { title: 'UpdatedDomain', description: 'What can be changed, as it is now. More properties may be added.' },
);

export const updateDomain = defineOperation({
  name: 'domains.updateDomain',
  summary: "Change the platform's own data of a domain",
  description:
    'Changes what the request names and leaves the rest as it is; null removes a value. The values stay with the domain when it is moved, and when it is deleted and restored. Returns all of them as they are now. Where nothing differs, nothing changes.',
  permission: { resource: 'environment', action: 'update_domain' },
  request: Type.Object({ domain: DomainIdentifier, ...changedOwnData }, closed),
  response: UpdatedDomainSchema,
  problems: ['data/domain_not_found'],
  example: {
    request: { domain: exampleDomain.name, externalId: 'customer_42', metadata: { plan: 'pro', trial: null } },
    response: {
      domainId: exampleDomain.id,
      domain: exampleDomain.name,
      externalId: 'customer_42',
      metadata: { plan: 'pro' },
    },
  },
  async handle({ principal: { workspaceId }, input, changes, find }, { clock }) {
    const { domain: identifier, ...change } = input;
    const { id, name } = await find.domain(identifier);
    const result = await changes.updateDomain(workspaceId, id, change, clock.now());
    switch (result.kind) {
      case 'updated':
      case 'unchanged':
        return { domainId: id, domain: name, ...presentOwnData(result.domain) };
      case 'missing':
        throw new Problem('data/domain_not_found');
      case 'too_large':
        throw tooLarge();
      default:
        return result satisfies never;
    }
  },
});
