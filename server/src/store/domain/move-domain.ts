import type { Domain } from '../../domain/domain.ts';
import { changed } from '../../domain/status.ts';
import { logChange } from '../cache/change-log.ts';
import { defineChange, isOutcome } from '../engine/change.ts';
import { pick, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_SECRET } from '../engine/write.ts';
import type { Environment, Moved } from '../store.ts';
import { selectEnvironmentId } from '../tree/tree.ts';
import { domainTargets, findDomainById } from './domains.ts';
import { recordEvent } from './events.ts';

async function moveDomain(
  tx: Transaction,
  domainId: string,
  target: Pick<Environment, 'id' | 'workspaceId' | 'projectId' | 'appId'>,
  now: number,
): Promise<Moved> {
  const before = await findDomainById(tx, target.workspaceId, domainId);
  if (before === null) return { kind: 'missing' };
  if ((await tx.one(selectEnvironmentId, target)) === null) return { kind: 'environment_missing' };
  if (before.environmentId === target.id) return { kind: 'unchanged', domain: before };
  const { id: environmentId, projectId, appId } = target;
  const domain = changed({ ...before, environmentId, projectId, appId }, now);
  await tx.execute(updatePlace, domain);
  if ((await tx.execute(updateRoute, { domainId, environmentId })) > 0) await logChange(tx, 'route', domain.name);
  await logChange(tx, 'domain', domainId);
  const move = { from: before.environmentId, to: environmentId };
  await recordEvent(tx, 'domain.moved', domain, now, { move });
  return { kind: 'moved', domain };
}

export const moveChanges = {
  moveDomain: defineChange({
    perform: moveDomain,
    // The environment, that it stays.
    locks: (domainId, { id }) => [domainId, id],
    audit: {
      targets: (tx, id, to) => domainTargets(tx, to.workspaceId, id, { environmentId: to.id }),
      isMade: isOutcome('moved'),
    },
    secret: NO_SECRET,
    invalidates: (domainId) => [domainId],
  }),
};

function updatePlace(db: Tables, p: Domain) {
  return db
    .updateTable('domains')
    .where('id', '=', p.id)
    .set(pick(p, ['environmentId', 'projectId', 'appId', 'updatedAt', 'revision']));
}

function updateRoute(db: Tables, p: { domainId: string; environmentId: string }) {
  return db.updateTable('routes').where('domainId', '=', p.domainId).set({ environmentId: p.environmentId });
}
