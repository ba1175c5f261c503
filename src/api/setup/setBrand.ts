import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { lacksPermission } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { BrandSchema, examplePage, Origins, pageViolations, SetupPageSchema } from './present-brand.ts';

const permission = { resource: 'setup', action: 'set_brand' } as const;

export const setBrand = defineOperation({
  name: 'setup.setBrand',
  summary: 'Set the brand of the workspace',
  description:
    'Replaces the brand, the list of origins, or both; what is absent stays as it is. Open pages show the new brand when they open their next session, within two minutes. Requests of an origin that is taken away are refused within a second; a stream that is open ends with its session, within two minutes.',
  permission,
  onAll: true,
  request: Type.Object({ brand: Type.Optional(BrandSchema), origins: Type.Optional(Origins) }, closed),
  response: SetupPageSchema,
  problems: ['authorization/insufficient_permissions'],
  example: { request: examplePage, response: examplePage },
  async handle({ principal: { workspaceId, grants }, input, changes }) {
    if (!permits(grants, permission)) throw lacksPermission(permission, true);
    const errors = pageViolations(input);
    if (errors.length > 0) throw new Problem('validation/invalid_input', { errors });
    const saved = await changes.saveSetupPage(workspaceId, input);
    // No key has a workspace that does not exist, and workspaces are not deleted.
    if (saved === null) throw new Error('the workspace of a key does not exist');
    return saved;
  },
});
