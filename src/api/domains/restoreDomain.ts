import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { presentDomain } from '../../domain/presented-domain.ts';
import type { DeletedDomain, DeletedStore } from '../../store/contract/store.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { creationProblem } from './new-domain.ts';
import { canonicalIdentifier, DomainIdentifier, DomainSchema, exampleDomain } from './present-domain.ts';

// The permission of createDomain: whoever has it may attach the name here anyway.
const permission = { resource: 'environment', action: 'create_domain' } as const;

export const restoreDomain = defineOperation({
  name: 'domains.restoreDomain',
  summary: 'Restore a deleted domain',
  description:
    'Undoes domains.deleteDomain for as long as deleted domains are kept, seven days unless the operator has set another time (`NAMEPLATE_DELETED_KEEP`): the domain has its id, `createdAt` and DNS records again. A verified one is verified and served at once, with its certificate unless that has expired, and with its own redirect where that may still be set; redirects of other domains to it, and its set-up links, stay removed. A pending or failed one gets a new verification window. A check runs at once. By name, it restores the domain that was deleted last. Once another workspace has been verified for the name, nothing can be restored: domains.createDomain makes a new domain, whose records prove the name anew.',
  permission,
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: DomainSchema,
  problems: [
    'data/domain_not_found',
    'data/domain_already_exists',
    'application/domain_superseded',
    'application/environment_deleted',
    'limits/custom_domain_limit_exceeded',
  ],
  example: { request: { domain: exampleDomain.name }, response: presentDomain(exampleDomain) },
  async handle(
    { principal: { workspaceId, grants, actor }, input, changes, noteDomain },
    { store, clock, settings, apexNote },
  ) {
    const now = clock.now();
    const deleted = masked(
      await findDeleted(store, workspaceId, input.domain, now),
      ({ domain }) => permits(grants, permission, domain.environmentId),
      'data/domain_not_found',
    );
    const { id, name } = deleted.domain;
    noteDomain(id);
    const result = await changes.restoreDomain(deleted, now, settings.windowMs, actor);
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
      case 'held':
      case 'quota':
        throw creationProblem(result, name) ?? new Problem('data/domain_not_found');
      default:
        return result satisfies never;
    }
  },
});

async function findDeleted(
  store: Pick<DeletedStore, 'findDeletedDomain'>,
  workspaceId: string,
  identifier: string,
  now: number,
): Promise<DeletedDomain | null> {
  const key = canonicalIdentifier(identifier);
  return key === null ? null : store.findDeletedDomain(workspaceId, key, now);
}
