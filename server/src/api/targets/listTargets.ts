import Type from 'typebox';
import { sharedTargetUse } from '../domains/target-option.ts';
import { defineOperation } from '../operation.ts';
import { closed, Time } from '../schemas.ts';

const TargetSchema = Type.Object(
  {
    host: Type.String({ description: 'The host: what `target` of domains.createDomain may be.' }),
    addresses: Type.Array(Type.String(), {
      description: 'Addresses that lead there. A name that has only these counts as routed, as if it had the CNAME.',
    }),
    createdAt: Time('When the operator added it.'),
  },
  { title: 'SharedTarget' },
);

export const listTargets = defineOperation({
  name: 'targets.listTargets',
  summary: 'List the shared targets of the workspace',
  description:
    'Hosts of the platform that the operator has given to this workspace (`nameplate targets add`), in order. Its customers lead their names there.',
  permission: sharedTargetUse.permission,
  onAll: 'workspace',
  request: Type.Object({}, closed),
  response: Type.Array(TargetSchema),
  problems: [],
  example: {
    request: {},
    response: [{ host: 'customers.example.net', addresses: ['203.0.113.7'], createdAt: Date.UTC(2026, 10, 20, 12) }],
  },
  async handle({ principal: { workspaceId } }, { store }) {
    const targets = await store.listSharedTargets(workspaceId);
    return targets.map(({ host, addresses, createdAt }) => ({ host, addresses, createdAt }));
  },
});
