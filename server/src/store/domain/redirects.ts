import type { Domain } from '../../domain/domain.ts';
import { MAX_REDIRECTS_TO_ONE, refuseRedirect } from '../../domain/redirect.ts';
import { defineChange, isOutcome } from '../engine/change.ts';
import type { Tables, Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_SECRET } from '../engine/write.ts';
import type { Redirect, SetRedirect } from '../store.ts';
import { domainTargets, findDomainById } from './domains.ts';
import { recordEvent } from './events.ts';
import { addRedirect, findRedirect, logRedirect, selectSources } from './redirect-rows.ts';

// Every change of a redirect begins with an update of the row of the domain that redirects: so these transactions run one after the other, also with
// those that end the redirects to a destination (`redirect-rows.ts`).

type WantedRedirect = Pick<Redirect, 'domainId' | 'destinationId' | 'status'>;

function setRedirect(tx: Transaction, workspaceId: string, redirect: WantedRedirect, now: number) {
  return redirectTo(tx, workspaceId, redirect, now, () => false);
}

export async function redirectTo(
  tx: Transaction,
  workspaceId: string,
  { domainId, destinationId, status }: WantedRedirect,
  now: number,
  mayWait: (destination: Domain) => boolean,
): Promise<SetRedirect> {
  await tx.execute(lockDomain, { id: domainId, workspaceId });
  const domain = await findDomainById(tx, workspaceId, domainId);
  if (domain === null) return { kind: 'missing' };
  const destination = await findDomainById(tx, workspaceId, destinationId);
  if (destination === null) return { kind: 'destination_missing' };
  const ofDestination = await findRedirect(tx, workspaceId, destinationId);
  const [source] = await tx.all(selectSources, { destinationId: domainId, rows: 1 });
  const sourcesOfDestination = await tx.all(selectSources, { destinationId, rows: MAX_REDIRECTS_TO_ONE + 1 });
  const refusal = refuseRedirect({
    domain,
    destination,
    mayWait: mayWait(destination),
    destinationRedirects: ofDestination !== null,
    isDestination: source !== undefined,
    othersToDestination: sourcesOfDestination.filter(({ id }) => id !== domainId).length,
  });
  if (refusal !== null) {
    const because =
      refusal === 'destination_redirects'
        ? ofDestination?.destinationId
        : refusal === 'is_destination'
          ? source?.id
          : null;
    return { kind: 'refused', refusal, by: because == null ? null : await findDomainById(tx, workspaceId, because) };
  }
  const before = await findRedirect(tx, workspaceId, domainId);
  if (before?.destinationId === destinationId && before.status === status) return { kind: 'set', redirect: before };
  const redirect = { domainId, destinationId, to: destination.name, status, setAt: now };
  await addRedirect(tx, domain, redirect);
  return { kind: 'set', redirect };
}

async function removeRedirect(tx: Transaction, workspaceId: string, domainId: string, now: number) {
  await tx.execute(lockDomain, { id: domainId, workspaceId });
  const domain = await findDomainById(tx, workspaceId, domainId);
  if (domain === null) return 'missing';
  const before = await findRedirect(tx, workspaceId, domainId);
  if (before === null) return 'none';
  await tx.execute(deleteRedirect, { domainId });
  const { to, status } = before;
  await recordEvent(tx, 'redirect.removed', domain, now, { redirect: { to, status, reason: 'requested' } });
  await logRedirect(tx, domain);
  return 'removed';
}

export const redirectChanges = {
  setRedirect: defineChange({
    perform: setRedirect,
    // The destination, that its verification does not end meanwhile; both, so that what redirects does not become a destination, nor the other way round.
    locks: (_, { domainId, destinationId }) => [domainId, destinationId],
    audit: {
      targets: (tx, workspaceId, { domainId, destinationId, status }) =>
        domainTargets(tx, workspaceId, domainId, { destinationId, status }),
      isMade: isOutcome('set'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  removeRedirect: defineChange({
    perform: removeRedirect,
    locks: (_, domainId) => [domainId],
    audit: { targets: (tx, workspaceId, id) => domainTargets(tx, workspaceId, id), isMade: isOutcome('removed') },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

/** Changes nothing, and locks the row. */
function lockDomain(db: Tables, p: { id: string; workspaceId: string }) {
  return db
    .updateTable('domains')
    .where('id', '=', p.id)
    .where('workspaceId', '=', p.workspaceId)
    .set((of) => ({ revision: of.ref('revision') }));
}

function deleteRedirect(db: Tables, p: { domainId: string }) {
  return db.deleteFrom('redirects').where('domainId', '=', p.domainId);
}
