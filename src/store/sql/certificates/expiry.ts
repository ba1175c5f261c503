import { expiringAt } from '../../../domain/certificate-state.ts';
import { findDomainById } from '../domains.ts';
import { recordEvent } from '../events.ts';
import type { Tables, Transaction } from '../statement.ts';
import { findCertificate } from './certificate-rows.ts';
import { certificateAfter } from './issuance.ts';

/** A certificate in use that expires soon. */
export interface ExpiringCertificate {
  hostname: string;
  domainId: string;
  notAfter: number;
  /** When `certificate.expiring` was due. */
  dueAt: number;
}

/**
 * Looks at certificates whose time has come, at most `limit`; resolves with their number, and with those that expire. Nobody has computed the time of one that the
 * previous release wrote: that is done here.
 */
export async function findExpiring(tx: Transaction, now: number, limit: number) {
  const due = await tx.all(selectExpiring, { now, limit });
  const expiring: ExpiringCertificate[] = [];
  for (const { notBefore, ...certificate } of due) {
    const at = expiringAt({ notBefore, notAfter: certificate.notAfter });
    if (at <= now) expiring.push(certificate);
    else await tx.execute(updateExpiring, { ...certificate, at });
  }
  return { count: due.length, expiring };
}

/**
 * Adds the event of one, unless it was added, or the certificate renewed, since it was found. Its domain must be locked: where another domain has the name now, nothing is
 * done, and the next run finds that one.
 */
export async function recordExpiring(tx: Transaction, { domainId, ...expiring }: ExpiringCertificate, now: number) {
  const certificate = await findCertificate(tx, expiring.hostname);
  if (certificate !== null && certificate.domainId !== domainId) return;
  if ((await tx.execute(updateExpiring, { ...expiring, at: null })) === 0) return;
  const domain = certificate && (await findDomainById(tx, certificate.workspaceId, domainId));
  if (certificate === null || domain === null) return;
  await recordEvent(tx, 'certificate.expiring', domain, now, { certificate: certificateAfter(certificate) });
}

function selectExpiring(db: Tables, p: { now: number; limit: number }) {
  return db
    .selectFrom('served_certificates as served')
    .innerJoin('routes', 'routes.hostname', 'served.hostname')
    .where('served.expiring_at', '<=', p.now)
    .orderBy('served.expiring_at')
    .limit(p.limit)
    .select([
      'served.hostname',
      'routes.domain_id as domainId',
      'served.not_before as notBefore',
      'served.not_after as notAfter',
    ])
    .select((of) => of.ref('served.expiring_at').$notNull().as('dueAt'));
}

function updateExpiring(db: Tables, p: { hostname: string; notAfter: number; dueAt: number; at: number | null }) {
  return db
    .updateTable('served_certificates')
    .where('hostname', '=', p.hostname)
    .where('not_after', '=', p.notAfter)
    .where('expiring_at', '=', p.dueAt)
    .set({ expiring_at: p.at });
}
