import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { lacksPermission } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { examplePage, SetupPageSchema } from './present-brand.ts';

const permission = { resource: 'setup', action: 'read_brand' } as const;

export const getBrand = defineOperation({
  name: 'setup.getBrand',
  summary: 'Get the brand of the workspace',
  description: 'How the workspace appears on the pages of its set-up links, and which origins may use their sessions.',
  permission,
  onAll: true,
  request: Type.Object({}, closed),
  response: SetupPageSchema,
  problems: ['authorization/insufficient_permissions'],
  example: { request: {}, response: examplePage },
  async handle({ principal: { workspaceId, grants } }, { store }) {
    if (!permits(grants, permission)) throw lacksPermission(permission, true);
    return store.findSetupPage(workspaceId);
  },
});
