import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { closed, Time } from '../schemas.ts';
import { exampleDomain } from './present-domain.ts';
import { CERTIFICATE_STATES } from './site.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const DomainCountsSchema = Type.Object(
  {
    total: Count('Number of all domains.'),
    byStatus: Type.Object(
      {
        pending: Count('Domains with the status `pending`.'),
        verifying: Count('Domains with the status `verifying`.'),
        verified: Count('Domains with the status `verified`.'),
        failed: Count('Domains with the status `failed`.'),
      },
      { description: 'Number of domains with each status.' },
    ),
    byCertificate: Type.Object(
      Object.fromEntries(
        ['none', ...CERTIFICATE_STATES].map((state) => [
          state,
          Count(`Domains whose certificate is in the state \`${state}\`.`),
        ]),
      ),
      {
        description:
          'Number of domains for each state of the certificate, as in domains.getCertificate. More states may be added.',
      },
    ),
    countedAt: Time('When the domains were counted.'),
  },
  { title: 'DomainCounts', description: 'How many domains there are. More properties may be added.' },
);

export const countDomains = defineOperation({
  name: 'domains.countDomains',
  summary: 'Count the domains of the workspace',
  description:
    'Counts the domains of all environments, by status and by state of the certificate. If the workspace has more than 10,000 domains, each process counts them at most once a minute: see `countedAt`.',
  permission: { resource: 'environment', action: 'read_domain' },
  onAll: 'workspace',
  request: Type.Object({}, closed),
  response: DomainCountsSchema,
  problems: ['authorization/insufficient_permissions'],
  example: {
    request: {},
    response: {
      total: 12,
      byStatus: { pending: 0, verifying: 3, verified: 8, failed: 1 },
      byCertificate: { none: 4, wanted: 0, waiting_for_routing: 1, ordering: 0, issued: 7, renewing: 0, failed: 0 },
      countedAt: exampleDomain.createdAt,
    },
  },
  handle: ({ principal: { workspaceId } }, { countDomains }) => countDomains(workspaceId),
});
