import Type from 'typebox';
import { presentDomain } from '../../domain/presented-domain.ts';
import { Problem } from '../errors.ts';
import { canonicalIdentifier } from '../find.ts';
import { defineOperation } from '../operation.ts';
import { closed, Empty } from '../schemas.ts';
import { creationProblem } from './createDomain.ts';
import { DomainIdentifier, DomainSchema, exampleDomain } from './present-domain.ts';

export const deleteDomain = defineOperation({
  name: 'domains.deleteDomain',
  summary: 'Delete a domain',
  description:
    'Deletes the domain with its route and certificate, and ends its checks. For seven days, unless the operator sets another time (`NAMEPLATE_DELETED_KEEP`), domains.restoreDomain can restore it. The name is free at once: domains.createDomain creates a new domain with other records.',
  permission: { resource: 'environment', action: 'delete_domain' },
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: Empty,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleDomain.name }, response: {} },
  async handle({ principal, input, changes, find }, { clock, settings }) {
    const { workspaceId } = principal;
    const domain = await find.domain(input.domain);
    const now = clock.now();
    const deleted = await changes.deleteDomain(workspaceId, domain.id, now, now + settings.deletedKeepMs);
    if (deleted === 'missing') throw new Problem('data/domain_not_found');
    return {};
  },
});

export const restoreDomain = defineOperation({
  name: 'domains.restoreDomain',
  summary: 'Restore a deleted domain',
  description:
    'Undoes domains.deleteDomain while deleted domains are kept: seven days unless the operator sets another time (`NAMEPLATE_DELETED_KEEP`). The domain gets back its id, `createdAt` and DNS records. If it was verified, it is verified and served at once. It has its certificate, unless that has expired, and its redirect, if that is still possible. If it was not verified, it gets a new verification window. A check runs at once. Redirects of other domains to it, and its set-up links, stay removed. With a name, the operation restores the domain of that name that was deleted last. It is refused if another workspace is verified for the name, or has been since the deletion. In that case, create a new domain with domains.createDomain: its records prove who owns the name.',
  // The permission of createDomain: whoever has it may attach the name here anyway.
  permission: { resource: 'environment', action: 'create_domain' },
  gives: 'the domain gets back its certificate, its suspension and its redirect, without `update_domain`',
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: DomainSchema,
  problems: [
    'data/domain_not_found',
    'data/domain_already_exists',
    'data/target_not_found',
    'application/domain_superseded',
    'application/environment_deleted',
    'limits/custom_domain_limit_exceeded',
  ],
  example: { request: { domain: exampleDomain.name }, response: presentDomain(exampleDomain) },
  async handle({ principal: { workspaceId }, input, find, changes, noteDomain }, { store, clock, settings, apexNote }) {
    const now = clock.now();
    const key = canonicalIdentifier(input.domain);
    const found = key === null ? null : await store.findDeletedDomain(workspaceId, key, now);
    const deleted = find.permitted(found, found?.domain.environmentId, 'data/domain_not_found');
    const { id, name } = deleted.domain;
    noteDomain(id);
    const result = await changes.restoreDomain(deleted, now, settings.windowMs);
    switch (result.kind) {
      case 'restored':
        return presentDomain(result.domain, apexNote);
      case 'missing':
        throw new Problem('data/domain_not_found');
      case 'environment_missing':
        throw new Problem('application/environment_deleted');
      case 'superseded':
        throw new Problem('application/domain_superseded', {
          detail: `Another workspace has been verified for ${name} since it was deleted. Attach it anew with domains.createDomain.`,
        });
      case 'target_missing':
        throw new Problem('data/target_not_found');
      case 'held':
      case 'quota':
        throw creationProblem(result, name) ?? new Problem('data/domain_not_found');
      default:
        return result satisfies never;
    }
  },
});
