import { restored, windowEndsAt } from '../../domain/status.ts';
import { ofDomain } from '../audit/entries.ts';
import { logChange } from '../cache/change-log.ts';
import { restoreCertificate } from '../certificate/issuance.ts';
import { findIncumbent } from '../check/checks.ts';
import { scheduleCheck } from '../check/schedules.ts';
import { defineChange, isOutcome } from '../engine/change.ts';
import type { Transaction } from '../engine/statement.ts';
import { NO_SECRET } from '../engine/write.ts';
import type { DeletedDomain, Restoration } from '../store.ts';
import { deleteHeld, findHeld, findHeldCertificate } from './deleted-domains.ts';
import { insertPairs } from './domain-pairs.ts';
import { insertDomain, refuseCreation, withSharedTarget } from './domains.ts';
import { recordEvent } from './events.ts';
import { redirectTo } from './redirects.ts';
import { addRoute } from './routes.ts';
import { putSettings } from './site-settings-rows.ts';
import { putSuspension } from './suspensions.ts';

async function restoreDomain(
  tx: Transaction,
  { domain: { id, workspaceId } }: DeletedDomain,
  now: number,
  windowMs: number,
): Promise<Restoration> {
  const held = await findHeld(tx, workspaceId, id, now);
  if (held === null) return { kind: 'missing' };
  // The second: it had the name already when this domain was deleted.
  if (held.supersededAt !== null || (await findIncumbent(tx, held.domain)) !== null) return { kind: 'superseded' };
  const refusal = await refuseCreation(tx, held.domain);
  if (refusal !== null) return refusal;

  const domain = await withSharedTarget(tx, restored(held.domain, now));
  if (domain === null) return { kind: 'target_missing' };
  const certificate = await findHeldCertificate(tx, id);
  await tx.execute(insertDomain, domain);
  insertPairs(tx, domain);
  await tx.execute(deleteHeld, { id });
  if (domain.status === 'verified') {
    await addRoute(tx, domain, { at: now, recheckAt: now });
    if (certificate !== null && certificate.notAfter > now) await restoreCertificate(tx, domain.name, certificate, now);
  } else {
    await scheduleCheck(tx, { domainId: id, at: now, windowEndsAt: windowEndsAt(domain, windowMs) });
  }
  await logChange(tx, 'domain', id);
  await recordEvent(tx, 'domain.restored', domain, now);
  if (held.suspension !== null) await putSuspension(tx, id, held.suspension);
  // Refused where the destination may not be redirected to any more: the domain is then served by its origin.
  if (held.redirect !== null) {
    const redirect = { domainId: id, ...held.redirect };
    await redirectTo(tx, workspaceId, redirect, now, ({ verifiedAt }) => verifiedAt === null);
  }
  if (held.settings !== null) await putSettings(tx, id, held.settings);
  return { kind: 'restored', domain };
}

export const restoreChanges = {
  restoreDomain: defineChange({
    perform: restoreDomain,
    locks: ({ domain: { id, workspaceId, environmentId, name }, destinationId }) => [
      id,
      // Its names and its quota; that the environment stays; that nobody else is verified for the name; that the destination stays.
      workspaceId,
      environmentId,
      name,
      ...(destinationId === null ? [] : [destinationId]),
    ],
    audit: { targets: (_, { domain }) => [ofDomain(domain)], isMade: isOutcome('restored') },
    secret: NO_SECRET,
    invalidates: ({ domain }) => [domain.id],
  }),
};
