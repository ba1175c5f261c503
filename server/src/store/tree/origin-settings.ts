import { ofTree } from '../audit/entries.ts';
import { logChange } from '../cache/change-log.ts';
import { defineChange, isFound, isOutcome } from '../engine/change.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_DOMAINS } from '../engine/write.ts';
import type { Schema } from '../schema/schema.ts';
import { selectEnvironmentId } from './tree.ts';
import type { OriginSettingsChange, ShownOriginSettings } from './tree-store.ts';

type Row = Schema['originSettings'];

const NO_SECRET = { secret: null, secretCreatedAt: null, previousSecret: null, previousExpiresAt: null };

export async function findOriginSettings(reader: Reader, environmentId: string): Promise<ShownOriginSettings | null> {
  const row = await reader.one(selectSettings, { environmentId });
  return row && shownOf(row);
}

function shownOf({ environmentId, hostHeader, caCertificate, sendsExternalId, ...row }: Row): ShownOriginSettings {
  return {
    environmentId,
    hostHeader: hostHeader ?? 'visitor',
    caCertificate,
    // Their key may have been lost, and they with it.
    clientCertificate: row.clientKey === null ? null : row.clientCertificate,
    secretCreatedAt: row.secret === null ? null : row.secretCreatedAt,
    previousExpiresAt: row.previousSecret === null ? null : row.previousExpiresAt,
    sendExternalId: sendsExternalId === 1,
  };
}

/** Null: the workspace has no such environment. */
async function changeSettings(
  tx: Transaction,
  workspaceId: string,
  environmentId: string,
  changed: (before: Row) => Partial<Row>,
): Promise<ShownOriginSettings | null> {
  if ((await tx.one(selectEnvironmentId, { workspaceId, id: environmentId })) === null) return null;
  await tx.execute(lockSettings, { environmentId });
  const before = await tx.one(selectSettings, { environmentId });
  if (before === null) return null;
  const after = { ...before, ...changed(before) };
  await tx.execute(updateSettings, after);
  logChange(tx, 'environment', environmentId);
  return shownOf(after);
}

function updateOriginSettings(tx: Transaction, workspaceId: string, id: string, change: OriginSettingsChange) {
  const { hostHeader, caCertificate, clientCertificate, sendExternalId, secret } = change;
  return changeSettings(tx, workspaceId, id, () => ({
    ...(hostHeader !== undefined && { hostHeader }),
    ...(caCertificate !== undefined && { caCertificate }),
    ...(clientCertificate !== undefined && {
      clientCertificate: clientCertificate?.chain ?? null,
      clientKey: clientCertificate?.privateKey ?? null,
    }),
    ...(sendExternalId !== undefined && { sendsExternalId: sendExternalId ? 1 : null }),
    ...(secret === null && NO_SECRET),
  }));
}

async function rotateOriginSecret(
  tx: Transaction,
  workspaceId: string,
  environmentId: string,
  secret: { text: Uint8Array; createdAt: number },
  previousExpiresAt: number,
): Promise<'rotated' | 'missing'> {
  const rotated = await changeSettings(tx, workspaceId, environmentId, (before) => ({
    secret: secret.text,
    secretCreatedAt: secret.createdAt,
    previousSecret: before.secret,
    previousExpiresAt,
  }));
  return rotated === null ? 'missing' : 'rotated';
}

// No entry has a secret, nor a certificate.
export const originSettingsChanges = {
  updateOriginSettings: defineChange({
    perform: updateOriginSettings,
    locks: (_, environmentId) => [environmentId],
    audit: {
      async targets(tx, workspaceId, id, change) {
        const found = await tx.one(selectEnvironmentId, { workspaceId, id });
        const changed = Object.entries(change).flatMap(([name, value]) => (value === undefined ? [] : [name]));
        const { hostHeader } = change;
        const detail = { changed, ...(hostHeader !== undefined && { hostHeader: hostHeader ?? 'visitor' }) };
        return found === null ? [] : [{ ...ofTree(found), detail }];
      },
      isMade: isFound,
    },
    secret(seal, workspaceId, id, change) {
      const { clientCertificate } = change;
      if (clientCertificate == null) return [workspaceId, id, change];
      const privateKey = seal(clientCertificate.privateKey, { kind: 'origin_client_key', id });
      return [workspaceId, id, { ...change, clientCertificate: { ...clientCertificate, privateKey } }];
    },
    invalidates: NO_DOMAINS,
  }),
  rotateOriginSecret: defineChange({
    perform: rotateOriginSecret,
    locks: (_, environmentId) => [environmentId],
    audit: {
      async targets(tx, workspaceId, id) {
        const found = await tx.one(selectEnvironmentId, { workspaceId, id });
        return found === null ? [] : [ofTree(found)];
      },
      isMade: isOutcome('rotated'),
    },
    secret: (seal, workspaceId, id, secret, previousExpiresAt) => [
      workspaceId,
      id,
      { ...secret, text: seal(secret.text, { kind: 'origin_secret', id }) },
      previousExpiresAt,
    ],
    invalidates: NO_DOMAINS,
  }),
};

function selectSettings(db: Tables, p: { environmentId: string }) {
  return db
    .selectFrom('originSettings')
    .where('environmentId', '=', p.environmentId)
    .select(['environmentId', ...COLUMNS]);
}

/** Adds the row where there is none. Its secrets may not be sealed anew between being read and being written. */
function lockSettings(db: Tables, p: { environmentId: string }) {
  return db
    .insertInto('originSettings')
    .values({ environmentId: p.environmentId })
    .onConflict((on) => on.column('environmentId').doUpdateSet({ environmentId: p.environmentId }));
}

const COLUMNS = [
  'hostHeader',
  'caCertificate',
  'clientCertificate',
  'clientKey',
  'sendsExternalId',
  'secret',
  'secretCreatedAt',
  'previousSecret',
  'previousExpiresAt',
] as const;

function updateSettings(db: Tables, p: Row) {
  return db.updateTable('originSettings').where('environmentId', '=', p.environmentId).set(pick(p, COLUMNS));
}
