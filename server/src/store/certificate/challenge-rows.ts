import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import type { Challenge } from '../store.ts';

export async function findChallenge(reader: Reader, hostname: string, token: string, now: number) {
  return (await reader.one(selectChallenge, { hostname, token, now }))?.keyAuthorization ?? null;
}

export async function putChallenge(tx: Transaction, challenge: Challenge): Promise<void> {
  await tx.execute(upsertChallenge, challenge);
}

export async function pruneChallenges(tx: Transaction, expiredBefore: number): Promise<void> {
  await tx.execute(deleteExpired, { expiredBefore });
}

export function deleteChallengesOf(tx: Transaction, hostname: string): void {
  tx.write(deleteChallenges, { hostname });
}

function selectChallenge(db: Tables, p: { hostname: string; token: string; now: number }) {
  return db
    .selectFrom('challenges')
    .where('hostname', '=', p.hostname)
    .where('token', '=', p.token)
    .where('expiresAt', '>=', p.now)
    .select('keyAuthorization');
}

function upsertChallenge(db: Tables, p: Challenge) {
  const answer = { keyAuthorization: p.keyAuthorization, expiresAt: p.expiresAt };
  return db
    .insertInto('challenges')
    .values({ hostname: p.hostname, token: p.token, ...answer })
    .onConflict((on) => on.columns(['hostname', 'token']).doUpdateSet(answer));
}

function deleteExpired(db: Tables, p: { expiredBefore: number }) {
  return db.deleteFrom('challenges').where('expiresAt', '<', p.expiredBefore);
}

function deleteChallenges(db: Tables, p: { hostname: string }) {
  return db.deleteFrom('challenges').where('hostname', '=', p.hostname);
}
