import type { SigningKey } from '../contract/store.ts';
import { defineChange, isOutcome } from './change.ts';
import { logChange } from './change-log.ts';
import type { Reader, Tables, Transaction } from './statement.ts';
import { NO_DOMAINS } from './write.ts';

export async function findSigningKey(reader: Reader, keyId: string): Promise<SigningKey | null> {
  return reader.one(selectKey, { id: keyId });
}

export async function findCurrentSigningKey(reader: Reader): Promise<SigningKey | null> {
  return reader.one(selectCurrent, {});
}

async function replaceSigningKey(
  tx: Transaction,
  before: string | null,
  after: SigningKey,
  deleteRetiredBefore: number,
): Promise<'replaced' | 'stale'> {
  const current = await tx.one(selectCurrent, {});
  if ((current?.id ?? null) !== before) return 'stale';
  if (before !== null) await tx.execute(retireKey, { id: before, at: after.createdAt });
  const deleted = await tx.all(selectRetired, { before: deleteRetiredBefore });
  await tx.execute(deleteRetired, { before: deleteRetiredBefore });
  await tx.execute(insertKey, after);
  const changed = new Set([before ?? after.id, after.id, ...deleted.map(({ id }) => id)]);
  for (const id of changed) logChange(tx, 'signing_key', id);
  return 'replaced';
}

export const signingChanges = {
  replaceSigningKey: defineChange({
    perform: replaceSigningKey,
    locks: () => ['signing keys'],
    audit: {
      targets: (_, before, { id }) => [{ workspaceId: null, target: id, detail: { before } }],
      isMade: isOutcome('replaced'),
    },
    secret(seal, before, after, ...rest) {
      const privateKey = seal(after.privateKey, { kind: 'signing_key', id: after.id });
      return [before, { ...after, privateKey }, ...rest];
    },
    invalidates: NO_DOMAINS,
  }),
};

const columns = [
  'id',
  'public_key as publicKey',
  'private_key as privateKey',
  'created_at as createdAt',
  'retired_at as retiredAt',
] as const;

function selectKey(db: Tables, p: { id: string }) {
  return db.selectFrom('signing_keys').where('id', '=', p.id).select(columns);
}

function selectCurrent(db: Tables) {
  return db.selectFrom('signing_keys').where('retired_at', 'is', null).select(columns);
}

function retireKey(db: Tables, p: { id: string; at: number }) {
  return db.updateTable('signing_keys').where('id', '=', p.id).set({ retired_at: p.at });
}

function selectRetired(db: Tables, p: { before: number }) {
  return db.selectFrom('signing_keys').where('retired_at', '<', p.before).select('id');
}

function deleteRetired(db: Tables, p: { before: number }) {
  return db.deleteFrom('signing_keys').where('retired_at', '<', p.before);
}

function insertKey(db: Tables, p: SigningKey) {
  return db.insertInto('signing_keys').values({
    id: p.id,
    public_key: p.publicKey,
    private_key: p.privateKey,
    created_at: p.createdAt,
    retired_at: p.retiredAt,
  });
}
