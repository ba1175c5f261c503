import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { presentDomain } from '../../domain/presented-domain.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Reference } from '../schemas.ts';
import { DomainIdentifier, DomainSchema, exampleDomain } from './present-domain.ts';

const permission = { resource: 'environment', action: 'delete_domain' } as const;
/** Of the environment that the domain is moved to. */
const permissionThere = { resource: 'environment', action: 'create_domain' } as const;

export const moveDomain = defineOperation({
  name: 'domains.moveDomain',
  summary: 'Move a domain to another environment',
  description:
    'Moves the domain to another environment of the workspace, of whichever project and app. It keeps its id, its DNS records, its status, its certificate and its redirects; within a second, on every node, new requests go to the origin of the other environment, and no request is dropped: those in flight end where they began. The key needs `delete_domain` for the environment that the domain leaves, and `create_domain` for the one that it is moved to. In the same environment, nothing changes.',
  permission,
  request: Type.Object(
    {
      domain: DomainIdentifier,
      project: Reference('project'),
      app: Reference('app'),
      environment: Reference('environment'),
    },
    closed,
  ),
  response: DomainSchema,
  problems: ['data/domain_not_found', 'data/environment_not_found'],
  example: {
    request: { domain: exampleDomain.name, project: 'demo', app: 'web', environment: 'production' },
    response: presentDomain(exampleDomain),
  },
  async handle({ principal: { workspaceId, grants, actor }, input, changes, namedDomain }, { store, clock, apexNote }) {
    const { domain: identifier, ...there } = input;
    const domain = await namedDomain(identifier);
    const environment = masked(
      await store.findEnvironment(workspaceId, there),
      ({ id }) => permits(grants, permissionThere, id),
      'data/environment_not_found',
    );
    const result = await changes.moveDomain(domain.id, environment, clock.now(), actor);
    switch (result.kind) {
      case 'moved':
      case 'unchanged':
        return presentDomain(result.domain, apexNote);
      case 'missing':
        throw new Problem('data/domain_not_found');
      case 'environment_missing':
        throw new Problem('data/environment_not_found');
      default:
        return result satisfies never;
    }
  },
});
