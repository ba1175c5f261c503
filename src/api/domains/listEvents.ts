import Type from 'typebox';
import { defineList } from '../operation.ts';
import { closed, pageOf, pageRequest } from '../schemas.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';
import { EventSchema, presentEvent } from './present-event.ts';

// The permission of getDomain: events say how the domain came to its state.
const permission = { resource: 'environment', action: 'read_domain' } as const;

const { createdAt } = exampleDomain;
const data = { status: 'verifying', routingVerified: false, ownershipVerified: true } as const;

export const listEvents = defineList({
  name: 'domains.listEvents',
  summary: 'List what happened to a domain',
  description:
    'The timeline of a domain, newest first, one page at a time: what was done to it and by whom, which records appeared and disappeared, changes of its status and certificate. Checks that change nothing leave no event. Events are kept for 90 days unless the operator sets another time.',
  permission,
  request: Type.Object({ domain: DomainIdentifier, ...pageRequest }, closed),
  item: EventSchema,
  problems: ['data/domain_not_found'],
  example: {
    request: { domain: exampleDomain.name, limit: 2 },
    items: [
      {
        id: 'evt_01kaghp5d6f7g8h9j0k1m2n3b4',
        type: 'record.seen',
        at: createdAt + 60_000,
        data: { ...data, record: 'ownership', seen: ['service-domain-verify=Zt4mQ8rV1xKc7NwLb2YpH5sJ'] },
      },
      {
        id: 'evt_01kaghn1h2f7n8v3q0y6w5t4r9',
        type: 'domain.created',
        at: createdAt,
        actor: 'key_01kaghm6r7t8y9u0p1a2s3d4f5',
        data: { ...data, status: 'pending', ownershipVerified: false },
      },
    ],
  },
  async handle({ principal: { workspaceId }, input, namedDomain }, { store }) {
    const domain = await namedDomain(input.domain);
    const page = await store.listDomainEvents(workspaceId, domain.id, pageOf(input));
    return { ...page, items: page.items.map(presentEvent) };
  },
});
