import { defineChange, isOutcome } from '../engine/change.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_LOCKS } from '../engine/write.ts';
import type { ConnectKey } from '../store.ts';

/** The one whose record is published is among them, also where several were made before the record of one. */
const KEPT = 10;

async function addConnectKey(tx: Transaction, key: ConnectKey): Promise<'added'> {
  await tx.execute(insertKey, key);
  for (const { id } of (await tx.all(selectKeys, {})).slice(KEPT)) await tx.execute(deleteKey, { id });
  return 'added';
}

export async function listConnectKeys(reader: Reader): Promise<ConnectKey[]> {
  return reader.all(selectKeys, {});
}

export const connectKeyChanges = {
  addConnectKey: defineChange({
    perform: addConnectKey,
    locks: NO_LOCKS,
    audit: { targets: (_, { id }) => [{ workspaceId: null, target: id }], isMade: isOutcome('added') },
    secret: (seal, key) => [{ ...key, privateKey: seal(key.privateKey, { kind: 'connect_key', id: key.id }) }],
    invalidates: NO_DOMAINS,
  }),
};

const CONNECT_KEY = ['id', 'publicKey', 'privateKey', 'createdAt'] as const;

function insertKey(db: Tables, p: ConnectKey) {
  return db.insertInto('connectKeys').values(pick(p, CONNECT_KEY));
}

/** Ids sort in the order of creation. */
function selectKeys(db: Tables) {
  return db.selectFrom('connectKeys').orderBy('id', 'desc').select(CONNECT_KEY);
}

function deleteKey(db: Tables, p: { id: string }) {
  return db.deleteFrom('connectKeys').where('id', '=', p.id);
}
