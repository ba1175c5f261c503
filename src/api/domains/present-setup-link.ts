import Type, { type Static } from 'typebox';
import type { SetupLink } from '../../store/contract/store.ts';
import { closed, Id, Time } from '../schemas.ts';
import { exampleDomain } from './present-domain.ts';

/** Most links of a domain that work at the same time. */
export const LINKS_PER_DOMAIN = 100;

export const LINK_LIFE_SECONDS = { minimum: 60, maximum: 30 * 86_400, usual: 7 * 86_400 };

export const SetupLinkId = Type.String({
  minLength: 3,
  maxLength: 255,
  pattern: '^[a-zA-Z0-9_]+$',
  description: 'Id of the set-up link (`link_…`).',
});

export const SetupLinkSchema = Type.Object(
  {
    id: Id('link', 'The set-up link.'),
    domainId: Id('dom', 'The domain that it shows.'),
    createdAt: Time('Creation.'),
    createdBy: Type.Optional(
      Type.String({
        description:
          'Who made it: id of the root key, or subject of the dashboard token; absent where that is not known.',
      }),
    ),
    expiresAt: Time('From then on it does not work.'),
    revokedAt: Type.Optional(Time('Since when it does not work; absent unless it was revoked.')),
    revokedBy: Type.Optional(Type.String({ description: 'Who revoked it, as in `createdBy`.' })),
  },
  { ...closed, title: 'SetupLink' },
);

/** Absent values are left out, never null. */
export function presentSetupLink(link: SetupLink): Static<typeof SetupLinkSchema> {
  const { id, domainId, createdAt, createdBy, expiresAt, revokedAt, revokedBy } = link;
  return {
    id,
    domainId,
    createdAt,
    ...(createdBy !== null && { createdBy }),
    expiresAt,
    ...(revokedAt !== null && { revokedAt }),
    ...(revokedBy !== null && { revokedBy }),
  };
}

/** A link for the examples of the documentation. */
export const exampleSetupLink: SetupLink = {
  id: 'link_01kaghr5t6y7v8w9x0a1b2c3d4',
  workspaceId: exampleDomain.workspaceId,
  domainId: exampleDomain.id,
  createdAt: exampleDomain.createdAt,
  createdBy: 'key_01kaghm6r7t8y9u0p1a2s3d4f5',
  expiresAt: exampleDomain.createdAt + LINK_LIFE_SECONDS.usual * 1000,
  revokedAt: null,
  revokedBy: null,
};

export const exampleSetupToken = 'nps_1NotATokenJustAnExampleOfItsLength1111111';
