import type { CaAccount } from '../../contract/store.ts';
import type { Reading, Tables, Writing } from '../query.ts';

export async function findCaAccount(run: Reading, issuer: string): Promise<CaAccount | null> {
  return run.one(selectAccount, { issuer });
}

export async function createCaAccount(run: Writing, account: CaAccount): Promise<CaAccount> {
  await run.change(insertAccount, account);
  return (await findCaAccount(run, account.issuer)) ?? account;
}

export async function updateCaAccount(
  run: Writing,
  issuer: string,
  change: Partial<Pick<CaAccount, 'url' | 'pausedUntil' | 'problem'>>,
): Promise<boolean> {
  const account = await findCaAccount(run, issuer);
  if (account === null) return false;
  await run.change(updateAccount, { ...account, ...change });
  return true;
}

export async function replaceCaAccount(run: Writing, before: string | null, after: CaAccount) {
  const account = await findCaAccount(run, after.issuer);
  if (account === null || account.url !== before) return 'stale';
  await run.change(updateAccount, after);
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
