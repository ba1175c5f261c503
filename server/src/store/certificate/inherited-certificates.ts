import { isBrought } from '../../domain/certificate-state.ts';
import { logChange } from '../cache/change-log.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import type { Schema } from '../schema/schema.ts';
import { findFallback, pruneFallbacks } from './fallback-certificates.ts';
import { pruneStaged } from './staged-certificates.ts';

/** A certificate that goes on serving a name after a takeover. The key is as it is stored: sealed. */
type InheritedCertificate = Omit<Schema['inheritedCertificates'], 'hostname'>;

const INHERITED = ['chain', 'privateKey', 'notAfter'] as const;

/**
 * The certificate that a takeover leaves in service: that of the incumbent, or the one that it had inherited itself and not replaced yet. Where it was
 * brought, others may have its key: then ours behind it. Null: there is none that is valid at `now`.
 */
export async function findInheritable(
  reader: Reader,
  hostname: string,
  now: number,
): Promise<InheritedCertificate | null> {
  const served = await reader.one(selectServed, { hostname });
  const found =
    served !== null && isBrought(served.issuer)
      ? await findOwnFallback(reader, hostname)
      : (served ?? (await reader.one(selectInherited, { hostname })));
  if (found === null || found.notAfter <= now) return null;
  return pick(found, INHERITED);
}

async function findOwnFallback(reader: Reader, hostname: string) {
  const kept = await findFallback(reader, hostname);
  return kept === null || isBrought(kept.issuer) ? null : kept;
}

export function inherit(tx: Transaction, hostname: string, certificate: InheritedCertificate): void {
  tx.write(insertInherited, { hostname, ...certificate });
}

/** For a domain that has a certificate of its own now. */
export function dropInherited(tx: Transaction, hostname: string): void {
  tx.write(deleteInherited, { hostname });
}

export async function pruneInheritedCertificates(tx: Transaction, now: number): Promise<void> {
  for (const { hostname } of await tx.all(deleteExpired, { now })) logChange(tx, 'certificate', hostname);
  pruneFallbacks(tx, now);
  pruneStaged(tx, now);
}

function selectServed(db: Tables, p: { hostname: string }) {
  return db
    .selectFrom('servedCertificates')
    .where('hostname', '=', p.hostname)
    .select(['issuer', ...INHERITED]);
}

function selectInherited(db: Tables, p: { hostname: string }) {
  return db.selectFrom('inheritedCertificates').where('hostname', '=', p.hostname).select(INHERITED);
}

function insertInherited(db: Tables, p: InheritedCertificate & { hostname: string }) {
  return db.insertInto('inheritedCertificates').values(pick(p, ['hostname', ...INHERITED]));
}

function deleteInherited(db: Tables, p: { hostname: string }) {
  return db.deleteFrom('inheritedCertificates').where('hostname', '=', p.hostname);
}

function deleteExpired(db: Tables, p: { now: number }) {
  return db.deleteFrom('inheritedCertificates').where('notAfter', '<=', p.now).returning('hostname');
}
