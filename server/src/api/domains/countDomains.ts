import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { closed, Time } from '../schemas.ts';
import { exampleDomain } from './present-domain.ts';
import { CERTIFICATE_STATES } from './site.ts';

const Count = Type.Integer({ minimum: 0 });

const DomainCountsSchema = Type.Object(
  {
    total: Count,
    byStatus: Type.Object({ pending: Count, verifying: Count, verified: Count, failed: Count }),
    byCertificate: Type.Object(Object.fromEntries(['none', ...CERTIFICATE_STATES].map((state) => [state, Count])), {
      description: 'By the state of the certificate, as in domains.listWorkspaceDomains. More states may be added.',
    }),
    countedAt: Time('When they were counted.'),
  },
  { title: 'DomainCounts', description: 'How many domains there are. More properties may be added.' },
);

export const countDomains = defineOperation({
  name: 'domains.countDomains',
  summary: 'Count the domains of the workspace',
  description:
    'How many domains of all environments there are, by status and by state of the certificate. Each process counts those of a workspace with more than 10,000 at most once a minute: `countedAt` says when.',
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
