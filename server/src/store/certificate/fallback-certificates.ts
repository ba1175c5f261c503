import { IMPORTED } from '../../domain/certificate-state.ts';
import { columnsOf, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import type { IssuedCertificate } from '../store.ts';

const FALLBACK = ['issuer', 'chain', 'privateKey', 'notBefore', 'notAfter', 'issuedAt', 'renewal'] as const;

/** The managed certificate behind an imported one, with its key as it is stored; null: there is none. */
export async function findFallback(
  reader: Reader,
  hostname: string,
): Promise<(IssuedCertificate & { privateKey: Uint8Array }) | null> {
  const row = await reader.one(selectFallback, { hostname });
  return row && { ...row, renewal: JSON.parse(row.renewal) };
}

/** Before another certificate is put in use: keeps the managed one where an imported one replaces it, and drops what is kept where that is managed. */
export async function keepFallback(tx: Transaction, hostname: string, next: { issuer: string }): Promise<void> {
  await tx.execute(next.issuer === IMPORTED ? insertFallback : deleteFallback, { hostname });
}

/** Those that have expired serve nobody any more. */
export function pruneFallbacks(tx: Transaction, now: number): void {
  tx.write(deleteExpired, { now });
}

function selectFallback(db: Tables, p: { hostname: string }) {
  return db.selectFrom('fallbackCertificates').where('hostname', '=', p.hostname).select(FALLBACK);
}

function insertFallback(db: Tables, p: { hostname: string }) {
  return db
    .insertInto('fallbackCertificates')
    .columns(['hostname', ...FALLBACK])
    .expression((of) =>
      of
        .selectFrom('servedCertificates')
        .where('hostname', '=', p.hostname)
        .where('issuer', '<>', IMPORTED)
        .select(columnsOf('servedCertificates', ['hostname', ...FALLBACK])),
    );
}

function deleteFallback(db: Tables, p: { hostname: string }) {
  return db.deleteFrom('fallbackCertificates').where('hostname', '=', p.hostname);
}

function deleteExpired(db: Tables, p: { now: number }) {
  return db.deleteFrom('fallbackCertificates').where('notAfter', '<=', p.now);
}
