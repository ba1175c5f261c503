import { expiringAt } from '../../../domain/certificate-state.ts';
import { findDomainById } from '../domains.ts';
import { recordEvent } from '../events.ts';
import type { Tables, Transaction } from '../statement.ts';
import { findCertificate } from './certificate-rows.ts';
import { certificateAfter } from './issuance.ts';

/** Nobody has computed the time of a certificate that the previous release wrote, so that it is looked at once before. */
export async function recordExpiring(tx: Transaction, now: number, limit: number): Promise<number> {
  const due = await tx.all(selectExpiring, { now, limit });
  for (const { hostname, notBefore, notAfter, readAt } of due) {
    const at = expiringAt({ notBefore, notAfter });
    const isExpiring = at <= now;
    // It may have been renewed since it was selected.
    if ((await tx.execute(updateExpiring, { hostname, readAt, at: isExpiring ? null : at, notAfter })) === 0) continue;
    if (isExpiring) await recordOne(tx, hostname, now);
  }
  return due.length;
}

async function recordOne(tx: Transaction, hostname: string, now: number): Promise<void> {
  const certificate = await findCertificate(tx, hostname);
  const domain = certificate && (await findDomainById(tx, certificate.workspaceId, certificate.domainId));
  if (certificate === null || domain === null) return;
  await recordEvent(tx, 'certificate.expiring', domain, now, { certificate: certificateAfter(certificate) });
}

function selectExpiring(db: Tables, p: { now: number; limit: number }) {
  return db
    .selectFrom('served_certificates')
    .where('expiring_at', '<=', p.now)
    .orderBy('expiring_at')
    .limit(p.limit)
    .select(['hostname', 'not_before as notBefore', 'not_after as notAfter', 'expiring_at as readAt']);
}

function updateExpiring(
  db: Tables,
  p: { hostname: string; readAt: number | null; at: number | null; notAfter: number },
) {
  return db
    .updateTable('served_certificates')
    .where('hostname', '=', p.hostname)
    .where('not_after', '=', p.notAfter)
    .where('expiring_at', '=', p.readAt)
    .set({ expiring_at: p.at });
}
