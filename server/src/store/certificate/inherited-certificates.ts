import { logChange } from '../cache/change-log.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';

/** A certificate that goes on serving a name after a takeover. */
interface InheritedCertificate {
  chain: string;
  /** As it is stored: sealed. */
  privateKey: Uint8Array;
  notAfter: number;
}

/**
 * The certificate that a takeover leaves in service: that of the incumbent, or the one that it had inherited itself and not replaced yet. Null: there is
 * none that is valid at `now`, or it was imported, so that others may have its key.
 */
export async function findInheritable(
  reader: Reader,
  hostname: string,
  now: number,
): Promise<InheritedCertificate | null> {
  const served = await reader.one(selectServed, { hostname });
  if (served?.issuer === 'imported') return null;
  const found = served ?? (await reader.one(selectInherited, { hostname }));
  if (found === null || found.notAfter <= now) return null;
  const { chain, privateKey, notAfter } = found;
  return { chain, privateKey, notAfter };
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
}

function selectServed(db: Tables, p: { hostname: string }) {
  return db
    .selectFrom('servedCertificates')
    .where('hostname', '=', p.hostname)
    .select(['issuer', 'chain', 'privateKey', 'notAfter']);
}

function selectInherited(db: Tables, p: { hostname: string }) {
  return db
    .selectFrom('inheritedCertificates')
    .where('hostname', '=', p.hostname)
    .select(['chain', 'privateKey', 'notAfter']);
}

function insertInherited(db: Tables, p: InheritedCertificate & { hostname: string }) {
  return db
    .insertInto('inheritedCertificates')
    .values({ hostname: p.hostname, chain: p.chain, privateKey: p.privateKey, notAfter: p.notAfter });
}

function deleteInherited(db: Tables, p: { hostname: string }) {
  return db.deleteFrom('inheritedCertificates').where('hostname', '=', p.hostname);
}

function deleteExpired(db: Tables, p: { now: number }) {
  return db.deleteFrom('inheritedCertificates').where('notAfter', '<=', p.now).returning('hostname');
}
