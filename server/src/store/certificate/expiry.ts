import { findDomainById } from '../domain/domains.ts';
import { recordEvent } from '../domain/events.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
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

/** The certificates that expire soon, and of which nobody has been told; at most `limit`. */
export async function findExpiring(reader: Reader, now: number, limit: number): Promise<ExpiringCertificate[]> {
  return reader.all(selectExpiring, { now, limit });
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
    .selectFrom('servedCertificates as served')
    .innerJoin('routes', 'routes.hostname', 'served.hostname')
    .where('served.expiringAt', '<=', p.now)
    .orderBy('served.expiringAt')
    .limit(p.limit)
    .select(['served.hostname', 'routes.domainId', 'served.notAfter'])
    .select((of) => of.ref('served.expiringAt').$notNull().as('dueAt'));
}

function updateExpiring(db: Tables, p: { hostname: string; notAfter: number; dueAt: number; at: number | null }) {
  return db
    .updateTable('servedCertificates')
    .where('hostname', '=', p.hostname)
    .where('notAfter', '=', p.notAfter)
    .where('expiringAt', '=', p.dueAt)
    .set({ expiringAt: p.at });
}
