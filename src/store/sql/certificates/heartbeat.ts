import { sql } from 'kysely';
import type { Reader, Tables, Transaction } from '../statement.ts';

export async function recordIssuing(tx: Transaction, now: number): Promise<void> {
  await tx.execute(upsertHeartbeat, { now });
}

export async function findLastIssuing(reader: Reader): Promise<number | null> {
  return (await reader.one(selectHeartbeat, {}))?.seenAt ?? null;
}

function upsertHeartbeat(db: Tables, p: { now: number }) {
  return db
    .insertInto('heartbeats')
    .values({ role: sql.lit('certificates'), seen_at: p.now })
    .onConflict((on) => on.column('role').doUpdateSet({ seen_at: p.now }));
}

function selectHeartbeat(db: Tables) {
  return db.selectFrom('heartbeats').where('role', '=', sql.lit('certificates')).select('seen_at as seenAt');
}
