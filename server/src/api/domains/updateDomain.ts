import Type from 'typebox';
import { presentOwnData } from '../../domain/own-data.ts';
import { Problem } from '../errors.ts';
import { lacksPermission, type Need } from '../find.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id } from '../schemas.ts';
import { changedOwnData, shownOwnData, tooLarge } from './own-data-schema.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';
import { changedSettings, exampleSettings, SiteSettingsSchema, settingsPatch } from './site-settings-schema.ts';

const UpdatedDomainSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.String({ minLength: 4, maxLength: 253, description: 'Its canonical name.' }),
    ...shownOwnData,
    settings: Type.Optional(SiteSettingsSchema),
  },
  {
    title: 'UpdatedDomain',
    description: 'The data and the settings that can be changed, as they are now. More properties may be added.',
  },
);

/** An origin for a domain is a deployment to it. */
const deployment: Need = {
  permission: { resource: 'environment', action: 'create_deployment' },
  where: 'on the environment of the domain, to set or remove `settings.origin`',
};

export const updateDomain = defineOperation({
  name: 'domains.updateDomain',
  summary: 'Change your own data and the settings of a domain',
  description:
    'Changes the values in the request and leaves the others as they are; null removes a value. The domain keeps its values when it is moved, and when it is deleted and restored. Returns all current values. The settings take effect within a second on every node, while the domain is verified. For `settings.origin` the key also needs `create_deployment` for the environment.',
  permission: { resource: 'environment', action: 'update_domain' },
  needs: [deployment],
  gives: "the response contains the domain's current settings and your own data, without `read_domain`",
  request: Type.Object(
    { domain: DomainIdentifier, ...changedOwnData, settings: Type.Optional(changedSettings) },
    closed,
  ),
  response: UpdatedDomainSchema,
  problems: ['data/domain_not_found'],
  example: {
    request: {
      domain: exampleDomain.name,
      externalId: 'customer_42',
      metadata: { plan: 'pro', trial: null },
      settings: { ...exampleSettings, origin: null },
    },
    response: {
      domainId: exampleDomain.id,
      domain: exampleDomain.name,
      externalId: 'customer_42',
      metadata: { plan: 'pro' },
      settings: exampleSettings,
    },
  },
  async handle({ principal: { workspaceId }, input, changes, find }, { clock }) {
    const { domain: identifier, settings, ...ownData } = input;
    const { id, name, environmentId } = await find.domain(identifier);
    const deploys = settings?.origin !== undefined;
    if (deploys && !find.may(deployment, environmentId)) throw lacksPermission(deployment, environmentId);
    const change = {
      ...ownData,
      ...(settings && { settings: settingsPatch(settings) }),
      ...(deploys && { deploysIn: environmentId }),
    };
    const result = await changes.updateDomain(workspaceId, id, change, clock.now());
    switch (result.kind) {
      case 'updated':
      case 'unchanged':
        return {
          domainId: id,
          domain: name,
          ...presentOwnData(result.domain),
          ...(result.settings && { settings: result.settings }),
        };
      case 'missing':
        throw new Problem('data/domain_not_found');
      case 'too_large':
        throw tooLarge();
      default:
        return result satisfies never;
    }
  },
});
