import type { Domain } from '../../domain/domain.ts';
import { changeOwnData, findExcess } from '../../domain/own-data.ts';
import { changed } from '../../domain/status.ts';
import { logChange } from '../cache/change-log.ts';
import { defineChange, isOutcome } from '../engine/change.ts';
import { pick, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_SECRET } from '../engine/write.ts';
import type { DomainChange, DomainUpdate } from '../store.ts';
import { changePairs } from './domain-pairs.ts';
import { domainTargets, findDomainById } from './domains.ts';
import { logRedirect } from './redirect-rows.ts';
import { changeSettings, findSettings } from './site-settings-rows.ts';

async function updateDomain(
  tx: Transaction,
  workspaceId: string,
  domainId: string,
  { settings: patch, deploysIn, ...change }: DomainChange,
  now: number,
): Promise<DomainUpdate> {
  const before = await findDomainById(tx, workspaceId, domainId);
  if (before === null || (deploysIn ?? before.environmentId) !== before.environmentId) return { kind: 'missing' };
  const own = changeOwnData(before, change);
  if (findExcess(own) !== null) return { kind: 'too_large' };
  const isApplied = patch !== undefined && (await changeSettings(tx, before, patch));
  const settings = await findSettings(tx, domainId);
  if (own.externalId === before.externalId && own.metadata === before.metadata)
    return { kind: isApplied ? 'updated' : 'unchanged', domain: before, settings };
  const domain = { ...changed(before, now), ...own };
  await tx.execute(updateOwnData, domain);
  changePairs(tx, before, domain);
  logChange(tx, 'domain', domainId);
  // The edge may send it to the origin.
  if (own.externalId !== before.externalId) await logRedirect(tx, domain);
  return { kind: 'updated', domain, settings };
}

export const updateChanges = {
  updateDomain: defineChange({
    perform: updateDomain,
    locks: (_, domainId) => [domainId],
    audit: {
      // Values may be about persons: the log, which nobody can change, names the keys alone.
      targets: (tx, workspaceId, id, { externalId, metadata, settings }) =>
        domainTargets(tx, workspaceId, id, {
          ...(externalId !== undefined && { externalId }),
          ...(metadata !== undefined && { metadata: metadata && Object.keys(metadata) }),
          ...(settings && { settings }),
        }),
      isMade: isOutcome('updated'),
    },
    secret: NO_SECRET,
    invalidates: (_, domainId) => [domainId],
  }),
};

function updateOwnData(db: Tables, p: Domain) {
  return db
    .updateTable('domains')
    .where('id', '=', p.id)
    .set(pick(p, ['externalId', 'metadata', 'updatedAt', 'revision']));
}
