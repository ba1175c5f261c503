import { logChange } from '../cache/change-log.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import type { DnsChallenge, EdgeAddress } from '../store.ts';

const FORGOTTEN_MS = 86_400_000;

export async function addDnsChallenge(tx: Transaction, challenge: DnsChallenge): Promise<void> {
  await tx.execute(upsertChallenge, challenge);
  logChange(tx, 'dns_challenge', challenge.label);
}

export async function removeDnsChallenge(tx: Transaction, label: string, value: string): Promise<void> {
  if ((await tx.execute(deleteChallenge, { label, value })) > 0) logChange(tx, 'dns_challenge', label);
}

export function listDnsChallenges(reader: Reader, now: number): Promise<DnsChallenge[]> {
  return Promise.resolve(reader.all(selectChallenges, { now }));
}

/** Nobody needs to hear of it: servers leave out what has expired. */
export async function pruneDnsChallenges(tx: Transaction, expiredBefore: number): Promise<void> {
  await tx.execute(deleteExpired, { expiredBefore });
}

export async function recordEdgeAddresses(tx: Transaction, addresses: readonly string[], at: number): Promise<void> {
  for (const address of addresses) await tx.execute(upsertAddress, { address, seenAt: at });
  await tx.execute(deleteAddresses, { before: at - FORGOTTEN_MS });
}

export function listEdgeAddresses(reader: Reader, since: number): Promise<EdgeAddress[]> {
  return Promise.resolve(reader.all(selectAddresses, { since }));
}

function upsertChallenge(db: Tables, p: DnsChallenge) {
  return db
    .insertInto('dnsChallenges')
    .values({ label: p.label, value: p.value, expiresAt: p.expiresAt })
    .onConflict((on) => on.columns(['label', 'value']).doUpdateSet({ expiresAt: p.expiresAt }));
}

function deleteChallenge(db: Tables, p: { label: string; value: string }) {
  return db.deleteFrom('dnsChallenges').where('label', '=', p.label).where('value', '=', p.value);
}

function selectChallenges(db: Tables, p: { now: number }) {
  return db.selectFrom('dnsChallenges').where('expiresAt', '>=', p.now).select(['label', 'value', 'expiresAt']);
}

function deleteExpired(db: Tables, p: { expiredBefore: number }) {
  return db.deleteFrom('dnsChallenges').where('expiresAt', '<', p.expiredBefore);
}

function upsertAddress(db: Tables, p: EdgeAddress) {
  return db
    .insertInto('edgeAddresses')
    .values({ address: p.address, seenAt: p.seenAt })
    .onConflict((on) => on.column('address').doUpdateSet({ seenAt: p.seenAt }));
}

function selectAddresses(db: Tables, p: { since: number }) {
  return db.selectFrom('edgeAddresses').where('seenAt', '>', p.since).select(['address', 'seenAt']);
}

function deleteAddresses(db: Tables, p: { before: number }) {
  return db.deleteFrom('edgeAddresses').where('seenAt', '<', p.before);
}
