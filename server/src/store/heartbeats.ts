import { sql } from 'kysely';
import type { Reader, Tables, Transaction } from './engine/statement.ts';

const issuing = heartbeatOf('certificates');
const backup = heartbeatOf('backup');

export async function recordIssuing(tx: Transaction, now: number): Promise<void> {
  await tx.execute(issuing.upsert, { at: now });
}

export async function findLastIssuing(reader: Reader): Promise<number | null> {
  return (await reader.one(issuing.select, {}))?.seenAt ?? null;
}

export async function recordBackup(tx: Transaction, at: number): Promise<void> {
  await tx.execute(backup.upsert, { at });
}

export async function findLastBackup(reader: Reader): Promise<number | null> {
  return (await reader.one(backup.select, {}))?.seenAt ?? null;
}

function heartbeatOf(role: 'certificates' | 'backup') {
  return {
    upsert: (db: Tables, p: { at: number }) =>
      db
        .insertInto('heartbeats')
        .values({ role: sql.lit(role), seenAt: p.at })
        .onConflict((on) => on.column('role').doUpdateSet({ seenAt: p.at })),
    select: (db: Tables) => db.selectFrom('heartbeats').where('role', '=', sql.lit(role)).select('seenAt'),
  };
}
