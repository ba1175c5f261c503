import type { CaAccount } from '../../contract/store.ts';
import type { Reader, Tables, Transaction } from '../statement.ts';

export async function findCaAccount(reader: Reader, issuer: string): Promise<CaAccount | null> {
  return reader.one(selectAccount, { issuer });
}

export async function createCaAccount(tx: Transaction, account: CaAccount): Promise<CaAccount> {
  await tx.execute(insertAccount, account);
  return (await findCaAccount(tx, account.issuer)) ?? account;
}

export async function updateCaAccount(
  tx: Transaction,
  issuer: string,
  change: Partial<Pick<CaAccount, 'url' | 'pausedUntil' | 'problem'>>,
): Promise<boolean> {
  const account = await findCaAccount(tx, issuer);
  if (account === null) return false;
  await tx.execute(updateAccount, { ...account, ...change });
  return true;
}

export async function replaceCaAccount(tx: Transaction, before: string | null, after: CaAccount) {
  const account = await findCaAccount(tx, after.issuer);
  if (account === null || account.url !== before) return 'stale';
  await tx.execute(updateAccount, after);
  return 'replaced';
}

function selectAccount(db: Tables, p: { issuer: string }) {
  return db
    .selectFrom('ca_accounts')
    .where('issuer', '=', p.issuer)
    .select([
      'issuer',
      'url',
      'private_key as privateKey',
      'certificate',
      'paused_until as pausedUntil',
      'problem',
      'created_at as createdAt',
    ]);
}

function columnsOf(p: CaAccount) {
  return {
    url: p.url,
    private_key: p.privateKey,
    certificate: p.certificate,
    paused_until: p.pausedUntil,
    problem: p.problem,
    created_at: p.createdAt,
  };
}

function insertAccount(db: Tables, p: CaAccount) {
  return db
    .insertInto('ca_accounts')
    .values({ issuer: p.issuer, ...columnsOf(p) })
    .onConflict((on) => on.column('issuer').doNothing());
}

function updateAccount(db: Tables, p: CaAccount) {
  return db.updateTable('ca_accounts').where('issuer', '=', p.issuer).set(columnsOf(p));
}
