import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Empty } from '../schemas.ts';
import { exampleSetupLink, SetupLinkId } from './present-setup-link.ts';

const permission = { resource: 'environment', action: 'create_setup_link' } as const;

export const revokeSetupLink = defineOperation({
  name: 'domains.revokeSetupLink',
  summary: 'Revoke a set-up link',
  description: 'The link and its open pages stop working within a second. Revoking it again changes nothing.',
  permission,
  request: Type.Object({ linkId: SetupLinkId }, closed),
  response: Empty,
  problems: ['data/setup_link_not_found'],
  example: { request: { linkId: exampleSetupLink.id }, response: {} },
  async handle({ principal: { workspaceId, grants, actor }, input: { linkId }, changes }, { store, clock }) {
    const { id } = masked(
      await store.findSetupLink(linkId),
      (found) => found.workspaceId === workspaceId && permits(grants, permission, found.environmentId),
      'data/setup_link_not_found',
    );
    if (!(await changes.revokeSetupLink(id, clock.now(), actor))) throw new Problem('data/setup_link_not_found');
    return {};
  },
});
