import type { Domain } from '../../domain/domain.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import type { Seal } from '../engine/write.ts';
import type { BroughtCertificates, IssuedCertificate } from '../store.ts';

/** A certificate that is given before its domain has a route. It proves nothing about the name, and serves nobody meanwhile. */

type Issued = IssuedCertificate & { privateKey: Uint8Array };

const SHOWN = ['issuer', 'chain', 'notBefore', 'notAfter', 'issuedAt', 'renewal'] as const;

export async function findStaged(reader: Reader, domainId: string): Promise<IssuedCertificate | null> {
  const row = await reader.one(selectShown, { domainId });
  return row && { ...row, renewal: JSON.parse(row.renewal) };
}

/** Replaces the one that the domain has staged. */
export function stage(tx: Transaction, { id: domainId, name: hostname }: Pick<Domain, 'id' | 'name'>, issued: Issued) {
  tx.write(upsertStaged, { domainId, hostname, ...issued, renewal: JSON.stringify(issued.renewal) });
}

/** Deletes it, and resolves with it, its key as it is stored; null: there is none that is valid at `now`. */
export async function takeStaged(tx: Transaction, domainId: string, now: number): Promise<Issued | null> {
  const row = await tx.one(selectStaged, { domainId });
  if (row === null) return null;
  tx.write(deleteStaged, { domainId });
  return row.notAfter <= now ? null : { ...row, renewal: JSON.parse(row.renewal) };
}

/** Whether there was one. */
export async function dropStaged(tx: Transaction, domainId: string): Promise<boolean> {
  return (await tx.execute(deleteStaged, { domainId })) > 0;
}

export function sealedIssued<Secret extends { privateKey: Uint8Array }>(
  seal: Seal,
  id: string,
  issued: Secret,
): Secret {
  return { ...issued, privateKey: seal(issued.privateKey, { kind: 'certificate', id }) };
}

/** Seals the certificates of new domains. */
export function sealedBrought(
  seal: Seal,
  domains: readonly Pick<Domain, 'id' | 'name'>[],
  brought: BroughtCertificates,
): BroughtCertificates {
  const sealed = domains.flatMap(({ id, name }) => {
    const issued = brought[id];
    return issued === undefined ? [] : [[id, sealedIssued(seal, name, issued)] as const];
  });
  return Object.fromEntries(sealed);
}

export function pruneStaged(tx: Transaction, now: number): void {
  tx.write(deleteExpired, { now });
}

function selectShown(db: Tables, p: { domainId: string }) {
  return db.selectFrom('stagedCertificates').where('domainId', '=', p.domainId).select(SHOWN);
}

function selectStaged(db: Tables, p: { domainId: string }) {
  return selectShown(db, p).select('privateKey');
}

const STAGED = [...SHOWN, 'hostname', 'privateKey'] as const;

type Row = Omit<Issued, 'renewal'> & { domainId: string; hostname: string; renewal: string };

function upsertStaged(db: Tables, p: Row) {
  const staged = pick(p, STAGED);
  return db
    .insertInto('stagedCertificates')
    .values({ domainId: p.domainId, ...staged })
    .onConflict((on) => on.column('domainId').doUpdateSet(staged));
}

function deleteStaged(db: Tables, p: { domainId: string }) {
  return db.deleteFrom('stagedCertificates').where('domainId', '=', p.domainId);
}

function deleteExpired(db: Tables, p: { now: number }) {
  return db.deleteFrom('stagedCertificates').where('notAfter', '<=', p.now);
}
