import Type from 'typebox';
import { sharedTargetUse } from '../domains/target-option.ts';
import { defineOperation } from '../operation.ts';
import { closed, Time } from '../schemas.ts';

const TargetSchema = Type.Object(
  {
    host: Type.String({ description: 'The host, which you can give as the `target` of domains.createDomain.' }),
    addresses: Type.Array(Type.String(), {
      description:
        'IP addresses that lead to the host. A name that has only these addresses counts as if it had the CNAME.',
    }),
    createdAt: Time('When the operator added it.'),
  },
  { title: 'SharedTarget' },
);

export const listTargets = defineOperation({
  name: 'targets.listTargets',
  summary: 'List the shared targets of the workspace',
  description:
    'Returns the hosts that the operator has given to this workspace with `nameplate targets add`, in alphabetical order.',
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
