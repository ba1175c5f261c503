import type { Domain } from '../../domain/domain.ts';
import { metadataOf } from '../../domain/own-data.ts';
import { pick, type Tables, type Transaction } from '../engine/statement.ts';
import type { Schema } from '../schema/schema.ts';

/** The pairs that domains are found by. They are written in the transactions that write their domains. */

/** The key of external ids. */
export const EXTERNAL_ID = '';

/** Where a domain stands in lists of its workspace that an environment comes first in. */
export function placeOf({ environmentId, id }: Pick<Domain, 'environmentId' | 'id'>): string {
  return `${environmentId}.${id}`;
}

export function insertPairs(tx: Transaction, domain: Domain): void {
  for (const [key, value] of pairsOf(domain)) tx.write(insertPair, rowOf(domain, key, value));
}

/** Writes what differs. */
export function changePairs(tx: Transaction, before: Domain, after: Domain): void {
  const [old, own] = [pairsOf(before), pairsOf(after)];
  for (const [key, value] of old) if (own.get(key) !== value) tx.write(deletePair, rowOf(before, key, value));
  for (const [key, value] of own) if (old.get(key) !== value) tx.write(insertPair, rowOf(after, key, value));
}

function pairsOf({ externalId, metadata }: Domain): Map<string, string> {
  const pairs = new Map(Object.entries(metadataOf(metadata)));
  return externalId === null ? pairs : pairs.set(EXTERNAL_ID, externalId);
}

type Pair = Schema['domainPairs'];

function rowOf(domain: Domain, key: string, value: string): Pair {
  return { workspaceId: domain.workspaceId, key, value, place: placeOf(domain), domainId: domain.id };
}

function insertPair(db: Tables, p: Pair) {
  return db.insertInto('domainPairs').values(pick(p, ['workspaceId', 'key', 'value', 'place', 'domainId']));
}

function deletePair(db: Tables, p: Pair) {
  return db
    .deleteFrom('domainPairs')
    .where('workspaceId', '=', p.workspaceId)
    .where('key', '=', p.key)
    .where('value', '=', p.value)
    .where('place', '=', p.place);
}

/** For a domain that is moved. */
export function updatePairs(db: Tables, p: Pick<Pair, 'domainId' | 'place'>) {
  return db.updateTable('domainPairs').where('domainId', '=', p.domainId).set({ place: p.place });
}
