import { ofTree } from '../audit/entries.ts';
import { logChange } from '../cache/change-log.ts';
import { defineChange, isFound, isOutcome } from '../engine/change.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import { NO_DOMAINS } from '../engine/write.ts';
import { selectEnvironmentId } from './tree.ts';
import type { OriginSettingsChange, ShownOriginSettings } from './tree-store.ts';

export async function findOriginSettings(reader: Reader, environmentId: string): Promise<ShownOriginSettings | null> {
  const row = await reader.one(selectSettings, { environmentId });
  if (row === null) return null;
  const { secret, previousSecret, clientKey, ...shown } = row;
  return {
    ...shown,
    hostHeader: shown.hostHeader ?? 'visitor',
    // Their key may have been lost, and they with it.
    clientCertificate: clientKey === null ? null : shown.clientCertificate,
    secretCreatedAt: secret === null ? null : shown.secretCreatedAt,
    previousExpiresAt: previousSecret === null ? null : shown.previousExpiresAt,
  };
}

async function updateOriginSettings(
  tx: Transaction,
  workspaceId: string,
  environmentId: string,
  { hostHeader, caCertificate, clientCertificate, secret }: OriginSettingsChange,
): Promise<ShownOriginSettings | null> {
  if ((await tx.one(selectEnvironmentId, { workspaceId, id: environmentId })) === null) return null;
  await tx.execute(insertSettings, { environmentId });
  if (hostHeader !== undefined) await tx.execute(updateHostHeader, { environmentId, hostHeader });
  if (caCertificate !== undefined) await tx.execute(updateCaCertificate, { environmentId, caCertificate });
  if (clientCertificate !== undefined) {
    const { chain, privateKey } = clientCertificate ?? { chain: null, privateKey: null };
    await tx.execute(updateClientCertificate, { environmentId, chain, privateKey });
  }
  if (secret === null) await tx.execute(removeSecrets, { environmentId });
  logChange(tx, 'environment', environmentId);
  return findOriginSettings(tx, environmentId);
}

async function rotateOriginSecret(
  tx: Transaction,
  workspaceId: string,
  environmentId: string,
  secret: { text: Uint8Array; createdAt: number },
  previousExpiresAt: number,
): Promise<'rotated' | 'missing'> {
  if ((await tx.one(selectEnvironmentId, { workspaceId, id: environmentId })) === null) return 'missing';
  await tx.execute(insertSettings, { environmentId });
  await tx.execute(rotate, { environmentId, ...secret, previousExpiresAt });
  logChange(tx, 'environment', environmentId);
  return 'rotated';
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
    .select([
      'environmentId',
      'hostHeader',
      'caCertificate',
      'clientCertificate',
      'secretCreatedAt',
      'previousExpiresAt',
      'secret',
      'previousSecret',
      'clientKey',
    ]);
}

function insertSettings(db: Tables, p: { environmentId: string }) {
  return db
    .insertInto('originSettings')
    .values({ environmentId: p.environmentId })
    .onConflict((on) => on.column('environmentId').doNothing());
}

function updateHostHeader(db: Tables, p: { environmentId: string; hostHeader: string | null }) {
  return db
    .updateTable('originSettings')
    .where('environmentId', '=', p.environmentId)
    .set({ hostHeader: p.hostHeader });
}

function updateCaCertificate(db: Tables, p: { environmentId: string; caCertificate: string | null }) {
  return db
    .updateTable('originSettings')
    .where('environmentId', '=', p.environmentId)
    .set({ caCertificate: p.caCertificate });
}

function updateClientCertificate(
  db: Tables,
  p: { environmentId: string; chain: string | null; privateKey: Uint8Array | null },
) {
  return db
    .updateTable('originSettings')
    .where('environmentId', '=', p.environmentId)
    .set({ clientCertificate: p.chain, clientKey: p.privateKey });
}

function removeSecrets(db: Tables, p: { environmentId: string }) {
  return db
    .updateTable('originSettings')
    .where('environmentId', '=', p.environmentId)
    .set({ secret: null, secretCreatedAt: null, previousSecret: null, previousExpiresAt: null });
}

function rotate(
  db: Tables,
  p: { environmentId: string; text: Uint8Array; createdAt: number; previousExpiresAt: number },
) {
  return db
    .updateTable('originSettings')
    .where('environmentId', '=', p.environmentId)
    .set((of) => ({
      previousSecret: of.ref('secret'),
      previousExpiresAt: p.previousExpiresAt,
      secret: p.text,
      secretCreatedAt: p.createdAt,
    }));
}
