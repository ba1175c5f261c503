import Type from 'typebox';
import { presentDomain } from '../../domain/presented-domain.ts';
import { Problem } from '../errors.ts';
import { lacksPermission, type Need } from '../find.ts';
import { defineOperation } from '../operation.ts';
import { closed, environmentPath, exampleEnvironmentPath } from '../schemas.ts';
import { DomainIdentifier, DomainSchema, exampleDomain } from './present-domain.ts';

const creationThere: Need = {
  permission: { resource: 'environment', action: 'create_domain' },
  where: 'on the environment that the domain is moved to',
};

/** The domain's own origin gets the secret, and the client certificate, of the environment that it is moved to. */
const deploymentThere: Need = {
  permission: { resource: 'environment', action: 'create_deployment' },
  where: 'on the environment that the domain is moved to, if the domain has its own origin',
};

export const moveDomain = defineOperation({
  name: 'domains.moveDomain',
  summary: 'Move a domain to another environment',
  description:
    'Moves the domain to another environment of the workspace, in any project and app. It keeps its id, DNS records, status, certificate and redirects. Within a second, every node sends new requests to the origin of the new environment. No request is dropped: requests in flight finish at the old origin. The key needs `delete_domain` for the environment that the domain leaves, and `create_domain` for the one that it enters. If the domain has its own origin, the key also needs `create_deployment` there. A move to the environment that the domain is already in changes nothing.',
  permission: { resource: 'environment', action: 'delete_domain' },
  needs: [creationThere, deploymentThere],
  request: Type.Object(
    {
      domain: DomainIdentifier,
      ...environmentPath,
    },
    closed,
  ),
  response: DomainSchema,
  problems: ['data/domain_not_found', 'data/environment_not_found'],
  example: {
    request: { domain: exampleDomain.name, ...exampleEnvironmentPath },
    response: presentDomain(exampleDomain),
  },
  async handle({ input, changes, find }, { clock, apexNote }) {
    const { domain: identifier, ...there } = input;
    const domain = await find.domain(identifier);
    const environment = await find.environment(there, creationThere);
    const result = await changes.moveDomain(
      domain.id,
      environment,
      clock.now(),
      find.may(deploymentThere, environment.id),
    );
    switch (result.kind) {
      case 'moved':
      case 'unchanged':
        return presentDomain(result.domain, apexNote);
      case 'missing':
        throw new Problem('data/domain_not_found');
      case 'own_origin':
        throw lacksPermission(deploymentThere, environment.id);
      case 'environment_missing':
        throw new Problem('data/environment_not_found');
      default:
        return result satisfies never;
    }
  },
});
