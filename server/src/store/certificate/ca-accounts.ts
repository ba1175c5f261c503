import { sql } from 'kysely';
import { type CertificateProblem, type CertificateReason, successorOf } from '../../domain/certificate-state.ts';
import { defineChange, isOutcome } from '../engine/change.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET, type Seal } from '../engine/write.ts';
import type { Schema } from '../schema/schema.ts';
import type { CaAccount, HeldCa } from '../store.ts';
import { toJson } from './certificate-rows.ts';

export async function findCaAccount(reader: Reader, issuer: string): Promise<CaAccount | null> {
  const row = await reader.one(selectAccount, { issuer });
  return row && { ...row, problem: problemOf(row.problem) };
}

export async function listCaAccounts(reader: Reader): Promise<string[]> {
  return (await reader.all(selectRegistered, {})).map(({ issuer }) => issuer);
}

export async function listHeldCas(reader: Reader, now: number): Promise<HeldCa[]> {
  return (await reader.all(selectHeld, { now })).flatMap(({ problem, ...held }) => {
    const read = problemOf(problem);
    return read === null ? [] : [{ ...held, problem: read }];
  });
}

async function resumeCas(tx: Transaction, now: number): Promise<HeldCa[]> {
  const held = await listHeldCas(tx, now);
  // The problem stays until the CA answers, with the time since when it lasts.
  await tx.execute(closeCircuits, { now });
  for (const { problem } of held) await tx.execute(makeDue, { now, reason: problem.reason });
  return held;
}

export const caChanges = {
  resumeCas: defineChange({
    perform: resumeCas,
    locks: NO_LOCKS,
    audit: {
      targets: async (tx, now) =>
        (await listHeldCas(tx, now)).map(({ issuer }) => ({ workspaceId: null, target: issuer })),
      isMade: () => true,
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  addCaSuccessor: defineChange({
    perform: addCaSuccessor,
    locks: NO_LOCKS,
    audit: {
      targets: (_, of) => [{ workspaceId: null, target: of }],
      isMade: isOutcome('added'),
    },
    secret: (seal, of, successor) => [of, sealedAccount(seal, successor)],
    invalidates: NO_DOMAINS,
  }),
};

async function addCaSuccessor(tx: Transaction, _of: string, successor: CaAccount): Promise<'added' | 'exists'> {
  return (await tx.execute(insertAccount, rowOf(successor))) > 0 ? 'added' : 'exists';
}

export function sealedAccount(seal: Seal, account: CaAccount): CaAccount {
  return { ...account, privateKey: seal(account.privateKey, { kind: 'account', id: account.issuer }) };
}

function problemOf(text: string | null): CertificateProblem | null {
  return text && JSON.parse(text);
}

export async function createCaAccount(tx: Transaction, account: CaAccount): Promise<CaAccount> {
  await tx.execute(insertAccount, rowOf(account));
  return (await findCaAccount(tx, account.issuer)) ?? account;
}

export async function updateCaAccount(
  tx: Transaction,
  issuer: string,
  change: Partial<Pick<CaAccount, 'url' | 'pausedUntil' | 'problem'>>,
): Promise<boolean> {
  const account = await findCaAccount(tx, issuer);
  if (account === null) return false;
  await tx.execute(updateAccount, rowOf({ ...account, ...change }));
  return true;
}

export async function replaceCaAccount(tx: Transaction, before: string | null, after: CaAccount) {
  const account = await findCaAccount(tx, after.issuer);
  if (account === null || account.url !== before || account.createdAt > after.createdAt) return 'stale';
  await tx.execute(updateAccount, rowOf(after));
  await tx.execute(deleteAccount, { issuer: successorOf(after.issuer) });
  return 'replaced';
}

function selectAccount(db: Tables, p: { issuer: string }) {
  return db
    .selectFrom('caAccounts')
    .where('issuer', '=', p.issuer)
    .select(['issuer', ...ACCOUNT]);
}

function selectRegistered(db: Tables) {
  return db.selectFrom('caAccounts').where('url', 'is not', null).select('issuer').orderBy('issuer');
}

function deleteAccount(db: Tables, p: { issuer: string }) {
  return db.deleteFrom('caAccounts').where('issuer', '=', p.issuer);
}

function selectHeld(db: Tables, p: { now: number }) {
  return db
    .selectFrom('caAccounts')
    .where('pausedUntil', '>', p.now)
    .select(['issuer', 'problem'])
    .select((of) => of.ref('pausedUntil').$notNull().as('pausedUntil'));
}

function closeCircuits(db: Tables, p: { now: number }) {
  return db.updateTable('caAccounts').where('pausedUntil', '>', p.now).set({ pausedUntil: null });
}

/** Problems begin with their reason (`blockedBy`). */
function makeDue(db: Tables, p: { now: number; reason: CertificateReason }) {
  return db
    .updateTable('certificates')
    .where('state', 'in', ['failed', 'renewing'])
    .where('problem', 'like', sql<string>`'{"reason":"' || ${p.reason} || '"%'`)
    .where('leasedUntil', 'is', null)
    .where('nextTryAt', '>', p.now)
    .set({ nextTryAt: p.now });
}

type AccountRow = Schema['caAccounts'];

function rowOf(account: CaAccount): AccountRow {
  return { ...account, problem: toJson(account.problem) };
}

const ACCOUNT = ['url', 'privateKey', 'certificate', 'pausedUntil', 'problem', 'createdAt'] as const;

function insertAccount(db: Tables, p: AccountRow) {
  return db
    .insertInto('caAccounts')
    .values(pick(p, ['issuer', ...ACCOUNT]))
    .onConflict((on) => on.column('issuer').doNothing());
}

function updateAccount(db: Tables, p: AccountRow) {
  return db.updateTable('caAccounts').where('issuer', '=', p.issuer).set(pick(p, ACCOUNT));
}
